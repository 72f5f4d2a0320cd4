/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of both sides, by the key under which they are joined. */
#pragma once

#include <glib.h>

#include "report/fold/record.h"

#define SIDES 2

typedef struct pair {
	RecordKey key;
	Record *sides[SIDES]; /* NULL: not on that side */
} Pair;

typedef GHashTable Pairs; /* a set of Pair */

Pairs *pairs_new(void);
/* Returns the key's pair; creates it if there was none. */
Pair *pairs_take(Pairs *pairs, const RecordKey *key);
/* Takes the record, or merges it into the existing one. */
void pair_add(Pair *pair, guint side, Record *record);
/* Returns Pair *, ordered bytewise by key; the caller unrefs the array, which borrows its
 * elements. */
GPtrArray *pairs_sorted(Pairs *pairs);

/* Sets a measure's values, one for each side's record (NULL: none). */
void pair_values(Record *const sides[SIDES], const Measure *measure,
		 struct ctprof_value ret_values[SIDES]);

/* The keys of two maps (MapItem, ordered; NULL: empty), one after the other. */
typedef struct map_walk {
	const GArray *maps[SIDES];
	Coverage coverages[SIDES]; /* of each map's entries */
	guint64 unit;              /* factor for their numbers */
	guint32 polarity;          /* of every key: enum ctprof_polarity */
	guint at[SIDES];

	const char *key; /* the current one */
	struct ctprof_value values[SIDES];
} MapWalk;

/* Returns a walk over the values of a map; it converts KiB to bytes. */
MapWalk map_walk_of(Record *const sides[SIDES], const Measure *measure);
/* Moves to the next key of either map, bytewise; FALSE: no more. */
gboolean map_walk_next(MapWalk *walk);
