/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helper threads for calls that may not return, mostly reads of a process's files; a helper whose
 * call does not return can be abandoned.
 *
 * Reading smaps or cmdline takes the mmap lock of the target, and a target stuck in the kernel may
 * never release it.  Therefore a helper reads, and the worker waits with a deadline.  A single
 * helper does all jobs, one after the other, until one takes long: then another helper continues
 * with the rest, so that many blocking jobs are waited for at the same time.  A helper that
 * overruns is abandoned: from then on it owns everything it touches, including the data of its job,
 * and ends by itself when the kernel releases it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The maximum number of jobs handed over at a time. */
#define ASYNC_JOBS 160u
/* The maximum number of helpers, counting those of a queue and abandoned ones of all queues: each
 * needs a stack and 50 KiB. */
#define ASYNC_HELPERS 512u
/* The number of jobs that it is worth handing over in advance. */
#define ASYNC_AHEAD 16u
/* Text is passed on in pieces of at most this size; a longer line is lost. */
#define ASYNC_CHUNK (32u * 1024)

typedef ssize_t async_read_fn(int fd, void *buf, size_t size);

/* The consumer of a file's text, called on a helper's thread. */
struct async_consumer {
	/* Takes text as it is read; last: no more text follows.  Returns the number of bytes used:
	 * the others are passed again, followed by more text. */
	size_t (*take)(void *data, const char *text, size_t len, bool last);
	/* Called instead of reading a file; returns the value for async_job.err.  *context,
	 * initially NULL, is kept by the helper from job to job. */
	int (*ask)(void *data, void **context);
	/* Frees the data of an abandoned job. */
	void (*drop)(void *data);
	/* Frees the context of a helper, unless it is NULL. */
	void (*leave)(void *context);
};

struct async_job {
	/* The process that the job may have to wait for, by the host's PID; 0: unknown. */
	int32_t tgid;
	int fd; /* for consumer.take; once the job has begun, the helper owns and closes it */
	const struct async_consumer *consumer;
	void *data;
	int err;         /* result: positive errno, 0, or ESRCH for an empty file */
	uint64_t ns;     /* time taken */
	uint64_t cpu_ns; /* CPU time of the helper in ns */
};

/* How long jobs are waited for, by all workers.  No job gets more than the timeout.  A job that
 * neither uses the CPU nor waits for one gets about the time that the capture had taken before, but
 * at least an eighth of the timeout; an eighth of that if the job's process does nothing either;
 * less after other jobs were abandoned. */
struct async_limits {
	uint64_t begun_ns; /* when the capture began; 0: blocked jobs get the whole timeout */
	uint64_t timeout_ns;
	uint64_t whole_ns;      /* replaces the timeout for jobs that do not block; 0: none */
	_Atomic unsigned spent; /* jobs given up */
};

/* Prepares for another capture; none of its jobs may be in progress. */
void async_limits_again(struct async_limits *job_limits);

struct async;

/* Opens a queue of jobs.  Its helpers read with read_file; they have the descriptor table of the
 * calling thread, which starts them as needed.  Their state is read below proc, a descriptor that
 * stays open as long as the queue; if it is negative, only the elapsed time counts. */
int async_open(async_read_fn *read_file, int proc, struct async **ret);
/* Ends the helpers.  No job may be in progress. */
void async_close(struct async *async);

/* Returns job i; the worker may use it until async_submit(), and again when it is done. */
struct async_job *async_job(struct async *async, unsigned i);
/* Hands job i over; it begins after the jobs handed over before. */
void async_submit(struct async *async, unsigned i);
/* Whether to hand over more jobs now; if so, *ret is a free one. */
bool async_wants_more(struct async *async, unsigned *ret);
/* Whether jobs are in progress, or waiting to be taken back. */
bool async_is_busy(struct async *async);
/* Waits until all jobs have begun and one is done, but not longer than ns.  0, or -errno: no helper
 * is left for the jobs that have not begun. */
int async_wait(struct async *async, uint64_t ns);
/* Takes back a job that is done; false if there is none. */
bool async_take(struct async *async, unsigned *ret);
/* Takes back a job that has not begun; false if there is none. */
bool async_cancel(struct async *async, unsigned *ret);
/* Abandons a helper whose job has overrun, with the descriptor and the data of the job; *ret_ns:
 * the time it took. */
bool async_abandon(struct async *async, struct async_limits *job_limits, unsigned *ret,
		   uint64_t *ret_ns);
/* Whether an abandoned helper, of this capture or an earlier one, still waits for that process:
 * asking it again would lose another helper.  With proc, also whether one waits for memory of a
 * process of the same owner: such a helper may not even end with ctprof, so there is at most one
 * per owner, and owner_report() then warns about that owner. */
bool async_has_lost(int32_t tgid, int proc);
/* Called by a helper to report that its job makes progress, though the helper itself does not use
 * the CPU. */
void async_note_progress(void);
/* Called by a helper when it begins, or stops, reading memory of its job's process. */
void async_set_reading(bool reads);
/* Called by a helper when it begins, or stops, waiting for one of ctprof's own programs to start or
 * to end.  The load of the host may delay that, so only the full timeout applies meanwhile. */
void async_set_waiting(bool own);
