/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/*
 * Room for one more item after n of them, in an array that only ever grew
 * through here: its capacity is the power of two not below n.  NULL: out of
 * memory, and array is as it was.
 */
static inline void *array_room(void *array, size_t n, size_t item_size)
{
	if ((n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n > 0 ? n * 2 : 1, item_size);
}
