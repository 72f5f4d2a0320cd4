/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fold of categories: how many rows have which of the values. */
#pragma once

#include "fold.h"

/* A value and its rows, and a table of the others: most groups have none. */
#define MODE_CELLS 3

void mode_add_text(Store *store, guint64 *cells, gboolean first, guint64 value);
void mode_add_char(Store *store, guint64 *cells, gboolean first, guint64 value);
void mode_add_bool(Store *store, guint64 *cells, gboolean first, guint64 value);
void mode_merge(guint64 *cells, gboolean first, guint64 *from);
/* The most frequent value, the smallest of equally frequent ones. */
void mode_value(const guint64 *cells, struct ctprof_value *ret_value);
void mode_clear(guint64 *cells);
