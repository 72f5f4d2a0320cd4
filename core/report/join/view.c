/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view.h"

#include "polarity.h"

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
		 const struct ctprof_report_field *field, Change *ret_change)
{
	*ret_change = (Change){.flags = 0};
	if (!view->compare)
		return;
	change_between(&values[0], &values[1], field->ladder, ret_change);
	/* A counter that fell was reset. */
	if (view->window && field->kind == CTPROF_COUNTER && ret_change->delta < 0)
		*ret_change = (Change){.flags = CTPROF_CELL_DIFFERS};
	/* Counts in a window are unrelated to earlier counts, and lack the rows that either side
	 * lacks. */
	if (view->window && field->kind == CTPROF_COUNTER) {
		ret_change->flags &= ~CTPROF_CELL_HAS_PCT;
		if ((values[0].flags | values[1].flags) & CTPROF_VALUE_PARTIAL)
			ret_change->flags |= CTPROF_CELL_PARTIAL;
	}
	if (view->seconds > 0 && field->kind == CTPROF_COUNTER &&
	    (ret_change->flags & CTPROF_CELL_HAS_DELTA)) {
		ret_change->flags |= CTPROF_CELL_RATE;
		ret_change->delta /= view->seconds;
	}
}

void view_cell(const View *view, const struct ctprof_value values[SIDES],
	       const struct ctprof_report_field *field, struct ctprof_cell *ret_cell)
{
	Change change;

	view_change(view, values, field, &change);
	*ret_cell = (struct ctprof_cell){
		.struct_size = sizeof *ret_cell,
		.flags = change.flags,
		.value = {values[0]},
		.delta = change.delta,
		.pct = change.pct,
	};
	if (view->compare)
		ret_cell->value[1] = values[1];
	/* Sums that lack different rows have no percentage. */
	if (change.flags & CTPROF_CELL_PARTIAL)
		ret_cell->flags &= ~CTPROF_CELL_HAS_PCT;
	/* Counts of a window only grow, and there is no earlier window that they could be worse
	 * than. */
	if (!view->window)
		ret_cell->flags |= polarity_judge(field, &change);
}

gboolean view_passes(const View *view, const struct ctprof_cell *cell,
		     const struct ctprof_report_field *field)
{
	Change change = {.flags = cell->flags, .delta = cell->delta, .pct = cell->pct};

	return !view->compare || change_passes(&change, field->ladder, &view->filter);
}
