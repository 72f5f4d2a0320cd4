/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view.h"

gboolean view_names_match(const GRegex *match, const char *const *names, guint n_names)
{
	for (guint i = 0; match && i < n_names; i++)
		if (names[i] && g_regex_match(match, names[i], 0, NULL))
			return TRUE;
	return !match;
}

gboolean view_matches(const View *view, const char *const *names, guint n_names)
{
	gboolean matches = view_names_match(view->match, names, n_names);

	if (view->ret_matched && matches)
		*view->ret_matched = TRUE;
	return matches;
}

void view_change(const View *view, const struct ctprof_value values[SIDES],
		 const struct ctprof_report_field *field, struct ctprof_cell *ret_cell)
{
	gboolean is_counter = field->kind == CTPROF_COUNTER;

	*ret_cell = (struct ctprof_cell){.struct_size = sizeof *ret_cell, .value = {values[0]}};
	if (!view->compare)
		return;
	change_between(&values[0], &values[1], field->ladder, ret_cell);
	/* A counter that fell was reset. */
	if (view->window && is_counter && ret_cell->delta < 0) {
		ret_cell->flags = CTPROF_CELL_DIFFERS;
		ret_cell->delta = ret_cell->pct = 0;
	}
	/* Counts in a window have no percentage of earlier counts, and lack the rows that either
	 * side lacks. */
	if (view->window && is_counter) {
		ret_cell->flags &= ~CTPROF_CELL_HAS_PCT;
		if ((values[0].flags | values[1].flags) & CTPROF_VALUE_PARTIAL)
			ret_cell->flags |= CTPROF_CELL_PARTIAL;
	}
	if (view->seconds > 0 && is_counter && (ret_cell->flags & CTPROF_CELL_HAS_DELTA)) {
		ret_cell->flags |= CTPROF_CELL_RATE;
		ret_cell->delta /= view->seconds;
	}
}

void view_cell(const View *view, const struct ctprof_value values[SIDES],
	       const struct ctprof_report_field *field, struct ctprof_cell *ret_cell)
{
	view_change(view, values, field, ret_cell);
	/* Sums that lack different rows have no percentage. */
	if (ret_cell->flags & CTPROF_CELL_PARTIAL)
		ret_cell->flags &= ~CTPROF_CELL_HAS_PCT;
	/* Counts of a window only grow, and there is no earlier window that they could be worse
	 * than. */
	if (!view->window)
		ret_cell->flags |= change_judge(field, ret_cell);
}

gboolean view_passes(const View *view, const struct ctprof_cell *cell,
		     const struct ctprof_report_field *field)
{
	return !view->compare || change_passes(cell, field->ladder, &view->filter);
}
