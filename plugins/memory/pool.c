/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pool.h"

#include <errno.h>
#include <search.h>
#include <string.h>

#include "cleanup.h"

void *pool_find(const struct pool *pool, const void *key, list_order *order)
{
	void **node = tfind(key, &pool->tree, order);

	return node ? *node : NULL;
}

int pool_add(struct pool *pool, void *item, list_order *order)
{
	int result = list_reserve(&pool->items, &pool->room, pool->n + 1, pool->max,
				  sizeof *pool->items);

	if (result < 0)
		return result;
	if (!tsearch(item, &pool->tree, order))
		return -ENOMEM;
	pool->items[pool->n++] = item;
	return 0;
}

int pool_add_copy(struct pool *pool, const void *item, size_t size, list_order *order)
{
	if (pool_find(pool, item, order))
		return -EEXIST;
	AUTO_FREE void *copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, item, size);
	int result = pool_add(pool, copy, order);
	if (result == 0)
		copy = NULL;
	return result;
}

static int order_items(const void *a, const void *b, void *order)
{
	return (*(list_order **)order)(*(void *const *)a, *(void *const *)b);
}

void pool_sort(struct pool *pool, list_order *order)
{
	if (pool->n > 1)
		qsort_r(pool->items, pool->n, sizeof *pool->items, order_items, &order);
}

static void keep_item(void *item)
{
	(void)item; /* freed through the list */
}

void pool_clear(struct pool *pool, void (*free_item)(void *item))
{
	tdestroy(pool->tree, keep_item);
	for (size_t i = 0; i < pool->n; i++)
		free_item(pool->items[i]);
	free(pool->items);
	*pool = (struct pool){.max = pool->max};
}
