/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows that a table shows individually, of one side or both: processes, and
 * objects by slot group and name.  A row is a Pair whose records have one row
 * each; values are looked up by the name of their metric.
 */
#pragma once

#include <glib.h>

#include "report/draft/draft.h"

/* The source that fills what the views need, and its groups. */
#define MEMORY_SOURCE "memory"
#define MEMORY_GROUP "memory"
#define MEMORY_FILES_GROUP "memory-files"
#define MEMORY_LEDGER_GROUP "memory-ledger"
#define MEMORY_MAPPINGS_GROUP "memory-mappings"
#define MEMORY_SHARED_GROUP "memory-shared"
#define MEMORY_SWAP_GROUP "memory-swap"
#define MEMORY_SYSV_GROUP "memory-sysv"
/* Metrics of other groups that the source fills, in the syntax of --metrics. */
#define MEMORY_METRICS "state,nr_threads"
/* MeasureChoices of the tables of rows; data is the plan. */
const Fold *rows_choose_process(gconstpointer data, const Metric *metric);
const Fold *rows_choose_object(gconstpointer data, const Metric *metric);

/* One kind of row: the processes (group NULL), or the objects of a slot group. */
typedef struct rows {
	const Draft *draft;
	enum intake_table table;
	GPtrArray *list; /* const Pair *; the caller may remove some */
} Rows;

/* The names in an object's key. */
enum { ROW_GROUP, ROW_NAME };

/* All rows of a kind; the caller clears them. */
Rows rows_of(const Draft *draft, const char *group);
void rows_clear(Rows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rows, rows_clear)
/* Removes the rows that keep() does not accept. */
void rows_keep(Rows *rows, gboolean (*keep)(const Rows *rows, const Pair *row, gpointer data),
	       gpointer data);

/* The side to show if only one can be: the last that has the row. */
guint row_side(const Pair *row);
/* An object's name. */
const char *row_name(const Pair *row);
/* Whether either side's snapshot has the metric. */
gboolean rows_are_captured(const Rows *rows, const char *metric);
/* Reads a number of the object of that name.  FALSE: absent, or the side lacks the object. */
gboolean object_number(const Draft *draft, guint side, const char *group, const char *name,
		       const char *metric, guint64 *ret_number);

/* Values of a metric, ABSENT on a side without the row (as INAPPLICABLE, since
 * nothing is missing) or without the metric.  Categories and labels are texts;
 * numbers are NUMBER or UNLIMITED. */
struct ctprof_value row_value(const Rows *rows, const Pair *row, guint side, const char *metric);
gboolean row_number(const Rows *rows, const Pair *row, guint side, const char *metric,
		    guint64 *ret_number);
/* Its text; NULL: absent. */
const char *row_text_of(const Rows *rows, const Pair *row, guint side, const char *metric);
/* The text on the side shown. */
const char *row_text(const Rows *rows, const Pair *row, const char *metric);
/* Whether the value is inapplicable to the row. */
gboolean row_is_inapplicable(const Rows *rows, const Pair *row, guint side, const char *metric);
/* A map's entries (MapItem) of that side; NULL: absent. */
const GArray *row_map(const Rows *rows, const Pair *row, guint side, const char *metric);

/* ---- numbers of both sides ---- */

/* A sum of rows' values, on each side. */
typedef struct sums {
	Amount sides[SIDES];
} Sums;

void sums_add(const Draft *draft, Sums *sums, const struct ctprof_value values[SIDES]);
void sums_merge(Sums *sums, const Sums *part);
/* zero: the sum of no rows is 0, not absent. */
void sums_values(const Draft *draft, const Sums *sums, gboolean zero,
		 struct ctprof_value ret_values[SIDES]);
/* Compares two lines by a column's values: the largest first, in compare the
 * largest change; absent values last. */
gint rows_compare_values(const Draft *draft, const struct ctprof_value a[SIDES],
			 const struct ctprof_value b[SIDES]);

/* Whether the filters show a row's change in a field; a side without the row
 * counts as 0.  show: always. */
gboolean rows_pass(const Draft *draft, const Pair *row, const struct ctprof_report_field *field,
		   const struct ctprof_value values[SIDES]);

/* ---- cells ---- */

void rows_put(const Draft *draft, Table *table, struct ctprof_cell *cells, guint field,
	      const struct ctprof_value values[SIDES]);
/* Whether the text matches --filter. */
gboolean rows_match(const Draft *draft, const char *text);
