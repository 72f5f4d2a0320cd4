/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a recording shows beyond its ends: the windows in a row it is cut into, each
 * analysed as a report of its own is, and what the first screens of these said.
 */
#pragma once

#include <glib.h>

#include "report/plan/options.h"

/* Windows a recording is cut into, at most: of all its threads, and of the host alone, which
 * costs little and is what the first screen calls typical. */
#define PAST_WINDOWS 16
#define PAST_HOST_WINDOWS 1024

Past *past_new(void);
void past_free(Past *past);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Past, past_free)

/* Another window: where it ends, CLOCK_REALTIME (below in s), and how long it is. */
void past_begin(Past *past, guint64 realtime_ns, gdouble seconds);
guint past_windows(const Past *past);
gdouble past_end(const Past *past, guint window);
gdouble past_seconds(const Past *past, guint window);

/* Notes a value in the window begun last.  subject: a pool's name; NULL, here and below: the
 * host. */
void past_note(Past *past, const char *subject, const char *measure, gdouble value);
/* NAN: there is none. */
gdouble past_value(const Past *past, guint window, const char *subject, const char *measure);
/* The next subject that has the measure, in the order in which they were first noted; *at is
 * 0 before the first call.  NULL: there are no more. */
const char *past_next(const Past *past, const char *measure, guint *at);
/* The window in which it was highest; FALSE: it is in none. */
gboolean past_worst(const Past *past, const char *subject, const char *measure, guint *ret_window);
/* How its values spread: the median, what 95 of 100 are at most, the highest. */
typedef struct past_spread {
	gdouble median, p95, most;
	guint n; /* windows that have it */
} PastSpread;

/* FALSE: fewer than two windows have it. */
gboolean past_spread(const Past *past, const char *subject, const char *measure,
		     PastSpread *ret_spread);
/* A bar for each window; NULL: fewer than two windows have it.  The caller frees it. */
char *past_draw(const Past *past, const char *subject, const char *measure);
