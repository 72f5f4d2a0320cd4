/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about cgroups, under --group-by cgroup. */
#include <string.h>

#include "choices.h"

/* If one cgroup lacks the value, so does its group: if a part is unlimited or unknown, so is the
 * whole. */
#define STRICT 1u
/* A setting, whose change is not a number. */
#define SETTING 2u
/* Declared as a counter, but in fact a level: it has no rate. */
#define LEVEL 4u
/* Useful only beside other values: no reason by itself to list a cgroup. */
#define BESIDE 8u
/* A map, shown as a line for each key. */
#define KEYED 16u
/* The first screen needs the metric, too. */
#define OF_DIGEST 32u

#define MEMORY_STAT "memory.stat"

static const struct cgroup_column {
	const char *metric;
	const char *section; /* NULL: that of a map, whose heading is the metric, or none */
	guint flags;
} columns[] = {
	{"cpu.usage_usec", "cgroup-stats", OF_DIGEST},
	{"cpu.nr_periods", "cgroup-stats", OF_DIGEST},
	{"cpu.nr_throttled", "cgroup-stats", OF_DIGEST},
	{"cpu.throttled_usec", "cgroup-stats", OF_DIGEST},
	{"memory.current", "cgroup-stats", OF_DIGEST},
	{"memory.failcnt", NULL, OF_DIGEST},
	{"cpu.max_quota_us", "cgroup-limits", STRICT | SETTING | OF_DIGEST},
	{"cpu.max_period_us", "cgroup-limits", SETTING | BESIDE | OF_DIGEST},
	{"cpu.weight", "cgroup-limits", STRICT | OF_DIGEST},
	{"memory.max", "cgroup-limits", STRICT | SETTING | OF_DIGEST},
	{"memory.high", "cgroup-limits", STRICT | SETTING},
	{"pids.current", "cgroup-limits", LEVEL},
	{"pids.max", "cgroup-limits", STRICT | SETTING},
	{MEMORY_STAT, NULL, KEYED},
	{"memory.events", NULL, KEYED | OF_DIGEST},
};

static const struct cgroup_column *find_column(const char *metric)
{
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (strcmp(columns[i].metric, metric) == 0)
			return &columns[i];
	return NULL;
}

static gboolean is_number(const struct ctprof_metric *def)
{
	return def->kind == CTPROF_COUNTER || def->kind == CTPROF_LEVEL ||
	       def->kind == CTPROF_GAUGE || def->kind == CTPROF_PEAK;
}

gboolean cgroups_serve_digest(const Metric *metric)
{
	const struct cgroup_column *column = find_column(metric->def.name);

	return column && column->flags & OF_DIGEST;
}

const Fold *cgroups_choose(gconstpointer data, const Metric *metric)
{
	const struct cgroup_column *column = find_column(metric->def.name);
	gboolean map = metric->def.kind == CTPROF_MAP && metric->def.unit != CTPROF_UNIT_TEXT;
	const Plan *plan = data;

	/* A condition may name any metric. */
	if (!axis_has(plan->axis, LABEL_CGROUP) && plan->conditions->len == 0 &&
	    !cgroups_serve_digest(metric))
		return NULL;
	if (pressure_is_metric(metric))
		return fold_find(metric->def.kind, metric->def.unit);
	if (!column)
		return NULL;
	if (strcmp(column->metric, MEMORY_STAT) == 0)
		return map ? &fold_memory_stat : NULL;
	/* A file may define the metric with any kind; other kinds do not fit the
	 * table. */
	if (column->flags & KEYED ? !map : !is_number(&metric->def))
		return NULL;
	return fold_find(metric->def.kind, metric->def.unit);
}

/* ---- the cgroups of both sides ---- */

static gint compare_ranks(gconstpointer a, gconstpointer b, gpointer data)
{
	const Pair *x = *(const Pair *const *)a, *y = *(const Pair *const *)b;
	Ranks *ranks = data;
	gdouble p = ranks_find(ranks, x->key.names[0], NULL);
	gdouble q = ranks_find(ranks, y->key.names[0], NULL);

	return (p > q) - (p < q);
}

GPtrArray *cgroups_list(const Draft *draft, GHashTable *pairs)
{
	GPtrArray *list = g_ptr_array_new();

	if (!axis_has(draft->plan->axis, LABEL_CGROUP))
		return list;
	for (guint side = 0; side < draft_n_sides(draft); side++)
		groups_add_pairs(pairs, &draft->sides[side].sets[TABLE_CGROUPS], side, draft->namer,
				 TRUE);
	g_autoptr(GPtrArray) sorted = pairs_sorted(pairs);
	if (draft->ranks)
		g_ptr_array_sort_with_data(sorted, compare_ranks, draft->ranks);
	for (guint i = 0; i < sorted->len; i++) {
		Pair *pair = g_ptr_array_index(sorted, i);

		if (view_matches(draft->view, pair->key.names, 1))
			g_ptr_array_add(list, pair);
	}
	return list;
}

/* ---- a line for each cgroup ---- */

/* Fills one cell; the change of a setting is not a number. */
static void fill_cell(const Draft *draft, const Pair *pair, const struct cgroup_column *column,
		      const struct ctprof_report_field *field, struct ctprof_cell *cell)
{
	const Measure *measure = draft_measure(draft, TABLE_CGROUPS, column->metric);
	struct ctprof_value values[SIDES];

	pair_values(pair->sides, measure, values);
	for (guint side = 0; side < SIDES && (column->flags & STRICT); side++) {
		struct ctprof_value *value = &values[side];

		if (pair->sides[side] && value->n < pair->sides[side]->n)
			*value = (struct ctprof_value){
				.n = value->n, .missing = value->missing, .why = value->why};
	}
	view_cell(draft->view, values, field, cell);
	if ((column->flags & SETTING) && (cell->flags & CTPROF_CELL_HAS_DELTA)) {
		cell->flags &= CTPROF_CELL_SAME;
		cell->flags |= cell->flags ? 0 : CTPROF_CELL_DIFFERS;
		cell->delta = cell->pct = 0;
	}
}

static gboolean is_informative(const struct ctprof_cell *cell)
{
	for (guint side = 0; side < SIDES; side++)
		if (cell->value[side].type == CTPROF_VALUE_NUMBER)
			return TRUE;
	return FALSE;
}

/* Adds a line, unless nothing in it is set or visible. */
static void add_line(const Draft *draft, Table *table, const Pair *pair)
{
	struct ctprof_cell *cells = table_named_line(table, pair->key.names, 1);
	gboolean listed = FALSE, passes = FALSE;

	for (guint i = 0; i < table->fields->len; i++) {
		const struct ctprof_report_field *field = table_field(table, i);
		const struct cgroup_column *column = find_column(field->name);

		fill_cell(draft, pair, column, field, &cells[i]);
		listed = listed || (!(column->flags & BESIDE) && is_informative(&cells[i]));
		passes = passes || view_passes(draft->view, &cells[i], field);
	}
	if (!listed || !passes)
		table_drop_last(table);
}

static void draft_columns(const Draft *draft, const Section *section)
{
	Table *table = draft_wide(draft, section->name, section->heading, "cgroup");

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		const char *metric = columns[i].metric;
		const Measure *measure = draft_measure(draft, TABLE_CGROUPS, metric);

		if (!measure || g_strcmp0(columns[i].section, section->name) != 0)
			continue;
		struct ctprof_report_field field = measure->field;
		if (columns[i].flags & LEVEL)
			field.kind = CTPROF_LEVEL;
		table_take_field(table, &field);
	}
	for (guint i = 0; i < draft->cgroups->len; i++)
		add_line(draft, table, g_ptr_array_index(draft->cgroups, i));
	draft_close(draft, table);
}

/* ---- a line for each key of a map ---- */

/* show omits events that never happened, compare those that did not change. */
static void draft_map(const Draft *draft, const Section *section)
{
	const Measure *measure = draft_measure(draft, TABLE_CGROUPS, section->heading);
	Table *table = draft_long(draft, section->name, section->heading, "cgroup");
	gboolean stat = strcmp(section->heading, MEMORY_STAT) == 0;

	for (guint i = 0; measure && i < draft->cgroups->len; i++) {
		const Pair *pair = g_ptr_array_index(draft->cgroups, i);
		MapWalk walk = map_walk_of(pair->sides, measure);

		while (map_walk_next(&walk))
			if (draft->view->compare || stat || walk.values[0].number > 0)
				draft_key(draft, table, pair->key.names, 1, &walk,
					  stat && fold_is_memory_level(walk.key));
	}
	draft_close(draft, table);
}

const Section section_cgroup_stats = {
	.name = "cgroup-stats",
	.heading = "CgroupStats",
	.help = "CPU time, throttling and memory of each cgroup",
	.flags = SECTION_OF_CGROUPS,
	.place = {6, 6},
	.draft = draft_columns,
};

const Section section_cgroup_limits = {
	.name = "cgroup-limits",
	.heading = "Cgroup limits / knobs",
	.help = "limits and weights set on each cgroup",
	.flags = SECTION_OF_CGROUPS,
	.place = {7, 7},
	.draft = draft_columns,
};

const Section section_memory_stat = {
	.name = "memory-stat",
	.heading = "memory.stat",
	.help = "what each cgroup's memory is used for",
	.flags = SECTION_OF_CGROUPS,
	.place = {8, 8},
	.draft = draft_map,
};

const Section section_memory_events = {
	.name = "memory-events",
	.heading = "memory.events",
	.help = "how often each cgroup met its memory limits",
	.flags = SECTION_OF_CGROUPS,
	.place = {9, 9},
	.draft = draft_map,
};
