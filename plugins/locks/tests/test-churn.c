/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that 10 000 looks at locks that change hands find no wrong holder, and measures the cost of
 * a look. */
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "fakehost.h"

#include "../peek.h"
#include "../waiters.h"

/* ---- a host with this process alone --------------------------------------------- */

struct alone {
	char *root, *link;
	FakeHost *fake;
	const struct ctprof_host *host;
	struct peeker *peeker;
	struct waiters waiters;
	struct waiters swept; /* of the whole host, by BPF */
};

static void alone_init(struct alone *ret)
{
	g_autofree char *name = g_strdup_printf("%d", getpid());
	g_autofree char *proc = g_strdup_printf("/proc/%d", getpid());

	ret->root = g_dir_make_tmp("ctprof-locks-XXXXXX", NULL);
	g_assert_nonnull(ret->root);
	ret->link = g_build_filename(ret->root, name, NULL);
	g_assert_cmpint(symlink(proc, ret->link), ==, 0);
	ret->fake = fake_host_new(ret->root, NULL, NULL, TRUE);
	ret->host = fake_host_table(ret->fake);
	g_assert_cmpint(peeker_new(ret->host, &ret->peeker), ==, 0);
	(void)sweep_open(ret->host, NULL, &ret->swept.sweep);
}

static void alone_clear(struct alone *alone)
{
	waiters_clear(&alone->waiters);
	waiters_clear(&alone->swept);
	peeker_free(alone->peeker);
	fake_host_free(alone->fake);
	(void)g_unlink(alone->link);
	(void)g_rmdir(alone->root);
	g_free(alone->link);
	g_free(alone->root);
}

#define ALONE __attribute__((cleanup(alone_clear))) struct alone

/* ---- churn ---------------------------------------------------------------------- */

#define LOOKS 10000u
#define THREADS 5u
/* Enough history for any look. */
#define LOG 65536u

/* A lock, and the threads that have held it, in this order. */
struct churned {
	const char *name;
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
	} lock;
	int (*take)(struct churned *churned), (*give)(struct churned *churned);
	atomic_uint n_owners;
	atomic_int owners[LOG];
	guint named, tight;
};

static atomic_bool churns = true;

static int take_mutex(struct churned *churned)
{
	return pthread_mutex_lock(&churned->lock.mutex);
}

static int give_mutex(struct churned *churned)
{
	return pthread_mutex_unlock(&churned->lock.mutex);
}

static int take_rwlock(struct churned *churned)
{
	return pthread_rwlock_wrlock(&churned->lock.rwlock);
}

static int give_rwlock(struct churned *churned)
{
	return pthread_rwlock_unlock(&churned->lock.rwlock);
}

static struct churned locks[] = {
	{.name = "mutex", .take = take_mutex, .give = give_mutex},
	{.name = "PI mutex", .take = take_mutex, .give = give_mutex},
	{.name = "rwlock", .take = take_rwlock, .give = give_rwlock},
};

/* The time ranges from some µs of work to several looks. */
static void hold(guint i)
{
	static const gulong us[] = {0, 20, 200, 2000, 10000};

	if (us[i % G_N_ELEMENTS(us)] > 0)
		g_usleep(us[i % G_N_ELEMENTS(us)]);
}

static void *churn(void *data)
{
	struct churned *churned = data;
	g_autoptr(GRand) random = g_rand_new_with_seed(1);

	while (atomic_load(&churns)) {
		(void)churned->take(churned);
		unsigned at = atomic_load(&churned->n_owners) + 1;

		atomic_store(&churned->owners[at % LOG], gettid());
		atomic_store(&churned->n_owners, at);
		hold(g_rand_int(random));
		(void)churned->give(churned);
	}
	return NULL;
}

/* Whether the thread held the lock during a look, or was the next to hold it. */
static gboolean was_owner(struct churned *churned, int tid, unsigned from, unsigned to)
{
	g_assert_cmpuint(to - from, <, LOG);
	while (atomic_load(&churned->n_owners) <= to)
		g_usleep(100);
	for (unsigned i = from; i <= to + 1; i++)
		if (atomic_load(&churned->owners[i % LOG]) == tid)
			return TRUE;
	return FALSE;
}

static gboolean is_of(const struct churned *churned, const struct waiter *waiter)
{
	guint64 begin = (guintptr)&churned->lock;

	return waiter->wait.address >= begin && waiter->wait.address < begin + sizeof churned->lock;
}

/* Checks the holder that each waiter names. */
static void check(struct churned *churned, const struct waiters *waiters, unsigned from,
		  unsigned to)
{
	gboolean is_named = FALSE;

	for (gsize i = 0; i < waiters->n; i++) {
		const struct waiter *waiter = &waiters->at[i];

		if (waiter->holder == 0 || !is_of(churned, waiter))
			continue;
		is_named = TRUE;
		if (!was_owner(churned, waiter->holder, from, to))
			g_error("%s: %d is not one of the holders %u to %u", churned->name,
				waiter->holder, from, to);
	}
	churned->named += is_named ? 1 : 0;
	churned->tight += is_named && to - from <= 1 ? 1 : 0;
}

static void look(struct alone *alone, struct waiters *waiters)
{
	unsigned from[G_N_ELEMENTS(locks)], to[G_N_ELEMENTS(locks)];

	for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
		from[i] = atomic_load(&locks[i].n_owners);
	g_assert_cmpint(waiters_find(alone->host, alone->peeker, waiters), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
		to[i] = atomic_load(&locks[i].n_owners);
	for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
		check(&locks[i], waiters, from[i], to[i]);
}

static void init_locks(void)
{
	pthread_mutexattr_t attr;

	(void)pthread_mutexattr_init(&attr);
	(void)pthread_mutex_init(&locks[0].lock.mutex, &attr);
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	(void)pthread_mutex_init(&locks[1].lock.mutex, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	(void)pthread_rwlock_init(&locks[2].lock.rwlock, NULL);
}

static void test_churn(void)
{
	pthread_t threads[G_N_ELEMENTS(locks)][THREADS];
	ALONE alone = {.root = NULL};

	alone_init(&alone);
	init_locks();
	for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
		for (guint k = 0; k < THREADS; k++)
			g_assert_cmpint(pthread_create(&threads[i][k], NULL, churn, &locks[i]), ==,
					0);
	/* Half of the looks are made without BPF. */
	for (guint i = 0; i < LOOKS; i++)
		look(&alone, i % 2 || !alone.swept.sweep ? &alone.waiters : &alone.swept);
	atomic_store(&churns, false);
	for (guint i = 0; i < G_N_ELEMENTS(locks); i++) {
		for (guint k = 0; k < THREADS; k++)
			(void)pthread_join(threads[i][k], NULL);
		g_test_message("%s: of %u looks, %u named a holder, %u of them during which the "
			       "lock changed hands once at most",
			       locks[i].name, LOOKS, locks[i].named, locks[i].tight);
		g_assert_cmpuint(locks[i].named, >, LOOKS / 100);
		g_assert_cmpuint(locks[i].tight, >, LOOKS / 1000);
	}
}

/* ---- cost ------------------------------------------------------------------------ */

#define WAITERS 1000u
#define ROUNDS 21u

static void *wait_for_mutex(void *mutex)
{
	(void)pthread_mutex_lock(mutex);
	(void)pthread_mutex_unlock(mutex);
	return NULL;
}

/* The CPU time of this thread and of its last child, which reads the words. */
static guint64 used_ns(void)
{
	g_autofree char *text = NULL;
	guint64 ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	clockid_t clock;

	g_assert_true(g_file_get_contents("/proc/thread-self/children", &text, NULL, NULL));
	pid_t child = (pid_t)g_ascii_strtoll(text, NULL, 10);
	return child > 0 && clock_getcpuclockid(child, &clock) == 0 ? ns + clock_ns(clock) : ns;
}

static int compare(const void *a, const void *b)
{
	const guint64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns the median of the CPU time for a waiter in µs. */
static double cost(const struct alone *alone, struct waiters *waiters, struct peeker *peeker)
{
	guint64 ns[ROUNDS];

	for (guint i = 0; i < ROUNDS; i++) {
		guint64 before = used_ns();

		g_assert_cmpint(waiters_find(alone->host, peeker, waiters), ==, 0);
		ns[i] = used_ns() - before;
		g_assert_cmpuint(waiters->n, >=, WAITERS);
	}
	qsort(ns, ROUNDS, sizeof ns[0], compare);
	return (double)ns[ROUNDS / 2] / (double)waiters->n / 1e3;
}

/* Returns how many waiters have a holder. */
static guint count_held(const struct waiters *waiters)
{
	guint n = 0;

	for (gsize i = 0; i < waiters->n; i++)
		n += waiters->at[i].holder == gettid();
	return n;
}

/* Half of the threads wait for one lock, each of the others for one of its own. */
static void test_cost(void)
{
	static pthread_mutex_t mutexes[WAITERS];
	pthread_t threads[WAITERS];
	ALONE alone = {.root = NULL};
	double by_files[2], by_bpf[2];

	alone_init(&alone);
	for (guint i = 0; i < WAITERS; i++) {
		(void)pthread_mutex_init(&mutexes[i], NULL);
		(void)pthread_mutex_lock(&mutexes[i]);
	}
	for (guint i = 0; i < WAITERS; i++)
		g_assert_cmpint(
			pthread_create(&threads[i], NULL, wait_for_mutex, &mutexes[i % 2 ? 0 : i]),
			==, 0);
	do
		g_assert_cmpint(waiters_find(alone.host, alone.peeker, &alone.waiters), ==, 0);
	while (count_held(&alone.waiters) < WAITERS);
	by_files[0] = cost(&alone, &alone.waiters, NULL);
	by_files[1] = cost(&alone, &alone.waiters, alone.peeker);
	g_test_message("a waiter by files: %.1f us to find, %.1f with its holder", by_files[0],
		       by_files[1]);
	g_assert_cmpfloat(by_files[1], <=, 100.0);
	if (alone.swept.sweep) {
		by_bpf[0] = cost(&alone, &alone.swept, NULL);
		by_bpf[1] = cost(&alone, &alone.swept, alone.peeker);
		g_assert_cmpuint(count_held(&alone.swept), ==, WAITERS);
		g_test_message("a waiter by BPF: %.2f us to find, %.2f with its holder", by_bpf[0],
			       by_bpf[1]);
		g_assert_cmpfloat(by_bpf[1], <=, 4.0);
	}
	for (guint i = 0; i < WAITERS; i++)
		(void)pthread_mutex_unlock(&mutexes[i]);
	for (guint i = 0; i < WAITERS; i++)
		(void)pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/locks/cost", test_cost);
	g_test_add_func("/locks/churn", test_churn);
	return g_test_run();
}
