/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more item after n, in an array that has only grown through
 * this function: its capacity is the power of two not below n.  NULL: out of
 * memory, and array is unchanged.
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
