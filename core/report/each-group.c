/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "each-group.h"

#include "report/draft/draft.h"

enum { BEFORE, AFTER };

static void pass_values(const Draft *draft, const Group *group, const GroupTaker *taker)
{
	gboolean is_window = draft->view->window;
	guint last = draft->view->compare ? AFTER : BEFORE;

	for (guint i = 0; i < draft->figures->len; i++) {
		const Figure *figure = &g_array_index(draft->figures, Figure, i);
		struct ctprof_value values[SIDES];

		if (!plan_shows(draft->plan, figure->field.name, figure_flags(figure)))
			continue;
		if (figure->field.kind == CTPROF_HISTOGRAM && !figure->percentile) {
			const Histogram *histogram = figure_histogram(figure, group, last);

			if (histogram)
				taker->histogram(taker->data, &figure->field, histogram);
			continue;
		}
		draft_figure(draft, figure, group, values);
		if (is_window && figure_grows(figure))
			values[AFTER] = value_growth(figure->field.kind, &values[BEFORE],
						     &values[AFTER], FALSE);
		taker->value(taker->data, &figure->field, &values[last]);
	}
}

gboolean each_group(const Draft *draft, const GroupTaker *taker, GError **error)
{
	guint last = draft->view->compare ? AFTER : BEFORE;

	for (guint i = 0; i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);

		taker->group(taker->data, group->names, group->n_names,
			     record_count(group->sides[last]));
		pass_values(draft, group, taker);
		if (!taker->done(taker->data, error))
			return FALSE;
	}
	return TRUE;
}
