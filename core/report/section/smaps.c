/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps.h"

#include <string.h>

#include "report/name/pattern.h"

#define KIB 1024

enum { CGROUP, PROCESS, PCOMM };

void smaps_make_key(const char *cgroup, const char *pcomm, gint32 tgid, gboolean literal,
		    Store *store, RecordKey *ret_key)
{
	char *name = literal ? g_strdup_printf("%s[%d]", pcomm, tgid) : pattern_key(pcomm);

	*ret_key = (RecordKey){.names = {[CGROUP] = cgroup, [PROCESS] = store_take(store, name)}};
	ret_key->names[PCOMM] = literal ? pcomm : ret_key->names[PROCESS];
}

static const GArray *items_of(const Smaps *smaps, const Pool *pool, guint side)
{
	return record_map(pool->sides[side], smaps->sides[side]->layout, smaps->measure);
}

static void value_of(const Smaps *smaps, const MapItem *item, struct ctprof_value *ret_value)
{
	*ret_value = (struct ctprof_value){.struct_size = sizeof *ret_value};
	if (!item)
		return;
	ret_value->type = CTPROF_VALUE_NUMBER;
	ret_value->number = smaps->measure->unit == CTPROF_UNIT_KIB
				    ? fold_multiply_saturated(item->number, KIB)
				    : item->number;
}

static guint64 amount_of(const Smaps *smaps, const Pool *pool, guint side, const char *key)
{
	const GArray *items = items_of(smaps, pool, side);

	for (guint i = 0; items && i < items->len; i++)
		if (strcmp(g_array_index(items, MapItem, i).key, key) == 0)
			return g_array_index(items, MapItem, i).number;
	return 0;
}

static void pool_side(const Smaps *smaps, Pools *pools, guint side)
{
	g_autoptr(GPtrArray) records = record_set_sorted(smaps->sides[side]);

	for (guint i = 0; i < records->len; i++) {
		Record *record = g_ptr_array_index(records, i);
		RecordKey key = record->key;

		if (key.names[CGROUP])
			key.names[CGROUP] = store_text(
				smaps->namer->store,
				cgroup_keys_get(smaps->namer->cgroups, key.names[CGROUP]));
		const char *renamed =
			side ? renames_cgroup(smaps->renames, key.names[CGROUP]) : NULL;
		const Pool *own = renamed ? pools_find(pools, &key) : NULL;
		if (renamed && !(own && own->sides[0]))
			key.names[CGROUP] = renamed;
		pool_add(pools_take(pools, &key), side, smaps->sides[side]->layout, record);
	}
}

/* What a process is sorted by, from the biggest. */
typedef struct size {
	guint64 first, second;
} Size;

static Size size_of(const Smaps *smaps, const View *view, const Pool *pool)
{
	guint64 a = amount_of(smaps, pool, 0, "Rss"), b = amount_of(smaps, pool, 1, "Rss");

	if (!view->compare)
		return (Size){a, amount_of(smaps, pool, 0, "Pss")};
	return (Size){a > b ? a - b : b - a, MAX(a, b)};
}

/* A process in the order of the table. */
typedef struct entry {
	Pool *pool;
	gdouble rank;
	Size size;
} Entry;

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const Entry *x = a, *y = b;

	if (x->rank < y->rank || x->rank > y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->size.first != y->size.first)
		return x->size.first > y->size.first ? -1 : 1;
	if (x->size.second != y->size.second)
		return x->size.second > y->size.second ? -1 : 1;
	return record_key_compare(&x->pool->key, &y->pool->key);
}

static GArray *sort_processes(const Smaps *smaps, const View *view, Pools *pools)
{
	g_autoptr(GPtrArray) list = pools_sorted(pools);
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));

	for (guint i = 0; i < list->len; i++) {
		Pool *pool = g_ptr_array_index(list, i);
		const char *const *names = pool->key.names;
		Entry entry = {.pool = pool, .size = size_of(smaps, view, pool)};

		if (smaps->ranks)
			entry.rank = ranks_find(smaps->ranks, names[CGROUP], names[PCOMM]);
		g_array_append_val(entries, entry);
	}
	g_array_sort(entries, compare_entries);
	return entries;
}

/* One key of a process; what is 0 or did not change says nothing. */
static void add_row(const Smaps *smaps, const View *view, const Pool *pool, const MapPair *pair,
		    GArray *rows)
{
	gboolean nested = pool->key.names[CGROUP] != NULL;
	Told told = {
		.metric = pair->key,
		.unit = "bytes",
		.ladder = CTPROF_LADDER_BYTES,
		.kind = CTPROF_LEVEL,
	};
	struct ctprof_value values[SIDES];
	struct ctprof_report_row row;

	for (guint side = 0; side < SIDES; side++)
		value_of(smaps, pair->items[side], &values[side]);
	if (!view->compare && values[0].number == 0)
		return;
	view_fill_row(view, pool->key.names + (nested ? CGROUP : PROCESS), nested ? 2 : 1, &told,
		      values, &row);
	if (!(row.flags & CTPROF_ROW_SAME) && view_passes(view, &row))
		g_array_append_val(rows, row);
}

static void add_process(const Smaps *smaps, const View *view, const Pool *pool, GArray *rows)
{
	const GArray *maps[] = {items_of(smaps, pool, 0), items_of(smaps, pool, 1)};
	guint at[SIDES] = {0};
	MapPair pair;

	while (map_pair_next(maps, at, &pair))
		add_row(smaps, view, pool, &pair, rows);
}

/* For the tree: of equal names, the order stays. */
static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const struct ctprof_report_row *x = a, *y = b;
	int order = strcmp(x->group[0], y->group[0]);

	return order ? order : g_strcmp0(x->group[1], y->group[1]);
}

void smaps_draft(const Smaps *smaps, const View *view, Draft *draft)
{
	g_autoptr(GHashTable) pools = pools_new();
	g_autoptr(GArray) rows = draft_rows_new();
	gboolean nested = axis_has(smaps->namer->axis, LABEL_CGROUP) &&
			  axis_has(smaps->namer->axis, LABEL_PCOMM);

	if (!smaps->measure)
		return;
	for (guint side = 0; side < (view->compare ? SIDES : 1); side++)
		pool_side(smaps, pools, side);
	g_autoptr(GArray) processes = sort_processes(smaps, view, pools);
	for (guint i = 0; i < processes->len; i++) {
		const Pool *pool = g_array_index(processes, Entry, i).pool;

		if (view_matches(view, pool->key.names + (nested ? CGROUP : PROCESS),
				 nested ? 2 : 1))
			add_process(smaps, view, pool, rows);
	}
	if (rows->len == 0)
		return;
	guint64 n_cut = draft_cut(rows, CTPROF_LAYOUT_LONG, view->limit);
	if (nested)
		g_array_sort(rows, compare_rows);
	draft_add(draft, SECTION_SMAPS, NULL, nested ? CTPROF_LAYOUT_TREE : CTPROF_LAYOUT_LONG,
		  nested ? "comm" : "pcomm", g_steal_pointer(&rows), n_cut);
}
