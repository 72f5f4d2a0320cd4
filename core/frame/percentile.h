/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of the histogram of a group. */
#pragma once

#include "ctprof/report.h"
#include "row/buckets.h"

/* The part of a histogram that is asked for, as in "run_delay:p99". */
typedef struct percentile {
	const char *suffix; /* ":p99" */
	gdouble share;      /* of the values that are at most as large */
	gboolean quiet;     /* shown only if named */
} Percentile;

/* Ended by a NULL suffix. */
extern const Percentile percentiles[];

/* The percentile that text begins with, at its colon; NULL: none. */
const Percentile *percentile_at(const char *text);
/* The name of a metric without its percentile; the caller frees. */
char *percentile_metric(const char *name);

/* The number of values. */
guint64 histogram_count(const Histogram *histogram);
/* The upper bound of the bucket that has it; min and max are the bucket's bounds.  ABSENT if
 * there are no values. */
void percentile_value(const Percentile *percentile, const Histogram *histogram,
		      struct ctprof_value *ret_value);
/* For a cell; the caller frees. */
struct ctprof_histogram *histogram_draw(const Histogram *histogram);
/* The map of what was counted between two, as values of rows, in the arena; 0: a count fell. */
guint64 histogram_since(Arena *arena, guint64 before, guint64 after);
