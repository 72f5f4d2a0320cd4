/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the plugin over trees the test writes: every file, failure, option and tally. */
#include <errno.h>
#include <string.h>

#include "../../common/tests/run.h"
#include "../procfs.h"

/* ---- values ----------------------------------------------------------- */

static void test_tree(void)
{
	RUN run = {0};

	run_init_tree(&run);
	run_add_thread(&run, 10, 10, "lead");
	run_add_thread(&run, 10, 11, "help");
	run_write(&run, "10/stat", "10 (lead) S 1 1 1 0 -1 4194304 77 0 5 0 60 62 0 0 20 0 2 0\n");
	run_write(&run, "10/io", "rchar: 700\nsyscw: 8\n");
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "comm"), ==, "lead");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "comm"), ==, "help");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "pcomm"), ==, "lead");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "pcomm"), ==, "lead");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "cgroup"), ==, "/a.slice");
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "start_time_clock_ticks"), ==, 900);
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "minflt"), ==, 11);
	g_assert_cmpint(fake_host_i64(run.fake, 1, "priority"), ==, 20);
	g_assert_cmpstr(fake_host_string(run.fake, 1, "policy"), ==, "SCHED_OTHER");
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "state"), ==, 'S');
	g_assert_cmpstr(fake_host_string(run.fake, 1, "cpu_affinity"), ==, "0,1,3");
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "run_time_ns"), ==, 11);
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "nr_wakeups"), ==, 11);
	g_assert_cmpuint(fake_host_u64(run.fake, 1, "rchar"), ==, 11);
	/* A missing line is an absent value, but not a failure. */
	g_assert_cmpuint(fake_host_state(run.fake, 1, "wait_sum"), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(fake_host_state(run.fake, 1, "syscr"), ==, CTPROF_ABSENT_UNSUPPORTED);
	/* Values of the process are in the leader's row only. */
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "nr_threads"), ==, 2);
	g_assert_cmpuint(fake_host_state(run.fake, 1, "nr_threads"), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_minflt"), ==, 77);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_stime_clock_ticks"), ==, 62);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_rchar"), ==, 700);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_syscw"), ==, 8);
	g_assert_cmpuint(fake_host_opens(run.fake, "../stat"), ==, 1);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), ==, "Rss=10");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_state"), ==, "exact");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_source"), ==, "rollup");
	g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, 1);
	/* The name of the process was copied from its leader's comm. */
	g_assert_cmpuint(fake_host_opens(run.fake, "../comm"), ==, 0);
	run_summary(&run);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.tids_walked"), ==, 2);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.read_failures"), ==, 0);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "parse_summary.dominant_read_failure"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpstr(fake_host_log(run.fake), ==,
			"20 parse: 2 threads walked, 0 read failures\n");
}

/* The process's name is read once for the rows of a process, again for the next process, and not
 * kept for another batch. */
static void test_pcomm(void)
{
	RUN run = {0};

	run_init_tree(&run);
	run_add_thread(&run, 10, 10, "ten");
	run_add_thread(&run, 20, 20, "twenty");
	run_begin(&run);
	run_threads(&run);
	run_add_thread(&run, 10, 11, "a");
	run_add_thread(&run, 10, 12, "b");
	run_add_thread(&run, 20, 21, "c");
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "pcomm"), ==, "ten");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "pcomm"), ==, "ten");
	g_assert_cmpstr(fake_host_string(run.fake, 2, "pcomm"), ==, "twenty");
	g_assert_cmpuint(fake_host_opens(run.fake, "../comm"), ==, 2);
}

static void test_odd_names(void)
{
	static const char *const names[] = {" edge ",      "new\nline", ") R 9 (",
					    "cut\xe2\x82", "-1:2",      "nr_wakeups:9\n"};
	RUN run = {0};

	run_init_tree(&run);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		run_add_thread(&run, 10 + (int)i, 10 + (int)i, names[i]);
	run_begin(&run);
	run_threads(&run);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_assert_false(fake_host_row_vanished(run.fake, i));
		g_assert_cmpstr(fake_host_string(run.fake, i, "comm"), ==, names[i]);
		g_assert_cmpuint(fake_host_u64(run.fake, i, "minflt"), ==, 10 + i);
		g_assert_cmpuint(fake_host_u64(run.fake, i, "nr_wakeups"), ==, 10 + i);
	}
}

/* Without stat there is no thread: nothing more is read, and no failure is counted. */
static void test_vanished(void)
{
	RUN run = {0};

	run_init_tree(&run);
	run_add_thread(&run, 10, 10, "a");
	run_remove(&run, 10, 10, "stat");
	fake_host_add_thread(run.fake, 77, 77);
	run_begin(&run);
	run_threads(&run);
	g_assert_true(fake_host_row_vanished(run.fake, 0));
	g_assert_true(fake_host_row_vanished(run.fake, 1));
	g_assert_cmpuint(fake_host_opens(run.fake, "comm"), ==, 0);
	g_assert_cmpuint(fake_host_opens(run.fake, "smaps_rollup"), ==, 0);
	run_summary(&run);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.tids_walked"), ==, 2);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.read_failures"), ==, 0);
}

/* If a file is missing or refused, its metrics have the reason; all others are present. */
static void test_failures(void)
{
	static const struct {
		const char *file;
		int err;
		const char *metric;
		guint32 why;
		const char *by_errno; /* "": not counted */
	} cases[] = {
		{"/stat", EACCES, "minflt", CTPROF_ABSENT_DENIED, "stat:EACCES=1"},
		{"/comm", EACCES, "comm", CTPROF_ABSENT_DENIED, ""},
		{"/cgroup", ENOENT, "cgroup", CTPROF_ABSENT_UNSUPPORTED, "cgroup:ENOENT=1"},
		{"/schedstat", ENOENT, "timeslices", CTPROF_ABSENT_UNSUPPORTED,
		 "schedstat:ENOENT=1"},
		{"/schedstat", EIO, "timeslices", CTPROF_ABSENT_INVALID, "schedstat:EIO=1"},
		{"/status", EPERM, "state", CTPROF_ABSENT_DENIED, "status:EPERM=1"},
		{"/status", EPERM, "cpu_affinity", CTPROF_ABSENT_DENIED, "status:EPERM=1"},
		{"/sched", ENFILE, "nr_wakeups", CTPROF_ABSENT_TIMEOUT, "sched:ENFILE=1"},
		{"/sched", ESRCH, "nr_wakeups", CTPROF_ABSENT_UNSUPPORTED, "sched:ESRCH=1"},
		{"/io", EACCES, "rchar", CTPROF_ABSENT_DENIED, "io:EACCES=1"},
		{"/io", EBADF, "rchar", CTPROF_ABSENT_UNSUPPORTED, "io:other=1"},
		{"/smaps_rollup", EACCES, "smaps_rollup_kib", CTPROF_ABSENT_DENIED,
		 "smaps_rollup:EACCES=1"},
		{"/smaps_rollup", EPERM, "smaps_source", CTPROF_ABSENT_DENIED,
		 "smaps_rollup:EPERM=1"},
		{"/smaps_rollup", ENOENT, "smaps_rollup_kib", CTPROF_ABSENT_UNSUPPORTED,
		 "smaps_rollup:ENOENT=1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		g_test_message("%s: %s", cases[i].file, g_strerror(cases[i].err));
		run_init_tree(&run);
		run_add_thread(&run, 10, 10, "a");
		run_begin(&run);
		run_inject(cases[i].file, cases[i].err);
		run_threads(&run);
		g_assert_false(fake_host_row_vanished(run.fake, 0));
		g_assert_cmpuint(fake_host_state(run.fake, 0, cases[i].metric), ==, cases[i].why);
		g_assert_cmpint(fake_host_state(run.fake, 0, "wchar") == CTPROF_PRESENT, ==,
				!g_str_equal(cases[i].file, "/io"));
		run_summary(&run);
		g_assert_cmpstr(
			fake_host_string(run.fake, 0, "parse_summary.read_failures_by_errno"), ==,
			cases[i].by_errno);
	}
}

/* A thread that ends between two of its files keeps its row. */
static gboolean dead;

static int open_then_die(const struct ctprof_host *host, int dirfd, const char *path)
{
	if (g_str_has_suffix(path, "/schedstat"))
		dead = TRUE;
	return dead ? -ESRCH : run_open_file(host, dirfd, path);
}

static void test_dies_between(void)
{
	RUN run = {0};

	run_init_tree(&run);
	dead = FALSE;
	run.table.open_file = open_then_die;
	run_add_thread(&run, 10, 10, "a");
	run_begin(&run);
	run_threads(&run);
	g_assert_false(fake_host_row_vanished(run.fake, 0));
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "minflt"), ==, 10);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "timeslices"), ==, CTPROF_ABSENT_VANISHED);
}

static void test_bad_values(void)
{
	RUN run = {0};

	run_init_tree(&run);
	run_add_thread(&run, 10, 10, "a");
	run_write_thread(&run, 10, 10, "sched",
			 "wait_sum : -5.0\nsleep_max : 12.5\nwait_max : x\n"
			 "block_max : -10.0\n");
	run_write_thread(&run, 10, 10, "status", "Cpus_allowed_list:\t5-3\n");
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "wait_sum"), ==, CTPROF_ABSENT_INVALID);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "wait_max"), ==, CTPROF_ABSENT_INVALID);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "sleep_max"), ==, 12500000);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "cpu_affinity"), ==, CTPROF_ABSENT_INVALID);
	run_summary(&run);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.negative_dotted_values"), ==, 2);
	g_assert_cmpstr(fake_host_log(run.fake), ==,
			"20 parse: 1 threads walked, 0 read failures, 2 negative-dotted values\n");
}

/* A status longer than the first buffer, and one longer than the largest. */
static void test_long_files(void)
{
	static const struct {
		gsize len;
		guint32 why;
	} cases[] = {
		{16 * 1024 - 40, CTPROF_PRESENT},
		{16 * 1024, CTPROF_PRESENT},
		{200 * 1024, CTPROF_PRESENT},
		{300 * 1024, CTPROF_ABSENT_INVALID},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};
		g_autofree char *groups = g_strnfill(cases[i].len, '1');

		run_init_tree(&run);
		run_add_thread(&run, 10, 10, "a");
		run_write_thread(&run, 10, 10, "status", "Groups:\t%s\nThreads:\t2\n", groups);
		run_begin(&run);
		run_threads(&run);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "nr_threads"), ==, cases[i].why);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "rchar"), ==, 10);
	}
}

/* A file is opened only if any of its metrics is wanted. */
static void test_demand(void)
{
	static const struct {
		const char *want;
		const char *opened[3];
	} cases[] = {
		{"nice", {"/stat"}},
		{"comm", {"/comm"}},
		{"pcomm", {"../comm"}},
		{"cgroup", {"/cgroup"}},
		{"timeslices", {"/schedstat"}},
		{"nr_threads", {"/status"}},
		{"wait_max", {"/sched"}},
		{"voluntary_sleep_ns", {"/sched"}},
		{"syscr", {"/io"}},
		{"process_majflt", {"../stat"}},
		{"process_wchar", {"../io"}},
		/* stat is needed to recognise kernel threads, which have no memory. */
		{"smaps_source", {"/stat", "/smaps_rollup"}},
		{"parse_summary.tids_walked", {NULL}},
	};
	static const char *const files[] = {"/stat",   "/comm",  "/cgroup", "/schedstat",
					    "/status", "/sched", "/io",     "/smaps_rollup"};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};
		guint expect = 0;

		run_init_tree(&run);
		fake_host_want(run.fake, cases[i].want);
		run_add_thread(&run, 10, 10, "a");
		run_write(&run, "10/stat", "");
		run_write(&run, "10/io", "");
		run_begin(&run);
		run_threads(&run);
		for (const char *const *opened = cases[i].opened; *opened; opened++, expect++)
			g_assert_cmpuint(fake_host_opens(run.fake, *opened), ==, 1);
		guint all = 0;
		for (gsize f = 0; f < G_N_ELEMENTS(files); f++)
			all += fake_host_opens(run.fake, files[f]);
		g_assert_cmpuint(all, ==, expect);
	}
}

/* If no controller is in v1, cgroup files of threads are not read for v1 paths. */
static void test_no_v1(void)
{
	static const struct {
		const char *own;
		guint opens, why;
	} cases[] = {
		{"0::/user.slice\n", 0, CTPROF_ABSENT_INAPPLICABLE},
		{"1:name=systemd:/x\n0::/\n", 0, CTPROF_ABSENT_INAPPLICABLE},
		{"4:memory:/\n0::/\n", 1, CTPROF_PRESENT},
		{NULL, 1, CTPROF_PRESENT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		fake_host_want(run.fake, "cgroup_v1");
		run_add_thread(&run, 10, 10, "a");
		run_write(&run, "10/task/10/cgroup", "4:memory:/m\n0::/a\n");
		if (cases[i].own)
			run_write(&run, "self/cgroup", cases[i].own);
		run_begin(&run);
		run_threads(&run);
		g_assert_cmpuint(fake_host_opens(run.fake, "10/cgroup"), ==, cases[i].opens);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "cgroup_v1"), ==, cases[i].why);
	}
}

/* ---- hints ------------------------------------------------------------ */

/* The hint gives the remedy that applies, and only on a host that has one. */
static void test_hints(void)
{
	static const struct {
		const char *file;
		int err;
		gboolean live;
		const char *words; /* in the warning; NULL: there is none */
		guint config;
	} cases[] = {
		{"/io", EACCES, TRUE, "CAP_SYS_PTRACE", TRUE},
		{"/io", EACCES, FALSE, NULL, TRUE},
		{"/io", ENOENT, TRUE, "CONFIG_TASK_IO_ACCOUNTING", TRUE},
		{"/schedstat", ENOENT, TRUE, "CONFIG_SCHED_INFO", TRUE},
		{"/smaps_rollup", EACCES, TRUE, "CAP_PERFMON", FALSE},
		{"/status", EIO, TRUE, NULL, FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};
		const char *log;

		run_init_tree(&run);
		run_add_thread(&run, 10, 10, "a");
		run_begin(&run);
		run_inject(cases[i].file, cases[i].err);
		run_threads(&run);
		run_set_live(cases[i].live);
		run_summary(&run);
		log = fake_host_log(run.fake);
		g_assert_nonnull(
			strstr(log, "parse: 1 threads walked, 1 read failures (dominant: "));
		g_assert_cmpint(strstr(log, "10 ") == log || strstr(log, "\n10 ") != NULL, ==,
				cases[i].words != NULL);
		if (cases[i].words)
			g_assert_nonnull(strstr(log, cases[i].words));
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.kernel_config_dominant"),
				 ==, cases[i].config);
	}
}

/* In a tie the name that sorts first wins; half of the failures are enough to blame the
 * configuration. */
static void test_dominant(void)
{
	static const struct {
		guint schedstat, io, status;
		const char *dominant;
		guint config;
	} cases[] = {
		{0, 2, 2, "io", TRUE},
		{5, 0, 5, "schedstat", TRUE},
		{1, 1, 3, "status", FALSE},
		{0, 0, 0, NULL, FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		run_begin(&run);
		struct tally *tally = &((struct procfs *)run.self)->tally;
		for (guint k = 0; k < cases[i].schedstat; k++)
			tally_failure(tally, FILE_SCHEDSTAT, EIO);
		for (guint k = 0; k < cases[i].io; k++)
			tally_failure(tally, FILE_IO, EIO);
		for (guint k = 0; k < cases[i].status; k++)
			tally_failure(tally, FILE_STATUS, EIO);
		run_summary(&run);
		if (cases[i].dominant)
			g_assert_cmpstr(fake_host_string(run.fake, 0,
							 "parse_summary.dominant_read_failure"),
					==, cases[i].dominant);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.kernel_config_dominant"),
				 ==, cases[i].config);
	}
}

/* All values of thread 10 have been filled. */
static int fill_ten(const struct ctprof_batch *batch, uint64_t row, uint32_t slot)
{
	(void)slot;
	return ctprof_batch_target(batch, row)->tid == 10;
}

/* No file is opened for values that an earlier source has filled, including the process name. */
static void test_filled(void)
{
	static const char *const files[] = {"/stat",   "/comm",  "/cgroup", "/schedstat",
					    "/status", "/sched", "/io",     "/smaps_rollup"};
	RUN run = {0};

	run_init_tree(&run);
	run.table.filled = fill_ten;
	run_add_thread(&run, 10, 10, "lead");
	run_add_thread(&run, 10, 11, "help");
	run_begin(&run);
	run_threads(&run);
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *ten = g_strconcat("10", files[i], NULL);
		g_autofree char *eleven = g_strconcat("11", files[i], NULL);

		g_assert_cmpuint(fake_host_opens(run.fake, ten), ==, 0);
		g_assert_cmpuint(fake_host_opens(run.fake, eleven), ==,
				 g_str_equal(files[i], "/smaps_rollup") ? 0 : 1);
	}
	g_assert_cmpstr(fake_host_string(run.fake, 1, "pcomm"), ==, "lead");
	g_assert_false(fake_host_row_vanished(run.fake, 0));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/procfs/tree", test_tree);
	g_test_add_func("/procfs/pcomm", test_pcomm);
	g_test_add_func("/procfs/odd-names", test_odd_names);
	g_test_add_func("/procfs/vanished", test_vanished);
	g_test_add_func("/procfs/failures", test_failures);
	g_test_add_func("/procfs/dies-between", test_dies_between);
	g_test_add_func("/procfs/bad-values", test_bad_values);
	g_test_add_func("/procfs/long-files", test_long_files);
	g_test_add_func("/procfs/demand", test_demand);
	g_test_add_func("/procfs/no-v1", test_no_v1);
	g_test_add_func("/procfs/filled", test_filled);
	g_test_add_func("/procfs/hints", test_hints);
	g_test_add_func("/procfs/dominant", test_dominant);
	return g_test_run();
}
