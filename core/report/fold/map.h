/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folds of maps: entries by key, ordered. */
#pragma once

#include "fold.h"

#define MAP_CELLS 1

/* Numbers by the sum; the first text of a key stays. */
void map_add_sum(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_sum(guint64 *cells, gboolean first, guint64 *from);
/* Levels by the highest, other keys by the sum. */
void map_add_memory_stat(Store *store, guint64 *cells, gboolean first, guint64 value);
void map_merge_memory_stat(guint64 *cells, gboolean first, guint64 *from);
void map_clear(guint64 *cells);
