/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lane.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "helper.h"
#include "hold.h"

#define NS_PER_S 1000000000u
/* Directory services, which some jobs ask, bring libraries of their own. */
#define STACK_SIZE (1024u * 1024)

struct lane {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work; /* for the helper: jobs, or the end */
	pthread_cond_t idle; /* for the worker: all done */
	/* Under the lock, from here ... */
	unsigned n;
	unsigned done;
	uint64_t begun_ns;
	bool abandoned;
	bool closing;
	/* ... to here. */
	lane_read_fn *read_file;
	struct lane_job jobs[LANE_JOBS];
	char chunk[LANE_CHUNK]; /* the helper's */
};

uint64_t lane_clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void lane_free(struct lane *lane)
{
	(void)pthread_cond_destroy(&lane->work);
	(void)pthread_cond_destroy(&lane->idle);
	(void)pthread_mutex_destroy(&lane->lock);
	free(lane);
}

/* ---- the helper ------------------------------------------------------- */

/* Reads to the end, a chunk at a time: smaps can be megabytes. */
static int read_job(struct lane *lane, const struct lane_job *job)
{
	AUTO_FD fd = job->fd;
	size_t kept = 0;
	bool empty = true;

	for (;;) {
		ssize_t got = lane->read_file(fd, lane->chunk + kept, LANE_CHUNK - kept);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		empty = empty && got == 0;
		size_t have = kept + (size_t)got;
		size_t used = job->consumer->take(job->data, lane->chunk, have, got == 0);
		if (got == 0)
			break;
		/* A line as long as the chunk is none of the kernel's. */
		kept = used == 0 && have == LANE_CHUNK ? 0 : have - used;
		memmove(lane->chunk, lane->chunk + have - kept, kept);
	}
	/* What smaps, and an old smaps_rollup, show of a thread without memory. */
	return empty ? ESRCH : 0;
}

/* The next job, begun; NULL when the helper is to end. */
static struct lane_job *take_job(struct lane *lane)
{
	HOLD(&lane->lock);
	while (lane->done == lane->n && !lane->closing && !lane->abandoned)
		(void)pthread_cond_wait(&lane->work, &lane->lock);
	if (lane->closing || lane->abandoned)
		return NULL;
	lane->begun_ns = lane_clock_ns();
	return &lane->jobs[lane->done];
}

static void finish_job(struct lane *lane)
{
	HOLD(&lane->lock);
	lane->done++;
	lane->begun_ns = 0;
	if (lane->done == lane->n)
		(void)pthread_cond_signal(&lane->idle);
}

static bool is_abandoned(struct lane *lane)
{
	HOLD(&lane->lock);
	return lane->abandoned;
}

static void *helper_run(void *data)
{
	struct lane *lane = data;
	struct lane_job *job, *last = NULL;

	while ((job = take_job(lane))) {
		uint64_t begun = lane_clock_ns();

		last = job;
		job->err = job->consumer->ask ? job->consumer->ask(job->data) : read_job(lane, job);
		job->ns = lane_clock_ns() - begun;
		finish_job(lane);
	}
	/* A helper is abandoned only while a job runs. */
	if (is_abandoned(lane)) {
		last->consumer->drop(last->data);
		lane_free(lane);
	}
	return NULL;
}

/* ---- the worker ------------------------------------------------------- */

int lane_open(lane_read_fn *read_file, struct lane **ret)
{
	struct lane *lane = calloc(1, sizeof *lane);
	pthread_condattr_t attr;

	if (!lane)
		return -ENOMEM;
	lane->read_file = read_file;
	(void)pthread_mutex_init(&lane->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&lane->work, &attr);
	(void)pthread_cond_init(&lane->idle, &attr);
	(void)pthread_condattr_destroy(&attr);
	int r = helper_start(&lane->thread, STACK_SIZE, helper_run, lane);
	if (r < 0) {
		lane_free(lane);
		return r;
	}
	*ret = lane;
	return 0;
}

static void tell_to_close(struct lane *lane)
{
	HOLD(&lane->lock);
	lane->closing = true;
	(void)pthread_cond_signal(&lane->work);
}

void lane_close(struct lane *lane)
{
	tell_to_close(lane);
	(void)pthread_join(lane->thread, NULL);
	lane_free(lane);
}

struct lane_job *lane_job(struct lane *lane, unsigned i)
{
	return &lane->jobs[i];
}

void lane_submit(struct lane *lane, unsigned n)
{
	HOLD(&lane->lock);
	lane->n = n;
	lane->done = 0;
	lane->begun_ns = 0;
	(void)pthread_cond_signal(&lane->work);
}

struct lane_progress lane_wait(struct lane *lane, uint64_t timeout_ns)
{
	uint64_t until = lane_clock_ns() + timeout_ns;
	struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
				    .tv_nsec = (long)(until % NS_PER_S)};

	HOLD(&lane->lock);
	while (lane->done < lane->n)
		if (pthread_cond_timedwait(&lane->idle, &lane->lock, &deadline))
			break;
	return (struct lane_progress){.done = lane->done, .begun_ns = lane->begun_ns};
}

unsigned lane_truncate(struct lane *lane)
{
	HOLD(&lane->lock);
	lane->n = lane->done + (lane->begun_ns ? 1 : 0);
	return lane->n;
}

bool lane_abandon(struct lane *lane, unsigned running)
{
	HOLD(&lane->lock);
	if (lane->done != running || lane->begun_ns == 0)
		return false;
	helper_pin_code();
	lane->abandoned = true;
	(void)pthread_detach(lane->thread);
	return true;
}
