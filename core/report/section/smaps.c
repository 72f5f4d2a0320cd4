/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section smaps_rollup: memory of processes, a line for each key. */
#include <string.h>

#include "choices.h"

static void pair_side(const Draft *draft, Pairs *pairs, guint side)
{
	const RecordSet *set = &draft->sides[side].sets[TABLE_SMAPS];
	g_autoptr(GPtrArray) records = record_set_sorted(set);

	for (guint i = 0; i < records->len; i++) {
		Record *record = g_ptr_array_index(records, i);
		RecordKey key = record->key;

		if (key.names[SMAPS_CGROUP])
			key.names[SMAPS_CGROUP] =
				store_text(draft->store, cgroup_keys_get(draft->namer->cgroups,
									 key.names[SMAPS_CGROUP]));
		const char *renamed =
			side ? renames_cgroup(draft->renames, key.names[SMAPS_CGROUP]) : NULL;
		const Pair *own = renamed ? g_hash_table_lookup(pairs, &key) : NULL;
		if (renamed && !(own && own->sides[0]))
			key.names[SMAPS_CGROUP] = renamed;
		pair_add(pairs_take(pairs, &key), side, record);
	}
}

/* Returns the measure of the map; both sides share it, as measures are joined by name. */
static const Measure *find_map(const Draft *draft)
{
	const GPtrArray *list = draft->intake->measures[TABLE_SMAPS].list;

	return list->len > 0 ? g_ptr_array_index(list, list->len - 1) : NULL;
}

/* A process of the table, with its sort keys. */
typedef struct entry {
	Pair *pair;
	const char *const *names; /* as shown */
	guint n_names;
	MapWalk walk;
	gdouble rank;
	guint64 first, second; /* sort keys, descending */
} Entry;

static guint64 amount_of(const GArray *items, const char *key)
{
	for (guint i = 0; items && i < items->len; i++)
		if (strcmp(g_array_index(items, MapItem, i).key, key) == 0)
			return g_array_index(items, MapItem, i).number;
	return 0;
}

static void measure_entry(const Draft *draft, Entry *entry)
{
	guint64 a = amount_of(entry->walk.maps[0], "Rss"),
		b = amount_of(entry->walk.maps[1], "Rss");

	entry->first = draft->view->compare ? a > b ? a - b : b - a : a;
	entry->second = draft->view->compare ? MAX(a, b) : amount_of(entry->walk.maps[0], "Pss");
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const Entry *x = a, *y = b;

	if (x->rank < y->rank || x->rank > y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return record_key_compare(&x->pair->key, &y->pair->key);
}

/* Lists both sides' processes that match --filter, sorted; pairs owns them.  Empty if no map was
 * folded. */
static GArray *sort_processes(const Draft *draft, Pairs *pairs)
{
	const Measure *measure = find_map(draft);
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));

	for (guint side = 0; measure && measure->fold && side < draft_n_sides(draft); side++)
		pair_side(draft, pairs, side);
	g_autoptr(GPtrArray) list = pairs_sorted(pairs);
	for (guint i = 0; i < list->len; i++) {
		Pair *pair = g_ptr_array_index(list, i);
		const char *const *names = pair->key.names;
		gboolean is_nested = names[SMAPS_CGROUP] != NULL;
		Entry entry = {
			.pair = pair,
			.names = &names[is_nested ? SMAPS_CGROUP : SMAPS_PROCESS],
			.n_names = is_nested ? 2 : 1,
			.walk = map_walk_of(pair->sides, measure),
		};

		if (!view_matches(draft->view, entry.names, entry.n_names))
			continue;
		measure_entry(draft, &entry);
		if (draft->ranks)
			entry.rank =
				ranks_find(draft->ranks, names[SMAPS_CGROUP], names[SMAPS_PCOMM]);
		g_array_append_val(entries, entry);
	}
	g_array_sort(entries, compare_entries);
	return entries;
}

/* Adds a line for each key, except those that are 0 or did not change. */
static void add_process(const Draft *draft, Table *table, Entry *entry)
{
	while (map_walk_next(&entry->walk))
		if (draft->view->compare || entry->walk.values[0].number > 0)
			draft_key(draft, table, entry->names, entry->n_names, &entry->walk, TRUE);
}

/* For the tree: lines with equal names keep their order. */
static gint compare_lines(gconstpointer a, gconstpointer b)
{
	const struct ctprof_report_line *x = a, *y = b;
	int order = strcmp(x->names[0], y->names[0]);

	return order ? order : g_strcmp0(x->names[1], y->names[1]);
}

static void draft_smaps(const Draft *draft, const Section *section)
{
	const Axis *axis = draft->plan->axis;
	gboolean nested = axis_has(axis, LABEL_CGROUP) && axis_has(axis, LABEL_PCOMM);
	g_autoptr(GHashTable) pairs = pairs_new();
	g_autoptr(GArray) processes = sort_processes(draft, pairs);

	Table *table =
		draft_long(draft, section->name, section->heading, nested ? "comm" : "pcomm");
	for (guint i = 0; i < processes->len; i++)
		add_process(draft, table, &g_array_index(processes, Entry, i));
	table_cut(table, draft->view->limit);
	if (nested) {
		g_array_sort(table->lines, compare_lines);
		table_make_tree(table);
	}
	if (table->lines->len == 0)
		tables_drop(draft->tables);
}

void smaps_judge(const Draft *draft, Verdict *verdict)
{
	g_autoptr(GHashTable) pairs = pairs_new();
	g_autoptr(GArray) processes = sort_processes(draft, pairs);

	for (guint i = 0; i < processes->len; i++) {
		Entry *entry = &g_array_index(processes, Entry, i);

		while (map_walk_next(&entry->walk)) {
			const struct ctprof_report_field field =
				draft_key_field(&entry->walk, TRUE);

			if (strcmp(entry->walk.key, verdict->metric) == 0)
				judge_line(draft, verdict, entry->names, entry->n_names,
					   entry->walk.values, &field);
		}
	}
}

const Section section_smaps = {
	.name = SECTION_SMAPS,
	.heading = "smaps_rollup",
	.help = "memory of each process: RSS, PSS, private, swap",
	.place = {12, 4},
	.draft = draft_smaps,
};
