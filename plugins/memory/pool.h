/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Things found by an order among them, and walked one after the other. */
#pragma once

#include "list.h"

struct pool {
	void *tree; /* tsearch()'s: balanced, whatever names attackers choose */
	void **items;
	size_t n, room;
	size_t max; /* no more than that many */
};

/* The item that the order calls equal to key, or NULL. */
void *pool_find(const struct pool *pool, const void *key, list_order *order);
/* Adds an item that is not there yet, the pool's own from then on.  -ENOMEM, or
 * -ENOSPC: there are max of them. */
int pool_add(struct pool *pool, void *item, list_order *order);
/* Puts the items in order, for the walk. */
void pool_sort(struct pool *pool, list_order *order);
void pool_clear(struct pool *pool, void (*free_item)(void *item));
