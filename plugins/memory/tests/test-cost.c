/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the limits on what reading the memory of a process may cost, in time and in waiting. */
#include <string.h>
#include <unistd.h>

#include "test-tree.h"

/* A process is skipped before its expensive file is opened; values of status are present. */
static void test_skipped(void)
{
	static const struct {
		const char *what, *key, *value;
		guint64 rss_kib;
		bool skipped;
	} cases[] = {
		{"as big as allowed", "smaps-max-rss", "102400", 100, false},
		{"bigger", "smaps-max-rss", "102399", 100, true},
		/* 1 TiB in small pages is first estimated to take 8 s. */
		{"within the budget", "smaps-budget", "10000000000", 1u << 30, false},
		{"beyond the budget", "smaps-budget", "5000000000", 1u << 30, true},
		{"never", "smaps", "never", 100, true},
		{"always", "smaps", "always", G_MAXINT64 / 1024, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		g_test_message("%s", cases[i].what);
		run_init_tree(&run);
		fake_host_option(run.fake, cases[i].key, cases[i].value);
		add_process(&run, 10);
		run_write_thread(&run, 10, 10, "status", STATUS "VmRSS: %" G_GUINT64_FORMAT " kB\n",
				 cases[i].rss_kib);
		run_begin(&run);
		run_threads(&run);
		assert_word(&run, 0, "memory_state", cases[i].skipped ? "skipped" : "exact");
		g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==,
				 cases[i].skipped ? 0 : 1);
		if (!cases[i].skipped)
			continue;
		assert_word(&run, 0, "memory_source", "status");
		assert_number(&run, 0, "rss_bytes", cases[i].rss_kib * 1024);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "pss_bytes"), ==,
				 CTPROF_ABSENT_SKIPPED);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "memory_would_ns"), >, 0);
		/* This tells procfs not to read the process either, unless no source may read
		 * it. */
		assert_word(&run, 0, "smaps_state",
			    g_str_equal(cases[i].value, "never") ? NULL : "skipped");
	}
}

/* Reads in progress count: of two reads that would each fit, the second is refused. */
static void test_reserved(void)
{
	RUN run = {0};

	run_init_tree(&run);
	fake_host_option(run.fake, "smaps-budget", "5000000000");
	for (int pid = 10; pid < 12; pid++) {
		add_process(&run, pid);
		run_write_thread(&run, pid, pid, "status", STATUS "VmRSS: %u kB\n", 400u << 20);
	}
	run_begin(&run);
	run_threads(&run);
	assert_word(&run, 0, "memory_state", "exact");
	assert_word(&run, 1, "memory_state", "skipped");
	g_assert_cmpuint(atomic_load(&instance(&run)->plan.cost.reserved_ns), ==, 0);
}

static ssize_t slow_read(int fd, void *buf, size_t size)
{
	ssize_t got = read(fd, buf, size);

	if (got > 0)
		g_usleep(20000);
	return got;
}

/* Costs are learnt from reads of this capture: 1 GiB is at first estimated at 8 ms, and at seconds
 * once a page has taken a millisecond. */
static void test_learning(void)
{
	static const struct {
		async_read_fn *read_file;
		const char *state;
	} cases[] = {{read, "exact"}, {slow_read, "skipped"}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		fake_host_option(run.fake, "smaps-budget", "1000000000");
		add_process(&run, 10);
		run_begin(&run);
		instance(&run)->limits.read_file = cases[i].read_file;
		run_threads(&run);
		assert_word(&run, 0, "memory_state", "exact");
		add_process(&run, 20);
		run_write_thread(&run, 20, 20, "status", STATUS "VmRSS: 1048576 kB\n");
		run_threads(&run);
		assert_word(&run, 0, "memory_state", cases[i].state);
	}
}

/* A process that does not answer has the values of status, the others are exact; a process that
 * does not answer for its command line is not read further. */
static void test_stuck(void)
{
	static const char *const files[] = {"smaps_rollup", "cmdline"};
	guint threads = run_count_own("task");

	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		run_set_gate(FALSE);
		{
			RUN run = {0};

			run_init_tree(&run);
			fake_host_option(run.fake, "smaps-timeout", "200000000");
			for (int pid = 10; pid < 13; pid++)
				add_process(&run, pid);
			run_write_thread(&run, 11, 11, files[i], RUN_STUCK);
			run_begin(&run);
			instance(&run)->limits.read_file = run_gated_read;
			instance(&run)->plan.cmdline_limits.read_file = run_gated_read;
			run_threads(&run);
			assert_word(&run, 0, "memory_state", "exact");
			assert_word(&run, 1, "memory_state", "timeout");
			assert_word(&run, 2, "memory_state", "exact");
			assert_word(&run, 1, "memory_source", "status");
			assert_number(&run, 1, "rss_bytes", 102400);
			g_assert_cmpuint(fake_host_state(run.fake, 1, "pss_bytes"), ==,
					 CTPROF_ABSENT_TIMEOUT);
			g_assert_cmpuint(fake_host_opens(run.fake, "11/smaps_rollup"), ==,
					 i == 0 ? 1 : 0);
			g_assert_nonnull(strstr(fake_host_log(run.fake), "process 11"));
			run_summary(&run);
			assert_number(&run, 0, "memory_summary.timeout", 1);
		}
		run_set_gate(TRUE);
		for (guint n = 0; n < 1000 && run_count_own("task") > threads; n++)
			g_usleep(10000);
		g_assert_cmpuint(run_count_own("task"), ==, threads);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/cost/skipped", test_skipped);
	g_test_add_func("/memory/cost/reserved", test_reserved);
	g_test_add_func("/memory/cost/learning", test_learning);
	g_test_add_func("/memory/cost/stuck", test_stuck);
	return g_test_run();
}
