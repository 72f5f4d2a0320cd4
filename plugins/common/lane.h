/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A helper thread for what may not return, and that can be left behind then:
 * reading files of a process, mostly.
 *
 * Reading smaps or cmdline takes the mmap lock of the target, which a target
 * stuck in the kernel never gives back.  So a helper reads and the worker waits
 * with a deadline.  A helper that overruns is abandoned: from then on it owns
 * all it touches, the data of its job included, and ends by itself when the
 * kernel lets go.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LANE_JOBS 16u
/* Text is handed on in pieces of at most this: a line that is longer is lost. */
#define LANE_CHUNK (32u * 1024)

typedef ssize_t lane_read_fn(int fd, void *buf, size_t size);

/* What becomes of a file's text; called on the helper's thread. */
struct lane_consumer {
	/* Takes text as it is read; last: nothing comes behind it.  Returns the
	 * bytes used: the others are presented again with what follows. */
	size_t (*take)(void *data, const char *text, size_t len, bool last);
	/* In place of reading a file; answers what lane_job.err says. */
	int (*ask)(void *data);
	/* Ends the data of a job that was left behind. */
	void (*drop)(void *data);
};

struct lane_job {
	int fd; /* of consumer.take: the helper's once the job has begun; it closes it */
	const struct lane_consumer *consumer;
	void *data;
	int err;     /* answer: positive errno, 0, or ESRCH for an empty file */
	uint64_t ns; /* what reading took */
};

struct lane_progress {
	unsigned done;     /* jobs finished: the first ones */
	uint64_t begun_ns; /* when the job behind them began; 0: not yet */
};

struct lane;

/* Starts the helper, which reads with read_file, on the descriptor table of the calling thread. */
int lane_open(lane_read_fn *read_file, struct lane **ret);
/* Ends the helper, which must be idle. */
void lane_close(struct lane *lane);

/* Job i, the worker's before lane_submit() and again when it is done. */
struct lane_job *lane_job(struct lane *lane, unsigned i);
/* Hands the first n jobs over; n <= LANE_JOBS. */
void lane_submit(struct lane *lane, unsigned n);
/* Waits until all jobs are done, or that long. */
struct lane_progress lane_wait(struct lane *lane, uint64_t timeout_ns);
/* Withdraws the jobs that have not begun; returns how many are left. */
unsigned lane_truncate(struct lane *lane);
/* Leaves the helper behind, with the running job's descriptor and data; those
 * of the jobs not begun are the worker's again, the lane no longer.  false, and
 * nothing done, when job number running is not the one that runs by now. */
bool lane_abandon(struct lane *lane, unsigned running);

/* CLOCK_MONOTONIC. */
uint64_t lane_clock_ns(void);
