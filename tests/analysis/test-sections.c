/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the sections other than those of threads: cgroups, the host. */
#include <string.h>

#include "sample.h"

/* Leaves the thread's values out of the dump. */
static char *dump_of(const Sample *a, const Sample *b, AnalysisOptions options, const char *section)
{
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);

	return sample_dump_section(report, section);
}

/* Returns cgroups that share a pattern, and one that only the baseline has. */
static Sample *cgroup_sample(gboolean later)
{
	Sample *sample = sample_new();

	sample_thread(sample, 1, 1, "p", "c", "/s-1.slice");
	sample_u64(sample, "run_time_ns", 1);
	sample_cgroup(sample, "/s-1.slice");
	sample_u64(sample, "cpu.usage_usec", later ? 150 : 100);
	sample_u64(sample, "memory.current", 4096);
	sample_u64(sample, "cpu.max_quota_us", 50000);
	sample_u64(sample, "cpu.max_period_us", 100000);
	sample_u64(sample, "cpu.weight", 100);
	sample_u64(sample, "memory.max", later ? 8192 : G_MAXUINT64);
	sample_u64(sample, "pids.current", 3);
	sample_u64(sample, "psi.cpu.some.avg10", 100);
	sample_u64(sample, "psi.cpu.some.total_usec", 10);
	sample_map(sample, "memory.stat", later ? "anon=4096 pgfault=7" : "anon=4096 pgfault=5");
	sample_map(sample, "memory.events", "oom=0 high=2");
	sample_cgroup(sample, "/s-2.slice");
	sample_u64(sample, "cpu.usage_usec", 1000);
	sample_u64(sample, "memory.current", 8192);
	sample_u64(sample, "cpu.max_quota_us", G_MAXUINT64);
	sample_u64(sample, "memory.max", 4096);
	sample_u64(sample, "pids.current", 4);
	sample_u64(sample, "psi.cpu.some.avg10", 250);
	sample_u64(sample, "psi.cpu.some.total_usec", 10);
	sample_map(sample, "memory.stat", "anon=8192 file=1 pgfault=30");
	if (later)
		return sample;
	sample_cgroup(sample, "/z");
	sample_u64(sample, "cpu.usage_usec", 9);
	return sample;
}

/* Counters are summed, levels are the highest, unlimited wins, and a sum that lacks a value is
 * partial. */
static void test_cgroups_show(void)
{
	static const char *const cases[][2] = {
		{"cgroup-stats", "cgroup-stats /s-{N}.slice cpu.usage_usec 1100\n"
				 "cgroup-stats /s-{N}.slice cpu.nr_throttled .\n"
				 "cgroup-stats /s-{N}.slice cpu.throttled_usec .\n"
				 "cgroup-stats /s-{N}.slice memory.current 8192\n"
				 "cgroup-stats /z cpu.usage_usec 9\n"
				 "cgroup-stats /z cpu.nr_throttled .\n"
				 "cgroup-stats /z cpu.throttled_usec .\n"
				 "cgroup-stats /z memory.current .\n"},
		{"cgroup-limits", "cgroup-limits /s-{N}.slice cpu.max_quota_us max\n"
				  "cgroup-limits /s-{N}.slice cpu.max_period_us ~100000\n"
				  "cgroup-limits /s-{N}.slice cpu.weight .\n"
				  "cgroup-limits /s-{N}.slice memory.max max\n"
				  "cgroup-limits /s-{N}.slice memory.high .\n"
				  "cgroup-limits /s-{N}.slice pids.current 7\n"
				  "cgroup-limits /s-{N}.slice pids.max .\n"},
		{"memory-stat", "memory-stat /s-{N}.slice anon 8192\n"
				"memory-stat /s-{N}.slice file 1\n"
				"memory-stat /s-{N}.slice pgfault 35\n"},
		{"memory-events", "memory-events /s-{N}.slice high ~2\n"},
		{"pressure", "pressure /s-{N}.slice|some avg10 250\n"
			     "pressure /s-{N}.slice|some total_usec 20\n"
			     "pressure /z|some avg10 .\n"
			     "pressure /z|some total_usec .\n"},
	};
	g_autoptr(Sample) sample = cgroup_sample(FALSE);
	AnalysisOptions options = {.group_by = GROUP_BY_CGROUP};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *dump = dump_of(sample, NULL, options, cases[i][0]);

		g_assert_cmpstr(dump, ==, cases[i][1]);
	}
}

static void test_cgroups_compare(void)
{
	static const char *const cases[][2] = {
		{"cgroup-stats", "cgroup-stats /s-1.slice cpu.usage_usec 100 150 +50 +50.0%\n"
				 "cgroup-stats /s-1.slice cpu.nr_throttled . . S\n"
				 "cgroup-stats /s-1.slice cpu.throttled_usec . . S\n"
				 "cgroup-stats /s-1.slice memory.current 4096 4096 +0 +0.0% S\n"
				 "cgroup-stats /s-2.slice cpu.usage_usec 1000 1000 +0 +0.0% S\n"
				 "cgroup-stats /s-2.slice cpu.nr_throttled . . S\n"
				 "cgroup-stats /s-2.slice cpu.throttled_usec . . S\n"
				 "cgroup-stats /s-2.slice memory.current 8192 8192 +0 +0.0% S\n"
				 "cgroup-stats /z cpu.usage_usec 9 .\n"
				 "cgroup-stats /z cpu.nr_throttled . . S\n"
				 "cgroup-stats /z cpu.throttled_usec . . S\n"
				 "cgroup-stats /z memory.current . . S\n"},
		/* The change of a setting has no size, that of a level has. */
		{"cgroup-limits", "cgroup-limits /s-1.slice cpu.max_quota_us 50000 50000 S\n"
				  "cgroup-limits /s-1.slice cpu.max_period_us 100000 100000 S\n"
				  "cgroup-limits /s-1.slice cpu.weight 100 100 +0 +0.0% S\n"
				  "cgroup-limits /s-1.slice memory.max max 8192 D\n"
				  "cgroup-limits /s-1.slice memory.high . . S\n"
				  "cgroup-limits /s-1.slice pids.current 3 3 +0 +0.0% S\n"
				  "cgroup-limits /s-1.slice pids.max . . S\n"
				  "cgroup-limits /s-2.slice cpu.max_quota_us max max S\n"
				  "cgroup-limits /s-2.slice cpu.max_period_us . . S\n"
				  "cgroup-limits /s-2.slice cpu.weight . . S\n"
				  "cgroup-limits /s-2.slice memory.max 4096 4096 S\n"
				  "cgroup-limits /s-2.slice memory.high . . S\n"
				  "cgroup-limits /s-2.slice pids.current 4 4 +0 +0.0% S\n"
				  "cgroup-limits /s-2.slice pids.max . . S\n"},
		{"memory-stat", "memory-stat /s-1.slice pgfault 5 7 +2 +40.0%\n"},
		{"memory-events", ""},
		{"pressure", "pressure /s-1.slice|some avg10 100 100 +0 S\n"
			     "pressure /s-1.slice|some total_usec 10 10 +0 +0.0% S\n"
			     "pressure /s-2.slice|some avg10 250 250 +0 S\n"
			     "pressure /s-2.slice|some total_usec 10 10 +0 +0.0% S\n"
			     "pressure /z|some avg10 . . S\n"
			     "pressure /z|some total_usec . . S\n"},
	};
	g_autoptr(Sample) a = cgroup_sample(FALSE);
	g_autoptr(Sample) b = cgroup_sample(TRUE);
	AnalysisOptions options = {.group_by = GROUP_BY_CGROUP, .no_cgroup_normalize = TRUE};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *dump = dump_of(a, b, options, cases[i][0]);

		g_assert_cmpstr(dump, ==, cases[i][1]);
	}
	options.changed = TRUE;
	options.limit = 1;
	g_autofree char *changed = dump_of(a, b, options, "cgroup-stats");
	g_assert_nonnull(strstr(changed, "/s-1.slice memory.current"));
	g_assert_null(strstr(changed, "/s-2"));
	/* Each line of the wide table is a cgroup, so one line is cut. */
	g_assert_nonnull(strstr(changed, "cgroup-stats cut 1\n"));
}

static Sample *nested_sample(guint64 factor)
{
	static const struct {
		const char *path;
		guint64 usage;
	} cgroups[] = {{"/pod", 100}, {"/pod-x", 7}, {"/pod/a", 60}, {"/pod/a/in", 60}};
	Sample *sample = sample_new();

	sample_thread(sample, 1, 1, "p", "c", "/pod/a/in");
	sample_u64(sample, "start_time_clock_ticks", 100);
	for (gsize i = 0; i < G_N_ELEMENTS(cgroups); i++) {
		sample_cgroup(sample, cgroups[i].path);
		sample_u64(sample, "cpu.usage_usec", cgroups[i].usage * factor);
	}
	return sample;
}

/* The counts of a cgroup are also counted in its ancestors: under one name they count once. */
static void test_cgroups_are_counted_once(void)
{
	char glob[] = "/**", *globs[] = {glob, NULL};
	g_autoptr(Sample) a = nested_sample(1);
	g_autoptr(Sample) b = nested_sample(3);
	AnalysisOptions options = {.group_by = GROUP_BY_CGROUP, .flatten = globs};

	g_autofree char *shown = dump_of(a, NULL, options, "cgroup-stats");
	g_assert_true(g_str_has_prefix(shown, "cgroup-stats /** cpu.usage_usec 107\n"));
	options.may_be_window = options.is_window = TRUE;
	options.elapsed_s = 1;
	options.began = 200;
	g_autofree char *window = dump_of(a, b, options, "cgroup-stats");
	g_assert_true(g_str_has_prefix(window, "cgroup-stats /** cpu.usage_usec 107 321 +214\n"));
}

/* Sections about cgroups need the right axis; if they are requested under another, a warning says
 * so. */
static void test_cgroups_elsewhere(void)
{
	g_autoptr(Sample) sample = cgroup_sample(FALSE);
	char shown[] = "primary,pressure,memory-stat";
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM, .sections = shown};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);

	g_assert_cmpuint(report->n_sections, ==, 1);
	g_assert_cmpuint(report->n_warnings, ==, 2);
	g_assert_cmpstr(report->warnings[0], ==,
			"section 'memory-stat' requires --group-by cgroup; omitted under "
			"--group-by pcomm");
	options.sections = NULL;
	g_autoptr(Analysis) silent G_GNUC_UNUSED = sample_analyse(sample, NULL, &options, &report);
	g_assert_cmpuint(report->n_warnings, ==, 0);
}

/* Cgroups without a thread influence the names of their peers. */
static void test_cgroups_name_threads(void)
{
	g_autoptr(Sample) sample = cgroup_sample(FALSE);
	AnalysisOptions options = {.group_by = GROUP_BY_ALL};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);

	const struct ctprof_report_section *section = sample_section(report, "primary");
	g_assert_true(section->flags & CTPROF_SECTION_TREE);
	g_assert_cmpuint(section->lines[0].flags, ==, CTPROF_LINE_HEADING);
	g_assert_cmpstr(section->lines[0].names[0], ==, "s-{N}.slice");
	g_assert_cmpstr(section->lines[2].names[0], ==, "/s-{N}.slice");
	g_assert_cmpuint(section->lines[2].depth, ==, 2);
}

static Sample *host_sample(const char *release, guint64 seq, gboolean bpf)
{
	Sample *sample = sample_new();

	sample_host(sample);
	sample_text(sample, "host.kernel_release", release);
	sample_u64(sample, "host.online_cpus", 4);
	sample_map(sample, "host.sched_tunables", "a=x b=y");
	sample_u64(sample, "psi.cpu.some.avg10", 0);
	sample_u64(sample, "psi.io.full.avg10", 1859);
	if (bpf) {
		sample_text(sample, "sched_ext.state", "enabled");
		sample_u64(sample, "sched_ext.enable_seq", seq);
	}
	return sample;
}

static void test_host(void)
{
	g_autoptr(Sample) old = host_sample("6.1", 1, TRUE);
	g_autoptr(Sample) new = host_sample("6.2", 2, TRUE);
	g_autoptr(Sample) plain = host_sample("6.1", 0, FALSE);
	char host[] = "host-metrics", both[] = "host-metrics,sched-ext,host-pressure";
	char others[] = "sched-ext,host-pressure";
	const struct {
		const Sample *a, *b;
		char *sections;
		const char *dump;
	} cases[] = {
		{old, NULL, host,
		 "host-metrics host host.kernel_release '6.1'\n"
		 "host-metrics host host.online_cpus 4\n"
		 "host-metrics host host.sched_tunables.a 'x'\n"
		 "host-metrics host host.sched_tunables.b 'y'\n"},
		{plain, NULL, others, "host-pressure full avg10 1859\n"},
		{old, old, both, "host-pressure full avg10 1859 1859 +0 S\n"},
		{old, new, both,
		 "host-pressure full avg10 1859 1859 +0 S\n"
		 "sched-ext host sched_ext.state 'enabled' 'enabled' S\n"
		 "sched-ext host sched_ext.enable_seq 1 2 +1 +100.0%\n"
		 "host-metrics host host.kernel_release '6.1' '6.2' D\n"},
		{plain, old, both,
		 "host-pressure full avg10 1859 1859 +0 S\n"
		 "sched-ext host sched_ext.state . 'enabled'\n"
		 "sched-ext host sched_ext.enable_seq . 1\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM,
					   .sections = cases[i].sections};
		g_autofree char *dump = dump_of(cases[i].a, cases[i].b, options, NULL);

		g_test_message("case %" G_GSIZE_FORMAT, i);
		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

static Sample *quiet_sample(guint64 number)
{
	Sample *sample = sample_new();

	sample_metric(sample, "loud", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST, "load");
	sample_metric(sample, "busy", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST, "load");
	sample_metric(sample, "spent", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS,
		      "sched");
	sample_flag(sample, ROW_HOST, "busy", CTPROF_METRIC_QUIET);
	sample_flag(sample, ROW_THREAD, "spent", CTPROF_METRIC_QUIET);
	sample_host(sample);
	sample_u64(sample, "loud", number);
	sample_u64(sample, "busy", number);
	sample_thread(sample, 5, 5, "app", "app", "/c");
	sample_u64(sample, "spent", number);
	return sample;
}

/* Quiet values of the host and of processes are shown only if they are named. */
static void test_quiet(void)
{
	static const struct {
		const char *sections, *metrics, *dump;
	} cases[] = {
		{NULL, NULL, "host-metrics host loud 1 2 +1 +100.0%\n"},
		{"primary,host-metrics", NULL,
		 "host-metrics host loud 1 2 +1 +100.0%\nhost-metrics host busy 1 2 +1 +100.0%\n"},
		{"primary", "spent", "primary app spent 1 2 +1 +100.0%\n"},
	};
	g_autoptr(Sample) old = quiet_sample(1);
	g_autoptr(Sample) new = quiet_sample(2);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *shown = g_strdup(cases[i].sections);
		g_autofree char *metrics = g_strdup(cases[i].metrics);
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM,
					   .changed = TRUE,
					   .sections = shown,
					   .metrics = metrics};
		g_autofree char *dump = dump_of(old, new, options, NULL);

		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

static Sample *kinds_sample(void)
{
	Sample *sample = sample_new();

	sample_thread(sample, 5, 5, "app", "app", "/c");
	sample_u64(sample, "run_time_ns", 7);
	sample_u64(sample, "wait_sum", 8);
	sample_u64(sample, "wait_count", 2);
	sample_u64(sample, "wait_max", 6);
	sample_i64(sample, "nice", -5);
	sample_text(sample, "policy", "SCHED_OTHER");
	sample_u64(sample, "cpu_delay_min_ns", 3);
	sample_map(sample, "smaps_rollup_kib", "Rss=4");
	sample_cgroup(sample, "/c");
	sample_u64(sample, "cpu.usage_usec", 9);
	sample_u64(sample, "memory.current", 4096);
	sample_u64(sample, "pids.current", 3);
	sample_map(sample, "memory.stat", "anon=8192 pgfault=35");
	sample_map(sample, "memory.events", "high=2");
	sample_u64(sample, "psi.cpu.some.avg10", 250);
	sample_u64(sample, "psi.cpu.some.total_usec", 20);
	return sample;
}

/* A sink that draws for machines must know which values only grow. */
static void test_kinds(void)
{
	static const struct {
		const char *section, *group, *metric;
		guint32 kind;
	} cases[] = {
		{"primary", "/c", "thread_count", CTPROF_LEVEL},
		{"primary", "/c", "run_time_ns", CTPROF_COUNTER},
		{"primary", "/c", "wait_max", CTPROF_PEAK},
		{"primary", "/c", "nice", CTPROF_ORDINAL},
		{"primary", "/c", "policy", CTPROF_CATEGORY},
		{"primary", "/c", "cpu_delay_min_ns", CTPROF_LOW},
		{"derived", "/c", "avg_wait_ns", 0},
		{"smaps-rollup", "app", "Rss", CTPROF_LEVEL},
		{"cgroup-stats", "/c", "cpu.usage_usec", CTPROF_COUNTER},
		{"cgroup-stats", "/c", "memory.current", CTPROF_GAUGE},
		{"cgroup-limits", "/c", "pids.current", CTPROF_LEVEL},
		{"memory-stat", "/c", "anon", CTPROF_LEVEL},
		{"memory-stat", "/c", "pgfault", CTPROF_COUNTER},
		{"memory-events", "/c", "high", CTPROF_COUNTER},
		{"pressure", "/c|some", "avg10", CTPROF_GAUGE},
		{"pressure", "/c|some", "total_usec", CTPROF_COUNTER},
	};
	g_autoptr(Sample) sample = kinds_sample();
	AnalysisOptions options = {.group_by = GROUP_BY_CGROUP};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const SampleRow *row =
			sample_find(report, cases[i].section, cases[i].group, cases[i].metric);

		g_test_message("%s %s", cases[i].section, cases[i].metric);
		g_assert_nonnull(row);
		g_assert_cmpuint(row->cell->struct_size, ==, sizeof *row->cell);
		g_assert_cmpuint(row->field->kind, ==, cases[i].kind);
	}
}

/* Tests the order of a report, and its headings. */
static void test_order(void)
{
	static const char *const orders[] = {
		"Host,What stands out,Pools,Primary metrics,Derived metrics,CgroupStats,Cgroup limits / knobs,memory.stat,"
		"memory.events,Pressure / cpu,Host pressure / io,smaps_rollup",
		"Host,What stands out,Pools,Primary metrics,Derived metrics,smaps_rollup,CgroupStats,Cgroup limits / knobs,"
		"memory.stat,Pressure / cpu,Host pressure / io,Host metrics",
	};
	g_autoptr(Sample) a = cgroup_sample(FALSE);
	g_autoptr(Sample) b = cgroup_sample(TRUE);
	Sample *samples[] = {a, b};

	for (guint i = 0; i < 2; i++) {
		sample_host(samples[i]);
		sample_text(samples[i], "host.kernel_release", i ? "6.2" : "6.1");
		sample_u64(samples[i], "psi.io.full.avg10", 5);
		sample_thread(samples[i], 30, 30, "p", "p", "/s-1.slice");
		sample_map(samples[i], "smaps_rollup_kib", i ? "Rss=5" : "Rss=7");
	}
	for (guint compare = 0; compare < 2; compare++) {
		AnalysisOptions options = {.group_by = GROUP_BY_CGROUP};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(a, compare ? b : NULL, &options, &report);
		g_autoptr(GString) order = g_string_new(NULL);

		for (guint64 i = 0; i < report->n_sections; i++)
			g_string_append_printf(order, "%s%s", i ? "," : "",
					       report->sections[i].heading);
		g_assert_cmpstr(order->str, ==, orders[compare]);
	}
}

/* The delays share a table with the other metrics, and give it their name if they are alone. */
static void test_delays(void)
{
	static const struct {
		const char *sections;
		const char *dump;
	} cases[] = {
		{"primary", "primary p thread_count 1\nprimary p run_time_ns 4\n"},
		{"taskstats-delay", "taskstats-delay p cpu_delay_count 2\n"
				    "taskstats-delay p cpu_delay_total_ns 10\n"
				    "derived p avg_cpu_delay_ns 5.000\n"},
		{"derived", "derived p avg_slice_ns 2.000\n"},
	};
	g_autoptr(Sample) sample = sample_new();

	sample_thread(sample, 1, 1, "p", "c", "/");
	sample_u64(sample, "run_time_ns", 4);
	sample_u64(sample, "timeslices", 2);
	sample_u64(sample, "cpu_delay_count", 2);
	sample_u64(sample, "cpu_delay_total_ns", 10);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char metrics[] = "thread_count,run_time_ns,cpu_delay_count,cpu_delay_total_ns,"
				 "avg_cpu_delay_ns,avg_slice_ns";
		g_autofree char *shown = g_strdup(cases[i].sections);
		AnalysisOptions options = {
			.group_by = GROUP_BY_PCOMM, .metrics = metrics, .sections = shown};
		g_autofree char *dump = dump_of(sample, NULL, options, NULL);

		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sections/cgroups-show", test_cgroups_show);
	g_test_add_func("/sections/cgroups-compare", test_cgroups_compare);
	g_test_add_func("/sections/cgroups-once", test_cgroups_are_counted_once);
	g_test_add_func("/sections/cgroups-elsewhere", test_cgroups_elsewhere);
	g_test_add_func("/sections/cgroups-name-threads", test_cgroups_name_threads);
	g_test_add_func("/sections/host", test_host);
	g_test_add_func("/sections/quiet", test_quiet);
	g_test_add_func("/sections/kinds", test_kinds);
	g_test_add_func("/sections/order", test_order);
	g_test_add_func("/sections/delays", test_delays);
	return g_test_run();
}
