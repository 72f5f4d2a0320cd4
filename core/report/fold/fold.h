/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the values of many rows become one: a row of functions for each kind of
 * metric.  A folded value lies in a few 8-byte cells of a record; whether it
 * is there at all is the record's business.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "store.h"

#define FOLD_MAX_CELLS 3

typedef struct fold {
	guint n_cells;
	/* Takes a row's value; first: the cells hold nothing yet. */
	void (*add)(Store *store, guint64 *cells, gboolean first, guint64 value);
	/* Takes what another record has come to; its own cells then own nothing.  NULL:
	 * as add() takes the value that its only cell holds. */
	void (*merge)(guint64 *cells, gboolean first, guint64 *from);
	/* The value to show; its texts live as long as the store.  NULL: maps. */
	void (*value)(const guint64 *cells, struct ctprof_value *ret_value);
	void (*clear)(guint64 *cells); /* what the cells own; NULL: nothing */
} Fold;

/* The fold of a kind and unit, or NULL: nothing is folded by it. */
const Fold *fold_find(guint32 kind, guint32 unit);
/* A label of a single row (the host's): the first value stays. */
const Fold *fold_label(guint32 unit);
/* memory.stat of several cgroups: levels by the highest, events by the sum. */
const Fold *fold_memory_stat(void);

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

guint64 fold_add_saturated(guint64 a, guint64 b);
guint64 fold_multiply_saturated(guint64 a, guint64 b);
