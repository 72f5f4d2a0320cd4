/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folds of maps: entries by key, ordered. */
#pragma once

#include "report/name/store.h"

#define MAP_CELLS 1

/* An entry of a folded map; text only with unit TEXT. */
typedef struct map_item {
	const char *key; /* of the store, as is text */
	const char *text;
	guint64 number;
} MapItem;

/* A folded map's entries, MapItem, ordered bytewise by key. */
const GArray *fold_map_items(const guint64 *cells);
/* Whether the key of memory.stat is a level, in bytes. */
gboolean fold_is_memory_level(const char *key);

/* Sum the numbers, and keep the first text of a key. */
void map_add_sum(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_sum(guint64 *cells, gboolean first, guint64 *from);
/* Keep the highest value of levels, and the sum of other keys. */
void map_add_memory_stat(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_memory_stat(guint64 *cells, gboolean first, guint64 *from);
void map_clear(guint64 *cells);
