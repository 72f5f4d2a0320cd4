/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits that the test plants, and what the kernel's own account says ran meanwhile. */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../probe.h"
#include "planted.h"

#define MOST_PLANTED 166u

/* ---- pools ---------------------------------------------------------------- */

/* The behaviour of the next process that is planted. */
static struct {
	const char *pool;
	void (*work)(void);
} next;

static void name_self(const char *pool)
{
	char name[16];

	/* Other tests may run at the same time. */
	(void)snprintf(name, sizeof name, "%s%d", pool, (int)getppid() % 100000);
	(void)prctl(PR_SET_NAME, name);
}

static void await(void)
{
	name_self(next.pool);
	(void)raise(SIGSTOP);
	next.work();
}

/* Runs for less than its turn, and on any CPU. */
static void walk(void)
{
	const struct timespec nap = {.tv_nsec = 100000};

	for (;;) {
		for (volatile unsigned i = 0; i < 300000; i++)
			;
		(void)nanosleep(&nap, NULL);
	}
}

/* Switches as often as it can, with a partner. */
static void ping(void)
{
	char byte = 0;
	int to[2], from[2];

	if (pipe(to) < 0 || pipe(from) < 0 || nice(-15) == -1)
		return;
	pid_t parent = getpid(), pid = fork();
	int *in = pid ? from : to, *out = pid ? to : from;
	if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
		return;
	while (write(out[1], &byte, 1) == 1 && read(in[0], &byte, 1) == 1)
		;
}

/* ---- the matrix ------------------------------------------------------------- */

typedef struct Planted {
	struct probe *probe;
	struct matrix *matrix, *matrix_before;
	pid_t pids[MOST_PLANTED];
	struct account before[MOST_PLANTED];
	guint n;
} Planted;

/* Returns FALSE, after skipping the test, if this kernel or user permits no programs. */
static gboolean begin_with(Planted *planted, unsigned tasks)
{
	*planted = (Planted){0};
	int r = probe_load(tasks, 0, &planted->probe);
	if (r < 0)
		g_test_skip(g_strerror(-r));
	return r == 0;
}

static gboolean begin(Planted *planted)
{
	return begin_with(planted, PROBE_WAITS);
}

static void add(Planted *planted, const char *pool, void (*work)(void), guint n)
{
	next.pool = pool;
	next.work = work;
	for (guint i = 0; i < n; i++)
		planted->pids[planted->n++] = plant(await);
}

static void add_pinned(Planted *planted, const char *pool, void (*work)(void), guint n)
{
	add(planted, pool, work, n);
	for (guint i = planted->n - n; i < planted->n; i++)
		pin(planted->pids[i], 0);
}

static struct matrix *read_matrix(const Planted *planted)
{
	struct matrix *matrix = g_new(struct matrix, 1);

	probe_matrix(planted->probe, matrix);
	return matrix;
}

/* Begins the measurement: all processes have ended their first turns by then. */
static void start(Planted *planted)
{
	await_stop(planted->pids, planted->n);
	planted->matrix_before = read_matrix(planted);
	for (guint i = 0; i < planted->n; i++)
		planted->before[i] = account_of(planted->pids[i]);
	for (guint i = 0; i < planted->n; i++)
		g_assert_cmpint(kill(planted->pids[i], SIGCONT), ==, 0);
}

/* Ends every turn, the latest process first, and reads. */
static void settle(Planted *planted)
{
	stop_all(planted->pids, planted->n);
	planted->matrix = read_matrix(planted);
	for (guint row = 0; row < planted->matrix_before->n; row++)
		for (guint i = 0; i < planted->matrix_before->n; i++) {
			planted->matrix->ns[row][i] -= planted->matrix_before->ns[row][i];
			planted->matrix->woken[row][i] -= planted->matrix_before->woken[row][i];
		}
}

static void clear(Planted *planted)
{
	for (guint i = 0; i < planted->n; i++)
		end(planted->pids[i]);
	g_free(planted->matrix_before);
	g_free(planted->matrix);
	probe_free(planted->probe);
}

static const char *matrix_name(const Planted *planted, guint i)
{
	return (const char *)&planted->matrix->names[i];
}

/* Returns the row of a planted pool. */
static guint row_of(const Planted *planted, const char *pool)
{
	g_autofree char *name = g_strdup_printf("%s%d", pool, (int)getpid() % 100000);

	for (guint i = N_WAIT_FIXED; i < planted->matrix->n; i++)
		if (strcmp(matrix_name(planted, i), name) == 0)
			return i;
	g_error("there is no pool %s", name);
}

static guint64 charged(const Planted *planted, const char *pool, guint column)
{
	return planted->matrix->ns[row_of(planted, pool)][column];
}

/* Returns how long a pool waited, as the sum of its parts. */
static guint64 waited(const Planted *planted, const char *pool)
{
	guint64 sum = 0;

	for (guint i = 0; i < planted->matrix->n; i++)
		if (i != WAIT_WHILE_IDLE && i != WAIT_ALL)
			sum += charged(planted, pool, i);
	return sum;
}

static struct account sum_accounts(const Planted *planted, guint first, guint n)
{
	struct account sum = {0};

	for (guint i = first; i < first + n; i++) {
		struct account one = account_of(planted->pids[i]);

		sum.run_ns += one.run_ns - planted->before[i].run_ns;
		sum.wait_ns += one.wait_ns - planted->before[i].wait_ns;
	}
	return sum;
}

static void show(const Planted *planted, const char *pool)
{
	guint row = row_of(planted, pool);

	g_test_message("%s waited %.1f ms", pool, (double)waited(planted, pool) / MS);
	for (guint i = 0; i < planted->matrix->n; i++)
		if (planted->matrix->ns[row][i] > MS)
			g_test_message("  %u %s: %.1f ms", i, matrix_name(planted, i),
				       (double)planted->matrix->ns[row][i] / MS);
}

/* Checks that found is within percent of truth, plus 2 ms. */
static void check_near(guint64 found, guint64 truth, guint percent)
{
	guint64 slack = truth / 100 * percent + 2 * MS;

	g_test_message("%.1f ms, and in truth %.1f ms", (double)found / MS, (double)truth / MS);
	g_assert_cmpuint(found, >=, truth > slack ? truth - slack : 0);
	g_assert_cmpuint(found, <=, truth + slack);
}

/* The row adds up to what the kernel says these processes waited. */
static void check_sum(const Planted *planted, const char *pool, guint64 wait_ns)
{
	show(planted, pool);
	check_near(waited(planted, pool), wait_ns, 1);
	check_near(charged(planted, pool, WAIT_ALL), wait_ns, 1);
}

/* Checks the same, and that little is unknown. */
static void check_row(const Planted *planted, const char *pool, guint64 wait_ns)
{
	check_sum(planted, pool, wait_ns);
	check_near(charged(planted, pool, WAIT_UNKNOWN) + wait_ns, wait_ns, 1);
}

/* ---- the tests ---------------------------------------------------------------- */

static void test_rows(void)
{
	Planted planted;

	if (!begin(&planted))
		return;
	add_pinned(&planted, "vic", spin, 1);
	add_pinned(&planted, "agb", spin, 2);
	add_pinned(&planted, "nap", sleep_often, 1);
	add(&planted, "wal", walk, 3);
	start(&planted);
	g_usleep(1500000);
	settle(&planted);
	check_row(&planted, "vic", sum_accounts(&planted, 0, 1).wait_ns);
	check_row(&planted, "agb", sum_accounts(&planted, 1, 2).wait_ns);
	check_row(&planted, "nap", sum_accounts(&planted, 3, 1).wait_ns);
	check_row(&planted, "wal", sum_accounts(&planted, 4, 3).wait_ns);
	clear(&planted);
}

/* Whenever one of them runs, the victim waits: it is charged what they ran, whatever else runs
 * on this host. */
static void test_aggressors(void)
{
	Planted planted;

	if (!begin(&planted))
		return;
	add_pinned(&planted, "vic", spin, 1);
	add_pinned(&planted, "agb", spin, 3);
	add_pinned(&planted, "agc", spin, 1);
	start(&planted);
	g_usleep(3000000);
	settle(&planted);
	guint64 wait_ns = sum_accounts(&planted, 0, 1).wait_ns;
	check_row(&planted, "vic", wait_ns);
	check_near(charged(&planted, "vic", row_of(&planted, "agb")),
		   sum_accounts(&planted, 1, 3).run_ns, 5);
	check_near(charged(&planted, "vic", row_of(&planted, "agc")),
		   sum_accounts(&planted, 4, 1).run_ns, 5);
	/* A thread does not wait for itself, but only sums are known of what ran long ago. */
	check_near(charged(&planted, "vic", row_of(&planted, "vic")) + wait_ns, wait_ns, 5);
	clear(&planted);
}

static struct pool_name twin;

/* Finds another name with the same hash, as find_pool() makes it. */
static void find_twin(const char *pool)
{
	g_autofree char *text = g_strdup_printf("%s%d", pool, (int)getpid() % 100000);
	struct pool_name name = {{0, 0}};

	memcpy(&name, text, strlen(text));
	twin.half[0] = 0x4141414141414141u;
	do {
		twin.half[0]++;
		twin.half[1] = name.half[0] * 0x9e3779b97f4a7c15u ^ name.half[1] ^
			       twin.half[0] * 0x9e3779b97f4a7c15u;
	} while (strnlen((const char *)&twin, sizeof twin) != sizeof twin - 1);
}

static void spin_as_twin(void)
{
	(void)prctl(PR_SET_NAME, &twin);
	spin();
}

/* No process can choose a name that makes it part of another pool. */
static void test_names_of_one_hash(void)
{
	Planted planted;
	guint column = N_WAIT_FIXED;

	if (!begin(&planted))
		return;
	find_twin("vic");
	add_pinned(&planted, "vic", spin, 1);
	add_pinned(&planted, "twn", spin_as_twin, 1);
	start(&planted);
	g_usleep(1500000);
	settle(&planted);
	while (column < planted.matrix->n &&
	       memcmp(&planted.matrix->names[column], &twin, sizeof twin) != 0)
		column++;
	g_assert_cmpuint(column, <, planted.matrix->n);
	check_near(charged(&planted, "vic", column), sum_accounts(&planted, 1, 1).run_ns, 10);
	clear(&planted);
}

/* A crowd, each of which waits for hundreds of turns of the others. */
static void check_crowd(gboolean with_pings)
{
	Planted planted;

	if (!begin(&planted))
		return;
	add_pinned(&planted, "agb", spin, 120);
	add_pinned(&planted, "agc", spin, 40);
	add_pinned(&planted, "png", ping, with_pings ? 6 : 0);
	start(&planted);
	g_usleep(5000000);
	settle(&planted);
	struct account b = sum_accounts(&planted, 0, 120), c = sum_accounts(&planted, 120, 40);
	check_row(&planted, "agb", b.wait_ns);
	check_row(&planted, "agc", c.wait_ns);
	/* All threads of one pool existed for as long as any of the other.  Old sums are assumed to
	 * be spread evenly over the part in which a wait began, and that can be much of a wait that
	 * spans only a few of them. */
	check_near(charged(&planted, "agb", row_of(&planted, "agc")), 120 * c.run_ns,
		   with_pings ? 30 : 5);
	clear(&planted);
}

static void test_crowd(void)
{
	check_crowd(FALSE);
}

/* Others switch so often that each process waits for the length of 100 000 stays: the sums reach
 * back that far. */
static void test_busy_crowd(void)
{
	check_crowd(TRUE);
}

/* The time that the second CPU was idle, by the kernel. */
static guint64 idle_of_second(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents(G_DIR_SEPARATOR_S "proc" G_DIR_SEPARATOR_S "stat", &text, NULL,
				 NULL))
		return 0;
	const char *line = strstr(text, "cpu1 ");
	g_auto(GStrv) words = g_strsplit(line ? line : "", " ", 7);
	if (g_strv_length(words) < 7)
		return 0;
	return (g_ascii_strtoull(words[4], NULL, 10) + g_ascii_strtoull(words[5], NULL, 10)) *
	       (1000 / (guint64)sysconf(_SC_CLK_TCK)) * MS;
}

/* Two processes spin on the first CPU: one of them waits at any time, or both if something else
 * runs there, while the second CPU is idle. */
static void test_idle(void)
{
	Planted planted;

	if (!begin(&planted))
		return;
	add_pinned(&planted, "vic", spin, 2);
	start(&planted);
	guint64 before = idle_of_second();
	g_usleep(3000000);
	guint64 idle = idle_of_second() - before;
	settle(&planted);
	show(&planted, "vic");
	guint64 found = charged(&planted, "vic", WAIT_WHILE_IDLE);
	g_test_message("%.1f ms, and it was idle for %.1f ms", (double)found / MS,
		       (double)idle / MS);
	if (idle < 300 * (guint64)MS) {
		g_test_skip("the second CPU is hardly ever idle");
	} else {
		g_assert_cmpuint(found, >, idle / 100 * 85);
		/* It was idle before and after that, too. */
		g_assert_cmpuint(found, <, 2 * idle + 300 * (guint64)MS);
	}
	clear(&planted);
}

/* ---- throttled ------------------------------------------------------------------ */

/* One thread alone in its group is throttled for as long as the group is. */
static void test_throttled(void)
{
	g_autofree char *group = make_group();
	Planted planted;

	if (!group) {
		g_test_skip("no group of the CPU controller can be made");
		return;
	}
	if (begin(&planted)) {
		add_pinned(&planted, "thr", spin, 1);
		g_assert_true(join_group(group, planted.pids[0]));
		start(&planted);
		g_usleep(2000000);
		settle(&planted);
		check_row(&planted, "thr", sum_accounts(&planted, 0, 1).wait_ns);
		check_near(charged(&planted, "thr", WAIT_THROTTLED), throttled_in(group), 5);
		clear(&planted);
	}
	(void)rmdir(group);
}

/* ---- who wakes whom ------------------------------------------------------------- */

#define RINGS 300u

static int bell[2];

static void ring(void)
{
	const struct timespec nap = {.tv_nsec = MS};

	for (guint i = 0; i < RINGS && nanosleep(&nap, NULL) == 0; i++)
		if (write(bell[1], "", 1) != 1)
			return;
	sleep_long();
}

static void hear(void)
{
	char byte;

	while (read(bell[0], &byte, 1) == 1)
		;
}

/* A process that sleeps until the other one writes; two writes in a row wake it once.  The other is
 * woken by its timer. */
static void test_wakeups(void)
{
	Planted planted;

	if (pipe(bell) < 0 || !begin_with(&planted, PROBE_WAITS | PROBE_WAKEUPS))
		return;
	add(&planted, "rin", ring, 1);
	add(&planted, "hea", hear, 1);
	start(&planted);
	g_usleep(2000000);
	settle(&planted);
	guint rin = row_of(&planted, "rin"), hea = row_of(&planted, "hea");
	guint64 sleeps[2], by_rings = planted.matrix->woken[hea][rin];
	for (guint i = 0; i < 2; i++)
		sleeps[i] = account_of(planted.pids[i]).sleeps - planted.before[i].sleeps;
	g_test_message("woken %u times by %u rings; slept %u and %u times", (guint)by_rings, RINGS,
		       (guint)sleeps[0], (guint)sleeps[1]);
	g_assert_cmpuint(by_rings, <=, RINGS);
	g_assert_cmpuint(by_rings, >, RINGS / 10);
	/* It also slept at its stops. */
	g_assert_cmpuint(by_rings + 5, >=, sleeps[1] / 10 * 9);
	g_assert_cmpuint(planted.matrix->woken[hea][WAIT_ALL], <=, by_rings + 5);
	g_assert_cmpuint(planted.matrix->woken[rin][WAIT_ALL] + 5, >=, sleeps[0] / 10 * 9);
	g_assert_cmpuint(planted.matrix->woken[rin][hea], <=, 5);
	g_assert_cmpfloat(probe_state(planted.probe).ns[COST_WAKEUP], >, 0);
	check_sum(&planted, "hea", sum_accounts(&planted, 1, 1).wait_ns);
	clear(&planted);
	close(bell[0]);
	close(bell[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/latency/matrix/rows", test_rows);
	g_test_add_func("/latency/matrix/aggressors", test_aggressors);
	g_test_add_func("/latency/matrix/names-of-one-hash", test_names_of_one_hash);
	g_test_add_func("/latency/matrix/crowd", test_crowd);
	g_test_add_func("/latency/matrix/busy-crowd", test_busy_crowd);
	g_test_add_func("/latency/matrix/idle", test_idle);
	g_test_add_func("/latency/matrix/throttled", test_throttled);
	g_test_add_func("/latency/matrix/wakeups", test_wakeups);
	return g_test_run();
}
