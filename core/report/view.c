/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view.h"

gboolean view_matches(const View *view, const char *const *names, guint n_names)
{
	if (!view->match)
		return TRUE;
	for (guint i = 0; i < n_names; i++)
		if (g_regex_match(view->match, names[i], 0, NULL))
			return TRUE;
	return FALSE;
}

void view_change(const View *view, const struct ctprof_value values[SIDES], const Told *told,
		 Change *ret_change)
{
	*ret_change = (Change){.flags = 0};
	if (!view->compare)
		return;
	change_between(&values[0], &values[1], told->ladder, ret_change);
	if (view->seconds > 0 && told->kind == CTPROF_COUNTER &&
	    (ret_change->flags & CTPROF_ROW_HAS_DELTA)) {
		ret_change->flags |= CTPROF_ROW_RATE;
		ret_change->delta /= view->seconds;
	}
}

void view_fill_row(const View *view, const char *const *names, guint n_names, const Told *told,
		   const struct ctprof_value values[SIDES], struct ctprof_report_row *ret_row)
{
	Change change;

	view_change(view, values, told, &change);
	*ret_row = (struct ctprof_report_row){
		.struct_size = sizeof *ret_row,
		.flags = change.flags,
		.n_group = n_names,
		.ladder = told->ladder,
		.metric = told->metric,
		.unit = told->unit,
		.tags = told->tags ? told->tags : "",
		.value = {values[0], values[1]},
		.delta = change.delta,
		.pct = change.pct,
		.kind = told->kind,
	};
	for (guint i = 0; i < n_names; i++)
		ret_row->group[i] = names[i];
	for (guint i = 0; i < SIDES; i++)
		ret_row->sort[i].struct_size = sizeof ret_row->sort[i];
}

gboolean view_passes(const View *view, const struct ctprof_report_row *row)
{
	Change change = {.flags = row->flags, .delta = row->delta, .pct = row->pct};

	return !view->compare || change_passes(&change, row->ladder, &view->filter);
}
