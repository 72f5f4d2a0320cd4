/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queue.h"

#include "base/lock.h"

struct queue {
	GMutex lock;
	GCond freed;
	GPtrArray *all; /* owns the batches */
	GPtrArray *idle;
	Batch **waiting; /* batch number n at n % size */
	guint size;
	guint64 next; /* number of the batch to consume next */
	gboolean consuming, closed;
	QueueConsumer consumer;
	gpointer data;
};

Queue *queue_new(const Registry *registry, guint n_batches, QueueConsumer consumer, gpointer data)
{
	Queue *queue = g_new0(Queue, 1);

	g_mutex_init(&queue->lock);
	g_cond_init(&queue->freed);
	queue->all = g_ptr_array_new_with_free_func((GDestroyNotify)batch_free);
	queue->idle = g_ptr_array_new();
	queue->size = n_batches;
	queue->waiting = g_new0(Batch *, n_batches);
	queue->consumer = consumer;
	queue->data = data;
	for (guint i = 0; i < n_batches; i++) {
		Batch *batch = batch_new(registry, ROW_THREAD);

		g_ptr_array_add(queue->all, batch);
		g_ptr_array_add(queue->idle, batch);
	}
	return queue;
}

void queue_free(Queue *queue)
{
	g_ptr_array_unref(queue->idle);
	g_ptr_array_unref(queue->all);
	g_free(queue->waiting);
	g_mutex_clear(&queue->lock);
	g_cond_clear(&queue->freed);
	g_free(queue);
}

Batch *queue_take(Queue *queue)
{
	HOLD(&queue->lock);

	while (queue->idle->len == 0 && !queue->closed)
		g_cond_wait(&queue->freed, &queue->lock);
	return queue->closed ? NULL : g_ptr_array_steal_index(queue->idle, queue->idle->len - 1);
}

void queue_return(Queue *queue, Batch *batch)
{
	HOLD(&queue->lock);

	g_ptr_array_add(queue->idle, batch);
	g_cond_signal(&queue->freed);
}

/* Consumes the batches that are next in order.  Called with the lock held; releases it around
 * the consumer. */
static void consume(Queue *queue)
{
	Batch **place;

	while (*(place = &queue->waiting[queue->next % queue->size])) {
		Batch *batch = g_steal_pointer(place);
		gboolean closed = queue->closed;

		queue->next++;
		g_mutex_unlock(&queue->lock);
		gboolean more = closed || queue->consumer(queue->data, batch);
		g_mutex_lock(&queue->lock);
		if (!more)
			queue->closed = TRUE;
		g_ptr_array_add(queue->idle, batch);
		g_cond_broadcast(&queue->freed);
	}
}

void queue_deliver(Queue *queue, Batch *batch, guint64 seq)
{
	HOLD(&queue->lock);

	/* There are only size batches, so the numbers of those in use differ modulo size. */
	queue->waiting[seq % queue->size] = batch;
	if (queue->consuming)
		return;
	queue->consuming = TRUE;
	consume(queue);
	queue->consuming = FALSE;
}

void queue_close(Queue *queue)
{
	HOLD(&queue->lock);

	queue->closed = TRUE;
	g_cond_broadcast(&queue->freed);
}
