/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroups.h"

#include <string.h>

#include "pressure.h"

/* What one cgroup lacks, several of one name lack. */
#define STRICT 1u
/* A setting: its change has no size. */
#define SETTING 2u
/* A counter by kind, but a level: it has no rate. */
#define LEVEL 4u
/* Says something only beside others: no reason to list a cgroup. */
#define BESIDE 8u
/* A map: a line for each key. */
#define KEYED 16u

static const struct cgroup_column {
	const char *metric;
	const char *shown; /* column; of maps unused */
	enum section_id section;
	guint flags;
} columns[] = {
	{"cpu.usage_usec", "cpu_usage_usec", SECTION_CGROUP_STATS, 0},
	{"cpu.nr_throttled", "nr_throttled", SECTION_CGROUP_STATS, 0},
	{"cpu.throttled_usec", "throttled_usec", SECTION_CGROUP_STATS, 0},
	{"memory.current", "memory_current", SECTION_CGROUP_STATS, 0},
	{"cpu.max_quota_us", "cpu.max", SECTION_CGROUP_LIMITS, STRICT | SETTING},
	{"cpu.max_period_us", "cpu.max.period", SECTION_CGROUP_LIMITS, SETTING | BESIDE},
	{"cpu.weight", "cpu.weight", SECTION_CGROUP_LIMITS, STRICT},
	{"memory.max", "memory.max", SECTION_CGROUP_LIMITS, STRICT | SETTING},
	{"memory.high", "memory.high", SECTION_CGROUP_LIMITS, STRICT | SETTING},
	{"pids.current", "pids.current", SECTION_CGROUP_LIMITS, LEVEL},
	{"pids.max", "pids.max", SECTION_CGROUP_LIMITS, STRICT | SETTING},
	{"memory.stat", NULL, SECTION_MEMORY_STAT, KEYED},
	{"memory.events", NULL, SECTION_MEMORY_EVENTS, KEYED},
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

const Fold *cgroups_choose(gconstpointer data, const Metric *metric, Measure *measure)
{
	const struct cgroup_column *column = find_column(metric->def.name);
	gboolean map = metric->def.kind == CTPROF_MAP && metric->def.unit != CTPROF_UNIT_TEXT;

	(void)data;
	if (pressure_is_metric(metric))
		return fold_find(metric->def.kind, metric->def.unit);
	if (!column)
		return NULL;
	measure->strict = (column->flags & STRICT) != 0;
	if (column->section == SECTION_MEMORY_STAT)
		return map ? fold_memory_stat() : NULL;
	/* A file may define what it likes: other kinds have no place in a table. */
	if (column->flags & KEYED ? !map : !is_number(&metric->def))
		return NULL;
	return fold_find(metric->def.kind, metric->def.unit);
}

/* What the sections are made from. */
typedef struct table {
	const Cgroups *cgroups;
	const View *view;
	GPtrArray *pools; /* Pool, in the order to be shown */
} Table;

static const Layout *layout_of(const Table *table, guint side)
{
	return table->cgroups->sides[side]->layout;
}

/* One cell; the value of a setting changes without a size. */
static void add_cell(const Table *table, const Pool *pool, const struct cgroup_column *column,
		     const Measure *measure, GArray *rows)
{
	struct ctprof_value values[SIDES];
	struct ctprof_report_row row;
	Told told = {
		.metric = column->shown,
		.unit = unit_word(measure->unit),
		.tags = measure->tags,
		.ladder = ladder_of(measure->kind, measure->unit),
		.kind = column->flags & LEVEL ? CTPROF_LEVEL : measure->kind,
	};

	for (guint side = 0; side < SIDES; side++)
		record_value(pool->sides[side], layout_of(table, side), measure, &values[side]);
	view_fill_row(table->view, pool->key.names, 1, &told, values, &row);
	if ((column->flags & SETTING) && (row.flags & CTPROF_ROW_HAS_DELTA)) {
		row.flags &= CTPROF_ROW_SAME;
		row.flags |= row.flags ? 0 : CTPROF_ROW_DIFFERS;
		row.delta = row.pct = 0;
	}
	g_array_append_val(rows, row);
}

static gboolean says_something(const struct ctprof_report_row *row)
{
	for (guint side = 0; side < SIDES; side++)
		if (row->value[side].type == CTPROF_VALUE_NUMBER)
			return TRUE;
	return FALSE;
}

/* A line, unless nothing in it is set or to be seen. */
static void add_line(const Table *table, const Pool *pool, enum section_id section, GArray *rows)
{
	gboolean listed = FALSE, passes = FALSE;
	guint from = rows->len;

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		const struct cgroup_column *column = &columns[i];
		const Measure *measure = measures_find(table->cgroups->measures, column->metric);

		if (column->section != section || !measure)
			continue;
		add_cell(table, pool, column, measure, rows);
		const struct ctprof_report_row *row =
			&g_array_index(rows, struct ctprof_report_row, rows->len - 1);
		listed = listed || (!(column->flags & BESIDE) && says_something(row));
		passes = passes || view_passes(table->view, row);
	}
	if (!listed || !passes)
		g_array_set_size(rows, from);
}

static void finish(const Table *table, enum section_id id, const char *heading,
		   enum ctprof_layout layout, GArray *rows, Draft *draft)
{
	guint64 n_cut = draft_cut(rows, layout, table->view->limit);

	if (rows->len > 0)
		draft_add(draft, id, heading, layout, "cgroup", rows, n_cut);
	else
		g_array_unref(rows);
}

static void draft_columns(const Table *table, enum section_id id, Draft *draft)
{
	GArray *rows = draft_rows_new();

	for (guint i = 0; i < table->pools->len; i++)
		add_line(table, g_ptr_array_index(table->pools, i), id, rows);
	finish(table, id, NULL, CTPROF_LAYOUT_WIDE, rows, draft);
}

/* One key of a map: compare shows what differs, show what is not an event that
 * never happened. */
static void add_key(const Table *table, const Pool *pool, enum section_id id, const MapPair *pair,
		    GArray *rows)
{
	gboolean stat = id == SECTION_MEMORY_STAT;
	gboolean bytes = stat && fold_is_memory_level(pair->key);
	struct ctprof_value values[SIDES];
	struct ctprof_report_row row;
	Told told = {
		.metric = pair->key,
		.unit = unit_word(bytes ? CTPROF_UNIT_BYTES : CTPROF_UNIT_NONE),
		.ladder = bytes ? CTPROF_LADDER_BYTES : CTPROF_LADDER_UNITLESS,
		.kind = bytes ? CTPROF_LEVEL : CTPROF_COUNTER,
	};

	for (guint side = 0; side < SIDES; side++) {
		values[side] = (struct ctprof_value){.struct_size = sizeof values[side]};
		if (!pair->items[side])
			continue;
		values[side].type = CTPROF_VALUE_NUMBER;
		values[side].number = pair->items[side]->number;
	}
	if (!table->view->compare && !stat && values[0].number == 0)
		return;
	view_fill_row(table->view, pool->key.names, 1, &told, values, &row);
	if (!(row.flags & CTPROF_ROW_SAME) && view_passes(table->view, &row))
		g_array_append_val(rows, row);
}

static void draft_keys(const Table *table, enum section_id id, Draft *draft)
{
	const char *metric = sections[id].heading;
	const Measure *measure = measures_find(table->cgroups->measures, metric);
	GArray *rows = draft_rows_new();

	for (guint i = 0; measure && i < table->pools->len; i++) {
		const Pool *pool = g_ptr_array_index(table->pools, i);
		const GArray *maps[] = {record_map(pool->sides[0], layout_of(table, 0), measure),
					record_map(pool->sides[1], layout_of(table, 1), measure)};
		guint at[SIDES] = {0};
		MapPair pair;

		while (map_pair_next(maps, at, &pair))
			add_key(table, pool, id, &pair, rows);
	}
	finish(table, id, NULL, CTPROF_LAYOUT_LONG, rows, draft);
}

static void draft_pressure(const Table *table, enum section_id id, Draft *draft)
{
	Store *store = table->cgroups->namer->store;
	Pressure pressure = {table->cgroups->measures, {layout_of(table, 0), layout_of(table, 1)}};

	for (guint resource = 0; resource < PRESSURE_RESOURCES; resource++) {
		g_autoptr(GArray) rows = draft_rows_new();

		for (guint i = 0; i < table->pools->len; i++) {
			const Pool *pool = g_ptr_array_index(table->pools, i);

			pressure_add_rows(&pressure, table->view, resource, pool->key.names[0],
					  pool->sides, rows);
		}
		if (!pressure_has_any(rows))
			continue;
		finish(table, id,
		       store_take(store, g_strdup_printf("%s / %s", sections[id].heading,
							 pressure_resources[resource])),
		       CTPROF_LAYOUT_WIDE, g_steal_pointer(&rows), draft);
	}
}

static void pool_side(const Cgroups *cgroups, Pools *pools, guint side)
{
	g_autoptr(GPtrArray) records = record_set_sorted(cgroups->sides[side]);

	for (guint i = 0; i < records->len; i++) {
		Record *record = g_ptr_array_index(records, i);
		RecordKey key;

		namer_key(cgroups->namer, &record->key, &key);
		pool_add(pools_take(pools, &key), side, cgroups->sides[side]->layout, record);
	}
}

static gint compare_ranks(gconstpointer a, gconstpointer b, gpointer data)
{
	const Pool *x = *(const Pool *const *)a, *y = *(const Pool *const *)b;
	Ranks *ranks = data;
	gdouble p = ranks_find(ranks, x->key.names[0], NULL);
	gdouble q = ranks_find(ranks, y->key.names[0], NULL);

	return (p > q) - (p < q);
}

/* Those whose name matches, in the order to be shown. */
static GPtrArray *list_pools(const Cgroups *cgroups, const View *view, Pools *pools)
{
	g_autoptr(GPtrArray) sorted = pools_sorted(pools);
	GPtrArray *list = g_ptr_array_new();

	if (cgroups->ranks)
		g_ptr_array_sort_with_data(sorted, compare_ranks, cgroups->ranks);
	for (guint i = 0; i < sorted->len; i++) {
		Pool *pool = g_ptr_array_index(sorted, i);

		if (view_matches(view, pool->key.names, 1))
			g_ptr_array_add(list, pool);
	}
	return list;
}

static const struct {
	enum section_id id;
	void (*draft)(const Table *table, enum section_id id, Draft *draft);
} drafts[] = {
	{SECTION_CGROUP_STATS, draft_columns}, {SECTION_CGROUP_LIMITS, draft_columns},
	{SECTION_MEMORY_STAT, draft_keys},     {SECTION_MEMORY_EVENTS, draft_keys},
	{SECTION_PRESSURE, draft_pressure},
};

void cgroups_draft(const Cgroups *cgroups, const View *view, guint32 set, Draft *draft)
{
	g_autoptr(GHashTable) pools = pools_new();

	for (guint side = 0; side < (view->compare ? SIDES : 1); side++)
		pool_side(cgroups, pools, side);
	g_autoptr(GPtrArray) list = list_pools(cgroups, view, pools);
	Table table = {cgroups, view, list};
	for (guint i = 0; i < G_N_ELEMENTS(drafts); i++)
		if (set & 1u << drafts[i].id)
			drafts[i].draft(&table, drafts[i].id, draft);
}
