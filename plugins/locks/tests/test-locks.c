/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that holders of planted locks are found, and that nothing else is taken for a holder. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../common/tests/run.h"
#include "../futex.h"
#include "../peek.h"
#include "../waiters.h"

/* ---- planted locks ----------------------------------------------------------------- */

static pthread_mutex_t mutexes[4]; /* robust, PI, recursive, error-checking */
/* A mutex whose word names a thread of another process as the holder. */
static pthread_mutex_t foreign = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t read_locked = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t with_condition = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static guint32 forged[FUTEX_WORDS];

static void *lock_mutex(void *mutex)
{
	(void)pthread_mutex_lock(mutex);
	(void)pthread_mutex_unlock(mutex);
	return NULL;
}

static void *lock_timed(void *mutex)
{
	const struct timespec never = {.tv_sec = G_MAXINT32};

	(void)pthread_mutex_timedlock(mutex, &never);
	(void)pthread_mutex_unlock(mutex);
	return NULL;
}

static void *lock_reading(void *lock)
{
	(void)pthread_rwlock_rdlock(lock);
	(void)pthread_rwlock_unlock(lock);
	return NULL;
}

static void *lock_writing(void *lock)
{
	(void)pthread_rwlock_wrlock(lock);
	(void)pthread_rwlock_unlock(lock);
	return NULL;
}

static void *wait_for_condition(void *unused)
{
	(void)pthread_mutex_lock(&with_condition);
	(void)pthread_cond_wait(&condition, &with_condition);
	(void)pthread_mutex_unlock(&with_condition);
	return unused;
}

static void *wait_for_semaphore(void *unused)
{
	(void)sem_wait(&semaphore);
	return unused;
}

/* Waits for a word that looks like a mutex that the thread holds. */
static void *wait_for_forged(void *unused)
{
	(void)syscall(SYS_futex, forged, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	return unused;
}

static void init_mutexes(void)
{
	pthread_mutexattr_t attr;

	(void)pthread_mutexattr_init(&attr);
	(void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	(void)pthread_mutex_init(&mutexes[0], &attr);
	(void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED);
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	(void)pthread_mutex_init(&mutexes[1], &attr);
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE);
	(void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	(void)pthread_mutex_init(&mutexes[2], &attr);
	(void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(&mutexes[3], &attr);
	(void)pthread_mutexattr_destroy(&attr);
}

static guint count_waiting(void)
{
	g_autoptr(GDir) dir = g_dir_open("/proc/self/task", 0, NULL);
	const char *name;
	guint n = 0;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_strdup_printf("/proc/self/task/%s/syscall", name);
		g_autofree char *text = NULL;
		struct wait wait;

		if (g_file_get_contents(path, &text, NULL, NULL) &&
		    wait_parse(text_of(text), &wait))
			n++;
	}
	return n;
}

static void settle(guint n)
{
	while (count_waiting() != n)
		g_usleep(1000);
	g_usleep(20000);
}

/* Returns the metric of our object among all that the plugin finds; NULL: not found. */
static char *find_at(const void *address, const char *metric)
{
	g_autofree char *comm = NULL;
	char *found = NULL;
	RUN run = {0};

	g_assert_true(g_file_get_contents("/proc/self/comm", &comm, NULL, NULL));
	g_autofree char *name = g_strdup_printf("%s[%d] 0x%lx", g_strchomp(comm), getpid(),
						(unsigned long)(uintptr_t)address);
	run_init(&run, LIVE_PROC, TRUE);
	g_assert_cmpint(run.ops->open(&run.table, &run.self), ==, 0);
	g_assert_cmpint(run.ops->start(run.self), ==, 0);
	do {
		struct ctprof_batch *batch = fake_host_batch(run.fake, CTPROF_SCOPE_OBJECT);

		g_assert_cmpint(run.ops->collect(run.self, NULL, batch), ==, 0);
		gint64 row = fake_host_find_object(run.fake, "lock", name);
		if (row < 0 || fake_host_state(run.fake, (guint64)row, metric) != CTPROF_PRESENT)
			continue;
		found = fake_host_metric(run.fake, metric)->kind == CTPROF_LEVEL
				? g_strdup_printf("%" G_GUINT64_FORMAT,
						  fake_host_u64(run.fake, (guint64)row, metric))
				: g_strdup(fake_host_string(run.fake, (guint64)row, metric));
	} while (!found && fake_host_rows(run.fake) > 0);
	return found;
}

static void test_holders(void)
{
	static const struct {
		void *lock;
		gsize offset;
		void *(*wait)(void *lock);
		const char *kind; /* NULL: no holder */
	} planted[] = {
		{&plain, 0, lock_mutex, "mutex"},
		{&mutexes[0], 0, lock_mutex, "robust mutex"},
		{&mutexes[1], 0, lock_mutex, "PI mutex"},
		{&mutexes[2], 0, lock_mutex, "mutex"},
		{&mutexes[3], 0, lock_timed, "mutex"},
		{&foreign, 0, lock_mutex, NULL},
		{&read_locked, 8, lock_writing, NULL},
		{&rwlock, 8, lock_reading, "rwlock"},
		{&rwlock, 12, lock_writing, "rwlock"},
		{&rwlock, 12, lock_writing, "rwlock"},
		{&semaphore, 0, wait_for_semaphore, NULL},
		{&forged, 0, wait_for_forged, NULL},
		{&condition, 0, wait_for_condition, NULL},
	};
	pthread_t threads[G_N_ELEMENTS(planted)];
	g_autofree char *own = g_strdup_printf("[%d]", gettid());

	init_mutexes();
	(void)sem_init(&semaphore, 0, 0);
	forged[0] = 2;
	forged[2] = (guint32)gettid();
	foreign.__data.__lock = 2;
	foreign.__data.__owner = getppid();
	(void)pthread_rwlock_rdlock(&read_locked);
	(void)pthread_mutex_lock(&plain);
	for (guint i = 0; i < G_N_ELEMENTS(mutexes); i++)
		(void)pthread_mutex_lock(&mutexes[i]);
	(void)pthread_rwlock_wrlock(&rwlock);
	for (guint i = 0; i < G_N_ELEMENTS(planted); i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, planted[i].wait, planted[i].lock),
				==, 0);
	settle(G_N_ELEMENTS(planted));
	for (guint i = 0; i < G_N_ELEMENTS(planted); i++) {
		const char *at = (const char *)planted[i].lock + planted[i].offset;
		g_autofree char *kind = find_at(at, "lock_kind");
		g_autofree char *holder = find_at(at, "lock_holder");

		g_test_message("%u: %s by %s", i, kind, holder);
		g_assert_cmpstr(kind, ==, planted[i].kind);
		g_assert_true(planted[i].kind ? holder && g_str_has_suffix(holder, own) : !holder);
	}
	g_autofree char *waiters = find_at((const char *)&rwlock + 12, "lock_waiters");
	g_assert_cmpstr(waiters, ==, "2");
	(void)pthread_mutex_unlock(&plain);
	for (guint i = 0; i < G_N_ELEMENTS(mutexes); i++)
		(void)pthread_mutex_unlock(&mutexes[i]);
	(void)pthread_rwlock_unlock(&rwlock);
	(void)pthread_rwlock_unlock(&read_locked);
	foreign.__data.__owner = 0;
	foreign.__data.__lock = 0;
	(void)syscall(SYS_futex, &foreign, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	(void)sem_post(&semaphore);
	(void)syscall(SYS_futex, forged, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	(void)pthread_cond_signal(&condition);
	for (guint i = 0; i < G_N_ELEMENTS(planted); i++)
		(void)pthread_join(threads[i], NULL);
}

/* ---- a deadlock ----------------------------------------------------------------------- */

static pthread_mutex_t ring[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t all_hold;

static void *take_two(void *first)
{
	pthread_mutex_t *own = first, *next = own == &ring[2] ? &ring[0] : own + 1;

	(void)pthread_mutex_lock(own);
	(void)pthread_barrier_wait(&all_hold);
	(void)pthread_mutex_lock(next);
	return NULL;
}

struct pair;
struct side {
	struct pair *pair;
	guint first;
};
struct pair {
	pthread_mutex_t both[2];
	pthread_barrier_t both_hold;
	struct side sides[2];
};

static void *take_both(void *data)
{
	struct side *side = data;
	pthread_mutex_t *both = side->pair->both;

	(void)pthread_mutex_lock(&both[side->first]);
	(void)pthread_barrier_wait(&side->pair->both_hold);
	(void)pthread_mutex_lock(&both[1 - side->first]);
	return NULL;
}

/* The threads keep waiting: nothing releases them. */
static void test_deadlock(void)
{
	guint before = count_waiting();
	pthread_t thread;

	(void)pthread_barrier_init(&all_hold, NULL, G_N_ELEMENTS(ring));
	for (guint i = 0; i < G_N_ELEMENTS(ring); i++)
		g_assert_cmpint(pthread_create(&thread, NULL, take_two, &ring[i]), ==, 0);
	settle(before + G_N_ELEMENTS(ring));
	g_autofree char *n = find_at(&ring[1], "lock_deadlock");
	g_autofree char *next = find_at(&ring[1], "lock_holder_waits_for");
	g_test_message("%s threads; its holder waits for %s", n, next);
	g_assert_cmpstr(n, ==, "3");
	g_assert_nonnull(next);
}

/* Any number of cycles is waited for once. */
static void test_many_deadlocks(void)
{
	static struct pair pairs[20];
	guint before = count_waiting();
	pthread_t thread;

	for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
		(void)pthread_barrier_init(&pairs[i].both_hold, NULL, 2);
		for (guint k = 0; k < 2; k++) {
			(void)pthread_mutex_init(&pairs[i].both[k], NULL);
			pairs[i].sides[k] = (struct side){&pairs[i], k};
			g_assert_cmpint(
				pthread_create(&thread, NULL, take_both, &pairs[i].sides[k]), ==,
				0);
		}
	}
	settle(before + 2 * G_N_ELEMENTS(pairs));
	gint64 began = g_get_monotonic_time();
	g_autofree char *n = find_at(&pairs[19].both[1], "lock_deadlock");
	gint64 us = g_get_monotonic_time() - began;
	g_test_message("%s threads, after %" G_GINT64_FORMAT " ms", n, us / 1000);
	g_assert_cmpstr(n, ==, "2");
	g_assert_cmpint(us, <, 20 * G_USEC_PER_SEC);
}

/* ---- a thread that waits for itself --------------------------------------------------- */

static pthread_mutex_t relocked = PTHREAD_MUTEX_INITIALIZER;

static void *lock_twice(void *mutex)
{
	(void)pthread_mutex_lock(mutex);
	(void)pthread_mutex_lock(mutex);
	return NULL;
}

/* The first thread waits for itself, which is not a cycle of threads.  Both keep waiting. */
static void test_self(void)
{
	guint before = count_waiting();
	pthread_t threads[2];

	g_assert_cmpint(pthread_create(&threads[0], NULL, lock_twice, &relocked), ==, 0);
	settle(before + 1);
	g_assert_cmpint(pthread_create(&threads[1], NULL, lock_mutex, &relocked), ==, 0);
	settle(before + 2);
	g_autofree char *waiters = find_at(&relocked, "lock_waiters");
	g_autofree char *holder = find_at(&relocked, "lock_holder");
	g_autofree char *deadlock = find_at(&relocked, "lock_deadlock");
	g_assert_cmpstr(waiters, ==, "2");
	g_assert_nonnull(holder);
	g_assert_null(deadlock);
}

/* ---- a thread that waits again ------------------------------------------------------ */

static pthread_mutex_t taken_twice = PTHREAD_MUTEX_INITIALIZER;
static sem_t may_wait_again;

static void *take_twice(void *unused)
{
	for (guint i = 0; i < 2; i++) {
		(void)pthread_mutex_lock(&taken_twice);
		(void)pthread_mutex_unlock(&taken_twice);
		(void)sem_wait(&may_wait_again);
	}
	return unused;
}

/* Returns whether a thread of ours still waits for the mutex; waiters: as it was found. */
static gboolean stays(const struct ctprof_host *host, const struct waiters *waiters)
{
	for (gsize i = 0; i < waiters->n; i++)
		if (waiters->at[i].tgid == getpid() &&
		    waiters->at[i].wait.address == (guintptr)&taken_twice)
			return waiter_is_unchanged(host, &waiters->at[i]);
	g_assert_not_reached();
}

/* A thread that waits at both ends, but ran in between, is in no deadlock. */
static void test_waits_again(void)
{
	FakeHost *fake = fake_host_new(LIVE_PROC, NULL, NULL, TRUE);
	const struct ctprof_host *host = fake_host_table(fake);
	struct waiters waiters = {.at = NULL};
	guint before = count_waiting();
	struct peeker *peeker;
	pthread_t thread;

	g_assert_cmpint(peeker_new(host, &peeker), ==, 0);
	(void)sem_init(&may_wait_again, 0, 0);
	(void)pthread_mutex_lock(&taken_twice);
	g_assert_cmpint(pthread_create(&thread, NULL, take_twice, NULL), ==, 0);
	settle(before + 1);
	g_assert_cmpint(waiters_find(host, peeker, &waiters), ==, 0);
	g_assert_true(stays(host, &waiters));
	(void)pthread_mutex_unlock(&taken_twice);
	settle(before + 1);
	(void)pthread_mutex_lock(&taken_twice);
	(void)sem_post(&may_wait_again);
	settle(before + 1);
	g_assert_false(stays(host, &waiters));
	(void)pthread_mutex_unlock(&taken_twice);
	(void)sem_post(&may_wait_again);
	(void)pthread_join(thread, NULL);
	waiters_clear(&waiters);
	peeker_free(peeker);
	fake_host_free(fake);
}

/* ---- churn ----------------------------------------------------------------------------- */

#define LOG 4096u

static pthread_mutex_t churned = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_owners;
static atomic_int owners[LOG];
static atomic_bool churns;

static void *churn(void *unused)
{
	while (atomic_load(&churns)) {
		(void)pthread_mutex_lock(&churned);
		unsigned at = atomic_load(&n_owners);

		atomic_store(&owners[(at + 1) % LOG], gettid());
		atomic_store(&n_owners, at + 1);
		g_usleep(200);
		(void)pthread_mutex_unlock(&churned);
	}
	return unused;
}

/* Whether the thread held the lock during a look, or just before or after it. */
static gboolean was_owner(int tid, unsigned from, unsigned to)
{
	for (unsigned i = from > 0 ? from - 1 : 0; i <= to + 1; i++)
		if (atomic_load(&owners[i % LOG]) == tid)
			return TRUE;
	return FALSE;
}

static void test_churn(void)
{
	enum { THREADS = 8, LOOKS = 100, ENOUGH = 20 };
	pthread_t threads[THREADS];
	guint named = 0;

	atomic_store(&churns, TRUE);
	for (guint i = 0; i < THREADS; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, churn, NULL), ==, 0);
	for (guint i = 0; i < LOOKS && named < ENOUGH; i++) {
		unsigned from = atomic_load(&n_owners);
		g_autofree char *holder = find_at(&churned, "lock_holder");
		unsigned to = atomic_load(&n_owners);

		if (!holder || to - from > LOG / 2)
			continue;
		named++;
		g_assert_true(was_owner((int)g_ascii_strtoll(strrchr(holder, '[') + 1, NULL, 10),
					from, to + 1));
	}
	atomic_store(&churns, FALSE);
	for (guint i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	g_test_message("a holder was found in %u of at most %d looks", named, LOOKS);
}

static pthread_mutex_t taken_in_turn[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

/* Holds two locks in turn, never both. */
static void *alternate(void *unused)
{
	for (guint i = 0; atomic_load(&churns); i++) {
		(void)pthread_mutex_lock(&taken_in_turn[i % 2]);
		g_usleep(200);
		(void)pthread_mutex_unlock(&taken_in_turn[i % 2]);
	}
	return unused;
}

/* Read one after the other, the holder of each lock can seem to wait for the other one. */
static void test_no_circle(void)
{
	enum { THREADS = 8, LOOKS = 8 };
	pthread_t threads[THREADS];

	atomic_store(&churns, TRUE);
	for (guint i = 0; i < THREADS; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, alternate, NULL), ==, 0);
	for (guint i = 0; i < LOOKS; i++) {
		g_autofree char *deadlock = find_at(&taken_in_turn[i % 2], "lock_deadlock");

		g_assert_null(deadlock);
	}
	atomic_store(&churns, FALSE);
	for (guint i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
}

/* ---- pages that are not to be read ------------------------------------------------- */

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define PAGE ((gsize)sysconf(_SC_PAGESIZE))

/* A page whose contents this process must deliver, and never does. */
static gboolean withhold(void *page)
{
	const int flags = O_CLOEXEC | (geteuid() == 0 ? 0 : UFFD_USER_MODE_ONLY);
	int fd = (int)syscall(SYS_userfaultfd, flags); /* stays open */
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(guintptr)page, PAGE},
					.mode = UFFDIO_REGISTER_MODE_MISSING};

	return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 &&
	       ioctl(fd, UFFDIO_REGISTER, &range) == 0 && madvise(page, PAGE, MADV_DONTNEED) == 0;
}

static gboolean unmap(void *page)
{
	return munmap(page, PAGE) == 0;
}

/* The page of a file is delivered by its file system. */
static gboolean keep(void *page)
{
	(void)page;
	return TRUE;
}

/* Two threads wait for a lock in the page, which then becomes unreadable; the threads are left
 * running. */
static void check_page(int fd, gboolean (*take)(void *page))
{
	guint before = count_waiting();
	pthread_t thread;
	pthread_mutex_t *lock = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				     fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	g_assert_true(lock != MAP_FAILED);
	(void)pthread_mutex_init(lock, NULL);
	(void)pthread_mutex_lock(lock);
	for (guint i = 0; i < 2; i++)
		g_assert_cmpint(pthread_create(&thread, NULL, lock_mutex, lock), ==, 0);
	settle(before + 2);
	if (!take(lock)) {
		g_test_message("userfaultfd: %s", g_strerror(errno));
		return;
	}
	g_autofree char *kind = find_at(lock, "lock_kind");
	g_autofree char *holder = find_at(lock, "lock_holder");
	g_assert_cmpstr(kind, ==, "futex");
	g_assert_null(holder);
}

/* Such locks have no holder; other locks of the same process keep theirs, as no child is lost. */
static void test_pages(void)
{
	gint64 began = g_get_monotonic_time();
	int fd = memfd_create("ctprof-test", MFD_CLOEXEC);
	pthread_t thread;

	g_assert_cmpint(ftruncate(fd, (off_t)PAGE), ==, 0);
	check_page(-1, unmap);
	check_page(-1, withhold);
	check_page(fd, keep);
	guint before = count_waiting();
	(void)pthread_mutex_lock(&plain);
	g_assert_cmpint(pthread_create(&thread, NULL, lock_mutex, &plain), ==, 0);
	settle(before + 1);
	g_autofree char *holder = find_at(&plain, "lock_holder");
	g_assert_nonnull(holder);
	(void)pthread_mutex_unlock(&plain);
	(void)pthread_join(thread, NULL);
	g_assert_cmpint(g_get_monotonic_time() - began, <, 60 * G_USEC_PER_SEC);
	close(fd);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/locks/holders", test_holders);
	g_test_add_func("/locks/churn", test_churn);
	g_test_add_func("/locks/no-circle", test_no_circle);
	g_test_add_func("/locks/pages", test_pages);
	g_test_add_func("/locks/waits-again", test_waits_again);
	g_test_add_func("/locks/self", test_self);
	g_test_add_func("/locks/deadlock", test_deadlock);
	g_test_add_func("/locks/many-deadlocks", test_many_deadlocks);
	return g_test_run();
}
