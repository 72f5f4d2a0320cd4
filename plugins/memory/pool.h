/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Things found by an order among them, and walked one after the other. */
#pragma once

#include <stddef.h>

struct pool {
	void *tree; /* tsearch()'s: balanced, whatever names attackers choose */
	void **items;
	size_t n, room;
	size_t max; /* no more than that many */
};

typedef int pool_order(const void *a, const void *b);

/* The item that the order calls equal to key, or NULL. */
void *pool_find(const struct pool *pool, const void *key, pool_order *order);
/* Adds an item that is not there yet, the pool's own from then on.  -ENOMEM, or
 * -ENOSPC: there are max of them. */
int pool_add(struct pool *pool, void *item, pool_order *order);
void pool_clear(struct pool *pool, void (*free_item)(void *item));
