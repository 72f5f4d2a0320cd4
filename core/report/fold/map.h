/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folds of maps: entries by key, ordered. */
#pragma once

#include "fold.h"

#define MAP_CELLS 1

/* Sums numbers; keeps the first text of a key. */
void map_add_sum(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_sum(guint64 *cells, gboolean first, guint64 *from);
/* Takes the highest of levels, the sum of other keys. */
void map_add_memory_stat(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_memory_stat(guint64 *cells, gboolean first, guint64 *from);
void map_clear(guint64 *cells);
