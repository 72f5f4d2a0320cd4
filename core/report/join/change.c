/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "change.h"

#include <float.h>
#include <math.h>

#include "report/fold/amount.h"

#define LARGE_POINTS 100
/* The default gates of a field: in percent, and for a ratio, whose change has no percentage. */
#define DEFAULT_PERCENT 5
#define DEFAULT_RATIO 0.05

static gboolean is_equal(const struct ctprof_value *a, const struct ctprof_value *b)
{
	switch (a->type) {
	case CTPROF_VALUE_NUMBER:
		return a->number == b->number;
	case CTPROF_VALUE_REAL:
		return !(a->real < b->real) && !(a->real > b->real);
	case CTPROF_VALUE_RANGE:
		return a->min == b->min && a->max == b->max;
	case CTPROF_VALUE_CPUS:
		return a->min == b->min && a->max == b->max && g_strcmp0(a->text, b->text) == 0;
	case CTPROF_VALUE_MODE:
	case CTPROF_VALUE_TEXT:
		return g_strcmp0(a->text, b->text) == 0;
	default:
		return TRUE;
	}
}

static gboolean ladder_has_pct(guint32 ladder)
{
	return ladder_find(ladder)->dimension != DIMENSION_NONE;
}

/* Whether one side lacks rows that the other has, so that their difference does not compare the
 * same rows. */
static gboolean is_uneven(const struct ctprof_value *a, const struct ctprof_value *b)
{
	guint32 flags = a->flags | b->flags;

	return flags & CTPROF_VALUE_PARTIAL && (a->flags != b->flags || a->missing != b->missing);
}

void change_between(const struct ctprof_value *baseline, const struct ctprof_value *candidate,
		    guint32 ladder, struct ctprof_cell *ret_cell)
{
	struct ctprof_value grown;
	gdouble base;

	*ret_cell = (struct ctprof_cell){.struct_size = sizeof *ret_cell,
					 .value = {*baseline, *candidate}};
	if (baseline->type != candidate->type) {
		if (baseline->type != CTPROF_VALUE_ABSENT && candidate->type != CTPROF_VALUE_ABSENT)
			ret_cell->flags = CTPROF_CELL_DIFFERS;
		return;
	}
	gboolean same = is_equal(baseline, candidate);
	if (same)
		ret_cell->flags |= CTPROF_CELL_SAME;
	if (is_uneven(baseline, candidate))
		ret_cell->flags |= CTPROF_CELL_PARTIAL;
	if (!value_to_number(baseline, &base)) {
		ret_cell->flags |= same ? 0 : CTPROF_CELL_DIFFERS;
		return;
	}
	grown = value_growth(CTPROF_LEVEL, baseline, candidate, FALSE);
	(void)value_to_number(&grown, &ret_cell->delta);
	/* Different ranges with the same middle, or different sets with the same number of CPUs. */
	if (!same && fabs(ret_cell->delta) <= 0) {
		ret_cell->flags |= CTPROF_CELL_DIFFERS;
		return;
	}
	ret_cell->flags |= CTPROF_CELL_HAS_DELTA;
	if (value_is_amount(baseline) && ladder_has_pct(ladder) && fabs(base) > DBL_EPSILON) {
		ret_cell->flags |= CTPROF_CELL_HAS_PCT;
		/* Relative to the magnitude, so that growth from a negative
		 * value is growth. */
		ret_cell->pct = ret_cell->delta / fabs(base) * 100;
	}
}

/* Returns the change in percent, or the points that replace it; negative: neither. */
static gdouble points_of(const struct ctprof_cell *change, guint32 ladder)
{
	if (change->flags & CTPROF_CELL_HAS_PCT)
		return fabs(change->pct);
	if (!(change->flags & CTPROF_CELL_HAS_DELTA) || ladder == CTPROF_LADDER_NONE)
		return -1;
	if (ladder == CTPROF_LADDER_RATIO)
		return MIN(LARGE_POINTS, fabs(change->delta) * 100);
	if (ladder == CTPROF_LADDER_CENTIPERCENT)
		return fabs(change->delta) / 100;
	return LARGE_POINTS * MIN(1, fabs(change->delta) / ladder_find(ladder)->large);
}

static gboolean passes_pct(const struct ctprof_cell *change, guint32 ladder, gdouble min_pct)
{
	if (change->flags & CTPROF_CELL_DIFFERS)
		return TRUE;
	/* Growth from 0 exceeds any percentage. */
	if (!(change->flags & CTPROF_CELL_HAS_PCT) && ladder_has_pct(ladder))
		return (change->flags & CTPROF_CELL_HAS_DELTA) != 0;
	return points_of(change, ladder) >= min_pct;
}

gboolean change_passes(const struct ctprof_cell *change, guint32 ladder, const ChangeFilter *filter)
{
	const Ladder *rungs = ladder_find(ladder);
	gdouble least = filter->min_deltas[rungs->dimension];
	gboolean picky = filter->changed || filter->min_pct > 0;

	for (guint i = 0; i < N_DIMENSIONS; i++)
		picky = picky || filter->min_deltas[i] > 0;
	if (picky && (change->flags & CTPROF_CELL_SAME))
		return FALSE;
	if (filter->min_pct > 0 && !passes_pct(change, ladder, filter->min_pct))
		return FALSE;
	if (least > 0)
		return (change->flags & CTPROF_CELL_HAS_DELTA) &&
		       fabs(change->delta) * rungs->base >= least;
	return TRUE;
}

/* Returns only the size of the change, in units of a large change; negative: unknown. */
static gdouble size_of(const struct ctprof_cell *change, guint32 ladder)
{
	if (!(change->flags & CTPROF_CELL_HAS_DELTA) || ladder == CTPROF_LADDER_NONE)
		return -1;
	return ladder_has_pct(ladder) ? fabs(change->delta) / ladder_find(ladder)->large
				      : points_of(change, ladder) / LARGE_POINTS;
}

void change_classify(const struct ctprof_cell *change, guint32 ladder, gboolean by_size,
		     Standing *standing)
{
	gdouble points = by_size ? size_of(change, ladder) : points_of(change, ladder);

	/* In a window, rows are missing on both sides: the change is at least as large as shown. */
	if (change->flags & CTPROF_CELL_PARTIAL && !by_size)
		points = -1;
	standing->class = change->flags & CTPROF_CELL_SAME ? 3 : points < 0 ? 2 : 1;
	standing->points = standing->class == 1 ? points : 0;
}

gint standing_compare(const Standing *a, const Standing *b)
{
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->points < b->points || a->points > b->points)
		return a->points > b->points ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a->figure > b->figure) - (a->figure < b->figure);
}

/* ---- worse or better ---- */

/* Returns the smallest change of the field that is judged, in its unit. */
static gdouble gate_of(const struct ctprof_report_field *field)
{
	if (field->gate > 0)
		return (gdouble)field->gate;
	if (field->ladder == CTPROF_LADDER_RATIO)
		return DEFAULT_RATIO;
	return ladder_find(field->ladder)->large;
}

/* Growth from 0 exceeds any percentage. */
static gboolean passes_percent(const struct ctprof_report_field *field,
			       const struct ctprof_cell *change)
{
	gdouble percent = field->gate_percent > 0 ? field->gate_percent : DEFAULT_PERCENT;

	return !(change->flags & CTPROF_CELL_HAS_PCT) || fabs(change->pct) >= percent;
}

guint32 change_judge(const struct ctprof_report_field *field, const struct ctprof_cell *change)
{
	gboolean grew = change->delta > 0;

	if (field->polarity == CTPROF_POLARITY_NEUTRAL ||
	    !(change->flags & CTPROF_CELL_HAS_DELTA) ||
	    change->flags & (CTPROF_CELL_SAME | CTPROF_CELL_PARTIAL) ||
	    fabs(change->delta) < gate_of(field) || !passes_percent(field, change))
		return 0;
	return (field->polarity == CTPROF_MORE_IS_WORSE) == grew ? CTPROF_CELL_WORSE
								 : CTPROF_CELL_BETTER;
}
