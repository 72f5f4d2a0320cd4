/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue with workers and one consumer in no fixed order; also for ThreadSanitizer. */
#include "capture/queue.h"

#include "base/lock.h"
#include "toys.h"

#define N_WORKERS 6
#define N_BATCHES 3000

typedef struct fixture {
	Registry *registry;
	Queue *queue;
	GMutex deal;
	guint64 dealt;    /* numbers handed out */
	guint64 limit;    /* maximum of dealt */
	guint64 consumed; /* no lock: if there were two consumers, TSan would report a race */
	guint64 stop_at;  /* the consumer refuses batches from here on */
	guint consuming;  /* atomic */
	guint stopped;    /* workers told that the queue is closed; atomic */
} Fixture;

/* The number a batch was dealt travels in its first target. */
static gboolean consume(gpointer data, Batch *batch)
{
	Fixture *f = data;

	g_assert_cmpuint(__atomic_fetch_add(&f->consuming, 1, __ATOMIC_RELAXED), ==, 0);
	g_assert_cmpint(batch_targets(batch)[0].tid, ==, (gint32)f->consumed);
	f->consumed++;
	__atomic_fetch_sub(&f->consuming, 1, __ATOMIC_RELAXED);
	return f->consumed < f->stop_at;
}

static gboolean deal(Fixture *f, guint64 *ret_seq)
{
	HOLD(&f->deal);

	if (f->dealt == f->limit)
		return FALSE;
	*ret_seq = f->dealt++;
	return TRUE;
}

static gpointer work(gpointer data)
{
	g_autoptr(GRand) rand = g_rand_new();
	Fixture *f = data;
	Batch *batch;
	guint64 seq;

	while ((batch = queue_take(f->queue))) {
		if (!deal(f, &seq)) {
			queue_return(f->queue, batch);
			return NULL;
		}
		batch_targets(batch)[0].tid = (gint32)seq;
		if (g_rand_int_range(rand, 0, 8) == 0)
			g_usleep((gulong)g_rand_int_range(rand, 0, 200));
		queue_deliver(f->queue, batch, seq);
	}
	__atomic_add_fetch(&f->stopped, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void set_up(Fixture *f, guint n_batches)
{
	g_mutex_init(&f->deal);
	f->registry = toy_registry();
	f->limit = N_BATCHES;
	f->stop_at = G_MAXUINT64;
	f->queue = queue_new(f->registry, n_batches, consume, f);
}

static void tear_down(Fixture *f)
{
	queue_free(f->queue);
	registry_free(f->registry);
	g_mutex_clear(&f->deal);
}

static void start(Fixture *f, GThread **threads)
{
	for (guint i = 0; i < N_WORKERS; i++)
		threads[i] = g_thread_new("worker", work, f);
}

static void join(GThread **threads)
{
	for (guint i = 0; i < N_WORKERS; i++)
		g_thread_join(threads[i]);
}

/* Also with fewer batches than workers, which then wait for each other. */
static void test_order(gconstpointer n_batches)
{
	GThread *threads[N_WORKERS];
	Fixture f = {0};

	set_up(&f, GPOINTER_TO_UINT(n_batches));
	start(&f, threads);
	join(threads);
	g_assert_cmpuint(f.consumed, ==, N_BATCHES);
	g_assert_cmpuint(f.stopped, ==, 0);
	tear_down(&f);
}

/* One thread delivers backwards: nothing is consumed before number 0. */
static void test_backwards(void)
{
	enum { N = 5 };
	Batch *batches[N];
	Fixture f = {0};

	set_up(&f, N);
	for (guint i = 0; i < N; i++) {
		batches[i] = queue_take(f.queue);
		batch_targets(batches[i])[0].tid = (gint32)i;
	}
	for (guint i = N - 1; i > 0; i--) {
		queue_deliver(f.queue, batches[i], i);
		g_assert_cmpuint(f.consumed, ==, 0);
	}
	queue_deliver(f.queue, batches[0], 0);
	g_assert_cmpuint(f.consumed, ==, N);
	tear_down(&f);
}

static void test_stopped_by_consumer(void)
{
	GThread *threads[N_WORKERS];
	Fixture f = {0};

	set_up(&f, N_WORKERS * 2);
	f.limit = G_MAXUINT64;
	f.stop_at = 100;
	start(&f, threads);
	join(threads);
	g_assert_cmpuint(f.consumed, ==, 100);
	g_assert_cmpuint(f.stopped, ==, N_WORKERS);
	tear_down(&f);
}

static void test_closed_while_busy(void)
{
	GThread *threads[N_WORKERS];
	Fixture f = {0};

	set_up(&f, 2);
	f.limit = G_MAXUINT64;
	start(&f, threads);
	g_usleep(20000);
	queue_close(f.queue);
	join(threads);
	g_assert_cmpuint(f.stopped, ==, N_WORKERS);
	g_assert_null(queue_take(f.queue));
	tear_down(&f);
}

static gpointer take(gpointer data)
{
	return queue_take(data);
}

/* All batches are in use and a worker waits for one; closing the queue ends its wait. */
static void test_closed_while_waiting(void)
{
	Fixture f = {0};

	set_up(&f, 1);
	Batch *only = queue_take(f.queue);
	GThread *waiter = g_thread_new("waiter", take, f.queue);
	g_usleep(20000);
	queue_close(f.queue);
	g_assert_null(g_thread_join(waiter));
	queue_deliver(f.queue, only, 0);
	g_assert_cmpuint(f.consumed, ==, 0);
	tear_down(&f);
}

static void test_returned_is_taken_again(void)
{
	Fixture f = {0};

	set_up(&f, 1);
	Batch *only = queue_take(f.queue);
	GThread *waiter = g_thread_new("waiter", take, f.queue);
	g_usleep(5000);
	queue_return(f.queue, only);
	g_assert_true(g_thread_join(waiter) == only);
	tear_down(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/queue/in-order/two-batches-a-worker",
			     GUINT_TO_POINTER(N_WORKERS * 2), test_order);
	g_test_add_data_func("/queue/in-order/fewer-batches-than-workers", GUINT_TO_POINTER(2),
			     test_order);
	g_test_add_data_func("/queue/in-order/one-batch", GUINT_TO_POINTER(1), test_order);
	g_test_add_func("/queue/waits-for-the-first", test_backwards);
	g_test_add_func("/queue/stopped-by-its-consumer", test_stopped_by_consumer);
	g_test_add_func("/queue/closed-while-busy", test_closed_while_busy);
	g_test_add_func("/queue/closed-while-waiting", test_closed_while_waiting);
	g_test_add_func("/queue/returned-is-taken-again", test_returned_is_taken_again);
	return g_test_run();
}
