/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps values of threads that have not run since the previous sample, so that they need not be
 * read again.
 *
 * stat, schedstat, cgroup, the affinity and sched_getattr() are read for every thread in every
 * sample.  They may show that a thread was on no CPU meanwhile (run time and timeslices), is not
 * about to run (state R), and has the same name, policy, priorities and slice. Then the switches in
 * status, the values in sched and the counts in io are unchanged, too: the kernel counts them for
 * the running thread (current).
 */
#pragma once

#include <pthread.h>

#include "files.h"

/* The rows of these files are adjacent in the table of metrics. */
#define STILL_FIRST_FILE FILE_STATUS
#define STILL_LAST_FILE FILE_IO
#define STILL_ROWS 50u
#define STILL_NAME_BYTES 64u

/* Samples after which everything is read again. */
#define STILL_SAMPLES 64u

struct still_thread {
	struct still_thread *next;
	int32_t tid;
	uint8_t name_len;
	char name[STILL_NAME_BYTES]; /* comm */
	uint64_t mark;               /* mark of the contents that show whether the thread has run */
	uint64_t bits[STILL_ROWS];
	uint8_t why[STILL_ROWS];
};

#define STILL_BUCKETS 16384u

/* Shared by all workers. */
struct still {
	pthread_mutex_t lock; /* for buckets, n and n_asked; a thread belongs to one worker at a
			       * time */
	bool is_on;           /* samples are being taken */
	bool sched_changes;   /* sched also changes for threads that do not run */
	struct still_thread **buckets;
	size_t n, n_asked; /* threads kept; threads looked up in this sample */
	unsigned samples;
	uint64_t setting; /* mark of the inputs common to all threads */
};

void still_init(struct still *still);
void still_clear(struct still *still);
/* Begins another sample of a live root; setting: a mark of the other inputs of the values. */
void still_again(struct still *still, uint64_t setting);

/* Returns the entry of a thread, which is added if needed; NULL: out of memory. */
struct still_thread *still_find(struct still *still, int32_t tid);

/* Adds contents to a mark, which is a hash of them.  0: the thread must be read again. */
uint64_t still_mark(uint64_t mark, const void *bytes, size_t len);
/* Marks stat: the name, and the columns that belong to the thread. */
uint64_t still_mark_stat(struct text stat);
/* Adds schedstat and the result of sched_getattr() to the mark. */
uint64_t still_mark_schedstat(uint64_t mark, struct text schedstat, int32_t tid);

/* Keeps the values of these files together with the mark. */
void still_keep(struct still_thread *thread, uint64_t mark, const struct files_index *index,
		const struct value *values);
/* Sets the values of a file. */
void still_restore(const struct still_thread *thread, const struct files_index *index,
		   enum file_id file, struct value *values);
