/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "looks.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

void looks_clear(struct looks *looks)
{
	free(looks->at);
	*looks = (struct looks){.at = NULL};
}

struct thread_record *looks_add(struct looks *looks)
{
	if (list_reserve(&looks->at, &looks->room, looks->n + 1, LOOKS_MOST, sizeof *looks->at) < 0)
		return NULL;
	struct thread_record *record = &looks->at[looks->n++];
	memset(record, 0, sizeof *record);
	return record;
}

static int compare_tids(const void *a, const void *b)
{
	const struct thread_record *x = a, *y = b;

	return order_u64(x->tid, y->tid);
}

void looks_sort(const struct looks *looks)
{
	size_t i = 1;

	while (i < looks->n && looks->at[i - 1].tid < looks->at[i].tid)
		i++;
	if (i < looks->n)
		qsort(looks->at, looks->n, sizeof *looks->at, compare_tids);
}

const struct thread_record *looks_find(const struct looks *looks, int32_t tgid, int32_t tid)
{
	const struct thread_record key = {.tid = (uint32_t)tid};
	const struct thread_record *found =
		looks->n ? bsearch(&key, looks->at, looks->n, sizeof key, compare_tids) : NULL;

	return found && found->tgid == (uint32_t)tgid ? found : NULL;
}
