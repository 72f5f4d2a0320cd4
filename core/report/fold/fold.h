/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the values of many rows become one: a row of functions for each kind of
 * metric.  A folded value takes a few 8-byte cells of a record; the record
 * knows whether it is present.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "map.h"
#include "row/buckets.h"
#include "saturated.h"

#define FOLD_MAX_CELLS 3

typedef struct fold {
	guint n_cells;
	/* Adds a row's value; first: the cells hold nothing yet. */
	void (*add)(Store *store, guint64 *cells, gboolean first, guint64 value);
	/* Merges the cells of another record, which then own nothing.  NULL: there is one cell, to
	 * merge with add(). */
	void (*merge)(guint64 *cells, gboolean first, guint64 *from);
	/* The value to show; its texts live as long as the store.  NULL: maps. */
	void (*value)(const guint64 *cells, struct ctprof_value *ret_value);
	void (*clear)(guint64 *cells); /* frees what the cells own; NULL: they own nothing */
} Fold;

/* The fold of a kind and unit; NULL: not folded. */
const Fold *fold_find(guint32 kind, guint32 unit);
/* The fold of a label of a single row (the host's): keeps the first value. */
const Fold *fold_label(guint32 unit);
/* A label that is a number: that of the first row. */
extern const Fold fold_number_label;
/* The PSS of processes: one entry of the map of their memory. */
extern const Fold fold_pss;
/* PSS without pages of files, which the kernel can drop; with them if the kernel does not count
 * them separately.  A second cell is RSS without pages of files, a third all of RSS; shared pages
 * count in full. */
extern const Fold fold_pss_held;
/* The most common of the paths in the v1 controller with quotas (cpu); "" counts as a path. */
extern const Fold fold_v1_path;
/* The keys of the map entries that these two fold; NULL after the last. */
extern const char *const fold_entries[];
/* The most common of the rows' labels. */
extern const Fold fold_commonest;
/* Folds memory.stat of several cgroups: the highest value of levels, the sum of events. */
extern const Fold fold_memory_stat;

/* A folded histogram. */
const Histogram *fold_histogram(const guint64 *cells);

/* Returns the values of a folded category as MapItem, ordered bytewise by key; number is the number
 * of rows.  The caller unrefs. */
GArray *fold_list_modes(const guint64 *cells);
