/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about threads: their metrics and derived metrics. */
#include "choices.h"

/* ---- the lines of a section ---- */

/* A line before it is added to the table. */
typedef struct line {
	const Group *group;
	Standing at;
	guint cgroup, process; /* in a tree, the index of the first line of each */
} Line;

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	return standing_compare(&((const Line *)a)->at, &((const Line *)b)->at);
}

static gint compare_branches(gconstpointer a, gconstpointer b)
{
	const Line *x = a, *y = b;

	if (x->cgroup != y->cgroup)
		return x->cgroup < y->cgroup ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

/* Returns the index at which the key first appeared: at, if it is new. */
static guint first_at(GHashTable *firsts, const char *cgroup, const char *pcomm, guint at)
{
	RecordKey key = {.names = {cgroup, pcomm}};
	gpointer first;

	if (g_hash_table_lookup_extended(firsts, &key, NULL, &first))
		return GPOINTER_TO_UINT(first);
	g_hash_table_insert(firsts, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(at));
	return at;
}

/* Groups lines of one cgroup, and within it of one pcomm, at the position of
 * the first line.  Within these, lines keep their order: GLib's sort is stable. */
static void make_tree(GArray *lines)
{
	g_autoptr(GHashTable) firsts =
		g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);

	for (guint i = 0; i < lines->len; i++) {
		Line *line = &g_array_index(lines, Line, i);
		const char *const *names = line->group->names;

		line->cgroup = first_at(firsts, names[0], NULL, i);
		line->process = first_at(firsts, names[0], names[1], i);
	}
	g_array_sort(lines, compare_branches);
}

/* ---- the sections ---- */

/* Determines the line's position; FALSE: not shown. */
static gboolean place_line(const Draft *draft, const Group *group, const Figure *figure, Line *line)
{
	struct ctprof_value values[SIDES];
	struct ctprof_cell change;

	line->at.points = draft->sort ? -group->rank : 0;
	if (!draft->view->compare)
		return TRUE;
	draft_figure(draft, figure, group, values);
	view_change(draft->view, values, &figure->field, &change);
	if (!change_passes(&change, figure->field.ladder, &draft->view->filter))
		return FALSE;
	if (!draft->sort)
		change_classify(&change, figure->field.ladder, draft->view->window, &line->at);
	return TRUE;
}

/* Lists the indexes (guint) of the figures that are shown. */
static GArray *list_figures(const Draft *draft, gboolean derived)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint i = 0; i < draft->figures->len; i++) {
		const Figure *figure = &g_array_index(draft->figures, Figure, i);

		if ((figure->derived != NULL) == derived &&
		    plan_has_section(draft->plan, figure->section) &&
		    plan_shows(draft->plan, figure->field.name, figure_flags(figure)))
			g_array_append_val(list, i);
	}
	return list;
}

/* Appends the group's lines to the array; returns their number. */
static guint list_group(const Draft *draft, const Group *group, const GArray *figures,
			GArray *lines)
{
	guint before = lines->len;

	for (guint i = 0; i < figures->len; i++) {
		Line line = {
			.group = group,
			.at = {.place = group->place, .figure = g_array_index(figures, guint, i)},
		};
		const Figure *figure = &g_array_index(draft->figures, Figure, line.at.figure);

		if (place_line(draft, group, figure, &line))
			g_array_append_val(lines, line);
	}
	return lines->len - before;
}

/* Lists the lines of the first groups, ordered by the first line of each; returns
 * the number of lines of the others. */
static guint64 list_lines(const Draft *draft, const GArray *figures, GArray *lines)
{
	guint limit = draft->view->limit;
	g_autoptr(GArray) firsts = g_array_new(FALSE, FALSE, sizeof(Line));
	guint64 n_cut = 0;

	for (guint i = 0; i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);

		if (!view_matches(draft->view, group->names, group->n_names) ||
		    list_group(draft, group, figures, lines) == 0 || limit == 0)
			continue;
		n_cut += lines->len;
		g_array_sort(lines, compare_lines);
		g_array_append_val(firsts, g_array_index(lines, Line, 0));
		g_array_set_size(lines, 0);
	}
	g_array_sort(firsts, compare_lines);
	for (guint i = 0; i < MIN(firsts->len, limit); i++)
		n_cut -= list_group(draft, g_array_index(firsts, Line, i).group, figures, lines);
	g_array_sort(lines, compare_lines);
	return n_cut;
}

/* Adds the distributions to the cell; the table owns them. */
static void put_histograms(const Draft *draft, Table *table, const Figure *figure,
			   const Group *group, struct ctprof_cell *cell)
{
	for (guint side = 0; side < draft_n_sides(draft); side++) {
		const Histogram *histogram = figure_histogram(figure, group, side);

		if (!histogram)
			continue;
		struct ctprof_histogram *drawn = histogram_draw(histogram);
		g_ptr_array_add(table->cells, drawn);
		cell->histogram[side] = drawn;
	}
}

static void put_line(const Draft *draft, Table *table, const Line *line)
{
	const Figure *figure = &g_array_index(draft->figures, Figure, line->at.figure);
	const Group *group = line->group;
	struct ctprof_value values[SIDES];

	draft_figure(draft, figure, group, values);
	put_histograms(
		draft, table, figure, group,
		draft_metric(draft, table, group->names, group->n_names, &figure->field, values));
	struct ctprof_report_line *last = table_last(table);
	for (guint side = 0; side < SIDES; side++)
		last->threads[side] = record_count(group->sides[side]);
	last->sort = draft->sort ? &group->sort : NULL;
	last->renamed = group->renamed;
	if (group->age >= 0) {
		last->flags |= CTPROF_LINE_HAS_UPTIME;
		last->uptime = group->age;
	}
}

static void draft_figures(const Draft *draft, gboolean derived, const Section *section)
{
	gboolean tree = draft->plan->axis->n_names == KEY_NAMES;
	g_autoptr(GArray) figures = list_figures(draft, derived);
	Table *table =
		draft_long(draft, section->name, section->heading, draft->plan->axis->header);
	g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(Line));

	table->section.n_cut = list_lines(draft, figures, lines);
	if (tree)
		make_tree(lines);
	for (guint i = 0; i < lines->len; i++)
		put_line(draft, table, &g_array_index(lines, Line, i));
	if (tree)
		table_make_tree(table);
	/* No empty table if nothing can be derived from the requested metrics, or if all of
	 * them are derived. */
	if (table->lines->len == 0 &&
	    (derived || (figures->len == 0 && draft->plan->metrics->len > 0)))
		tables_drop(draft->tables);
}

static void draft_primary(const Draft *draft, const Section *section)
{
	draft_figures(draft, FALSE, section);
}

static void draft_derived(const Draft *draft, const Section *section)
{
	if (draft->groups->len > 0)
		draft_figures(draft, TRUE, section);
}

/* Delays are in the section primary; if that is not wanted, they have this section. */
static void draft_delay(const Draft *draft, const Section *section)
{
	if (!plan_has_section(draft->plan, SECTION_PRIMARY))
		draft_figures(draft, FALSE, section);
	if (!plan_has_section(draft->plan, SECTION_DERIVED))
		draft_derived(draft, section_find(SECTION_DERIVED, FALSE));
}

const Section section_primary = {
	.name = SECTION_PRIMARY,
	.heading = "Primary metrics",
	.help = "scheduling, faults, CPU time, I/O and heap of each group",
	.place = {1, 1},
	.draft = draft_primary,
};

const Section section_delay = {
	.name = SECTION_DELAY,
	.heading = "Primary metrics",
	.help = "peak memory, and time lost to CPU, I/O, memory and interrupt waits",
	.place = {2, 2},
	.draft = draft_delay,
};

const Section section_derived = {
	.name = SECTION_DERIVED,
	.heading = "Derived metrics",
	.help = "ratios, averages and differences of other metrics",
	.place = {3, 3},
	.draft = draft_derived,
};
