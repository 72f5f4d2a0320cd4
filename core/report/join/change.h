/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The change between two values of a metric, which changes are shown, their order, and whether
 * they are worse, better, or neither.
 *
 * Order of rows, by default:
 *  1. changes of quantities, the largest first. A change has one point per percent of the baseline.
 *     From a baseline of 0 it has 100 points if it is large for its unit (a millisecond, a
 *     mebibyte, a thousand times, ten ticks) and proportionally fewer if it is smaller. A change of
 *     a ratio has one point for every hundredth, at most 100.
 *  2. other changes: of ordinals, categories, CPU sets; values that only one side has, or that
 *     cover different numbers of rows. 3. unchanged rows.  Ties: by the group's names, then in the
 *     order of the metrics.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "frame/units.h"

/* Sets both values of a cell and their change.  Unlike that of a finished cell, the change has a
 * percentage even if it is PARTIAL. */
void change_between(const struct ctprof_value *baseline, const struct ctprof_value *candidate,
		    guint32 ladder, struct ctprof_cell *ret_cell);

/* The changes to be shown. */
typedef struct change_filter {
	gboolean changed; /* changed rows only */
	gdouble min_pct;  /* 0: any; hides changes with neither percent nor points */
	/* Smallest change to show, by dimension, in its base unit; 0: any. */
	gdouble min_deltas[N_DIMENSIONS];
} ChangeFilter;

gboolean change_passes(const struct ctprof_cell *change, guint32 ladder,
		       const ChangeFilter *filter);

/* The position of a row in the order above. */
typedef struct standing {
	guint class;    /* 1..3, ascending */
	gdouble points; /* only in class 1; descending */
	guint place;    /* of the group, ascending */
	guint figure;   /* position of the metric, ascending */
} Standing;

/* Sets class and points.  by_size: in a window, changes have no percentage and are ordered by
 * size. */
void change_classify(const struct ctprof_cell *change, guint32 ladder, gboolean by_size,
		     Standing *standing);
gint standing_compare(const Standing *a, const Standing *b);
/* Returns CTPROF_CELL_WORSE, CTPROF_CELL_BETTER, or 0: the field is neutral, the change is below a
 * gate or is not a number, or the two sides lack different rows. */
guint32 change_judge(const struct ctprof_report_field *field, const struct ctprof_cell *change);
