/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fold.h"

#include <string.h>

#include "ctprof/plugin.h"
#include "frame/percentile.h"

static void number_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	ret_value->type = CTPROF_VALUE_NUMBER;
	ret_value->number = cells[0];
}

static void sum_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	cells[0] = first ? value : fold_add_saturated(cells[0], value);
}

static void max_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	cells[0] = first ? value : MAX(cells[0], value);
}

/* 0 means that nothing happened, not that it took no time. */
static void low_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	if (first || cells[0] == 0 || (value != 0 && value < cells[0]))
		cells[0] = value;
}

static void range_take(guint64 *cells, gboolean first, gint64 low, gint64 high)
{
	cells[0] = (guint64)(first ? low : MIN((gint64)cells[0], low));
	cells[1] = (guint64)(first ? high : MAX((gint64)cells[1], high));
}

static void range_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	range_take(cells, first, (gint64)value, (gint64)value);
}

static void range_merge(guint64 *cells, gboolean first, guint64 *from)
{
	range_take(cells, first, (gint64)from[0], (gint64)from[1]);
}

static void range_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	ret_value->type = CTPROF_VALUE_RANGE;
	ret_value->min = (gint64)cells[0];
	ret_value->max = (gint64)cells[1];
}

/* Cells: fewest CPUs, most CPUs, and the list if all rows have the same one, else 0. */
static void cpus_take(guint64 *cells, gboolean first, const guint64 *from)
{
	cells[0] = first ? from[0] : MIN(cells[0], from[0]);
	cells[1] = first ? from[1] : MAX(cells[1], from[1]);
	cells[2] = first || cells[2] == from[2] ? from[2] : 0;
}

static void cpus_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	const struct ctprof_cpus *cpus = (const void *)(uintptr_t)value;
	const CpuList *list = first ? NULL : (const void *)(uintptr_t)cells[2];
	guint64 one[] = {cpus->n, cpus->n, 0};

	/* The list is usually the same; if threads disagree, none is kept. */
	if (first || (list && !cpu_list_is(list, cpus)))
		list = store_cpus(store, cpus);
	one[2] = (guint64)(uintptr_t)list;
	cpus_take(cells, first, one);
}

static void cpus_merge(guint64 *cells, gboolean first, guint64 *from)
{
	cpus_take(cells, first, from);
}

static void cpus_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	const CpuList *list = (const void *)(uintptr_t)cells[2];

	ret_value->type = CTPROF_VALUE_CPUS;
	ret_value->min = (gint64)cells[0];
	ret_value->max = (gint64)cells[1];
	ret_value->text = list ? list->text : NULL;
}

/* ---- categories: the number of rows with each value ---- */

/* Cells: a text, its number of rows, and a table of other texts, which most groups do not have. */
enum { TEXT, COUNT, OTHERS, MODE_CELLS };

static GHashTable *others_of(const guint64 *cells)
{
	return (GHashTable *)(uintptr_t)cells[OTHERS];
}

static void mode_clear(guint64 *cells)
{
	if (cells[OTHERS])
		g_hash_table_unref(others_of(cells));
	cells[OTHERS] = 0;
}

static void tally(guint64 *cells, gboolean first, const char *text, guint64 count)
{
	guint64 bits = (guint64)(uintptr_t)text;

	if (first) {
		cells[TEXT] = bits;
		cells[COUNT] = count;
		cells[OTHERS] = 0;
		return;
	}
	/* Texts are in the store, so equal ones have the same address. */
	if (cells[TEXT] == bits) {
		cells[COUNT] += count;
		return;
	}
	if (!cells[OTHERS])
		cells[OTHERS] = (guint64)(uintptr_t)g_hash_table_new_full(NULL, NULL, NULL, g_free);
	gpointer key = (gpointer)(uintptr_t)text;
	guint64 *known = g_hash_table_lookup(others_of(cells), key);
	if (!known) {
		known = g_new0(guint64, 1);
		g_hash_table_insert(others_of(cells), key, known);
	}
	*known += count;
}

static void mode_add_text(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	const struct ctprof_text *text = (const void *)(uintptr_t)value;

	tally(cells, first, store_text(store, text->bytes), 1);
}

static void mode_add_char(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	char text[] = {(char)value, '\0'};

	tally(cells, first, store_text(store, text), 1);
}

static void mode_add_bool(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	tally(cells, first, store_text(store, value ? "true" : "false"), 1);
}

static void mode_merge(guint64 *cells, gboolean first, guint64 *from)
{
	GHashTableIter iter;
	gpointer text, count;

	tally(cells, first, (const char *)(uintptr_t)from[TEXT], from[COUNT]);
	if (!from[OTHERS])
		return;
	g_hash_table_iter_init(&iter, others_of(from));
	while (g_hash_table_iter_next(&iter, &text, &count))
		tally(cells, FALSE, text, *(guint64 *)count);
	mode_clear(from);
}

static void weigh(struct ctprof_value *best, const char *text, guint64 count)
{
	best->n += count;
	if (count > best->count || (count == best->count && strcmp(text, best->text) < 0)) {
		best->text = text;
		best->count = count;
	}
}

/* Returns the most frequent value; of equally frequent ones, the smallest. */
static void mode_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	GHashTableIter iter;
	gpointer text, count;

	ret_value->type = CTPROF_VALUE_MODE;
	ret_value->text = (const char *)(uintptr_t)cells[TEXT];
	ret_value->count = ret_value->n = cells[COUNT];
	if (!cells[OTHERS])
		return;
	g_hash_table_iter_init(&iter, others_of(cells));
	while (g_hash_table_iter_next(&iter, &text, &count))
		weigh(ret_value, text, *(guint64 *)count);
}

static gint compare_keys(gconstpointer a, gconstpointer b)
{
	return strcmp(((const MapItem *)a)->key, ((const MapItem *)b)->key);
}

GArray *fold_list_modes(const guint64 *cells)
{
	GArray *items = g_array_new(FALSE, FALSE, sizeof(MapItem));
	MapItem item = {.key = (const char *)(uintptr_t)cells[TEXT], .number = cells[COUNT]};
	GHashTableIter iter;
	gpointer text, count;

	g_array_append_val(items, item);
	if (!cells[OTHERS])
		return items;
	g_hash_table_iter_init(&iter, others_of(cells));
	while (g_hash_table_iter_next(&iter, &text, &count)) {
		item = (MapItem){.key = text, .number = *(guint64 *)count};
		g_array_append_val(items, item);
	}
	g_array_sort(items, compare_keys);
	return items;
}

/* ---- histograms ---- */

static Histogram *histogram_in(const guint64 *cells)
{
	return (Histogram *)(uintptr_t)cells[0];
}

const Histogram *fold_histogram(const guint64 *cells)
{
	return histogram_in(cells);
}

static void histogram_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	if (first)
		cells[0] = (guint64)(uintptr_t)g_new0(Histogram, 1);
	buckets_add(histogram_in(cells), (const void *)(uintptr_t)value);
}

static void histogram_clear(guint64 *cells)
{
	g_free(histogram_in(cells));
	cells[0] = 0;
}

static void histogram_merge(guint64 *cells, gboolean first, guint64 *from)
{
	if (first) {
		cells[0] = from[0];
		from[0] = 0;
		return;
	}
	for (guint32 i = 0; i < CTPROF_BUCKETS; i++)
		histogram_in(cells)->counts[i] = fold_add_saturated(histogram_in(cells)->counts[i],
								    histogram_in(from)->counts[i]);
	histogram_clear(from);
}

static void histogram_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	ret_value->type = CTPROF_VALUE_NUMBER;
	ret_value->number = histogram_count(histogram_in(cells));
}

/* ---- labels ---- */

static void text_label_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	const struct ctprof_text *text = (const void *)(uintptr_t)value;

	if (first)
		cells[0] = (guint64)(uintptr_t)store_text(store, text->bytes);
}

static void number_label_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	(void)store;
	if (first)
		cells[0] = value;
}

static void text_label_merge(guint64 *cells, gboolean first, guint64 *from)
{
	if (first)
		cells[0] = from[0];
}

static void text_label_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	ret_value->type = CTPROF_VALUE_TEXT;
	ret_value->text = (const char *)(uintptr_t)cells[0];
}

/* ---- one entry of a map ---- */

#define PSS "Pss"
#define PSS_FILE "Pss_File"
#define RSS "Rss"
#define CPU "cpu"

const char *const fold_entries[] = {PSS, PSS_FILE, RSS, CPU, NULL};

/* Returns the entry of a map; 0: there is none. */
static guint64 entry_of(guint64 value, const char *key)
{
	const struct ctprof_map *map = (const void *)(uintptr_t)value;

	for (guint64 i = 0; i < map->n; i++)
		if (strcmp(map->entries[i].key, key) == 0)
			return map->entries[i].number;
	return 0;
}

static void pss_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	sum_add(store, cells, first, entry_of(value, PSS));
}

static void pss_held_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	guint64 all = entry_of(value, PSS), files = entry_of(value, PSS_FILE);
	guint64 resident = entry_of(value, RSS);

	sum_add(store, cells, first, all - MIN(files, all));
	sum_add(store, cells + 1, first, resident - MIN(files, resident));
	sum_add(store, cells + 2, first, resident);
}

static void v1_path_add(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	const struct ctprof_map *map = (const void *)(uintptr_t)value;
	const char *path = "";

	for (guint64 i = 0; i < map->n; i++)
		if (strcmp(map->entries[i].key, CPU) == 0)
			path = map->entries[i].text;
	tally(cells, first, store_text(store, path), 1);
}

static void number_merge(guint64 *cells, gboolean first, guint64 *from)
{
	sum_add(NULL, cells, first, from[0]);
}

const Fold fold_pss = {1, pss_add, number_merge, number_value, NULL};
const Fold fold_pss_held = {3, pss_held_add, number_merge, number_value, NULL};

static const Fold text_label = {1, text_label_add, text_label_merge, text_label_value, NULL};
const Fold fold_number_label = {1, number_label_add, NULL, number_value, NULL};

#define MODE(add)                                                                                  \
	{                                                                                          \
		MODE_CELLS, add, mode_merge, mode_value, mode_clear                                \
	}
#define MAP(add, merge)                                                                            \
	{                                                                                          \
		MAP_CELLS, add, merge, NULL, map_clear                                             \
	}

/* unit 0: any unit not in an earlier row. */
static const struct kind_fold {
	guint32 kind, unit;
	Fold fold;
} folds[] = {
	{CTPROF_COUNTER, 0, {1, sum_add, NULL, number_value, NULL}},
	{CTPROF_LEVEL, 0, {1, sum_add, NULL, number_value, NULL}},
	{CTPROF_PEAK, 0, {1, max_add, NULL, number_value, NULL}},
	{CTPROF_LOW, 0, {1, low_add, NULL, number_value, NULL}},
	{CTPROF_GAUGE, 0, {1, max_add, NULL, number_value, NULL}},
	{CTPROF_ORDINAL, 0, {2, range_add, range_merge, range_value, NULL}},
	{CTPROF_CATEGORY, CTPROF_UNIT_TEXT, MODE(mode_add_text)},
	{CTPROF_CATEGORY, CTPROF_UNIT_CHAR, MODE(mode_add_char)},
	{CTPROF_CATEGORY, CTPROF_UNIT_BOOL, MODE(mode_add_bool)},
	{CTPROF_CPUSET, 0, {3, cpus_add, cpus_merge, cpus_value, NULL}},
	{CTPROF_MAP, 0, MAP(map_add_sum, map_merge_sum)},
	{CTPROF_HISTOGRAM,
	 0,
	 {1, histogram_add, histogram_merge, histogram_value, histogram_clear}},
};

const Fold fold_commonest = MODE(mode_add_text);
const Fold fold_v1_path = MODE(v1_path_add);
const Fold fold_memory_stat = MAP(map_add_memory_stat, map_merge_memory_stat);

const Fold *fold_find(guint32 kind, guint32 unit)
{
	for (guint i = 0; i < G_N_ELEMENTS(folds); i++)
		if (folds[i].kind == kind && (folds[i].unit == unit || folds[i].unit == 0))
			return &folds[i].fold;
	return NULL;
}

const Fold *fold_label(guint32 unit)
{
	return unit == CTPROF_UNIT_TEXT ? &text_label : &fold_number_label;
}
