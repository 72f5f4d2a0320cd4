/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sampler.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/lock.h"
#include "base/ui.h"
#include "guard/crash.h"

/* For a job to end when it is told to; then the process ends without it. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

enum state { IDLE, ASKED, DONE };

struct sampler {
	Feed *feed;
	GThread *thread;
	int done_fd;
	/* What follows is changed under the lock; the job and the look only while it is idle. */
	GMutex lock;
	GCond changed;
	enum state state;
	gboolean ends;
	enum sampler_job job;
	Look look;
	SamplerEnd end;
};

static SamplerEnd work(const Sampler *self)
{
	SamplerEnd end = {.job = self->job};
	Feed *feed = self->feed;

	end.found = (end.job == SAMPLER_MEMORY ? feed->take_memory : feed->take)(feed, &self->look,
										 &end.error);
	return end;
}

static void tell(const Sampler *self)
{
	const guint64 one = 1;

	(void)!write(self->done_fd, &one, sizeof one);
}

static gpointer run(gpointer data)
{
	Sampler *self = data;

	crash_init_thread();
	g_mutex_lock(&self->lock);
	while (!self->ends) {
		if (self->state != ASKED) {
			g_cond_wait(&self->changed, &self->lock);
			continue;
		}
		g_mutex_unlock(&self->lock);
		SamplerEnd end = work(self);
		g_mutex_lock(&self->lock);
		self->end = end;
		self->state = DONE;
		g_cond_broadcast(&self->changed);
		tell(self);
	}
	g_mutex_unlock(&self->lock);
	return NULL;
}

Sampler *sampler_new(Feed *feed, GError **error)
{
	g_autofree Sampler *self = g_new0(Sampler, 1);

	self->feed = feed;
	self->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (self->done_fd < 0) {
		error_set_errno(error, errno, "cannot wait for samples");
		return NULL;
	}
	g_mutex_init(&self->lock);
	g_cond_init(&self->changed);
	self->thread = g_thread_try_new("ctprof-sampler", run, self, error);
	if (self->thread)
		return g_steal_pointer(&self);
	g_mutex_clear(&self->lock);
	g_cond_clear(&self->changed);
	fd_close(&self->done_fd);
	return NULL;
}

/* A capture ends early as it does when the user interrupts it. */
static gboolean end_job(Sampler *self)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_US;
	gboolean was_interrupted = crash_interrupted();
	HOLD(&self->lock);

	self->ends = TRUE;
	g_cond_broadcast(&self->changed);
	if (self->state == ASKED && !was_interrupted)
		crash_note_signal(SIGTERM);
	gboolean in_time = TRUE;
	while (self->state == ASKED && in_time)
		in_time = g_cond_wait_until(&self->changed, &self->lock, end);
	if (!was_interrupted)
		(void)crash_take_signal();
	return in_time;
}

void sampler_free(Sampler *self)
{
	/* One that hangs in a plugin ends with the process. */
	if (!end_job(self)) {
		ui_error("reading went on after ctprof was to end; it was cut off");
		crash_reraise();
		crash_fail();
	}
	g_thread_join(self->thread);
	g_clear_error(&self->end.error);
	g_mutex_clear(&self->lock);
	g_cond_clear(&self->changed);
	fd_close(&self->done_fd);
	g_free(self);
}

int sampler_fd(const Sampler *self)
{
	return self->done_fd;
}

gboolean sampler_is_busy(const Sampler *self)
{
	Sampler *held = (Sampler *)(uintptr_t)self;
	HOLD(&held->lock);

	return self->state != IDLE;
}

void sampler_start(Sampler *self, enum sampler_job job, const Look *look)
{
	HOLD(&self->lock);

	self->job = job;
	self->look = *look;
	self->state = ASKED;
	g_cond_broadcast(&self->changed);
}

gboolean sampler_take_end(Sampler *self, gboolean wait, SamplerEnd *ret_end)
{
	guint64 count;
	HOLD(&self->lock);

	while (wait && self->state == ASKED)
		g_cond_wait(&self->changed, &self->lock);
	if (self->state != DONE)
		return FALSE;
	(void)!read(self->done_fd, &count, sizeof count);
	*ret_end = self->end;
	self->end = (SamplerEnd){0};
	self->state = IDLE;
	return TRUE;
}
