/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sampler.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/ui.h"
#include "guard/crash.h"

/* How long a job may take to end when requested; after that the process ends without it. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

typedef struct job {
	Demand demand;
	SamplerEnd end;
} Job;

struct sampler {
	Feed *feed;
	GThread *thread;
	int done_fd;
	GAsyncQueue *asked, *done; /* an active job is in one of them, or in progress */
	Job job, last;             /* last: ends the thread */
	gboolean is_busy;
};

static gpointer sampler_main(gpointer data)
{
	Sampler *self = data;
	Feed *feed = self->feed;
	const guint64 one = 1;
	Job *job;

	crash_init_thread();
	while ((job = g_async_queue_pop(self->asked)) != &self->last) {
		job->end.found = (job->end.job == SAMPLER_MEMORY ? feed->take_memory : feed->take)(
			feed, &job->demand, &job->end.error);
		/* Write this first: it is read as soon as the job has been taken from the queue. */
		(void)!write(self->done_fd, &one, sizeof one);
		g_async_queue_push(self->done, job);
	}
	return NULL;
}

static void sampler_clear(Sampler *self)
{
	g_clear_error(&self->job.end.error);
	g_async_queue_unref(self->asked);
	g_async_queue_unref(self->done);
	fd_close(&self->done_fd);
	g_free(self);
}

Sampler *sampler_new(Feed *feed, GError **error)
{
	int done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (done_fd < 0) {
		error_set_errno(error, errno, "cannot wait for samples");
		return NULL;
	}
	Sampler *self = g_new0(Sampler, 1);
	self->feed = feed;
	self->done_fd = done_fd;
	self->asked = g_async_queue_new();
	self->done = g_async_queue_new();
	self->thread = g_thread_try_new("ctprof-sampler", sampler_main, self, error);
	if (!self->thread)
		g_clear_pointer(&self, sampler_clear);
	return self;
}

/* Ends a capture early, as an interrupt by the user does.  FALSE: it goes on. */
static gboolean end_job(Sampler *self)
{
	gboolean was_interrupted = crash_interrupted();

	if (self->is_busy && !was_interrupted)
		crash_note_signal(SIGTERM);
	gboolean in_time =
		!self->is_busy || g_async_queue_timeout_pop(self->done, PATIENCE_US) != NULL;
	if (!was_interrupted)
		(void)crash_take_signal();
	return in_time;
}

void sampler_free(Sampler *self)
{
	/* A job that hangs in a plugin will end with the process. */
	if (!end_job(self)) {
		ui_error("reading was cut off: it was still running when ctprof was to end");
		crash_reraise();
		crash_fail();
	}
	g_async_queue_push(self->asked, &self->last);
	g_thread_join(self->thread);
	sampler_clear(self);
}

int sampler_fd(const Sampler *self)
{
	return self->done_fd;
}

gboolean sampler_is_busy(const Sampler *self)
{
	return self->is_busy;
}

void sampler_start(Sampler *self, enum sampler_job job, const Demand *demand)
{
	self->job = (Job){.demand = *demand, .end = {.job = job}};
	self->is_busy = TRUE;
	g_async_queue_push(self->asked, &self->job);
}

gboolean sampler_take_end(Sampler *self, gboolean wait, SamplerEnd *ret_end)
{
	guint64 count;

	if (!self->is_busy ||
	    !(wait ? g_async_queue_pop(self->done) : g_async_queue_try_pop(self->done)))
		return FALSE;
	(void)!read(self->done_fd, &count, sizeof count);
	*ret_end = self->job.end;
	self->job.end.error = NULL;
	self->is_busy = FALSE;
	return TRUE;
}
