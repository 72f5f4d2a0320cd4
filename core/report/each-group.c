/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "each-group.h"

#include "report/draft/draft.h"

enum { BEFORE, AFTER };

/* By how much a value grew; its coverage is that of the end, which knows of the threads in between.
 */
static struct ctprof_value grow(const struct ctprof_value values[SIDES])
{
	const struct ctprof_value *before = &values[BEFORE];
	struct ctprof_value grown = values[AFTER];

	grown.flags |= before->flags;
	if (before->type == CTPROF_VALUE_REAL && grown.type == CTPROF_VALUE_REAL)
		grown.real -= before->real;
	else if (before->type == CTPROF_VALUE_NUMBER && grown.type == CTPROF_VALUE_NUMBER &&
		 grown.number >= before->number)
		grown.number -= before->number;
	else
		grown.type = CTPROF_VALUE_ABSENT;
	return grown;
}

static void tell_values(const Draft *draft, const Group *group, const GroupTaker *taker)
{
	const Layout *const layouts[SIDES] = {&draft->sides[0].layouts[TABLE_THREADS],
					      &draft->sides[1].layouts[TABLE_THREADS]};
	gboolean is_window = draft->view->window;

	for (guint i = 0; i < draft->figures->len; i++) {
		const Figure *figure = &g_array_index(draft->figures, Figure, i);
		struct ctprof_value values[SIDES];

		if (!plan_shows(draft->plan, figure->field.name, figure_flags(figure)))
			continue;
		figure_values(figure, group, layouts, is_window, values);
		if (is_window && figure_grows(figure))
			values[AFTER] = grow(values);
		taker->value(taker->data, &figure->field,
			     &values[draft->view->compare ? AFTER : BEFORE]);
	}
}

gboolean each_group(const Draft *draft, const GroupTaker *taker, GError **error)
{
	guint last = draft->view->compare ? AFTER : BEFORE;

	for (guint i = 0; i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);

		taker->group(taker->data, group->names, group->n_names,
			     record_count(group->sides[last]));
		tell_values(draft, group, taker);
		if (!taker->done(taker->data, error))
			return FALSE;
	}
	return TRUE;
}
