/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the plain files of one thread after the other into its row. */
#pragma once

#include "affinity.h"
#include "files.h"
#include "tally.h"
#include "thread-file.h"

#include "ctprof/source.h"

/* What is to be read, settled before the first thread; shared by all workers. */
struct plan {
	const struct ctprof_host *host;
	struct files_index index;
	uint32_t slots[N_METRICS];
	/* Rows of the metric table that somebody wants, by file. */
	uint8_t wanted[N_FILES][N_METRICS];
	uint8_t n_wanted[N_FILES];
	uint32_t wanted_slots[N_FILES][N_METRICS]; /* the same, as slots */
	bool asks;
};

/* Declares every metric of the table. */
int plan_register(struct plan *plan, const struct ctprof_host *host);
/* Asks the host what is wanted. */
void plan_settle(struct plan *plan);

/* A worker's own. */
struct reader {
	const struct plan *plan;
	char *buf;
	size_t size;
	struct affinity affinity;
	struct tally tally;
	struct value values[N_METRICS];
	/* The name of the process of the row before, when there is one. */
	int32_t process; /* tgid; 0: none */
	size_t process_len;
	char process_name[256];
};

/* ret is all zeroes. */
int reader_init(struct reader *ret, const struct plan *plan);
void reader_clear(struct reader *reader);

/* Forgets what held for the rows before: a batch begins. */
void reader_begin(struct reader *reader);

/*
 * Fills what the plain files tell of a row.  false when the thread is gone: the
 * row is dropped then.  A file is left alone whose values a source before has put.
 * ret_line is what stat tells of a leader, zeroes when it was not read.
 */
bool reader_read_thread(struct reader *reader, struct ctprof_batch *batch, uint64_t row,
			struct stat_line *ret_line);
