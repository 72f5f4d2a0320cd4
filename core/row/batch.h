/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows being filled: flat values, one state a value, texts in an arena. */
#pragma once

#include <glib.h>

#include "registry.h"

/* Threads in a batch at most: 256 amortise what a batch costs and stay in cache. */
#define BATCH_ROWS 256

typedef struct batch Batch;

/* A reusable batch for rows of a class; registry must be sealed. */
Batch *batch_new(const Registry *registry, enum row_class row);
void batch_free(Batch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Batch, batch_free)

/* The batch's targets, room for BATCH_ROWS; batch_begin() says how many count. */
struct ctprof_target *batch_targets(Batch *batch);
/* Empties n rows: every slot absent for the reason the registry knows. */
void batch_begin(Batch *batch, gsize n);

/* What a source's collect() is given.  plugin_bad_puts counts puts that break
 * the border's rules. */
struct ctprof_batch *batch_open(Batch *batch, guint64 *bad_puts);

/* Slot index was left to a source that failed: what nobody filled is invalid. */
void batch_invalidate(Batch *batch, guint32 index);
/* Whether slot index has a value in a row. */
gboolean batch_has_values(const Batch *batch, guint32 index);
/* Drops the rows that vanished; returns how many. */
gsize batch_drop_vanished(Batch *batch);
/* Closes the targets' descriptors. */
void batch_close_targets(Batch *batch);
/* The rows as a sink sees them. */
void batch_view(const Batch *batch, struct ctprof_rows *ret_rows);

/*
 * Exit and object batches begin empty and are one source's alone.  Of the latter:
 * plugin may name rows in the groups it declared object metrics of.  Its strings
 * outlive batch.
 */
void batch_own(Batch *batch, const Registry *registry, const char *plugin);
/* Rows begun, or added by now. */
gsize batch_rows(const Batch *batch);
/* Settles the group of an object row: only its slots can be filled, the others
 * are SKIPPED.  Marks a row that nobody wants a slot of as vanished.  FALSE when
 * there is no such group. */
gboolean batch_set_group(Batch *batch, gsize row, const char *group);

/* Fills in the put_* functions of a host table, filled(), object() and exited(). */
void batch_lend(struct ctprof_host *table);
