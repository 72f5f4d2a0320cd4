/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pool.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

void *pool_find(const struct pool *pool, const void *key, pool_order *order)
{
	void **node = tfind(key, &pool->tree, order);

	return node ? *node : NULL;
}

static int make_room(struct pool *pool)
{
	size_t room = pool->room ? 2 * pool->room : 64;

	if (pool->n < pool->room)
		return 0;
	void **bigger = reallocarray(pool->items, room, sizeof *bigger);
	if (!bigger)
		return -ENOMEM;
	pool->items = bigger;
	pool->room = room;
	return 0;
}

int pool_add(struct pool *pool, void *item, pool_order *order)
{
	if (pool->n >= pool->max)
		return -ENOSPC;
	if (make_room(pool) < 0 || !tsearch(item, &pool->tree, order))
		return -ENOMEM;
	pool->items[pool->n++] = item;
	return 0;
}

static void keep_item(void *item)
{
	(void)item; /* freed by way of the list */
}

void pool_clear(struct pool *pool, void (*free_item)(void *item))
{
	tdestroy(pool->tree, keep_item);
	for (size_t i = 0; i < pool->n; i++)
		free_item(pool->items[i]);
	free(pool->items);
	*pool = (struct pool){.max = pool->max};
}
