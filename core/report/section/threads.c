/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "threads.h"

#include <string.h>

#include "report/join/pick.h"

static void values_of(const Tables *tables, const Figure *figure, const Group *group,
		      struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		figure_value(figure, group, side, tables->layouts[side], &ret_values[side]);
}

static Told told_of(const Figure *figure)
{
	return (Told){figure->name, figure->unit, figure->tags, figure->ladder, figure->kind};
}

/* Where the row belongs; FALSE: nowhere. */
static gboolean place_line(const Tables *tables, const Group *group, const Figure *figure,
			   Line *line)
{
	const View *view = &tables->plan->view;
	struct ctprof_value values[SIDES];
	Told told = told_of(figure);
	Change change;

	line->class = 0;
	line->points = tables->sort ? -group->rank : 0;
	if (!view->compare)
		return TRUE;
	values_of(tables, figure, group, values);
	view_change(view, values, &told, &change);
	if (!change_passes(&change, figure->ladder, &view->filter))
		return FALSE;
	if (!tables->sort)
		change_weigh(&change, figure->ladder, &line->class, &line->points);
	return TRUE;
}

static void offer_group(const Tables *tables, const Group *group, gboolean derived, Picker *picker)
{
	for (guint i = 0; i < tables->figures->len; i++) {
		const Figure *figure = &g_array_index(tables->figures, Figure, i);
		Line line = {.group = group, .figure = i};

		if ((figure->derived != NULL) == derived && plan_shows(tables->plan, figure) &&
		    place_line(tables, group, figure, &line))
			picker_offer(picker, &line);
	}
}

static void fill_row(const Tables *tables, const Line *line, struct ctprof_report_row *ret_row)
{
	const Group *group = line->group;
	const Figure *figure = &g_array_index(tables->figures, Figure, line->figure);
	struct ctprof_value values[SIDES];
	Told told = told_of(figure);

	values_of(tables, figure, group, values);
	view_fill_row(&tables->plan->view, group->names, group->n_names, &told, values, ret_row);
	for (guint side = 0; side < SIDES; side++) {
		ret_row->threads[side] = group->sides[side] ? group->sides[side]->n : 0;
		if (tables->sort)
			ret_row->sort[side] = group->sort[side];
	}
	if (tables->sort)
		ret_row->sort_ladder = tables->sort->ladder;
	if (group->renamed) {
		ret_row->flags |= CTPROF_ROW_RENAMED;
		ret_row->renamed = group->renamed;
	}
	if (group->uptime >= 0) {
		ret_row->flags |= CTPROF_ROW_HAS_UPTIME;
		ret_row->uptime = group->uptime;
	}
}

static void draft_figures(const Tables *tables, gboolean derived, enum section_id id, Draft *draft)
{
	const Plan *plan = tables->plan;
	gboolean tree = plan->axis->n_names == KEY_NAMES;
	GArray *rows = draft_rows_new();
	Picker picker;

	picker_init(&picker, plan->view.limit);
	for (guint i = 0; i < tables->groups->len; i++) {
		const Group *group = g_ptr_array_index(tables->groups, i);

		if (view_matches(&plan->view, group->names, group->n_names))
			offer_group(tables, group, derived, &picker);
	}
	guint64 n_cut = picker_finish(&picker);
	if (tree)
		picker_make_tree(&picker);
	g_array_set_size(rows, picker.lines->len);
	for (guint i = 0; i < picker.lines->len; i++)
		fill_row(tables, &g_array_index(picker.lines, Line, i),
			 &g_array_index(rows, struct ctprof_report_row, i));
	picker_clear(&picker);
	/* What cannot be derived of the metrics asked for needs no empty table. */
	if (derived && rows->len == 0) {
		g_array_unref(rows);
		return;
	}
	draft_add(draft, id, NULL, tree ? CTPROF_LAYOUT_TREE : CTPROF_LAYOUT_LONG,
		  plan->axis->header, rows, n_cut);
}

/* The delays share the section, and give it their name when they are alone. */
void tables_draft_primary(const Tables *tables, Draft *draft)
{
	if (plan_has_section(tables->plan, SECTION_PRIMARY))
		draft_figures(tables, FALSE, SECTION_PRIMARY, draft);
	else if (plan_has_section(tables->plan, SECTION_DELAY))
		draft_figures(tables, FALSE, SECTION_DELAY, draft);
}

void tables_draft_derived(const Tables *tables, Draft *draft)
{
	if (tables->groups->len > 0 && (plan_has_section(tables->plan, SECTION_DERIVED) ||
					plan_has_section(tables->plan, SECTION_DELAY)))
		draft_figures(tables, TRUE, SECTION_DERIVED, draft);
}

static gboolean holds_in(const Tables *tables, const Condition *condition, const Figure *figure,
			 const Group *group)
{
	struct ctprof_value values[SIDES];
	Told told = told_of(figure);
	Change change;

	values_of(tables, figure, group, values);
	view_change(&tables->plan->view, values, &told, &change);
	return condition_holds(condition, figure->ladder, &change);
}

gboolean tables_hold(const Tables *tables)
{
	const Plan *plan = tables->plan;

	for (guint c = 0; c < plan->conditions->len; c++) {
		const Condition *condition = &g_array_index(plan->conditions, Condition, c);
		const Figure *figure = figures_find(tables->figures, condition->metric);

		/* Of objects it may be. */
		for (guint i = 0; figure && i < tables->groups->len; i++) {
			const Group *group = g_ptr_array_index(tables->groups, i);

			if (view_matches(&plan->view, group->names, group->n_names) &&
			    holds_in(tables, condition, figure, group))
				return TRUE;
		}
	}
	return FALSE;
}
