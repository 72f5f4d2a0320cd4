/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair.h"

#include <string.h>

Pools *pools_new(void)
{
	return g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
}

const Pool *pools_find(Pools *pools, const RecordKey *key)
{
	return g_hash_table_lookup(pools, key);
}

Pool *pools_take(Pools *pools, const RecordKey *key)
{
	Pool *pool = g_hash_table_lookup(pools, key);

	if (pool)
		return pool;
	pool = g_new0(Pool, 1);
	pool->key = *key;
	g_hash_table_add(pools, pool);
	return pool;
}

void pool_add(Pool *pool, guint side, const Layout *layout, Record *record)
{
	if (pool->sides[side])
		record_merge(pool->sides[side], layout, record);
	else
		pool->sides[side] = record;
}

static gint compare_pools(gconstpointer a, gconstpointer b)
{
	const Pool *x = *(const Pool *const *)a, *y = *(const Pool *const *)b;

	return record_key_compare(&x->key, &y->key);
}

GPtrArray *pools_sorted(Pools *pools)
{
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter iter;
	gpointer pool;

	g_hash_table_iter_init(&iter, pools);
	while (g_hash_table_iter_next(&iter, &pool, NULL))
		g_ptr_array_add(list, pool);
	g_ptr_array_sort(list, compare_pools);
	return list;
}

static const MapItem *item_at(const GArray *map, guint at)
{
	return map && at < map->len ? &g_array_index(map, MapItem, at) : NULL;
}

gboolean map_pair_next(const GArray *const maps[SIDES], guint at[SIDES], MapPair *ret_pair)
{
	const MapItem *a = item_at(maps[0], at[0]), *b = item_at(maps[1], at[1]);

	if (!a && !b)
		return FALSE;
	int order = !b ? -1 : !a ? 1 : strcmp(a->key, b->key);
	*ret_pair = (MapPair){
		.key = order <= 0 ? a->key : b->key,
		.items = {order <= 0 ? a : NULL, order >= 0 ? b : NULL},
	};
	at[0] += order <= 0;
	at[1] += order >= 0;
	return TRUE;
}
