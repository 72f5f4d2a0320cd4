/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helper threads for what may not return, and that can be left behind then:
 * reading files of a process, mostly.
 *
 * Reading smaps or cmdline takes the mmap lock of the target, which a target
 * stuck in the kernel never gives back.  So a helper works and the worker waits
 * with a deadline.  One helper does all jobs, one after the other, until one
 * takes long: then another goes on with the rest, so that many that block are waited
 * for at the same time.  A helper that overruns is abandoned: from then on it owns
 * all it touches, the data of its job included, and ends by itself when the
 * kernel lets go.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Jobs that can be under way. */
#define LANE_JOBS 160u
/* Helpers of a lane and those that any lane has abandoned: each holds a stack and 50 KiB. */
#define LANE_HELPERS 512u
/* Jobs worth handing over at once. */
#define LANE_AHEAD 16u
/* Text is handed on in pieces of at most this: a line that is longer is lost. */
#define LANE_CHUNK (32u * 1024)

typedef ssize_t lane_read_fn(int fd, void *buf, size_t size);

/* What becomes of a file's text; called on a helper's thread. */
struct lane_consumer {
	/* Takes text as it is read; last: nothing comes behind it.  Returns the
	 * bytes used: the others are presented again with what follows. */
	size_t (*take)(void *data, const char *text, size_t len, bool last);
	/* In place of reading a file; answers what lane_job.err says.  *context, NULL
	 * at first, is this helper's for all its jobs. */
	int (*ask)(void *data, void **context);
	/* Ends the data of a job that was left behind. */
	void (*drop)(void *data);
	/* Ends the context of a helper, unless that is NULL. */
	void (*leave)(void *context);
};

struct lane_job {
	/* The process it may wait for, in the host's numbers; 0: unknown. */
	int32_t tgid;
	int fd; /* of consumer.take: the helper's once the job has begun; it closes it */
	const struct lane_consumer *consumer;
	void *data;
	int err;         /* answer: positive errno, 0, or ESRCH for an empty file */
	uint64_t ns;     /* what it took */
	uint64_t cpu_ns; /* of that, CPU time of the helper */
};

/* How long jobs are waited for, by all workers: whatever a job does, no longer than the
 * timeout; while it neither uses the CPU nor waits for one, about as long as the capture
 * had taken before, or an eighth of the timeout; an eighth of that where the process of the
 * job does nothing either; less after jobs that were given up. */
struct lane_patience {
	uint64_t begun_ns; /* when the capture began; 0: blocking has the whole timeout */
	uint64_t timeout_ns;
	uint64_t whole_ns;      /* in place of the timeout for what does not block; 0: none */
	_Atomic unsigned spent; /* jobs given up */
};

/* For another capture, while none of its jobs is under way. */
void lane_patience_again(struct lane_patience *patience);

struct lane;

/* Helpers read with read_file, on the descriptor table of the calling thread, which
 * starts them when they are needed.  What they do is looked up below proc: a descriptor,
 * the lane's to use; negative: only the time counts. */
int lane_open(lane_read_fn *read_file, int proc, struct lane **ret);
/* Ends the helpers.  No job may be under way. */
void lane_close(struct lane *lane);

/* Job i, the worker's until lane_submit() and again when it is done. */
struct lane_job *lane_job(struct lane *lane, unsigned i);
/* Hands job i over; it begins after those that were handed over before. */
void lane_submit(struct lane *lane, unsigned i);
/* Whether to hand over more now: then *ret is a job that is the worker's. */
bool lane_wants_more(struct lane *lane, unsigned *ret);
/* Whether jobs are under way, or wait to be taken back. */
bool lane_is_busy(struct lane *lane);
/* Waits until no job is left to begin and one is done, or that long, or less.
 * 0, or -errno: no helper is left for the jobs that have not begun. */
int lane_wait(struct lane *lane, uint64_t ns);
/* Takes back a job that is done. */
bool lane_take(struct lane *lane, unsigned *ret);
/* Takes back a job that has not begun. */
bool lane_withdraw(struct lane *lane, unsigned *ret);
/* Leaves a helper behind whose job has overrun, with the descriptor and data of that;
 * what the job took by then. */
bool lane_abandon(struct lane *lane, struct lane_patience *patience, unsigned *ret,
		  uint64_t *ret_ns);
/* Whether a helper that was left behind, in this capture or an earlier one, still waits for that
 * process: who asks it again would lose another.  With proc, also for memory of a process of the
 * same owner: such a helper may not even end with ctprof, so there is one for each owner. */
bool lane_has_lost(int32_t tgid, int proc);
/* Of a helper: its job moves on, though it uses no CPU itself. */
void lane_moves(void);
/* Of a helper: it reads memory of its job's process, or does so no more. */
void lane_reads_memory(bool reads);
/* Of a helper: what it waits for now is a program of ours to start or to end, which the load
 * of the host may delay: only the whole timeout counts. */
void lane_waits_for_own(bool own);
