/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grows and sorts arrays. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int list_order(const void *a, const void *b);

static inline int order_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * Makes room for need elements of that size.  list is the address of the pointer to the malloc()'d
 * array, which has room for *room.  0, -ENOMEM, or -ENOSPC: more than max.
 */
int list_reserve(void *list, size_t *room, size_t need, size_t max, size_t size);

/* Sorts the n elements, and keeps the first of each run that `same` treats as equal; returns the
 * number left. */
size_t list_sort_unique(void *list, size_t n, size_t size, list_order *order, list_order *same);
