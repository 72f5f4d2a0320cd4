/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int list_reserve(void *list, size_t *room, size_t need, size_t max, size_t size)
{
	size_t bigger = need > 2 * *room ? need : 2 * *room;
	void *data;

	if (need > max)
		return -ENOSPC;
	if (need <= *room)
		return 0;
	memcpy(&data, list, sizeof data);
	data = reallocarray(data, bigger, size);
	if (!data)
		return -ENOMEM;
	memcpy(list, &data, sizeof data);
	*room = bigger;
	return 0;
}

size_t list_sort_unique(void *list, size_t n, size_t size, list_order *order, list_order *same)
{
	char *items = list;
	size_t kept = 0;

	if (n > 1)
		qsort(items, n, size, order);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && same(items + (kept - 1) * size, items + i * size) == 0)
			continue;
		memmove(items + kept++ * size, items + i * size, size);
	}
	return kept;
}
