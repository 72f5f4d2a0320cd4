/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests groups and their values, in reports of synthetic snapshots. */
#include <string.h>

#include "workers.h"

static void test_keys(void)
{
	static const struct {
		GroupBy group_by;
		const char *a, *b; /* b NULL: show */
		const char *groups;
		gboolean literal;
	} cases[] = {
		{GROUP_BY_COMM, "worker-0 worker-1 worker-2 rayon-pool-0 rayon-pool-3 main", NULL,
		 "main 1 rayon-pool-{N} 2 worker-{N} 3", FALSE},
		{GROUP_BY_COMM, "worker-0 main", NULL, "main 1 worker-0 1", FALSE},
		{GROUP_BY_PCOMM, "worker-7", "worker-0 worker-1 worker-2", "worker-{N} 1>3", FALSE},
		/* A name that occurs on both sides is not its own peer. */
		{GROUP_BY_PCOMM, "worker-7 worker-7", "worker-7", "worker-7 2>1", FALSE},
		{GROUP_BY_PCOMM, "worker-1 worker-2", "worker-2", "worker-2 1>1 -worker-1", TRUE},
		{GROUP_BY_COMM_EXACT, "worker-1 worker-2", "worker-2", "worker-2 1>1 -worker-1",
		 FALSE},
		{GROUP_BY_COMM, "a b c", "b c d", "b 1>1 c 1>1 -a +d", FALSE},
		{GROUP_BY_CGROUP, "/s-1.slice /s-2.slice /x", "/s-3.slice /x",
		 "/s-{N}.slice 2>1 /x 1>1", FALSE},
		{GROUP_BY_CGROUP, "/s-1.slice", NULL, "/s-1.slice 1", FALSE},
		/* Under "all", names keep their pattern, while cgroups depend on their peers. */
		{GROUP_BY_ALL, "w-1", "w-1", "w-1|w-{N}|w-{N} 1>1", FALSE},
		{GROUP_BY_ALL, "w-1", "w-1 w-2", "w-{N}|w-{N}|w-{N} 1>2", FALSE},
		{GROUP_BY_ALL, "w-1", "w-1", "w-1|w-1|w-1 1>1", TRUE},
		{GROUP_BY_ALL, "w-1 w-2", NULL, "w-{N}|w-{N}|w-{N} 2", FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) a = workers_new(cases[i].a);
		g_autoptr(Sample) b = cases[i].b ? workers_new(cases[i].b) : NULL;
		char metrics[] = "run_time_ns";
		AnalysisOptions options = workers_options(cases[i].group_by, metrics);
		const struct ctprof_report *report;

		options.no_thread_normalize = cases[i].literal;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(a, b, &options, &report);
		g_autofree char *groups = workers_dump(report);
		g_test_message("%s against %s", cases[i].a, cases[i].b ? cases[i].b : "nothing");
		g_assert_cmpstr(groups, ==, cases[i].groups);
	}
}

/* Threads with an absent name form a group of their own, without a crash. */
static void test_absent_names(void)
{
	g_autoptr(Sample) a = sample_new();
	char metrics[] = "thread_count";
	AnalysisOptions options = workers_options(GROUP_BY_ALL, metrics);
	const struct ctprof_report *report;

	sample_thread(a, 1, 1, NULL, NULL, NULL);
	sample_thread(a, 2, 2, "p", "\xff\x01", "/x");
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, NULL, &options, &report);
	g_autofree char *dump = sample_dump(report);
	g_assert_cmpstr(dump, ==,
			"primary -|-|- thread_count 1\n"
			"primary /x|p|\xff\x01 thread_count 1\n");
}

/* Returns three threads of one group; the third one has no values. */
static Sample *fold_sample(void)
{
	Sample *sample = sample_new();

	for (gint32 i = 0; i < 3; i++) {
		sample_thread(sample, 1, 1 + i, "p", "c", "/");
		if (i == 2)
			break;
		sample_text(sample, "policy", i ? "SCHED_FIFO" : "SCHED_OTHER");
		sample_i64(sample, "nice", i ? -5 : 10);
		sample_cpus(sample, "cpu_affinity", i ? "0 1 2 3 5" : "0 2");
		sample_u64(sample, "state", i ? 'S' : '~');
		sample_u64(sample, "ext_enabled", (guint64)i);
		sample_u64(sample, "run_time_ns", i ? G_MAXUINT64 : 7);
		sample_u64(sample, "wait_max", i ? 4 : 9);
		sample_u64(sample, "fair_slice_ns", i ? 3 : 2);
		sample_u64(sample, "cpu_delay_min_ns", i ? 40 : 0);
		if (i == 0)
			sample_u64(sample, "nr_threads", 3);
	}
	return sample;
}

static void test_folds(void)
{
	static const char *const cases[][2] = {
		{"thread_count", "3"},
		{"policy", "~SCHED_FIFO(1/2)"},
		{"nice", "~-5..10"},
		{"cpu_affinity", "~2-5cpus(mixed)"},
		{"state", "~S(1/2)"},
		{"ext_enabled", "~false(1/2)"},
		{"nr_threads", "3"},
		{"run_time_ns", "~18446744073709551615"},
		{"wait_max", "~9"},
		{"fair_slice_ns", "~3"},
		{"cpu_delay_min_ns", "~40"},
		/* If no thread has a value, it is absent and not 0. */
		{"wait_sum", "."},
		{"cpu_efficiency", "."},
	};
	g_autoptr(Sample) sample = fold_sample();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *section = strchr(cases[i][0], 'y') && strstr(cases[i][0], "efficiency")
					      ? "derived"
					      : "primary";
		const SampleRow *row = sample_find(report, section, "p", cases[i][0]);

		g_assert_nonnull(row);
		g_autofree char *value = sample_dump_value(&row->value[0]);
		g_test_message("%s", cases[i][0]);
		g_assert_cmpstr(value, ==, cases[i][1]);
	}
}

/* CPU sets on which threads agree. */
static void test_cpu_lists(void)
{
	static const char *const cases[][2] = {
		{"0 1 2 3", "4-4cpus(0-3)"},
		{"0 1 4 5 7", "5-5cpus(0-1,4-5,7)"},
		{"0 2", "2-2cpus(0,2)"},
		{"9", "1-1cpus(9)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) sample = sample_new();
		AnalysisOptions options = {.group_by = GROUP_BY_ALL};
		const struct ctprof_report *report;

		/* Two literal names, so that records are merged, too. */
		for (gint32 t = 1; t <= 4; t++) {
			sample_thread(sample, 1, t, "p", t % 2 ? "w-1" : "w-2", "/");
			sample_cpus(sample, "cpu_affinity", cases[i][0]);
		}
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, NULL, &options, &report);
		const SampleRow *row = sample_find(report, "primary", "/|p|w-{N}", "cpu_affinity");
		g_assert_nonnull(row);
		g_autofree char *value = sample_dump_value(&row->value[0]);
		g_assert_cmpstr(value, ==, cases[i][1]);
	}
}

/* 3 of 5 agree; in a tie the smallest wins. */
static void test_modes(void)
{
	static const char *const cases[][2] = {
		{"OTHER OTHER FIFO OTHER RR", "OTHER(3/5)"},
		{"RR FIFO OTHER", "FIFO(1/3)"},
		{"RR FIFO RR FIFO", "FIFO(2/4)"},
		{"RR", "RR(1/1)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) sample = sample_new();
		g_auto(GStrv) words = g_strsplit(cases[i][0], " ", -1);
		AnalysisOptions options = {.group_by = GROUP_BY_COMM};
		const struct ctprof_report *report;

		/* Each thread has a name of its own: the tallies are merged. */
		for (gint32 t = 0; words[t]; t++) {
			g_autofree char *comm = g_strdup_printf("w%d", t);

			sample_thread(sample, 1, t + 1, "p", comm, "/");
			sample_text(sample, "policy", words[t]);
		}
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, NULL, &options, &report);
		const SampleRow *row = sample_find(
			report, "primary", g_strv_length(words) > 1 ? "w{N}" : "w0", "policy");
		g_assert_nonnull(row);
		g_autofree char *value = sample_dump_value(&row->value[0]);
		g_assert_cmpstr(value, ==, cases[i][1]);
	}
}

static void test_compare(void)
{
	g_autoptr(Sample) a = NULL;
	g_autoptr(Sample) b = NULL;
	char metrics[] = "thread_count,run_time_ns,wait_sum";
	AnalysisOptions options = workers_options(GROUP_BY_PCOMM, metrics);
	const struct ctprof_report *report;

	workers_new_pair(&a, &b);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	g_autofree char *dump = sample_dump(report);
	g_autofree char *only_a = sample_dump_only(report, 0);
	g_autofree char *only_b = sample_dump_only(report, 1);
	g_assert_cmpstr(dump, ==,
			"primary busy run_time_ns 400 1400 +1000 +250.0%\n"
			"primary busy wait_sum . ~8\n"
			"primary busy thread_count 2 2 +0 +0.0% S\n"
			"primary idle thread_count 1 1 +0 +0.0% S\n"
			"primary idle run_time_ns 1000 1000 +0 +0.0% S\n"
			"primary idle wait_sum . . S\n");
	g_assert_cmpstr(only_a, ==, "gone 1\n");
	g_assert_cmpstr(only_b, ==, "fresh 1\n");
	g_assert_cmpuint(report->flags & CTPROF_REPORT_COMPARE, !=, 0);
	g_assert_cmpstr(report->group_by, ==, "pcomm");
	g_assert_cmpstr(sample_section(report, "primary")->names_header, ==, "pcomm");
	g_assert_cmpstr(sample_section(report, "primary")->heading, ==, "Primary metrics");
}

/* Threads are paired by TID and start time, not by name. */
static void test_by_thread(void)
{
	static const struct {
		gint32 tid;
		const char *comm;
		guint64 start;
		guint side;
	} rows[] = {
		{7, "old", 100, 0}, {7, "new", 100, 1}, /* renamed itself */
		{8, "x", 100, 0},   {8, "x", 900, 1},   /* the TID was reused */
		{9, "y", 50, 0},    {10, "y", 51, 1},
	};
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	char metrics[] = "run_time_ns";
	AnalysisOptions options = workers_options(GROUP_BY_THREAD, metrics);
	const struct ctprof_report *report;

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		Sample *sample = rows[i].side ? b : a;

		workers_add(sample, rows[i].tid, "p", rows[i].comm, "/", 5 + rows[i].side);
		sample_u64(sample, "start_time_clock_ticks", rows[i].start);
	}
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	g_autofree char *dump = sample_dump(report);
	g_autofree char *only_a = sample_dump_only(report, 0);
	g_autofree char *only_b = sample_dump_only(report, 1);
	g_assert_cmpstr(dump, ==, "primary old[7] run_time_ns 5 6 +1 +20.0%\n");
	g_assert_cmpstr(only_a, ==, "x[8] 1\ny[9] 1\n");
	g_assert_cmpstr(only_b, ==, "x[8] 1\ny[10] 1\n");
}

/* The average age of a group's threads; without known start times it is absent. */
static void test_uptime(void)
{
	static const struct {
		const char *comm;
		guint64 start;
	} threads[] = {{"a", 1000}, {"b", 600}, {"b", 400}, {"c", 0}};
	g_autoptr(Sample) sample = sample_new();
	AnalysisOptions options = {.group_by = GROUP_BY_COMM,
				   .captures = {{.now = 1100}, {.now = 1100}}};
	const struct ctprof_report *report;

	for (gsize i = 0; i < G_N_ELEMENTS(threads); i++) {
		workers_add(sample, (gint32)i + 1, "p", threads[i].comm, "/", 1);
		if (threads[i].start)
			sample_u64(sample, "start_time_clock_ticks", threads[i].start);
	}
	for (guint compare = 0; compare < 2; compare++) {
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, compare ? sample : NULL, &options, &report);
		const SampleRow *a = sample_find(report, "primary", "a", "run_time_ns");
		const SampleRow *b = sample_find(report, "primary", "b", "run_time_ns");
		const SampleRow *c = sample_find(report, "primary", "c", "run_time_ns");

		g_assert_true(a->line->flags & CTPROF_LINE_HAS_UPTIME);
		g_assert_cmpfloat(a->line->uptime, ==, 1);
		g_assert_cmpfloat(b->line->uptime, ==, 6);
		g_assert_false(c->line->flags & CTPROF_LINE_HAS_UPTIME);
	}
}

static void test_tags_and_units(void)
{
	static const struct {
		const char *section, *metric, *tags, *unit;
		guint32 ladder;
	} cases[] = {
		{"primary", "nr_wakeups_affine", "[cfs-only] [SCHEDSTATS]", "none",
		 CTPROF_LADDER_UNITLESS},
		{"primary", "core_forceidle_sum", "[SCHED_CORE] [SCHEDSTATS]", "ns",
		 CTPROF_LADDER_NS},
		{"primary", "fair_slice_ns", "[fair-policy]", "ns", CTPROF_LADDER_NS},
		{"primary", "wait_sum", "[non-ext] [SCHEDSTATS]", "ns", CTPROF_LADDER_NS},
		{"primary", "policy", "", "text", CTPROF_LADDER_NONE},
		{"primary", "nice", "", "none", CTPROF_LADDER_NONE},
		{"primary", "utime_clock_ticks", "", "ticks", CTPROF_LADDER_TICKS},
		{"primary", "hiwater_rss_bytes", "", "bytes", CTPROF_LADDER_BYTES},
		{"primary", "thread_count", "", "none", CTPROF_LADDER_UNITLESS},
		{"derived", "cpu_efficiency", "", "ratio", CTPROF_LADDER_RATIO},
		{"derived", "live_heap_estimate", "", "bytes", CTPROF_LADDER_BYTES},
		{"derived", "avg_cpu_delay_ns", "", "ns", CTPROF_LADDER_NS},
	};
	g_autoptr(Sample) sample = workers_new("c");
	AnalysisOptions options = {.group_by = GROUP_BY_COMM};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const SampleRow *row = sample_find(report, cases[i].section, "c", cases[i].metric);

		g_assert_nonnull(row);
		g_assert_cmpstr(row->field->tags, ==, cases[i].tags);
		g_assert_cmpstr(row->field->unit, ==, cases[i].unit);
		g_assert_cmpuint(row->field->ladder, ==, cases[i].ladder);
	}
	g_assert_cmpuint(sample_section(report, "derived")->n_lines, ==, 17);
}

/* Metrics of an unknown plugin are shown like all others. */
static void test_third_party(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.group_by = GROUP_BY_COMM};
	const struct ctprof_report *report;

	sample_metric(a, "toys", CTPROF_COUNTER, CTPROF_UNIT_KIB, CTPROF_SCOPE_THREAD, "toy");
	sample_metric(a, "odd", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD, "toy");
	sample_metric(b, "odd", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD, "toy");
	sample_metric(b, "late", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD, "toy");
	workers_add(a, 1, "c", "c", "/", 1);
	sample_u64(a, "toys", 3);
	sample_u64(a, "odd", 3);
	workers_add(b, 1, "c", "c", "/", 1);
	sample_i64(b, "odd", 3);
	sample_u64(b, "late", 8);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	const SampleRow *toys = sample_find(report, "primary", "c", "toys");
	const SampleRow *odd = sample_find(report, "primary", "c", "odd");
	const SampleRow *late = sample_find(report, "primary", "c", "late");
	g_assert_cmpuint(toys->value[0].number, ==, 3072);
	g_assert_cmpuint(toys->value[1].type, ==, CTPROF_VALUE_ABSENT);
	g_assert_cmpstr(toys->field->unit, ==, "bytes");
	/* A name with two meanings is not compared, which a message reports. */
	g_assert_cmpuint(odd->value[0].number, ==, 3);
	g_assert_cmpuint(odd->value[1].type, ==, CTPROF_VALUE_ABSENT);
	g_assert_cmpuint(late->value[1].number, ==, 8);
	g_assert_cmpuint(report->n_warnings, ==, 1);
	g_assert_nonnull(strstr(report->warnings[0], "'odd'"));
}

/* Without any rows, the report has no groups. */
static void test_nothing(void)
{
	AnalysisOptions options = {.compare = TRUE, .group_by = GROUP_BY_ALL};
	g_autoptr(Analysis) analysis = analysis_new(&options, NULL);
	const struct ctprof_report *report = analysis_finish(analysis, NULL);

	g_assert_nonnull(report);
	g_assert_cmpuint(sample_section(report, "findings")->n_lines, ==, 0);
	g_assert_cmpuint(sample_section(report, "primary")->n_lines, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/groups/keys", test_keys);
	g_test_add_func("/groups/absent-names", test_absent_names);
	g_test_add_func("/groups/folds", test_folds);
	g_test_add_func("/groups/cpu-lists", test_cpu_lists);
	g_test_add_func("/groups/modes", test_modes);
	g_test_add_func("/groups/compare", test_compare);
	g_test_add_func("/groups/by-thread", test_by_thread);
	g_test_add_func("/groups/uptime", test_uptime);
	g_test_add_func("/groups/tags-and-units", test_tags_and_units);
	g_test_add_func("/groups/third-party", test_third_party);
	g_test_add_func("/groups/nothing", test_nothing);
	return g_test_run();
}
