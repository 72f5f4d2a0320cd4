/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The waits of processes, by the clocks that they read themselves, lie in the buckets in which the
 * probe counts them. */
#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../probe.h"
#include "ctprof/histogram.h"
#include "planted.h"

#define MOST_WAITS 4096u
#define ENOUGH 40u /* waits of a process */
/* Shorter times of a process may be those of its own system calls. */
#define LEAST_NS (MS / 4)
#define BURN_NS (2 * MS)
#define NAP_NS (5 * MS)

/* The waits of the process that is observed, as it measured them. */
static struct {
	_Atomic guint n;
	guint64 ns[MOST_WAITS];
	_Atomic guint64 rung_ns; /* the time of the last wakeup by the other player */
} * own;

static void note(guint64 ns)
{
	if (own->n < MOST_WAITS && ns >= LEAST_NS)
		own->ns[own->n++] = ns;
}

static guint64 clock_of(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (guint64)now.tv_sec * 1000 * MS + (guint64)now.tv_nsec;
}

static void burn(guint64 ns)
{
	guint64 end = clock_of(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* ---- the processes ----------------------------------------------------------- */

/* When a process is woken, one that runs keeps the CPU until the end of its slice. */
static void wait_politely(void)
{
	const struct sched_param none = {0};

	(void)sched_setscheduler(0, SCHED_BATCH, &none);
	(void)prctl(PR_SET_TIMERSLACK, 1);
}

/* Time that passes and is not the process's own is a wait. */
static void watch_clocks(void)
{
	guint64 wall = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);

	for (;;) {
		guint64 now = clock_of(CLOCK_MONOTONIC), used = clock_of(CLOCK_THREAD_CPUTIME_ID);

		if (now - wall > used - cpu)
			note(now - wall - (used - cpu));
		wall = now;
		cpu = used;
	}
}

/* Wakes up by its timer. */
static void nap(void)
{
	struct timespec until;

	wait_politely();
	for (;;) {
		guint64 ns = clock_of(CLOCK_MONOTONIC) + NAP_NS;

		until = (struct timespec){(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0)
			note(clock_of(CLOCK_MONOTONIC) - ns);
	}
}

static int to[2], from[2];

/* Wakes the other player, and keeps the CPU for a while. */
static void serve(void)
{
	char byte = 0;

	wait_politely();
	do {
		own->rung_ns = clock_of(CLOCK_MONOTONIC);
		if (write(to[1], &byte, 1) != 1)
			return;
		burn(BURN_NS);
	} while (read(from[0], &byte, 1) == 1);
}

/* Waits for the server; if it did not sleep for that, it was not woken either. */
static void answer(void)
{
	struct rusage before, after;
	char byte;

	wait_politely();
	for (;;) {
		(void)getrusage(RUSAGE_THREAD, &before);
		if (read(to[0], &byte, 1) != 1)
			return;
		guint64 now = clock_of(CLOCK_MONOTONIC);
		(void)getrusage(RUSAGE_THREAD, &after);
		if (after.ru_nvcsw > before.ru_nvcsw)
			note(now - own->rung_ns);
		if (write(from[1], &byte, 1) != 1)
			return;
	}
}

/* ---- the comparison ---------------------------------------------------------- */

static void (*next)(void);

static void await(void)
{
	pin(0, 0);
	(void)raise(SIGSTOP);
	next();
}

static pid_t plant_stopped(void (*work)(void))
{
	next = work;
	pid_t pid = plant(await);
	await_stop(&pid, 1);
	return pid;
}

/* Adds counts of the histogram of a process, or subtracts what it had. */
static void read_counts(struct probe *probe, pid_t pid, enum turn_histogram which,
			gboolean is_begin, guint64 *counts)
{
	guint64 all[TURN_COUNTS];

	g_assert_cmpint(probe_pass(probe, PASS_READ), ==, 0);
	const struct turn_record *record = probe_find(probe, pid, pid);
	g_assert_nonnull(record);
	probe_histograms(record, all);
	for (guint i = 0; i < TURN_BUCKETS; i++) {
		guint64 n = all[which * TURN_BUCKETS + i];

		counts[i] = is_begin ? n : n - counts[i];
	}
}

static guint64 own_from(guint bucket)
{
	guint64 n = 0;

	for (guint i = 0; i < own->n; i++)
		n += own->ns[i] >= ctprof_bucket_least(bucket);
	return n;
}

/* The number of waits from each bucket on is that of the process, by times that may be one bucket
 * off, except for one in ten: the process may be interrupted while it reads its clock. */
static void check_counts(const guint64 *counts)
{
	guint64 slack = 3 + own->n / 10, n = 0;

	for (guint i = TURN_BUCKETS; i-- > ctprof_bucket_of(LEAST_NS) + 1;) {
		n += counts[i];
		if (counts[i])
			g_test_message("%u waits of %.2f ms or more, the process saw %u", (guint)n,
				       (double)ctprof_bucket_least(i) / MS, (guint)own_from(i));
		g_assert_cmpuint(n + slack, >=, own_from(i + 1));
		g_assert_cmpuint(n, <=, own_from(i - 1) + slack);
	}
	g_assert_cmpuint(n, >=, ENOUGH / 2);
}

/* Observes the first of the processes, which are stopped. */
static void compare(struct probe *probe, const pid_t *pids, guint n, enum turn_histogram which)
{
	guint64 counts[TURN_BUCKETS];

	own->n = 0;
	read_counts(probe, pids[0], which, TRUE, counts);
	for (guint i = 0; i < n; i++)
		g_assert_cmpint(kill(pids[i], SIGCONT), ==, 0);
	/* A busy host gives them few turns. */
	for (guint i = 0; i < 600 && own->n < ENOUGH; i++)
		g_usleep(100000);
	stop_all(pids, n);
	read_counts(probe, pids[0], which, FALSE, counts);
	check_counts(counts);
	for (guint i = 0; i < n; i++)
		end(pids[i]);
}

/* A process that never sleeps, on the CPU of another one. */
static void test_pinned(void)
{
	struct probe *probe = attach_probe();

	if (!probe)
		return;
	const pid_t pids[] = {plant_stopped(watch_clocks), plant_stopped(spin)};
	compare(probe, pids, 2, TURN_PREEMPTED);
	probe_free(probe);
}

static void test_timer(void)
{
	struct probe *probe = attach_probe();

	if (!probe)
		return;
	const pid_t pids[] = {plant_stopped(nap), plant_stopped(spin)};
	compare(probe, pids, 2, TURN_WOKEN);
	probe_free(probe);
}

static void test_ping_pong(void)
{
	struct probe *probe = attach_probe();

	if (!probe)
		return;
	g_assert_cmpint(pipe(to) | pipe(from), ==, 0);
	const pid_t pids[] = {plant_stopped(answer), plant_stopped(serve)};
	compare(probe, pids, 2, TURN_WOKEN);
	probe_free(probe);
}

/* Throttled for 80 of 100 ms. */
static void test_throttled(void)
{
	g_autofree char *group = make_group();
	struct probe *probe = group ? attach_probe() : NULL;

	if (!group)
		g_test_skip("no group of the CPU controller can be made");
	if (probe) {
		pid_t pid = plant_stopped(watch_clocks);

		g_assert_true(join_group(group, pid));
		compare(probe, &pid, 1, TURN_PREEMPTED);
		probe_free(probe);
	}
	if (group)
		(void)rmdir(group);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	g_assert_true(own != MAP_FAILED);
	g_test_add_func("/latency/planted/pinned", test_pinned);
	g_test_add_func("/latency/planted/timer", test_timer);
	g_test_add_func("/latency/planted/ping-pong", test_ping_pong);
	g_test_add_func("/latency/planted/throttled", test_throttled);
	return g_test_run();
}
