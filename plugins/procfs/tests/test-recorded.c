/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the plugin over recorded kernels and over this process. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/tests/run.h"
#include "../procfs.h"

static const char *const kernels[] = {
	"6.1.0-50-amd64",         "6.12.107+deb13-amd64",         "6.12.107+deb13-amd64-plain",
	"7.2.13+deb14-amd64-scx", "7.2.13+deb14-amd64-scx/later",
};

struct tid {
	gint32 tgid, tid;
};

static gint compare_tids(gconstpointer a, gconstpointer b)
{
	const struct tid *x = a, *y = b;

	return x->tgid != y->tgid ? x->tgid - y->tgid : x->tid - y->tid;
}

static void list_numbers(const char *path, gint32 tgid, GArray *ret)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		gint32 number = (gint32)g_ascii_strtoll(name, NULL, 10);
		struct tid tid = {tgid ? tgid : number, number};

		if (number > 0)
			g_array_append_val(ret, tid);
	}
}

static GArray *list_threads(const char *proc)
{
	g_autoptr(GArray) processes = g_array_new(FALSE, FALSE, sizeof(struct tid));
	GArray *threads = g_array_new(FALSE, FALSE, sizeof(struct tid));

	list_numbers(proc, 0, processes);
	for (guint i = 0; i < processes->len; i++) {
		gint32 tgid = g_array_index(processes, struct tid, i).tgid;
		g_autofree char *task = g_strdup_printf("%s/%d/task", proc, tgid);

		list_numbers(task, tgid, threads);
	}
	g_array_sort(threads, compare_tids);
	return threads;
}

static char *read_file(const char *proc, struct tid at, const char *name)
{
	g_autofree char *path = g_strdup_printf("%s/%d/task/%d/%s", proc, at.tgid, at.tid, name);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* Finds a value in another way: by a pattern with one group over the whole file. */
static const struct {
	const char *metric, *file, *pattern;
} oracles[] = {
	{"comm", "comm", "^(.*)$"},
	{"cgroup", "cgroup", "^0::(.*)$"},
	{"state", "status", "^State:\\s+(\\S)"},
	{"nr_threads", "status", "^Threads:\\s+(\\d+)$"},
	{"voluntary_csw", "status", "^voluntary_ctxt_switches:\\s+(\\d+)$"},
	{"nonvoluntary_csw", "status", "^nonvoluntary_ctxt_switches:\\s+(\\d+)$"},
	{"run_time_ns", "schedstat", "^(\\d+)"},
	{"timeslices", "schedstat", "(\\d+)$"},
	{"nr_wakeups", "sched", "^(?:\\S+\\.)?nr_wakeups\\s*:\\s+(\\d+)$"},
	{"nr_wakeups_affine", "sched", "^(?:\\S+\\.)?nr_wakeups_affine\\s*:\\s+(\\d+)$"},
	{"nr_migrations", "sched", "^(?:\\S+\\.)?nr_migrations\\s*:\\s+(\\d+)$"},
	{"wait_sum", "sched", "^(?:\\S+\\.)?wait_sum\\s*:\\s+(\\d+\\.\\d{6})$"},
	{"wait_max", "sched", "^(?:\\S+\\.)?wait_max\\s*:\\s+(\\d+\\.\\d{6})$"},
	{"block_sum", "sched", "^(?:\\S+\\.)?sum_block_runtime\\s*:\\s+(\\d+\\.\\d{6})$"},
	{"exec_max", "sched", "^(?:\\S+\\.)?exec_max\\s*:\\s+(\\d+\\.\\d{6})$"},
	{"fair_slice_ns", "sched", "^se\\.slice\\s*:\\s+(\\d+)$"},
	{"ext_enabled", "sched", "^ext\\.enabled\\s*:\\s+(\\d)$"},
	{"rchar", "io", "^rchar: (\\d+)$"},
	{"cancelled_write_bytes", "io", "^cancelled_write_bytes: (\\d+)$"},
	{"minflt", "stat", "\\) \\S(?: \\S+){6} (\\d+)"},
	{"utime_clock_ticks", "stat", "\\) \\S(?: \\S+){10} (\\d+)"},
	{"ppid", "stat", "\\) \\S (\\d+)"},
	{"cutime_clock_ticks", "stat", "\\) \\S(?: \\S+){12} (\\d+)"},
	{"cstime_clock_ticks", "stat", "\\) \\S(?: \\S+){13} (\\d+)"},
	{"start_time_clock_ticks", "stat", "\\) \\S(?: \\S+){18} (\\d+)"},
	{"rt_priority", "stat", "\\) \\S(?: \\S+){36} (\\d+)"},
};

static char *oracle(const char *proc, struct tid at, gsize i)
{
	g_autofree char *text = read_file(proc, at, oracles[i].file);
	g_autoptr(GRegex) regex =
		g_regex_new(oracles[i].pattern, G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	g_assert_nonnull(regex);
	if (!text || !g_regex_match(regex, text, 0, &match))
		return NULL;
	char *found = g_match_info_fetch(match, 1);
	char *dot = strchr(found, '.');
	/* ms.nnnnnn is ns with a dot in it. */
	if (dot && strstr(oracles[i].pattern, "\\.\\d{6}"))
		memmove(dot, dot + 1, strlen(dot));
	return found;
}

static void check_value(struct run *run, guint row, gsize i, const char *expect)
{
	const struct ctprof_metric *metric = fake_host_metric(run->fake, oracles[i].metric);

	if (metric->kind == CTPROF_ORDINAL)
		g_assert_cmpint(fake_host_i64(run->fake, row, metric->name), ==,
				g_ascii_strtoll(expect, NULL, 10));
	else if (metric->unit == CTPROF_UNIT_TEXT)
		g_assert_cmpstr(fake_host_string(run->fake, row, metric->name), ==, expect);
	else if (metric->unit == CTPROF_UNIT_CHAR)
		g_assert_cmpuint(fake_host_u64(run->fake, row, metric->name), ==,
				 (guchar)expect[0]);
	else
		g_assert_cmpuint(fake_host_u64(run->fake, row, metric->name), ==,
				 g_ascii_strtoull(expect, NULL, 10));
}

/* Returns why a metric is missing: threads of other classes have no slice; all else is missing in
 * the kernel. */
static guint32 missing_state(struct run *run, guint row, const char *metric)
{
	const char *policy = fake_host_string(run->fake, row, "policy");
	gboolean fair = g_str_equal(policy, "SCHED_OTHER") || g_str_equal(policy, "SCHED_BATCH");

	return g_str_equal(metric, "fair_slice_ns") && !fair ? CTPROF_ABSENT_INAPPLICABLE
							     : CTPROF_ABSENT_UNSUPPORTED;
}

static guint check_row(struct run *run, const char *proc, struct tid at, guint row)
{
	guint checked = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(oracles); i++) {
		const struct ctprof_metric *metric = fake_host_metric(run->fake, oracles[i].metric);
		g_autofree char *expect = oracle(proc, at, i);

		if (metric->scope == CTPROF_SCOPE_PROCESS && at.tgid != at.tid)
			continue;
		g_test_message("%d/%d %s %s", at.tgid, at.tid, metric->name,
			       expect ? expect : "absent");
		if (expect)
			check_value(run, row, i, expect);
		else
			g_assert_cmpuint(fake_host_state(run->fake, row, metric->name), ==,
					 missing_state(run, row, metric->name));
		checked += expect != NULL;
	}
	return checked;
}

static guint count_states(struct run *run, guint rows, const char *word)
{
	guint n = 0;

	for (guint row = 0; row < rows; row++)
		n += fake_host_state(run->fake, row, "smaps_state") == CTPROF_PRESENT &&
		     g_str_equal(fake_host_string(run->fake, row, "smaps_state"), word);
	return n;
}

/* Compares every thread of a recorded kernel with patterns over the same files. */
static void test_recorded(gconstpointer data)
{
	const char *kernel = data;
	g_autofree char *proc = g_test_build_filename(G_TEST_DIST, "..", "..", "..", "shared",
						      "fixtures", kernel, "proc", NULL);
	RUN run = {0};
	guint checked = 0;

	run_init(&run, proc, FALSE);
	g_autoptr(GArray) threads = list_threads(proc);
	if (threads->len == 0) {
		g_test_skip("the recorded kernels are not here");
		return;
	}
	for (guint i = 0; i < threads->len; i++) {
		struct tid *at = &g_array_index(threads, struct tid, i);

		fake_host_add_thread(run.fake, at->tgid, at->tid);
	}
	run_begin(&run);
	run_threads(&run);
	for (guint i = 0; i < threads->len; i++)
		checked += check_row(&run, proc, g_array_index(threads, struct tid, i), i);
	g_assert_cmpuint(checked, >, 10 * threads->len);
	g_assert_cmpuint(count_states(&run, threads->len, "exact"), >, 5);
	g_assert_cmpuint(count_states(&run, threads->len, "not-applicable"), >, 2);
	g_assert_cmpuint(count_states(&run, threads->len, "inaccessible"), ==, 0);
	run_summary(&run);
	/* Kernel threads and zombies do not count as failures. */
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.read_failures"), ==, 0);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "parse_summary.tids_walked"), ==, threads->len);
}

/* ---- this machine ----------------------------------------------------- */

#define ODD_NAME "a) \n:\xe2\x82"

/* Reads this thread, whose values are known. */
static void test_self(void)
{
	RUN run = {0};
	gint32 tid = (gint32)syscall(SYS_gettid);
	cpu_set_t cpus;
	g_autoptr(GString) expect = g_string_new(NULL);

	prctl(PR_SET_NAME, ODD_NAME);
	g_assert_cmpint(sched_getaffinity(0, sizeof cpus, &cpus), ==, 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			g_string_append_printf(expect, "%s%u", expect->len ? "," : "", cpu);
	run_init(&run, LIVE_PROC, TRUE);
	fake_host_add_thread(run.fake, getpid(), tid);
	fake_host_add_thread(run.fake, getpid(), 1 << 22);
	run_begin(&run);
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "comm"), ==, ODD_NAME);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "pcomm"), ==, ODD_NAME);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "state"), ==, 'R');
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "minflt"), >, 0);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "cpu_affinity"), ==, expect->str);
	g_assert_true(fake_host_row_vanished(run.fake, 1));
	if (fake_host_state(run.fake, 0, "smaps_rollup_kib") == CTPROF_PRESENT)
		g_assert_nonnull(strstr(fake_host_string(run.fake, 0, "smaps_rollup_kib"), "Rss="));
	prctl(PR_SET_NAME, "test-recorded");
}

static void *wait_for_signal(void *data)
{
	char ready = 1;

	(void)!write(*(int *)data, &ready, 1);
	pause();
	return NULL;
}

/* Forks a process whose leader exits while another thread stays. */
static pid_t fork_headless(void)
{
	static int ends[2];
	char ready;

	g_assert_cmpint(pipe(ends), ==, 0);
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, wait_for_signal, &ends[1]);
		/* Only the leader exits, without running handlers of the test. */
		syscall(SYS_exit, 0);
	}
	g_assert_cmpint(read(ends[0], &ready, 1), ==, 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static gboolean leader_is_zombie(pid_t pid)
{
	g_autofree char *stat = read_file(LIVE_PROC, (struct tid){pid, pid}, "stat");

	return stat && strstr(stat, ") Z ") != NULL;
}

static void test_headless(void)
{
	RUN run = {0};
	pid_t pid = fork_headless();

	for (guint i = 0; i < 500 && !leader_is_zombie(pid); i++)
		g_usleep(2000);
	g_assert_true(leader_is_zombie(pid));
	run_init(&run, LIVE_PROC, TRUE);
	fake_host_add_thread(run.fake, pid, pid);
	run_begin(&run);
	run_threads(&run);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (fake_host_opens(run.fake, "/smaps") > 0) {
		g_test_skip("this kernel has no smaps_rollup");
		return;
	}
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "state"), ==, 'Z');
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_state"), ==, "exact");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "smaps_source"), ==, "sibling");
}

#define ENDED 4
#define FAULTS 512

/* Uses CPU time, faults pages, writes, and ends. */
static void *spend(void *data)
{
	struct timespec now = {0};
	char *memory = mmap(NULL, FAULTS * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (gsize i = 0; memory != MAP_FAILED && i < FAULTS; i++)
		memory[i * 4096] = 1;
	(void)!write(*(int *)data, "four", 4);
	while (now.tv_nsec < 30 * 1000 * 1000 && now.tv_sec == 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return NULL;
}

/* Returns a stopped process in which all threads except one have ended; its last call was
 * getrusage(). */
static pid_t fork_spent(struct rusage *shared, int pipe_end)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_t threads[ENDED];

		for (gsize i = 0; i < ENDED; i++)
			pthread_create(&threads[i], NULL, spend, &pipe_end);
		for (gsize i = 0; i < ENDED; i++)
			pthread_join(threads[i], NULL);
		getrusage(RUSAGE_SELF, shared);
		raise(SIGSTOP);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, WUNTRACED), ==, pid);
	g_assert_true(WIFSTOPPED(status));
	return pid;
}

static void check_ticks(struct run *run, const char *metric, struct timeval spent)
{
	guint64 ticks = (guint64)spent.tv_sec * 100 + (guint64)spent.tv_usec / 10000;

	/* Another tick may have begun between getrusage() and the stop. */
	g_test_message("%s", metric);
	g_assert_cmpuint(fake_host_u64(run->fake, 0, metric), >=, ticks);
	g_assert_cmpuint(fake_host_u64(run->fake, 0, metric), <=, ticks + 1);
}

/* The sums of the process include ended threads, as those of getrusage() do. */
static void test_spent(void)
{
	RUN run = {0};
	int ends[2];
	struct rusage *usage = mmap(NULL, sizeof *usage, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	g_assert_true(usage != MAP_FAILED);
	g_assert_cmpint(pipe(ends), ==, 0);
	pid_t pid = fork_spent(usage, ends[1]);
	run_init(&run, LIVE_PROC, TRUE);
	fake_host_add_thread(run.fake, pid, pid);
	run_begin(&run);
	run_threads(&run);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check_ticks(&run, "process_utime_clock_ticks", usage->ru_utime);
	check_ticks(&run, "process_stime_clock_ticks", usage->ru_stime);
	guint64 faults = (guint64)usage->ru_minflt;
	g_assert_cmpuint(faults, >=, ENDED * FAULTS);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_minflt"), >=, faults);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_minflt"), <=, faults + 8);
	/* The leader's own values do not include them. */
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "minflt"), <, ENDED * FAULTS);
	if (fake_host_state(run.fake, 0, "process_wchar") == CTPROF_PRESENT) {
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_wchar"), ==, 4 * ENDED);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "process_syscw"), ==, ENDED);
		g_assert_cmpuint(fake_host_u64(run.fake, 0, "wchar"), ==, 0);
	}
	munmap(usage, sizeof *usage);
	close(ends[0]);
	close(ends[1]);
}

/* ---- probe ------------------------------------------------------------ */

#define BLOCKS "se.statistics.sum_block_runtime : 0.0\n"
#define WAKEUPS "se.statistics.nr_wakeups : 1\n"

static void test_probe(void)
{
	static const struct {
		const char *schedstats; /* NULL: the file does not exist */
		const char *suffix;     /* ending of the path that fails */
		int err;
		const char *finding; /* must be among the findings */
		const char *sched;   /* NULL: with all lines */
	} cases[] = {
		{"1\n", NULL, 0, "identity 10 |\nsched 10 |\nio 10 |\nprocess 10 |\n", NULL},
		{"0\n", NULL, 0, "|sysctl kernel.sched_schedstats=1\n", NULL},
		/* Before 4.6, and with subset=pid, there is no file, but statistics are counted. */
		{NULL, NULL, 0, "sched 10 |\n", NULL},
		{NULL, NULL, 0, "|CONFIG_SCHEDSTATS=y\n", "nr_switches : 1\n"},
		{"1\n", NULL, 0, "sched 20 no block_sum and voluntary_sleep_ns", WAKEUPS},
		{"1\n", NULL, 0, "pelt 10 |\nsched-more 10 |\nsmaps 10 |\n",
		 "se.avg.util_avg : 1\nuclamp.min : 0\ntotal_numa_faults : 0\n"},
		{"1\n", NULL, 0, "pelt 30 the kernel keeps no averages|CONFIG_SMP=y\n", WAKEUPS},
		{"1\n", NULL, 0, "sched-more 20 no uclamp_*: ", WAKEUPS},
		{"1\n", NULL, 0, "sched-more 20 no numa_*: ", "uclamp.min : 0\n"},
		{"1\n", "/sched", ENOENT, "|CONFIG_SCHED_DEBUG=y\n", NULL},
		{"1\n", "/schedstat", ENOENT, "|CONFIG_SCHED_INFO=y\n", NULL},
		{"1\n", "/io", EACCES,
		 "io 20 threads of other users are refused|CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH\n",
		 NULL},
		{"1\n", "/io", ENOENT, "|CONFIG_TASK_IO_ACCOUNTING=y\n", NULL},
		{"1\n", "/io", ENOENT, "process 20 no I/O: the kernel is built without it|", NULL},
		{"1\n", "/smaps_rollup", EACCES, "|CAP_SYS_PTRACE, or CAP_PERFMON", NULL},
		{"1\n", "/smaps_rollup", ENOENT, "|CONFIG_PROC_PAGE_MONITOR=y\n", NULL},
		{"1\n", "/stat", EACCES, "identity 30 ", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		run_add_thread(&run, 42, 42, "a");
		run_write_thread(&run, 42, 42, "sched", "%s",
				 cases[i].sched ? cases[i].sched : WAKEUPS BLOCKS);
		if (cases[i].schedstats)
			run_write(&run, "sys/kernel/sched_schedstats", cases[i].schedstats);
		run_begin(&run);
		run_inject(cases[i].suffix, cases[i].err);
		g_assert_cmpint(run.ops->probe(run.self), ==, 0);
		g_test_message("%s", fake_host_findings(run.fake));
		g_assert_nonnull(strstr(fake_host_findings(run.fake), cases[i].finding));
	}
}

static void test_probe_empty(void)
{
	RUN run = {0};

	run_init_tree(&run);
	run_begin(&run);
	g_assert_cmpint(run.ops->probe(run.self), ==, 0);
	g_assert_nonnull(strstr(fake_host_findings(run.fake), "smaps 30 "));
	g_assert_nonnull(strstr(fake_host_findings(run.fake), "pelt 30 "));
}

/* README.md names every metric. */
static void test_readme(void)
{
	RUN run = {0};
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "README.md", NULL);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	run_init(&run, NULL, FALSE);
	run_begin(&run);
	for (unsigned row = 0; row < N_METRICS; row++) {
		g_autofree char *quoted = g_strdup_printf("`%s`", procfs_metrics[row].def.name);

		g_test_message("%s", quoted);
		g_assert_nonnull(strstr(text, quoted));
	}
	g_assert_cmpuint(fake_host_n_metrics(run.fake), ==, N_METRICS + N_SUMMARY);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
		g_autofree char *name = g_strdup_printf("/procfs/recorded/%s", kernels[i]);

		g_test_add_data_func(name, kernels[i], test_recorded);
	}
	g_test_add_func("/procfs/live/self", test_self);
	g_test_add_func("/procfs/live/headless", test_headless);
	g_test_add_func("/procfs/live/spent", test_spent);
	g_test_add_func("/procfs/probe/cases", test_probe);
	g_test_add_func("/procfs/probe/empty", test_probe_empty);
	g_test_add_func("/procfs/readme", test_readme);
	return g_test_run();
}
