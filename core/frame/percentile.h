/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of a group's histogram. */
#pragma once

#include "ctprof/report.h"
#include "row/buckets.h"

/* The part of a histogram that is requested, as in "run_delay:p99". */
typedef struct percentile {
	const char *suffix; /* ":p99" */
	gdouble share;      /* share of the values that are not larger */
	gboolean quiet;     /* shown only if named */
} Percentile;

/* The list ends with a NULL suffix. */
extern const Percentile percentiles[];

/* Finds the percentile at the beginning of text, such as ":p99"; NULL: there is none. */
const Percentile *percentile_at(const char *text);
/* Returns the name of a metric without its percentile; the caller frees it. */
char *percentile_metric(const char *name);

/* Returns the number of values. */
guint64 histogram_count(const Histogram *histogram);
/* Sets the number of a value to the upper bound of the bucket that contains the percentile, and min
 * and max to the bucket's bounds; ABSENT if there are no values.  Its coverage stays as it is. */
void percentile_value(const Percentile *percentile, const Histogram *histogram,
		      struct ctprof_value *value);
/* Makes the histogram of a cell; the caller frees it. */
struct ctprof_histogram *histogram_draw(const Histogram *histogram);
/* Returns a map of the counts added between two maps, all as values of rows, in the arena; 0: a
 * count fell. */
guint64 histogram_since(Arena *arena, guint64 before, guint64 after);
