/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair.h"

#include <string.h>

#include "frame/units.h"

Pairs *pairs_new(void)
{
	return g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
}

Pair *pairs_take(Pairs *pairs, const RecordKey *key)
{
	Pair *pair = g_hash_table_lookup(pairs, key);

	if (pair)
		return pair;
	pair = g_new0(Pair, 1);
	pair->key = *key;
	g_hash_table_add(pairs, pair);
	return pair;
}

void pair_add(Pair *pair, guint side, Record *record)
{
	if (pair->sides[side])
		record_merge(pair->sides[side], record);
	else
		pair->sides[side] = record;
}

GPtrArray *pairs_sorted(Pairs *pairs)
{
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter iter;
	gpointer pair;

	g_hash_table_iter_init(&iter, pairs);
	while (g_hash_table_iter_next(&iter, &pair, NULL))
		g_ptr_array_add(list, pair);
	g_ptr_array_sort(list, record_key_compare_owners);
	return list;
}

void pair_values(Record *const sides[SIDES], const Measure *measure,
		 struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		record_value(sides[side], measure, &ret_values[side]);
}

MapWalk map_walk_of(Record *const sides[SIDES], const Measure *measure)
{
	MapWalk walk = {
		.unit = measure->unit == CTPROF_UNIT_KIB ? KIB : 1,
		.polarity = measure->field.polarity,
	};

	for (guint side = 0; side < SIDES; side++)
		walk.maps[side] = record_map(sides[side], measure, &walk.coverages[side]);
	return walk;
}

static const MapItem *item_at(const GArray *map, guint at)
{
	return map && at < map->len ? &g_array_index(map, MapItem, at) : NULL;
}

static struct ctprof_value item_value(const MapItem *item, const MapWalk *walk, guint side)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	if (!item)
		return value;
	value.type = item->text ? CTPROF_VALUE_TEXT : CTPROF_VALUE_NUMBER;
	value.text = item->text;
	value.number = fold_multiply_saturated(item->number, walk->unit);
	coverage_apply(&walk->coverages[side], &value);
	return value;
}

gboolean map_walk_next(MapWalk *walk)
{
	const MapItem *a = item_at(walk->maps[0], walk->at[0]);
	const MapItem *b = item_at(walk->maps[1], walk->at[1]);

	if (!a && !b)
		return FALSE;
	int order = !b ? -1 : !a ? 1 : strcmp(a->key, b->key);
	walk->key = order <= 0 ? a->key : b->key;
	walk->values[0] = item_value(order <= 0 ? a : NULL, walk, 0);
	walk->values[1] = item_value(order >= 0 ? b : NULL, walk, 1);
	walk->at[0] += order <= 0;
	walk->at[1] += order >= 0;
	return TRUE;
}
