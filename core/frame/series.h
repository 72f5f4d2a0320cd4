/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values by subject and measure for each window: of a recording, or of those that top and replay
 * showed last.
 */
#pragma once

#include <glib.h>

typedef struct series Series;

/* most: the number of windows that are kept; of_subjects: the only measure that is kept for
 * subjects other than the host; NULL: all. */
Series *series_new(guint most, const char *of_subjects);
void series_free(Series *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Series, series_free)
/* Forgets all values and windows. */
void series_clear(Series *self);

/* Begins a window: its end, CLOCK_REALTIME (below in s), and its length.  Subjects
 * without a value in any kept window are forgotten. */
void series_begin(Series *self, guint64 realtime_ns, gdouble seconds);
guint series_windows(const Series *self);
gdouble series_end(const Series *self, guint window);
gdouble series_seconds(const Series *self, guint window);

/* Stores a value of the latest window, NAN: none.  subject: a pool's name; NULL, here and below:
 * the host. */
void series_note(Series *self, const char *subject, const char *measure, gdouble value);
/* Returns NAN if there is no value. */
gdouble series_value(const Series *self, guint window, const char *subject, const char *measure);
/* Returns the next subject that has the measure, in the order in which they were first noted; *at
 * is 0 before the first call.  NULL: there are no more. */
const char *series_next(const Series *self, const char *measure, guint *at);
/* Finds the window with the highest value; FALSE: no window has one. */
gboolean series_worst(const Series *self, const char *subject, const char *measure,
		      guint *ret_window);

/* How values spread: the extremes, the median and the 95th percentile. */
typedef struct spread {
	gdouble least, median, p95, most; /* NAN: there are no values */
	guint n;                          /* number of values */
} Spread;

/* Returns the spread of the values that are not NAN. */
Spread spread_of(const gdouble *values, guint n);
Spread series_spread(const Series *self, const char *subject, const char *measure);
/* Draws a bar for each window, or for the newest n, from the first that has a value (n 0: all).
 * NULL: fewer than two windows have one.  The caller frees it. */
char *series_draw(const Series *self, const char *subject, const char *measure, guint n);
