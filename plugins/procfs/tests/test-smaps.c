/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the memory of processes: the ladder of files, and reads that do not return. */
#include <string.h>
#include <unistd.h>

#include "../../common/tests/run.h"
#include "../procfs.h"
#include "owner.h"

#define HEADING "5-7 ---p 00000000 00:00 0    [rollup]\n"
#define MAPPING "5-7 r--p 00000000 00:00 0  /x\nRss: 4 kB\nKernelPageSize: 4 kB\n"

static struct procfs *instance(const struct run *run)
{
	return run->self;
}

/* Writes stat of a thread in that state, with those flags. */
static void write_stat(struct run *run, int tgid, int tid, char state, unsigned flags)
{
	run_write_thread(run, tgid, tid, "stat",
			 "%d (x) %c 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 9\n", tid, state, flags);
}

#define KTHREAD 2129984u
#define USER 4194560u

/* Processes with their expected results; a file is NULL if it is missing. */
static void test_ladder(void)
{
	static const struct {
		const char *what;
		char state;
		unsigned flags;
		const char *rollup, *smaps, *sibling_rollup, *sibling_smaps;
		guint32 why; /* of the amounts */
		const char *figures, *state_word, *source;
		guint failures;
	} cases[] = {
		{"rollup", 'S', USER, HEADING "Rss: 8 kB\n", MAPPING, NULL, NULL, 0, "Rss=8",
		 "exact", "rollup", 0},
		{"old kernel", 'S', USER, NULL, MAPPING MAPPING, NULL, NULL, 0, "Rss=8", "exact",
		 "smaps", 0},
		{"leader exited", 'Z', USER, "", NULL, HEADING "Rss: 8 kB\n", NULL, 0, "Rss=8",
		 "exact", "sibling", 0},
		{"leader exiting now", 'S', USER, "", NULL, HEADING "Rss: 8 kB\n", NULL, 0, "Rss=8",
		 "exact", "sibling", 0},
		{"leader exited, old kernel", 'Z', USER, NULL, "", NULL, MAPPING, 0, "Rss=4",
		 "exact", "sibling", 0},
		{"zombie", 'Z', USER, "", NULL, NULL, NULL, CTPROF_ABSENT_INAPPLICABLE, NULL,
		 "not-applicable", NULL, 0},
		{"all threads exiting", 'S', USER, "", NULL, "", NULL, CTPROF_ABSENT_INAPPLICABLE,
		 NULL, "not-applicable", NULL, 0},
		{"kernel thread", 'S', KTHREAD, HEADING "Rss: 8 kB\n", NULL, NULL, NULL,
		 CTPROF_ABSENT_INAPPLICABLE, NULL, "not-applicable", NULL, 0},
		{"not built", 'S', USER, NULL, NULL, NULL, NULL, CTPROF_ABSENT_UNSUPPORTED, NULL,
		 "inaccessible", NULL, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		g_test_message("%s", cases[i].what);
		run_init_tree(&run);
		write_stat(&run, 10, 10, cases[i].state, cases[i].flags);
		if (cases[i].rollup)
			run_write_thread(&run, 10, 10, "smaps_rollup", "%s", cases[i].rollup);
		if (cases[i].smaps)
			run_write_thread(&run, 10, 10, "smaps", "%s", cases[i].smaps);
		if (cases[i].sibling_rollup || cases[i].sibling_smaps)
			write_stat(&run, 10, 12, 'S', USER);
		if (cases[i].sibling_rollup)
			run_write_thread(&run, 10, 12, "smaps_rollup", "%s",
					 cases[i].sibling_rollup);
		if (cases[i].sibling_smaps)
			run_write_thread(&run, 10, 12, "smaps", "%s", cases[i].sibling_smaps);
		fake_host_want(run.fake, "smaps_rollup_kib");
		fake_host_add_thread(run.fake, 10, 10);
		run_begin(&run);
		run_threads(&run);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
				 cases[i].why);
		g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_state"), ==,
				cases[i].state_word);
		if (cases[i].why == CTPROF_PRESENT) {
			g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), ==,
					cases[i].figures);
			g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_source"), ==,
					cases[i].source);
		}
		run_summary(&run);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.read_failures"), ==,
				 cases[i].failures);
	}
}

/* smaps longer than the helper's buffer is summed correctly. */
static void test_long_smaps(void)
{
	RUN run = {0};
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < 5000; i++)
		g_string_append(text, MAPPING);
	run_init_tree(&run);
	write_stat(&run, 10, 10, 'S', USER);
	run_write_thread(&run, 10, 10, "smaps", "%s", text->str);
	fake_host_add_thread(run.fake, 10, 10);
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), ==, "Rss=20000");
}

static void test_never(void)
{
	RUN run = {0};

	run_init_tree(&run);
	fake_host_option(run.fake, "smaps", "never");
	run_add_thread(&run, 10, 10, "a");
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
			 CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_state"), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, 0);
}

static int is_filled(const struct ctprof_batch *batch, uint64_t row, uint32_t slot)
{
	(void)batch;
	(void)slot;
	return row == 0;
}

/* Values that an earlier source has put are not read again; an old host cannot report which these
 * are. */
static void test_told(void)
{
	static const struct {
		const char *what;
		uint32_t struct_size;
		int (*filled)(const struct ctprof_batch *batch, uint64_t row, uint32_t slot);
		guint opens;
	} cases[] = {
		{"told", sizeof(struct ctprof_host), is_filled, 1},
		{"short table", offsetof(struct ctprof_host, filled), is_filled, 2},
		{"no answer", sizeof(struct ctprof_host), NULL, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		g_test_message("%s", cases[i].what);
		run_init_tree(&run);
		run.table.struct_size = cases[i].struct_size;
		run.table.filled = cases[i].filled;
		run_add_thread(&run, 10, 10, "a");
		run_add_thread(&run, 20, 20, "b");
		run_begin(&run);
		run_threads(&run);
		g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, cases[i].opens);
		g_assert_cmpuint(fake_host_state(run.fake, 1, "smaps_rollup_kib"), ==,
				 CTPROF_PRESENT);
	}
}

/* There are more processes than the helper takes at once. */
static void test_many(void)
{
	RUN run = {0};

	run_init_tree(&run);
	for (int pid = 100; pid < 150; pid++)
		run_add_thread(&run, pid, pid, "a");
	run_begin(&run);
	run_threads(&run);
	for (guint i = 0; i < 50; i++) {
		g_autofree char *expect = g_strdup_printf("Rss=%u", 100 + i);

		g_assert_cmpstr(fake_host_string(run.fake, i, "smaps_rollup_kib"), ==, expect);
	}
}

/* No thread is started for a batch in which no leader's memory is wanted. */
static void test_no_helper(void)
{
	RUN run = {0};
	guint before = run_count_own("task");

	run_init_tree(&run);
	run_add_thread(&run, 10, 10, "a");
	write_stat(&run, 10, 10, 'S', KTHREAD);
	run_add_thread(&run, 20, 21, "b");
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpuint(run_count_own("task"), ==, before);
}

/* ---- reads that do not return ----------------------------------------- */

static void add_stuck(struct run *run, int pid)
{
	write_stat(run, pid, pid, 'S', USER);
	run_write_thread(run, pid, pid, "smaps_rollup", RUN_STUCK);
	fake_host_add_thread(run->fake, pid, pid);
}

static void wait_for_threads(guint n)
{
	for (guint i = 0; i < 1000 && run_count_own("task") > n; i++)
		g_usleep(10000);
	g_assert_cmpuint(run_count_own("task"), ==, n);
}

/* A stuck process is left out, but not the others of its batch; its helper ends by itself, after
 * the source has been closed, and leaks nothing. */
static void test_stuck(void)
{
	guint threads = run_count_own("task");
	guint fds = run_count_own("fd");

	run_set_gate(FALSE);
	{
		RUN run = {0};

		run_init_tree(&run);
		fake_host_option(run.fake, "smaps-timeout", "300000000");
		fake_host_want(run.fake, "smaps_rollup_kib");
		fake_host_want(run.fake, "smaps_state");
		for (int pid = 10; pid < 30; pid++)
			run_add_thread(&run, pid, pid, "a");
		add_stuck(&run, 30);
		for (int pid = 31; pid < 40; pid++)
			run_add_thread(&run, pid, pid, "a");
		run_begin(&run);
		instance(&run)->limits.read_file = run_gated_read;
		run_threads(&run);
		for (guint row = 0; row < 30; row++)
			g_assert_cmpuint(fake_host_state(run.fake, row, "smaps_rollup_kib"), ==,
					 row == 20 ? (guint)CTPROF_ABSENT_TIMEOUT : 0u);
		g_assert_cmpstr(fake_host_string(run.fake, 20, "smaps_state"), ==, "timeout");
		g_assert_cmpstr(fake_host_string(run.fake, 21, "smaps_state"), ==, "exact");
		run_summary(&run);
		g_assert_cmpstr(
			fake_host_string(run.fake, 0, "parse_summary.read_failures_by_errno"), ==,
			"smaps_rollup:ETIMEDOUT=1");
		g_assert_nonnull(strstr(fake_host_log(run.fake), "process 30"));
	}
	g_assert_cmpuint(run_count_own("task"), ==, threads + 1);
	run_set_gate(TRUE);
	wait_for_threads(threads);
	g_assert_cmpuint(run_count_own("fd"), ==, fds);
}

/* Stuck processes cost only their own values: all others are read. */
static void test_many_stuck(void)
{
	guint threads = run_count_own("task");

	run_set_gate(FALSE);
	{
		RUN run = {0};

		run_init_tree(&run);
		fake_host_option(run.fake, "smaps-timeout", "3000000000");
		for (int pid = 10; pid < 70; pid++)
			if (pid % 2 == 0)
				add_stuck(&run, pid);
			else
				run_add_thread(&run, pid, pid, "a");
		run_begin(&run);
		instance(&run)->limits.read_file = run_gated_read;
		run_threads(&run);
		for (guint row = 0; row < 60; row++)
			g_assert_cmpuint(fake_host_state(run.fake, row, "smaps_rollup_kib"), ==,
					 row % 2 == 0 ? (guint)CTPROF_ABSENT_TIMEOUT : 0u);
	}
	run_set_gate(TRUE);
	wait_for_threads(threads);
}

/* A process that does not answer is asked once, and again when its helper has come back. */
static void test_asked_again(void)
{
	guint threads = run_count_own("task");
	RUN run = {0};

	run_set_gate(FALSE);
	run_init_tree(&run);
	fake_host_option(run.fake, "smaps-timeout", "20000000");
	fake_host_want(run.fake, "smaps_rollup_kib");
	run_begin(&run);
	instance(&run)->limits.read_file = run_gated_read;
	for (guint sample = 0; sample < 3; sample++) {
		add_stuck(&run, 10);
		run_threads(&run);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
				 CTPROF_ABSENT_TIMEOUT);
		g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, 1);
		g_assert_cmpint(run.ops->again(run.self), ==, 0);
	}
	run_set_gate(TRUE);
	wait_for_threads(threads);
	run_add_thread(&run, 10, 10, "a");
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), ==, "Rss=10");
}

/* When all helpers have been abandoned, no more files are opened. */
static void test_all_stuck(void)
{
	guint threads = run_count_own("task");
	guint fds = run_count_own("fd");
	guint n = ASYNC_HELPERS + 6;

	g_assert_cmpuint(ASYNC_HELPERS, ==, 512); /* as documented */
	run_set_gate(FALSE);
	{
		RUN run = {0};

		run_init_tree(&run);
		fake_host_option(run.fake, "smaps-timeout", "20000000");
		fake_host_want(run.fake, "smaps_rollup_kib");
		for (guint i = 0; i < n; i++)
			add_stuck(&run, 10 + (int)i);
		run_begin(&run);
		instance(&run)->limits.read_file = run_gated_read;
		run_threads(&run);
		for (guint row = 0; row < n; row++)
			g_assert_cmpuint(fake_host_state(run.fake, row, "smaps_rollup_kib"), ==,
					 CTPROF_ABSENT_TIMEOUT);
		g_assert_cmpuint(run_count_own("task"), ==, threads + ASYNC_HELPERS);
		guint opens = fake_host_opens(run.fake, "smaps_rollup");
		run_add_thread(&run, 9, 9, "a");
		run_threads(&run);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
				 CTPROF_ABSENT_TIMEOUT);
		g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, opens);
	}
	run_set_gate(TRUE);
	wait_for_threads(threads);
	g_assert_cmpuint(run_count_own("fd"), ==, fds);
}

#define SLOW_US 20000
#define SLOW_FILES 40u

static ssize_t slow_read(int fd, void *buf, size_t size)
{
	gint64 end = g_get_monotonic_time() + SLOW_US;
	ssize_t got = read(fd, buf, size);

	/* Reads the first file at once. This is a busy loop: many helpers would be started beside a
	 * helper that slept, but only a few beside this one. */
	while (got > 0 && !g_strstr_len(buf, got, "Rss: 10 kB") && g_get_monotonic_time() < end)
		continue;
	return got;
}

/* Returns how many of SLOW_FILES are read; all others must be absent as TIMEOUT. */
static guint read_slowly(const char *mode)
{
	RUN run = {0};
	guint read_out = 0;

	run_init_tree(&run);
	fake_host_option(run.fake, "smaps", mode);
	fake_host_option(run.fake, "smaps-budget", "30000000");
	for (int pid = 10; pid < 10 + (int)SLOW_FILES; pid++)
		run_add_thread(&run, pid, pid, "a");
	run_begin(&run);
	instance(&run)->limits.read_file = slow_read;
	run_threads(&run);
	for (guint row = 0; row < SLOW_FILES; row++) {
		guint32 why = fake_host_state(run.fake, row, "smaps_rollup_kib");

		g_assert_true(why == CTPROF_PRESENT || why == CTPROF_ABSENT_TIMEOUT);
		read_out += why == CTPROF_PRESENT;
	}
	g_assert_null(strstr(fake_host_log(run.fake), "no answer within"));
	return read_out;
}

/* The budget ends the reading, without abandoning a helper; with "always" there is no budget.  On a
 * busy host, the budget may be spent before any helper runs. */
static void test_budget(void)
{
	guint read_out = 0;

	for (guint tries = 0; tries < 20 && read_out == 0; tries++) {
		/* This charge belongs to the previous capture. */
		owner_charge(-1, 10, G_GUINT64_CONSTANT(1000000000));
		read_out = read_slowly("auto");
	}
	g_assert_cmpuint(read_out, >, 0);
	g_assert_cmpuint(read_out, <, SLOW_FILES);
	g_assert_cmpuint(read_slowly("always"), ==, SLOW_FILES);
}

#define BUDGET_NS G_GUINT64_CONSTANT(1000000000)
#define ORDINARY_NS G_GUINT64_CONSTANT(4000000)

/* The processes of one owner get half of the budget in excess of what is ordinary. */
static void test_owner(void)
{
	RUN run = {0};

	run_init_tree(&run);
	fake_host_option(run.fake, "smaps-budget", "1000000000");
	run_begin(&run);
	run_add_thread(&run, 10, 10, "a");
	owner_charge(-1, 10, ORDINARY_NS + BUDGET_NS / 2);
	run_threads(&run);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==, CTPROF_PRESENT);
	run_add_thread(&run, 11, 11, "a");
	owner_charge(-1, 10, ORDINARY_NS + 1);
	run_threads(&run);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
			 CTPROF_ABSENT_TIMEOUT);
}

static _Atomic bool has_company;

static ssize_t lonely_read(int fd, void *buf, size_t size)
{
	ssize_t got = read(fd, buf, size);

	if (got > 0 && !g_strstr_len(buf, got, "Rss: 10 kB"))
		has_company = true;
	while (got > 0 && !has_company)
		continue;
	return got;
}

/* A file that takes long without blocking does not delay the others of its batch. */
static void test_long_read(void)
{
	RUN run = {0};

	run_init_tree(&run);
	fake_host_option(run.fake, "smaps", "always");
	fake_host_option(run.fake, "smaps-timeout", "20000000000");
	run_add_thread(&run, 10, 10, "a");
	run_add_thread(&run, 11, 11, "a");
	run_begin(&run);
	instance(&run)->limits.read_file = lonely_read;
	run_threads(&run);
	for (guint row = 0; row < 2; row++)
		g_assert_cmpuint(fake_host_state(run.fake, row, "smaps_rollup_kib"), ==,
				 CTPROF_PRESENT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/procfs/smaps/ladder", test_ladder);
	g_test_add_func("/procfs/smaps/long", test_long_smaps);
	g_test_add_func("/procfs/smaps/never", test_never);
	g_test_add_func("/procfs/smaps/told", test_told);
	g_test_add_func("/procfs/smaps/many", test_many);
	g_test_add_func("/procfs/smaps/no-helper", test_no_helper);
	g_test_add_func("/procfs/smaps/stuck", test_stuck);
	g_test_add_func("/procfs/smaps/many-stuck", test_many_stuck);
	g_test_add_func("/procfs/smaps/asked-again", test_asked_again);
	g_test_add_func("/procfs/smaps/all-stuck", test_all_stuck);
	g_test_add_func("/procfs/smaps/budget", test_budget);
	g_test_add_func("/procfs/smaps/owner", test_owner);
	g_test_add_func("/procfs/smaps/long-read", test_long_read);
	return g_test_run();
}
