/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user's choice of what part of the result is shown, and the cells for it. */
#pragma once

#include <glib.h>

#include "change.h"
#include "ctprof/report.h"
#include "pair.h"

typedef struct view {
	gboolean compare;
	gboolean window; /* the sides are two captures of one boot */
	gdouble seconds; /* time between the sides, if rates are wanted; otherwise 0 */
	ChangeFilter filter;
	GRegex *match;         /* must match one of a group's names; NULL: all match */
	guint limit;           /* lines of a section; 0: no limit */
	gboolean *ret_matched; /* set if a name matches; NULL: not needed */
} View;

/* Whether one of the names (some may be NULL) matches; TRUE if match is NULL. */
gboolean view_names_match(const GRegex *match, const char *const *names, guint n_names);
gboolean view_matches(const View *view, const char *const *names, guint n_names);

/* Fills in both values and their change, per second if requested, as change_between() does. */
void view_change(const View *view, const struct ctprof_value values[SIDES],
		 const struct ctprof_report_field *field, struct ctprof_cell *ret_cell);
/* Fills in a finished cell of a field: a change for the worse or the better is marked. */
void view_cell(const View *view, const struct ctprof_value values[SIDES],
	       const struct ctprof_report_field *field, struct ctprof_cell *ret_cell);
/* Whether the filters for changes show the cell; without compare, they always do. */
gboolean view_passes(const View *view, const struct ctprof_cell *cell,
		     const struct ctprof_report_field *field);
