/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restores the order of batches, which workers finish in any order, and passes them to one consumer
 * at a time.  Bounded: workers wait when too many batches are in use.
 */
#pragma once

#include <glib.h>

#include "row/batch.h"

typedef struct queue Queue;

/* Called for each batch in order of its number, never two at once, without a
 * lock held.  FALSE: no more batches are wanted. */
typedef gboolean (*QueueConsumer)(gpointer data, Batch *batch);

Queue *queue_new(const Registry *registry, guint n_batches, QueueConsumer consumer, gpointer data);
void queue_free(Queue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Queue, queue_free)

/* Returns an idle batch, and waits for one if necessary; NULL: the queue is closed. */
Batch *queue_take(Queue *queue);
/* Gives back a batch that was not used. */
void queue_return(Queue *queue, Batch *batch);
/* Delivers batch number seq (0, 1, 2, ...; no number may be missing). */
void queue_deliver(Queue *queue, Batch *batch, guint64 seq);
/* Closes the queue and wakes all waiters; batches delivered from now on are dropped. */
void queue_close(Queue *queue);
