/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the plain files of each thread into its row. */
#pragma once

#include "affinity.h"
#include "files.h"
#include "passwd.h"
#include "still.h"
#include "tally.h"
#include "thread-file.h"

#include "ctprof/source.h"

/* The values to read, determined before the first thread; shared by all workers. */
struct plan {
	const struct ctprof_host *host;
	struct files_index index;
	uint32_t slots[N_METRICS];
	/* Wanted rows of the metric table, by file. */
	uint8_t wanted[N_FILES][N_METRICS];
	uint8_t n_wanted[N_FILES];
	uint32_t wanted_slots[N_FILES][N_METRICS]; /* the same, as slots */
	bool of_threads[N_FILES];                  /* some of them are not the whole process's */
	struct passwd_names passwd;
	bool asks;
	bool no_v1; /* threads here have no v1 cgroup */
};

/* Declares every metric of the table. */
int plan_register(struct plan *plan, const struct ctprof_host *host);
/* Determines which values the host wants. */
void plan_settle(struct plan *plan);
void plan_clear(struct plan *plan);

/* The state of one worker. */
struct reader {
	const struct plan *plan;
	char *buf;
	size_t size;
	struct affinity affinity;
	struct tally tally;
	struct value values[N_METRICS];
	/* The name of the previous row's process, if any. */
	int32_t process; /* tgid; 0: none */
	size_t process_len;
	char process_name[256];
	struct still *still;
	/* For the row being filled. */
	uint64_t stat_mark;         /* mark of stat, until schedstat has been read */
	uint64_t mark;              /* mark of both; 0: the thread must be read again */
	struct still_thread *known; /* the values kept for the thread; NULL: none are */
	bool failed;                /* some file of the thread could not be read */
};

/* ret must be all zeros.  still: shared by all readers. */
int reader_init(struct reader *ret, const struct plan *plan, struct still *still);
void reader_clear(struct reader *reader);

/* Begins a batch: forgets the state of earlier rows. */
void reader_begin(struct reader *reader);

/*
 * Fills a row from the plain files.  Returns false if the thread has ended: the row is then
 * dropped.  Files whose values an earlier source has put are not opened.  *ret_line is the leader's
 * stat, or all zeros if it was not read.
 */
bool reader_read_thread(struct reader *reader, struct ctprof_batch *batch, uint64_t row,
			struct stat_line *ret_line);
