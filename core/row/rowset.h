/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of one scope that outlive the call they were lent for. */
#pragma once

#include <glib.h>

#include "arena.h"
#include "registry.h"

typedef struct rowset Rowset;

/* The value of a metric that is present, in memory of the arena: the row's own. */
typedef guint64 (*RowsetCopy)(gpointer data, Arena *arena, const Metric *metric, guint64 value);

Rowset *rowset_new(void);
void rowset_free(Rowset *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rowset, rowset_free)

/* As it is new: for rows of any scope. */
void rowset_clear(Rowset *set);
/* Adds a row of those, which are all of one scope and registry; copy NULL: as it is.  Its
 * target, whose path may be replaced by what is taken of the arena. */
struct ctprof_target *rowset_add(Rowset *set, const Registry *registry,
				 const struct ctprof_rows *rows, guint64 row, RowsetCopy copy,
				 gpointer data);
Arena *rowset_arena(Rowset *set);
/* Orders them bytewise by the paths of their targets. */
void rowset_sort(Rowset *set);
guint64 rowset_size(const Rowset *set);
/* Row i alone, as a sink sees it. */
void rowset_view(const Rowset *set, guint64 i, struct ctprof_rows *ret_rows);
/* All of them in the order they were added, unless they have been sorted. */
void rowset_view_all(const Rowset *set, struct ctprof_rows *ret_rows);

/* Copies a value, with what it points to. */
guint64 rowset_copy_value(Arena *arena, const Metric *metric, guint64 value);
