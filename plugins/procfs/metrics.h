/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of all values that this plugin reads of a thread: metric, file and place in the
 * file. */
#pragma once

#include "values.h"

#include "ctprof/plugin.h"

/* Files in the order they are read; stat is first, as it shows whether the thread is
 * alive. */
enum file_id {
	FILE_STAT,
	FILE_COMM,
	FILE_PCOMM,
	FILE_CGROUP,
	FILE_SCHEDSTAT,
	FILE_STATUS,
	FILE_SCHED,
	FILE_IO,
	FILE_PROCESS_STAT,
	FILE_PROCESS_IO,
	N_READ_FILES,
	/* Filled by the smaps ladder, see procfs.c. */
	FILE_SMAPS = N_READ_FILES,
	/* Put along with the number of the user. */
	FILE_PASSWD,
	N_FILES,
};

struct procfs_metric {
	struct ctprof_metric def;
	value_parse_fn *parse;
	/* Keyed files: the key.  In sched, the last segment of a dotted key or, if this text has a
	 * dot, the whole key. */
	const char *key;
	/* Metric of the same file to subtract, down to 0; if it is absent, so is the difference. */
	const char *minus;
	uint8_t file;   /* enum file_id */
	uint8_t column; /* files of columns: index of the column, from 0 */
};

/* Metrics of the table.  The rows of a file are adjacent, in the order of
 * columns. */
#define N_METRICS 85u

extern const struct procfs_metric procfs_metrics[N_METRICS];

#define METRIC_USER (N_METRICS - 4)
/* Rows of the smaps ladder. */
#define METRIC_SMAPS_MAP (N_METRICS - 3)
#define METRIC_SMAPS_STATE (N_METRICS - 2)
#define METRIC_SMAPS_SOURCE (N_METRICS - 1)
