/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What need not be read again of a thread that has not run since the sample before.
 *
 * stat, schedstat, cgroup, the affinity and sched_getattr() are read of every thread in
 * every sample.  If the first of these say that it was on no CPU meanwhile (run time and
 * timeslices), is not about to be (state R), and that nobody changed its name, policy,
 * priorities or slice, then so are the switches in status, what sched shows and what io
 * counts: the kernel counts them for the running thread (current).
 */
#pragma once

#include <pthread.h>

#include "files.h"

/* Their rows stand together in the table of metrics. */
#define STILL_FIRST_FILE FILE_STATUS
#define STILL_LAST_FILE FILE_IO
#define STILL_ROWS 49u
#define STILL_NAME_BYTES 64u

/* Samples after which everything is read again. */
#define STILL_SAMPLES 64u

struct still_thread {
	struct still_thread *next;
	int32_t tid;
	uint8_t name_len;
	char name[STILL_NAME_BYTES]; /* comm */
	uint64_t mark;               /* of what was read when the values were */
	uint64_t bits[STILL_ROWS];
	uint8_t why[STILL_ROWS];
};

#define STILL_BUCKETS 16384u

/* Of all workers. */
struct still {
	pthread_mutex_t lock; /* buckets, n, n_asked; a thread is one worker's at a time */
	bool is_on;           /* samples are being taken */
	bool sched_changes;   /* sched, also of threads that do not run */
	struct still_thread **buckets;
	size_t n, n_asked; /* kept; asked for in this sample */
	unsigned samples;
	uint64_t setting; /* mark of what holds for all threads */
};

void still_init(struct still *still);
void still_clear(struct still *still);
/* Another sample, of a root on which threads can be asked by number; setting: a mark of
 * what the values also depend on. */
void still_again(struct still *still, uint64_t setting);

/* What is kept of a thread; NULL: out of memory. */
struct still_thread *still_find(struct still *still, int32_t tid);

/* Marks tell contents apart.  0: it cannot be still. */
uint64_t still_mark(uint64_t mark, const void *bytes, size_t len);
/* stat: its columns that belong to the thread, and its name. */
uint64_t still_mark_stat(struct text stat);
/* schedstat, and what sched_getattr() says of the thread. */
uint64_t still_mark_schedstat(uint64_t mark, struct text schedstat, int32_t tid);

/* Keeps the values of these files, and mark. */
void still_keep(struct still_thread *thread, uint64_t mark, const struct files_index *index,
		const struct value *values);
/* Sets the values of a file. */
void still_restore(const struct still_thread *thread, const struct files_index *index,
		   enum file_id file, struct value *values);
