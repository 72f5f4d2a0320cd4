/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of the result the user wants to see, and rows made accordingly. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/join/change.h"
#include "report/join/groups.h"

typedef struct view {
	gboolean compare;
	gdouble seconds; /* between the sides, when rates are wanted; else 0 */
	ChangeFilter filter;
	GRegex *match; /* of a group's names one must match; NULL: all do */
	guint limit;   /* of rows in a section; 0: none */
} View;

gboolean view_matches(const View *view, const char *const *names, guint n_names);

/* What a row tells, apart from the values. */
typedef struct told {
	const char *metric, *unit, *tags;
	guint32 ladder;
	guint32 kind; /* a counter's change makes a rate; 0: derived */
} Told;

/* The change between both values, per second where that is wanted. */
void view_change(const View *view, const struct ctprof_value values[SIDES], const Told *told,
		 Change *ret_change);
/* Fills in all but the group's own: threads, uptime, sort, renamed. */
void view_fill_row(const View *view, const char *const *names, guint n_names, const Told *told,
		   const struct ctprof_value values[SIDES], struct ctprof_report_row *ret_row);
/* Whether the row is to be seen, by what changed; show: always. */
gboolean view_passes(const View *view, const struct ctprof_report_row *row);
