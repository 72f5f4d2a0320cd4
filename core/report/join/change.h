/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The change between two values of a metric, which changes are shown, and their
 * order.
 *
 * Order of rows, by default:
 *  1. changes of quantities, the biggest first.  A change counts as many
 *     points as it is percent of the baseline; from a baseline of 0 it counts
 *     100 points if it is large for its unit (a millisecond, a mebibyte, a
 *     thousand times, ten ticks) and in proportion less if it is smaller; that
 *     of a ratio counts a point for every hundredth, 100 at most.
 *  2. changes of another kind: of ordinals, categories, CPU sets; values that
 *     only one side has, or that are made of unequal numbers of rows.
 *  3. what did not change.
 * Ties: by the group's names, then in the order of the metrics.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "frame/units.h"

typedef struct change {
	guint32 flags;      /* CTPROF_CELL_* */
	gdouble delta, pct; /* also set for an uneven change, with PARTIAL */
} Change;

void change_between(const struct ctprof_value *baseline, const struct ctprof_value *candidate,
		    guint32 ladder, Change *ret_change);

/* The changes to be shown. */
typedef struct change_filter {
	gboolean changed; /* changed rows only */
	gdouble min_pct;  /* 0: any; hides changes with neither percent nor points */
	/* Smallest change of each dimension, in its base; 0: any. */
	gdouble min_deltas[N_DIMENSIONS];
} ChangeFilter;

gboolean change_passes(const Change *change, guint32 ladder, const ChangeFilter *filter);

/* The position of a row in the order above. */
typedef struct standing {
	guint class;    /* 1..3, ascending */
	gdouble points; /* in 1; descending */
	guint place;    /* of its group, ascending */
	guint figure;   /* its metric's */
} Standing;

/* Sets class and points; by_size: in a window, changes have no percentage and are
 * ordered by size. */
void change_weigh(const Change *change, guint32 ladder, gboolean by_size, Standing *standing);
gint standing_compare(const Standing *a, const Standing *b);
