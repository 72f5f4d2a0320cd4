/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the memory of processes: what is read, and how it is reported. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "test-tree.h"

/* ---- the ladder ------------------------------------------------------- */

/* A process and the expected result; a file is NULL if it is missing. */
static const struct ladder_case {
	const char *what;
	char letter;
	unsigned flags;
	const char *status, *rollup, *smaps;
	const char *sibling_status, *sibling_rollup, *sibling_smaps;
	const char *refused; /* files whose path ends in this cannot be opened */
	const char *state, *source;
	guint32 why; /* of the PSS */
	guint64 pss_kib, rss_kib, swap_kib, anonymous_kib;
} ladder_cases[] = {
	{"rollup", 'S', USER, MM, ROLLUP, MAPPING, NULL, NULL, NULL, NULL, "exact", "rollup", 0,
	 385, 884, 9, 301},
	{"no rollup", 'S', USER, MM, NULL, MAPPING MAPPING, NULL, NULL, NULL, NULL, "exact",
	 "smaps", 0, 6, 8, ABSENT, ABSENT},
	/* vector 64 */
	{"leader exited", 'Z', USER, "", "", NULL, MM, ROLLUP, NULL, NULL, "exact", "sibling", 0,
	 385, 884, 9, 301},
	{"leader exited, no rollup", 'Z', USER, "", NULL, "", MM, NULL, MAPPING, NULL, "exact",
	 "sibling-smaps", 0, 3, 4, ABSENT, ABSENT},
	{"leader exited, refused", 'Z', USER, "", "", NULL, MM, ROLLUP, NULL, "12/smaps_rollup",
	 "approximate", "status", DENIED, ABSENT, 100, 5, 70},
	/* vector 27 */
	{"refused", 'S', USER, MM, ROLLUP, MAPPING, NULL, NULL, NULL, "smaps_rollup", "approximate",
	 "status", DENIED, ABSENT, 100, 5, 70},
	{"refused, status too", 'S', USER, NULL, ROLLUP, NULL, NULL, NULL, NULL, "smaps_rollup",
	 "inaccessible", NULL, DENIED, ABSENT, ABSENT, ABSENT, ABSENT},
	{"no status", 'S', USER, NULL, ROLLUP, NULL, NULL, NULL, NULL, NULL, "exact", "rollup", 0,
	 385, 884, 9, 301},
	{"neither file built in", 'S', USER, MM, NULL, NULL, NULL, NULL, NULL, NULL, "approximate",
	 "status", UNSUPPORTED, ABSENT, 100, 5, 70},
	/* vector 63 */
	{"kernel thread", 'S', KTHREAD, "", "", "", NULL, NULL, NULL, NULL, "not-applicable", NULL,
	 INAPPLICABLE, ABSENT, ABSENT, ABSENT, ABSENT},
	{"zombie", 'Z', USER, "", "", "", NULL, NULL, NULL, NULL, "not-applicable", NULL,
	 INAPPLICABLE, ABSENT, ABSENT, ABSENT, ABSENT},
	{"all threads exiting", 'S', USER, "", "", "", "", "", "", NULL, "not-applicable", NULL,
	 INAPPLICABLE, ABSENT, ABSENT, ABSENT, ABSENT},
	/* vector 26, and the next */
	{"empty rollup", 'S', USER, MM, "", NULL, NULL, NULL, NULL, NULL, "not-applicable", NULL,
	 INAPPLICABLE, ABSENT, ABSENT, ABSENT, ABSENT},
	{"header only", 'S', USER, MM, HEADING, NULL, NULL, NULL, NULL, NULL, "approximate",
	 "status", CTPROF_ABSENT_INVALID, ABSENT, 100, 5, 70},
	/* vector 53 */
	{"garbage", 'S', USER, "", "garbage", NULL, NULL, NULL, NULL, NULL, "not-applicable", NULL,
	 INAPPLICABLE, ABSENT, ABSENT, ABSENT, ABSENT},
	{"garbage, no status", 'S', USER, NULL, "garbage\n\xff: 1", NULL, NULL, NULL, NULL, NULL,
	 "inaccessible", NULL, CTPROF_ABSENT_INVALID, ABSENT, ABSENT, ABSENT, ABSENT},
};

static void write_if(struct run *run, int tid, const char *file, const char *text)
{
	if (text)
		run_write_thread(run, 10, tid, file, "%s", text);
}

static void write_case(struct run *run, const struct ladder_case *c)
{
	bool two = c->sibling_status || c->sibling_rollup || c->sibling_smaps;

	write_stat(run, 10, 10, c->letter, c->flags, 900);
	if (c->status)
		run_write_thread(run, 10, 10, "status", "Threads: %d\n%s", two ? 2 : 1, c->status);
	write_if(run, 10, "smaps_rollup", c->rollup);
	write_if(run, 10, "smaps", c->smaps);
	if (two)
		write_stat(run, 10, 12, 'S', USER, 901);
	write_if(run, 12, "status", c->sibling_status);
	write_if(run, 12, "smaps_rollup", c->sibling_rollup);
	write_if(run, 12, "smaps", c->sibling_smaps);
	fake_host_add_thread(run->fake, 10, 10);
}

static guint64 kib(guint64 number)
{
	return number == ABSENT ? ABSENT : number * 1024;
}

/* No value of a process without memory is missing, no matter which file it is from. */
static void assert_all_inapplicable(const struct run *run)
{
	static const char *const names[] = {
		"rss_bytes", "swap_bytes",    "rss_peak_bytes", "status_rss_shmem_bytes",
		"uss_bytes", "memory_source", "memory_read_ns", "memory_would_ns",
		"cmdline"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_test_message("%s", names[i]);
		g_assert_cmpuint(fake_host_state(run->fake, 0, names[i]), ==, INAPPLICABLE);
	}
}

static void test_ladder(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ladder_cases); i++) {
		const struct ladder_case *c = &ladder_cases[i];
		RUN run = {0};

		g_test_message("%s", c->what);
		run_init_tree(&run);
		write_case(&run, c);
		run_inject(c->refused, EACCES);
		run_begin(&run);
		run_threads(&run);
		assert_word(&run, 0, "memory_state", c->state);
		assert_word(&run, 0, "memory_source", c->source);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "pss_bytes"), ==, c->why);
		if (c->why == INAPPLICABLE && !g_str_equal(c->status, MM))
			assert_all_inapplicable(&run);
		assert_number(&run, 0, "pss_bytes", kib(c->pss_kib));
		assert_number(&run, 0, "rss_bytes", kib(c->rss_kib));
		assert_number(&run, 0, "swap_bytes", kib(c->swap_kib));
		assert_number(&run, 0, "anonymous_bytes", kib(c->anonymous_kib));
		/* RSS never substitutes for PSS. */
		if (c->pss_kib == ABSENT) {
			assert_number(&run, 0, "uss_bytes", ABSENT);
			assert_number(&run, 0, "swap_pss_bytes", ABSENT);
			assert_number(&run, 0, "pss_anon_bytes", ABSENT);
		}
	}
}

/* Each amount is tested on its own; USS, shared and hugetlb are sums. */
static void test_amounts(void)
{
	static const struct {
		const char *name;
		guint64 kib;
	} amounts[] = {
		{"pss_bytes", 385},
		{"uss_bytes", 20 + 30 + 2048},
		{"rss_bytes", 884},
		{"swap_bytes", 9},
		{"swap_pss_bytes", 0},
		{"pss_anon_bytes", 300},
		{"pss_file_bytes", 80},
		{"pss_shmem_bytes", 5},
		{"pss_dirty_bytes", 40},
		{"anonymous_bytes", 301},
		{"shared_bytes", 7 + 8 + 4096},
		{"hugetlb_bytes", 2048 + 4096},
		{"ksm_bytes", 0},
		{"locked_bytes", 3},
		{"status_rss_anon_bytes", 70},
		{"status_rss_file_bytes", 20},
		{"status_rss_shmem_bytes", 10},
		{"rss_peak_bytes", 120},
	};
	RUN run = {0};

	run_init_tree(&run);
	add_process(&run, 10);
	run_begin(&run);
	run_threads(&run);
	for (gsize i = 0; i < G_N_ELEMENTS(amounts); i++)
		assert_number(&run, 0, amounts[i].name, amounts[i].kib * 1024);
	assert_number(&run, 0, "memory_would_ns", ABSENT);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "memory_read_ns"), ==, CTPROF_PRESENT);
	g_assert_nonnull(strstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), "Pss=385"));
	assert_word(&run, 0, "smaps_state", "exact");
	assert_word(&run, 0, "smaps_source", "rollup");
}

/* Only the value of a key that this kernel does not print is absent; a sum that
 * lacks a part is absent, too. */
static void test_missing_keys(void)
{
	static const struct {
		const char *rollup, *absent, *present;
	} cases[] = {
		{"Rss: 4 kB\nPss: 3 kB\nSwap: 2 kB\n", "swap_pss_bytes", "swap_bytes"},
		{"Rss: 4 kB\nPss: 3 kB\n", "pss_dirty_bytes", "pss_bytes"},
		{"Rss: 4 kB\nPss: 3 kB\n", "ksm_bytes", "rss_bytes"},
		{"Private_Clean: 4 kB\nRss: 1 kB\n", "uss_bytes", "rss_bytes"},
		{"Private_Clean: 4 kB\nPrivate_Dirty: 4 kB\n", "hugetlb_bytes", "uss_bytes"},
		{"Shared_Hugetlb: 4 kB\nRss: 4 kB\n", "hugetlb_bytes", "rss_bytes"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		add_process(&run, 10);
		run_write_thread(&run, 10, 10, "smaps_rollup", HEADING "%s", cases[i].rollup);
		run_begin(&run);
		run_threads(&run);
		assert_word(&run, 0, "memory_state", "exact");
		g_assert_cmpuint(fake_host_state(run.fake, 0, cases[i].absent), ==, UNSUPPORTED);
		g_assert_cmpuint(fake_host_state(run.fake, 0, cases[i].present), ==,
				 CTPROF_PRESENT);
	}
}

/* ---- options ---------------------------------------------------------- */

static void test_source(void)
{
	static const struct {
		const char *option, *rollup, *smaps, *state, *source;
		guint rollups, full;
	} cases[] = {
		{"auto", ROLLUP, MAPPING, "exact", "rollup", 1, 0},
		{"auto", NULL, MAPPING, "exact", "smaps", 1, 1},
		{"rollup", ROLLUP, MAPPING, "exact", "rollup", 1, 0},
		{"rollup", NULL, MAPPING, "approximate", "status", 1, 0},
		{"smaps", ROLLUP, MAPPING, "exact", "smaps", 0, 1},
		{"smaps", ROLLUP, NULL, "approximate", "status", 0, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		/* The groups of objects read smaps on their own. */
		fake_host_want(run.fake, "memory_state");
		fake_host_want(run.fake, "memory_source");
		fake_host_option(run.fake, "smaps-source", cases[i].option);
		add_process(&run, 10);
		run_remove(&run, 10, 10, "smaps_rollup");
		write_if(&run, 10, "smaps_rollup", cases[i].rollup);
		write_if(&run, 10, "smaps", cases[i].smaps);
		run_begin(&run);
		run_threads(&run);
		assert_word(&run, 0, "memory_state", cases[i].state);
		assert_word(&run, 0, "memory_source", cases[i].source);
		g_assert_cmpuint(fake_host_opens(run.fake, "/smaps_rollup"), ==, cases[i].rollups);
		g_assert_cmpuint(fake_host_opens(run.fake, "/smaps"), ==, cases[i].full);
	}
}

/* ---- who it is -------------------------------------------------------- */

/* Changes process 10 once, while its memory is read. */
static struct {
	struct run *run;
	int start;    /* start time of the process afterwards; 0: it is gone */
	bool is_done; /* only the helper uses the others until this is set */
} change;

static ssize_t changing_read(int fd, void *buf, size_t size)
{
	if (!change.is_done && change.start)
		write_stat(change.run, 10, 10, 'S', USER, change.start);
	else if (!change.is_done)
		run_remove(change.run, 10, 10, "stat");
	change.is_done = true;
	return read(fd, buf, size);
}

static void test_identity(void)
{
	static const struct {
		int start;
		guint32 why;
	} cases[] = {
		{900, CTPROF_PRESENT},
		{901, CTPROF_ABSENT_VANISHED},
		{0, CTPROF_ABSENT_VANISHED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		add_process(&run, 10);
		run_begin(&run);
		change.run = &run;
		change.start = cases[i].start;
		change.is_done = false;
		instance(&run)->limits.read_file = changing_read;
		run_threads(&run);
		g_assert_true(change.is_done);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "rss_bytes"), ==, cases[i].why);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "rss_peak_bytes"), ==, cases[i].why);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "memory_state"), ==, cases[i].why);
		g_assert_cmpuint(fake_host_state(run.fake, 0, "smaps_rollup_kib"), ==,
				 cases[i].why);
		run_summary(&run);
		assert_number(&run, 0, "memory_summary.exact", cases[i].why ? 0 : 1);
	}
}

static void test_vanished(void)
{
	RUN run = {0};

	run_init_tree(&run);
	add_process(&run, 10);
	run_remove(&run, 10, 10, "stat");
	run_begin(&run);
	run_threads(&run);
	g_assert_true(fake_host_row_vanished(run.fake, 0));
}

static void test_labels(void)
{
	RUN run = {0};

	run_init_tree(&run);
	add_process(&run, 10);
	run_write(&run, "10/task/10/cmdline", "/bin/x  -v\n");
	run_write(&run, "10/task/10/cgroup", "4:cpu,cpuacct:/old\n0::/a.slice\n");
	fake_host_add_thread(run.fake, 10, 12);
	write_stat(&run, 10, 12, 'S', USER, 901);
	fake_host_add_thread(run.fake, 20, 21);
	run_begin(&run);
	run_threads(&run);
	assert_number(&run, 0, "ppid", 1);
	assert_number(&run, 0, "uid", 4242);
	/* The users of a recorded tree are not ours. */
	assert_word(&run, 0, "user", "4242");
	assert_word(&run, 0, "cmdline", "/bin/x  -v\n");
	g_assert_cmpuint(fake_host_state(run.fake, 0, "cwd"), ==, UNSUPPORTED);
	assert_word(&run, 0, "cgroup", "/a.slice");
	assert_word(&run, 0, "pcomm", "a b");
	assert_number(&run, 0, "start_time_clock_ticks", 900);
	assert_number(&run, 0, "state", 'S');
	assert_number(&run, 0, "nr_threads", 2);
	/* Threads get the name of their process, but not its memory. */
	assert_word(&run, 1, "pcomm", "a b");
	assert_number(&run, 1, "rss_bytes", ABSENT);
	assert_word(&run, 2, "pcomm", NULL);
}

/* ---- demand ----------------------------------------------------------- */

static void test_demand(void)
{
	static const struct {
		const char *metric;
		guint stat, status, rollup, cmdline;
	} cases[] = {
		{"smaps_rollup_kib", 0, 0, 0, 0}, /* procfs reads it */
		{"pcomm", 0, 0, 0, 0},
		{"rss_peak_bytes", 1, 1, 0, 0},
		{"uid", 0, 0, 0, 0}, /* likewise */
		{"cmdline", 1, 1, 0, 1},
		{"pss_bytes", 2, 1, 1, 0},
		{"memory_state", 2, 1, 1, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		g_test_message("%s", cases[i].metric);
		run_init_tree(&run);
		add_process(&run, 10);
		run_write_thread(&run, 10, 10, "cmdline", "x");
		fake_host_want(run.fake, cases[i].metric);
		run_begin(&run);
		run_threads(&run);
		g_assert_cmpuint(fake_host_opens(run.fake, "/stat"), ==, cases[i].stat);
		g_assert_cmpuint(fake_host_opens(run.fake, "/status"), ==, cases[i].status);
		g_assert_cmpuint(fake_host_opens(run.fake, "rollup"), ==, cases[i].rollup);
		g_assert_cmpuint(fake_host_opens(run.fake, "cmdline"), ==, cases[i].cmdline);
		if (cases[i].stat)
			g_assert_cmpuint(fake_host_state(run.fake, 0, cases[i].metric), ==,
					 CTPROF_PRESENT);
	}
}

/* ---- how it went ------------------------------------------------------ */

static void test_summary(void)
{
	RUN run = {0};

	run_init_tree(&run);
	for (int pid = 10; pid < 13; pid++)
		add_process(&run, pid);
	add_process(&run, 20);
	run_inject("20/smaps_rollup", EACCES);
	add_process(&run, 30);
	write_stat(&run, 30, 30, 'S', KTHREAD, 900);
	run_begin(&run);
	run_threads(&run);
	/* The capabilities of this process decide, and it has none over that tree. */
	run_set_live(TRUE);
	run_summary(&run);
	assert_number(&run, 0, "memory_summary.exact", 3);
	assert_number(&run, 0, "memory_summary.approximate", 1);
	assert_number(&run, 0, "memory_summary.skipped", 0);
	assert_number(&run, 0, "memory_summary.inaccessible", 0);
	assert_number(&run, 0, "memory_summary.not_applicable", 1);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "memory_summary.read_ns"), >, 0);
	g_assert_nonnull(strstr(fake_host_log(run.fake), "PSS missing for 1 process: "));
	g_assert_nonnull(strstr(fake_host_log(run.fake), "CAP_SYS_PTRACE"));
}

/* Without a wanted value nothing is logged; nor is it for a recorded tree, where nothing can be
 * fixed. */
static void test_no_summary(void)
{
	for (gsize asked = 0; asked < 2; asked++) {
		RUN run = {0};

		run_init_tree(&run);
		add_process(&run, 10);
		run_inject("smaps_rollup", EACCES);
		if (!asked)
			fake_host_want(run.fake, "memory_summary.exact");
		run_begin(&run);
		run_threads(&run);
		run_summary(&run);
		assert_number(&run, 0, "memory_summary.exact", asked ? 0 : ABSENT);
		g_assert_cmpstr(fake_host_log(run.fake), ==, "");
	}
}

static void test_probe(void)
{
	static const struct {
		const char *refused;
		int err;
		const char *finding;
	} cases[] = {
		{NULL, 0, "memory 10 |\n"},
		{"smaps_rollup", EACCES, "memory 20 processes of other users are refused|"},
		{"smaps_rollup", ENOENT, "memory 30 the kernel is built without it|"},
		{"stat", ENOENT, "memory 10 |\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		add_process(&run, 10);
		run_inject(cases[i].refused, cases[i].err);
		g_assert_cmpint(run.ops->open(&run.table, &run.self), ==, 0);
		g_assert_cmpint(run.ops->probe(run.self), ==, 0);
		g_assert_true(g_str_has_prefix(fake_host_findings(run.fake), cases[i].finding));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/process/ladder", test_ladder);
	g_test_add_func("/memory/process/amounts", test_amounts);
	g_test_add_func("/memory/process/missing-keys", test_missing_keys);
	g_test_add_func("/memory/process/source", test_source);
	g_test_add_func("/memory/process/identity", test_identity);
	g_test_add_func("/memory/process/vanished", test_vanished);
	g_test_add_func("/memory/process/labels", test_labels);
	g_test_add_func("/memory/process/demand", test_demand);
	g_test_add_func("/memory/process/summary", test_summary);
	g_test_add_func("/memory/process/no-summary", test_no_summary);
	g_test_add_func("/memory/process/probe", test_probe);
	return g_test_run();
}
