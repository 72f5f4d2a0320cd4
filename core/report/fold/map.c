/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "map.h"

#include <string.h>

#include "saturated.h"

/* Merges an entry into the one with the same key. */
typedef void (*Join)(MapItem *item, const MapItem *other);

/* memory.stat: amounts of memory by use; its other keys count events
 * (memory_stats[] and memcg_vm_event_stat[] in mm/memcontrol.c). */
static const char *const levels[] = {
	"active_anon",
	"active_file",
	"anon",
	"anon_thp",
	"file",
	"file_dirty",
	"file_mapped",
	"file_thp",
	"file_writeback",
	"hugetlb",
	"inactive_anon",
	"inactive_file",
	"kernel",
	"kernel_stack",
	"pagetables",
	"percpu",
	"sec_pagetables",
	"shmem",
	"shmem_thp",
	"slab",
	"slab_reclaimable",
	"slab_unreclaimable",
	"sock",
	"swapcached",
	"unevictable",
	"vmalloc",
	"zswap",
	"zswapped",
};

static int compare_level(const void *key, const void *level)
{
	return strcmp(key, *(const char *const *)level);
}

gboolean fold_is_memory_level(const char *key)
{
	return bsearch(key, levels, G_N_ELEMENTS(levels), sizeof *levels, compare_level) != NULL;
}

/* The first text is kept; texts have no numbers. */
static void join_sum(MapItem *item, const MapItem *other)
{
	item->number = fold_add_saturated(item->number, other->number);
}

static void join_memory_stat(MapItem *item, const MapItem *other)
{
	if (fold_is_memory_level(item->key))
		item->number = MAX(item->number, other->number);
	else
		join_sum(item, other);
}

static GArray *items_of(const guint64 *cells)
{
	return (GArray *)(uintptr_t)cells[0];
}

const GArray *fold_map_items(const guint64 *cells)
{
	return items_of(cells);
}

void map_clear(guint64 *cells)
{
	if (cells[0])
		g_array_unref(items_of(cells));
	cells[0] = 0;
}

/* Both maps are ordered by key, so one pass merges them. */
static GArray *merge_items(const GArray *a, const GArray *b, Join join)
{
	GArray *out = g_array_sized_new(FALSE, FALSE, sizeof(MapItem), a->len + b->len);

	for (guint i = 0, j = 0; i < a->len || j < b->len;) {
		const MapItem *x = i < a->len ? &g_array_index(a, MapItem, i) : NULL;
		const MapItem *y = j < b->len ? &g_array_index(b, MapItem, j) : NULL;
		int order = !y ? -1 : !x ? 1 : strcmp(x->key, y->key);

		g_array_append_vals(out, order > 0 ? y : x, 1);
		if (order == 0)
			join(&g_array_index(out, MapItem, out->len - 1), y);
		i += order <= 0;
		j += order >= 0;
	}
	return out;
}

static void take_items(guint64 *cells, gboolean first, GArray *items, Join join)
{
	if (first) {
		cells[0] = (guint64)(uintptr_t)items;
		return;
	}
	g_autoptr(GArray) mine = items_of(cells);
	g_autoptr(GArray) other = items;
	cells[0] = (guint64)(uintptr_t)merge_items(mine, other, join);
}

static GArray *items_new(Store *store, guint64 value)
{
	const struct ctprof_map *map = (const void *)(uintptr_t)value;
	GArray *items = g_array_sized_new(FALSE, FALSE, sizeof(MapItem), (guint)map->n);

	for (guint64 i = 0; i < map->n; i++) {
		const struct ctprof_map_entry *entry = &map->entries[i];
		MapItem item = {
			.key = store_take(store, g_strndup(entry->key, entry->key_len)),
			.number = entry->number,
		};

		if (entry->text)
			item.text = store_take(store, g_strndup(entry->text, entry->text_len));
		g_array_append_val(items, item);
	}
	return items;
}

static void merge(guint64 *cells, gboolean first, guint64 *from, Join join)
{
	take_items(cells, first, items_of(from), join);
	from[0] = 0;
}

void map_add_sum(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	take_items(cells, first, items_new(store, value), join_sum);
}

void map_merge_sum(guint64 *cells, gboolean first, guint64 *from)
{
	merge(cells, first, from, join_sum);
}

void map_add_memory_stat(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	take_items(cells, first, items_new(store, value), join_memory_stat);
}

void map_merge_memory_stat(guint64 *cells, gboolean first, guint64 *from)
{
	merge(cells, first, from, join_memory_stat);
}
