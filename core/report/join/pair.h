/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of both sides by the key they are joined under. */
#pragma once

#include <glib.h>

#include "report/fold/record.h"

#define SIDES 2

typedef struct pool {
	RecordKey key;
	Record *sides[SIDES]; /* NULL: nothing there */
} Pool;

typedef GHashTable Pools; /* a set of Pool */

Pools *pools_new(void);
/* The key's pool, new if need be. */
Pool *pools_take(Pools *pools, const RecordKey *key);
const Pool *pools_find(Pools *pools, const RecordKey *key);
/* Takes the record, or folds it into the one that is there. */
void pool_add(Pool *pool, guint side, const Layout *layout, Record *record);
/* Pool *, ordered bytewise by key; the caller unrefs, elements are borrowed. */
GPtrArray *pools_sorted(Pools *pools);

/* A key of two maps, and its entry in each. */
typedef struct map_pair {
	const char *key;
	const MapItem *items[SIDES]; /* NULL: that map does not have the key */
} MapPair;

/* The next key of either map (MapItem, ordered; NULL: empty), bytewise; at
 * begins with zeros. */
gboolean map_pair_next(const GArray *const maps[SIDES], guint at[SIDES], MapPair *ret_pair);
