/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more item after n.  The array must have grown through this function only: its
 * capacity is the smallest power of two that is at least n.  NULL if out of memory; array is then
 * unchanged.
 */
static inline void *array_room(void *array, size_t n, size_t item_size)
{
	if ((n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n > 0 ? n * 2 : 1, item_size);
}

static inline void array_free(void *array)
{
	free(*(void **)array);
}

/* Memory that is freed at the end of its scope. */
#define FREED __attribute__((cleanup(array_free)))
