/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records: rows folded under one key; and the set of a side's records by key. */
#pragma once

#include <glib.h>

#include "amount.h"
#include "measure.h"
#include "report/name/key.h"
#include "row/arena.h"

typedef struct record {
	RecordKey key;
	const Layout *layout;      /* layout of its values: that of its set */
	guint64 n;                 /* rows */
	guint64 n_ghosts;          /* of these, those for threads that the side does not have */
	guint64 n_short, short_ns; /* threads that started and ended in the window; their CPU */
	guint64 n_starts;          /* rows whose start tick is known, and their sum */
	guint64 starts;
	guint64 place; /* index in its set, in the order of arrival */
	/* One for each value, if rows of one key lack different values.  Usually NULL: the states
	 * then suffice. */
	Coverage *coverages;
	guint64 words[]; /* a state for each value (enum ctprof_absence), then the cells */
} Record;

/* Records of one layout, by key. */
typedef struct record_set {
	const Layout *layout;
	GHashTable *by_key; /* Record -> itself */
	Arena *arena;       /* of the records */
} RecordSet;

void record_set_init(RecordSet *set, const Layout *layout);
void record_set_clear(RecordSet *set);
/* Returns the key's record, a new one if there is none. */
Record *record_set_take(RecordSet *set, const RecordKey *key);
Record *record_set_find(const RecordSet *set, const RecordKey *key);
/* The keys' records, ordered bytewise; borrowed elements, the caller unrefs. */
GPtrArray *record_set_sorted(const RecordSet *set);

/* The keys' records in the order of their first rows; borrowed elements, the caller unrefs. */
GPtrArray *record_set_arrived(const RecordSet *set);

/* The number of threads (or of other rows) of the side; 0 without a record. */
guint64 record_count(const Record *record);
/* Folds in row i; start: its start tick, 0 if unknown. */
void record_add(Record *record, Store *store, const struct ctprof_rows *rows, guint64 i,
		guint64 start);
/* Notes that the value of a row is only partial. */
void record_miss(Record *record, const Measure *measure, guint32 why);
/* Merges `from`, of the same layout, into record; afterwards `from` may only be freed. */
void record_merge(Record *record, Record *from);
/* Sets the folded value and its coverage, ABSENT if record is NULL or has none; converts KiB to
 * bytes. */
void record_value(const Record *record, const Measure *measure, struct ctprof_value *ret_value);
/* A category's values as MapItem with the number of rows, ordered bytewise by key; NULL: none.  The
 * caller unrefs. */
GArray *record_modes(const Record *record, const Measure *measure);
/* The folded histogram; NULL: none. */
const Histogram *record_histogram(const Record *record, const Measure *measure);
/* A map's entries (MapItem), or NULL.  ret_coverage, of each entry: may be
 * NULL. */
const GArray *record_map(const Record *record, const Measure *measure, Coverage *ret_coverage);
