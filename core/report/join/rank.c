/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rank.h"

#include <float.h>
#include <math.h>

#include "change.h"
#include "report/name/pattern.h"

/* A group and its n sort values; NAN: no value. */
typedef struct contender {
	Group *group;
	gdouble *values;
} Contender;

/* Returns the sort value of a figure of a group. */
static gdouble weight_of(const Figure *figure, const Group *group, const View *view)
{
	struct ctprof_value values[SIDES];
	gdouble x, y;
	struct ctprof_cell change;

	figure_values(figure, group, view->window, values);
	if (!value_to_number(&values[0], &x))
		return NAN;
	if (!view->compare)
		return x;
	if (!value_to_number(&values[1], &y))
		return NAN;
	change_between(&values[0], &values[1], figure->field.ladder, &change);
	return change.flags & CTPROF_CELL_HAS_DELTA ? change.delta : 0;
}

static gint compare_contenders(gconstpointer a, gconstpointer b, gpointer data)
{
	const Contender *x = a, *y = b;
	const GArray *order = data;

	for (guint i = 0; i < order->len; i++) {
		gdouble p = x->values[i], q = y->values[i];

		if (isnan(p) || isnan(q)) {
			if (!isnan(p) || !isnan(q))
				return isnan(p) ? 1 : -1;
			continue;
		}
		if (p < q || p > q)
			return (p < q) == g_array_index(order, SortFigure, i).ascending ? -1 : 1;
	}
	return x->group->place < y->group->place ? -1 : x->group->place > y->group->place;
}

void rank_groups(GPtrArray *groups, const GArray *order, const View *view)
{
	g_autofree gdouble *values = g_new(gdouble, (gsize)groups->len * order->len + 1);
	g_autofree Contender *contenders = g_new(Contender, groups->len + 1);

	for (guint i = 0; i < groups->len; i++) {
		Contender *one = &contenders[i];

		one->group = g_ptr_array_index(groups, i);
		one->values = values + (gsize)i * order->len;
		for (guint k = 0; k < order->len; k++)
			one->values[k] = weight_of(g_array_index(order, SortFigure, k).figure,
						   one->group, view);
		one->group->sort.struct_size = sizeof one->group->sort;
		figure_values(g_array_index(order, SortFigure, 0).figure, one->group, view->window,
			      one->group->sort.value);
	}
	g_qsort_with_data(contenders, (gint)groups->len, sizeof *contenders, compare_contenders,
			  (gpointer)(uintptr_t)order);
	for (guint i = 0; i < groups->len; i++)
		contenders[i].group->rank = i;
}

static void note(Ranks *ranks, const char *cgroup, const char *name, const Group *group)
{
	RecordKey key = {.names = {cgroup, name}};
	const Group *best = g_hash_table_lookup(ranks, &key);

	if (!best || group->rank < best->rank)
		g_hash_table_insert(ranks, g_memdup2(&key, sizeof key), (gpointer)(uintptr_t)group);
}

Ranks *ranks_new(const GPtrArray *groups, const Axis *axis, Store *store)
{
	Ranks *ranks = g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
	gboolean by_cgroup = axis_has(axis, LABEL_CGROUP);

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		const char *cgroup = by_cgroup ? group->names[0] : NULL;

		note(ranks, cgroup, NULL, group);
		if (!axis_has(axis, LABEL_PCOMM))
			continue;
		const char *pcomm = group->names[by_cgroup ? 1 : 0];
		note(ranks, cgroup, pcomm, group);
		/* A group of processes that all have one name keeps that name, but the tables list
		 * it by its pattern. */
		note(ranks, cgroup, store_take(store, pattern_key(pcomm)), group);
	}
	return ranks;
}

gdouble ranks_find(Ranks *ranks, const char *cgroup, const char *name)
{
	RecordKey key = {.names = {cgroup, name}};
	const Group *group = g_hash_table_lookup(ranks, &key);

	return group ? group->rank : DBL_MAX;
}
