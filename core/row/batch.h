/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows being filled: values in a flat array, one state per value, texts in an arena. */
#pragma once

#include <glib.h>

#include "registry.h"
#include "stuck.h"

/* Maximum threads in a batch: 256 amortise its cost and still fit in the cache. */
#define BATCH_ROWS 256

typedef struct batch Batch;

/* A reusable batch for rows of a class; registry must be sealed. */
Batch *batch_new(const Registry *registry, enum row_class row);
void batch_free(Batch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Batch, batch_free)

/* Returns the batch's targets, with room for BATCH_ROWS; batch_begin() sets the number in use. */
struct ctprof_target *batch_targets(Batch *batch);
/* Returns the target of a thread; task_fd -1: it is not read through it. */
struct ctprof_target batch_thread(gint32 tgid, gint32 tid, int task_fd);
/* Empties n rows: every slot is absent for the reason that the registry gives. */
void batch_begin(Batch *batch, gsize n);

/* Sets the stuck processes of the capture, for mark_stuck() and is_stuck(); borrowed.  Without this
 * call no process is stuck. */
void batch_share_stuck(Batch *batch, Stuck *stuck);

/* Marks rows that no source is asked to fill, because their process does not answer. */
void batch_time_out(Batch *batch);

/* Returns the batch for a source's collect().  bad_puts counts puts that break the rules of the
 * interface. */
struct ctprof_batch *batch_open(Batch *batch, guint64 *bad_puts);

/* The source of slot index failed: values that no other source put become invalid. */
void batch_invalidate(Batch *batch, guint32 index);
/* Whether any row has a value in slot index. */
gboolean batch_has_values(const Batch *batch, guint32 index);
/* Drops the rows that vanished; returns their number. */
gsize batch_drop_vanished(Batch *batch);
/* Restores rows that a source reported as vanished although their threads exist; returns their
 * number. */
gsize batch_recall(Batch *batch);
/* Closes the targets' descriptors. */
void batch_close_targets(Batch *batch);
/* Gives the rows as a sink sees them. */
void batch_view(const Batch *batch, struct ctprof_rows *ret_rows);

/*
 * Exit and object batches begin empty and belong to one source.  In an object
 * batch, plugin may add rows to the groups in which it declared object metrics.
 * Its strings must outlive batch.
 */
void batch_own(Batch *batch, const Registry *registry, const char *plugin);
/* Returns the number of rows, or of those added so far. */
gsize batch_rows(const Batch *batch);
/* Sets the group of an object row: only its slots can be filled, the others are SKIPPED.  Marks a
 * row without wanted slots as vanished.  FALSE if the group does not exist. */
gboolean batch_set_group(Batch *batch, gsize row, const char *group);

/* Fills in these members of a host table: put_*(), filled(), object(), exited(), vanished(),
 * mark_stuck() and is_stuck(). */
void batch_lend(struct ctprof_host *table);
