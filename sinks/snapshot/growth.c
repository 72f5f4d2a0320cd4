/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "growth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"

#define KEY_BYTES 4

static const struct ctprof_map *map_of(uint64_t bits)
{
	return (const struct ctprof_map *)(uintptr_t)bits;
}

/* Returns the growth of the entry, and moves *at past the same one of the old map; -1: it fell.
 * Both are ordered by key. */
static int64_t growth_of(const struct ctprof_map *old, const struct ctprof_map_entry *entry,
			 uint64_t *at)
{
	const struct ctprof_map_entry *other = &old->entries[*at];
	uint64_t before = 0;

	if (*at < old->n && other->key_len == entry->key_len &&
	    memcmp(other->key, entry->key, entry->key_len) == 0) {
		before = other->number;
		++*at;
	}
	return entry->number - before > INT64_MAX ? -1 : (int64_t)(entry->number - before);
}

/* Whether all entries of the old map are in the new one, and none fell. */
static bool has_grown(const struct ctprof_map *old, const struct ctprof_map *map)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < map->n; i++)
		if (growth_of(old, &map->entries[i], &at) < 0)
			return false;
	return at == old->n;
}

bool growth_write(struct json *json, const struct kept_row *row, uint32_t slot, uint64_t bits)
{
	const struct ctprof_map *old = map_of(row->values[slot]), *map = map_of(bits);
	const char *separator = "[";
	uint64_t at = 0;

	if (row->states[slot] != CTPROF_PRESENT || !has_grown(old, map))
		return false;
	for (uint64_t i = 0; i < map->n; i++) {
		int64_t growth = growth_of(old, &map->entries[i], &at);

		if (growth == 0)
			continue;
		json_raw(json, separator, 1);
		json_raw(json, map->entries[i].key, map->entries[i].key_len);
		json_raw(json, ",", 1);
		json_u64(json, (uint64_t)growth);
		separator = ",";
	}
	json_raw(json, "[]", separator[0] == '[' ? 2 : 0);
	json_raw(json, "]", separator[0] == ',');
	return true;
}

/* Adds to a bucket; ret_key: room for the key of one that the map lacks.  false: beyond 64 bits. */
static bool grow(struct ctprof_map *map, uint32_t bucket, uint64_t growth, char ret_key[KEY_BYTES])
{
	uint32_t len = (uint32_t)snprintf(ret_key, KEY_BYTES, "%u", bucket);
	struct ctprof_map_entry *entry = map->entries, *end = entry + map->n;

	while (entry < end && (entry->key_len != len || memcmp(entry->key, ret_key, len) != 0))
		entry++;
	if (entry == end)
		map->entries[map->n++] = (struct ctprof_map_entry){.key = ret_key, .key_len = len};
	return !__builtin_add_overflow(entry->number, growth, &entry->number);
}

int growth_add(const struct kept_rows *rows, struct kept_row *row, uint32_t slot,
	       const uint64_t growth[CTPROF_BUCKETS])
{
	const size_t head = offsetof(struct ctprof_map, entries);
	const struct ctprof_map *old = map_of(row->values[slot]);
	char keys[CTPROF_BUCKETS][KEY_BYTES];

	if (row->states[slot] != CTPROF_PRESENT)
		return -EBADMSG;
	FREED struct ctprof_map *map =
		malloc(head + (old->n + CTPROF_BUCKETS) * sizeof old->entries[0]);
	if (!map)
		return -ENOMEM;
	memcpy(map, old, head + old->n * sizeof old->entries[0]);
	for (uint32_t i = 0; i < CTPROF_BUCKETS; i++)
		if (growth[i] > 0 && !grow(map, i, growth[i], keys[i]))
			return -EBADMSG;
	map->n = kept_order_entries(map->entries, map->n);
	return kept_set(rows, row, slot, CTPROF_PRESENT, (uintptr_t)map);
}
