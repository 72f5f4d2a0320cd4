/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of rows of one scope, which stay valid after the call that lent the rows. */
#pragma once

#include <glib.h>

#include "arena.h"
#include "registry.h"

typedef struct rowset Rowset;

/* Returns a copy of a present value of a metric, in the arena, for this row only. */
typedef guint64 (*RowsetCopy)(gpointer data, Arena *arena, const Metric *metric, guint64 value);

Rowset *rowset_new(void);
void rowset_free(Rowset *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rowset, rowset_free)

/* Removes all rows; the set can then take rows of any scope. */
void rowset_clear(Rowset *set);
/* Adds a copy of a row; all rows must have one scope and one registry.  copy NULL: values are
 * copied unchanged.  Returns the target of the copy; its path may be replaced by memory from the
 * arena. */
struct ctprof_target *rowset_add(Rowset *set, const Registry *registry,
				 const struct ctprof_rows *rows, guint64 row, RowsetCopy copy,
				 gpointer data);
Arena *rowset_arena(Rowset *set);
/* Orders the rows bytewise by the paths of their targets. */
void rowset_sort(Rowset *set);
guint64 rowset_size(const Rowset *set);
/* Returns row i alone, as a sink sees it. */
void rowset_view(const Rowset *set, guint64 i, struct ctprof_rows *ret_rows);
/* Gives all rows, in the order in which they were added, even after rowset_sort(). */
void rowset_view_all(const Rowset *set, struct ctprof_rows *ret_rows);

/* Copies a value and the data that it points to. */
guint64 rowset_copy_value(Arena *arena, const Metric *metric, guint64 value);
