/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "buckets.h"

#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 4

static const char *key_of(guint32 bucket)
{
	static char keys[CTPROF_BUCKETS][KEY_BYTES];
	static gsize made;

	if (g_once_init_enter(&made)) {
		for (guint32 i = 0; i < CTPROF_BUCKETS; i++)
			g_snprintf(keys[i], KEY_BYTES, "%u", i);
		g_once_init_leave(&made, 1);
	}
	return keys[bucket];
}

static gboolean parse_key(const struct ctprof_map_entry *entry, guint32 *ret_bucket)
{
	guint32 bucket = 0;

	if (entry->key_len == 0 || entry->key_len >= KEY_BYTES)
		return FALSE;
	for (guint32 i = 0; i < entry->key_len; i++) {
		if (!g_ascii_isdigit(entry->key[i]))
			return FALSE;
		bucket = bucket * 10 + (guint32)(entry->key[i] - '0');
	}
	*ret_bucket = bucket;
	return bucket < CTPROF_BUCKETS;
}

struct ctprof_map *buckets_store(Arena *arena, const Histogram *histogram)
{
	guint n = 0;

	for (guint32 i = 0; i < CTPROF_BUCKETS; i++)
		n += histogram->counts[i] > 0;
	struct ctprof_map *map = arena_take(arena, sizeof *map + n * sizeof map->entries[0]);
	/* Clear the padding: copies are compared byte by byte. */
	memset(map, 0, sizeof *map + n * sizeof map->entries[0]);
	map->n = n;
	n = 0;
	for (guint32 i = 0; i < CTPROF_BUCKETS; i++) {
		if (histogram->counts[i] == 0)
			continue;
		map->entries[n++] = (struct ctprof_map_entry){
			.key = key_of(i),
			.key_len = (guint32)strlen(key_of(i)),
			.number = histogram->counts[i],
		};
	}
	if (n > 1)
		qsort(map->entries, n, sizeof map->entries[0], arena_compare_entries);
	return map;
}

void buckets_add(Histogram *histogram, const struct ctprof_map *map)
{
	guint32 bucket;

	for (guint64 i = 0; i < map->n; i++)
		if (parse_key(&map->entries[i], &bucket) &&
		    __builtin_add_overflow(histogram->counts[bucket], map->entries[i].number,
					   &histogram->counts[bucket]))
			histogram->counts[bucket] = G_MAXUINT64;
}
