/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel files of a thread, and their pure parsers. */
#pragma once

#include "metrics.h"

#define INDEX_BUCKETS 128u

/* The rows of each file in the metric table, and the file's keys by hash. */
struct files_index {
	uint8_t first[N_FILES]; /* row of the file's first metric */
	uint8_t count[N_FILES];
	uint8_t head[N_FILES][INDEX_BUCKETS]; /* row + 1; 0: none */
	uint8_t next[N_METRICS];              /* row + 1; 0: none */
	uint8_t minus[N_METRICS];             /* row + 1 of metric.minus; 0: none */
	/* Rows + 1 of metrics of sched. */
	uint8_t slice;      /* only fair threads have it */
	uint8_t dl_runtime; /* only deadline threads have it and the next row */
	uint8_t util_est;   /* two lines before Linux 6.8 */
	uint8_t uid;        /* row + 1 */
};

void files_index_build(struct files_index *ret);

/*
 * Every parser sets values[row] for all rows of its file; values has N_METRICS elements.  A field
 * that the text lacks is set to missing.  The values borrow from text, which may contain any bytes.
 */
typedef void file_parse_fn(const struct files_index *index, enum file_id file, struct text text,
			   struct value *values);

struct procfs_file {
	const char *name;     /* below <tgid>/task/<tid> */
	const char *path;     /* otherwise below <tgid>/task: one for the whole process */
	bool leader;          /* read only in the leader's row */
	file_parse_fn *parse; /* NULL: not one of the plain files */
	bool tallied;         /* a failed read counts in the summary, under name */
};

extern const struct procfs_file procfs_files[N_FILES];
