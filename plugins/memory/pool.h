/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ordered set of items that can be searched and walked. */
#pragma once

#include "list.h"

struct pool {
	void *tree; /* from tsearch(): balanced, whatever names an attacker chooses */
	void **items;
	size_t n, room;
	size_t max; /* maximum number of items */
};

/* Returns the item that the order treats as equal to key, or NULL. */
void *pool_find(const struct pool *pool, const void *key, list_order *order);
/* Adds a new item, which the pool then owns.  0, -ENOMEM, or -ENOSPC: there are already max. */
int pool_add(struct pool *pool, void *item, list_order *order);
/* Adds a copy of the item; -EEXIST: there is one that the order treats as equal. */
int pool_add_copy(struct pool *pool, const void *item, size_t size, list_order *order);
/* Puts the items in order, for the walk. */
void pool_sort(struct pool *pool, list_order *order);
void pool_clear(struct pool *pool, void (*free_item)(void *item));
