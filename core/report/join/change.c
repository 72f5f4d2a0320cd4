/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "change.h"

#include <float.h>
#include <math.h>

#define LARGE_POINTS 100

static gboolean equal_always(const struct ctprof_value *a, const struct ctprof_value *b)
{
	(void)a;
	(void)b;
	return TRUE;
}

static gboolean equal_numbers(const struct ctprof_value *a, const struct ctprof_value *b)
{
	return a->number == b->number;
}

static gboolean equal_reals(const struct ctprof_value *a, const struct ctprof_value *b)
{
	return !(a->real < b->real) && !(a->real > b->real);
}

static gboolean equal_ranges(const struct ctprof_value *a, const struct ctprof_value *b)
{
	return a->min == b->min && a->max == b->max;
}

static gboolean equal_texts(const struct ctprof_value *a, const struct ctprof_value *b)
{
	return g_strcmp0(a->text, b->text) == 0;
}

static gboolean equal_cpus(const struct ctprof_value *a, const struct ctprof_value *b)
{
	return equal_ranges(a, b) && equal_texts(a, b);
}

static gboolean number_of_number(const struct ctprof_value *value, gdouble *ret_number)
{
	*ret_number = (gdouble)value->number;
	return TRUE;
}

static gboolean number_of_real(const struct ctprof_value *value, gdouble *ret_number)
{
	*ret_number = value->real;
	return TRUE;
}

static gboolean number_of_range(const struct ctprof_value *value, gdouble *ret_number)
{
	*ret_number = ((gdouble)value->min + (gdouble)value->max) / 2;
	return TRUE;
}

static const struct value_type {
	guint32 type;
	gboolean (*equal)(const struct ctprof_value *a, const struct ctprof_value *b);
	gboolean (*number)(const struct ctprof_value *value, gdouble *ret_number); /* or NULL */
	gboolean relative; /* a change may be told in percent */
} types[] = {
	{CTPROF_VALUE_ABSENT, equal_always, NULL, FALSE},
	{CTPROF_VALUE_NUMBER, equal_numbers, number_of_number, TRUE},
	{CTPROF_VALUE_REAL, equal_reals, number_of_real, TRUE},
	{CTPROF_VALUE_RANGE, equal_ranges, number_of_range, FALSE},
	{CTPROF_VALUE_MODE, equal_texts, NULL, FALSE},
	{CTPROF_VALUE_CPUS, equal_cpus, number_of_range, FALSE},
	{CTPROF_VALUE_UNLIMITED, equal_always, NULL, FALSE},
	{CTPROF_VALUE_TEXT, equal_texts, NULL, FALSE},
};

static const struct value_type *type_of(const struct ctprof_value *value)
{
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (types[i].type == value->type)
			return &types[i];
	return &types[0];
}

gboolean change_number_of(const struct ctprof_value *value, gdouble *ret_number)
{
	const struct value_type *type = type_of(value);

	return type->number && type->number(value, ret_number);
}

/* Exact where a gdouble of each would not be. */
static gdouble subtract(const struct ctprof_value *a, const struct ctprof_value *b)
{
	gdouble x = 0, y = 0;

	if (a->type == CTPROF_VALUE_NUMBER)
		return b->number >= a->number ? (gdouble)(b->number - a->number)
					      : -(gdouble)(a->number - b->number);
	change_number_of(a, &x);
	change_number_of(b, &y);
	return y - x;
}

static gboolean ladder_has_pct(guint32 ladder)
{
	return ladder_find(ladder)->dimension != DIMENSION_NONE;
}

/* Whether one side lacks what the other has: their difference is then not that
 * of what both are made of. */
static gboolean is_uneven(const struct ctprof_value *a, const struct ctprof_value *b)
{
	guint32 flags = a->flags | b->flags;

	return flags & CTPROF_VALUE_PARTIAL && (a->flags != b->flags || a->missing != b->missing);
}

void change_between(const struct ctprof_value *baseline, const struct ctprof_value *candidate,
		    guint32 ladder, Change *ret_change)
{
	const struct value_type *type = type_of(baseline);
	gdouble base;

	*ret_change = (Change){.flags = 0};
	if (baseline->type != candidate->type) {
		if (baseline->type != CTPROF_VALUE_ABSENT && candidate->type != CTPROF_VALUE_ABSENT)
			ret_change->flags = CTPROF_CELL_DIFFERS;
		return;
	}
	gboolean same = type->equal(baseline, candidate);
	if (same)
		ret_change->flags |= CTPROF_CELL_SAME;
	if (is_uneven(baseline, candidate))
		ret_change->flags |= CTPROF_CELL_PARTIAL;
	if (!type->number || !type->number(baseline, &base)) {
		ret_change->flags |= same ? 0 : CTPROF_CELL_DIFFERS;
		return;
	}
	ret_change->delta = subtract(baseline, candidate);
	/* Unlike ranges with one middle, unlike sets of as many CPUs. */
	if (!same && fabs(ret_change->delta) <= 0) {
		ret_change->flags |= CTPROF_CELL_DIFFERS;
		return;
	}
	ret_change->flags |= CTPROF_CELL_HAS_DELTA;
	if (type->relative && ladder_has_pct(ladder) && fabs(base) > DBL_EPSILON) {
		ret_change->flags |= CTPROF_CELL_HAS_PCT;
		/* By its size: growth from a negative value is growth. */
		ret_change->pct = ret_change->delta / fabs(base) * 100;
	}
}

/* Percent, or what stands for it; negative: there is no such thing. */
static gdouble points_of(const Change *change, guint32 ladder)
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

static gboolean passes_pct(const Change *change, guint32 ladder, gdouble min_pct)
{
	if (change->flags & CTPROF_CELL_DIFFERS)
		return TRUE;
	/* From nothing, any growth is more than any percentage. */
	if (!(change->flags & CTPROF_CELL_HAS_PCT) && ladder_has_pct(ladder))
		return (change->flags & CTPROF_CELL_HAS_DELTA) != 0;
	return points_of(change, ladder) >= min_pct;
}

gboolean change_passes(const Change *change, guint32 ladder, const ChangeFilter *filter)
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

void change_weigh(const Change *change, guint32 ladder, guint *ret_class, gdouble *ret_points)
{
	gdouble points = points_of(change, ladder);

	if (change->flags & CTPROF_CELL_PARTIAL)
		points = -1;
	*ret_class = change->flags & CTPROF_CELL_SAME ? 3 : points < 0 ? 2 : 1;
	*ret_points = *ret_class == 1 ? points : 0;
}
