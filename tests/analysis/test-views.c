/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which parts of a report the options select, and in which order. */
#include <string.h>

#include "base/error.h"
#include "workers.h"

/* Options are not const strings, because the command line parser owns them. */
#define TEXT(text) ((char *)(uintptr_t)(text))

#define BUSY "primary busy run_time_ns 400 1400 +1000 +250.0%\n"

static void test_views(void)
{
	const struct {
		AnalysisOptions options; /* group_by, metrics and sections are set */
		char *filter, *min_delta, *sort_by;
		const char *dump;
	} cases[] = {
		{{.changed = TRUE},
		 NULL,
		 NULL,
		 NULL,
		 "primary busy run_time_ns 400 1400 +1000 +250.0%\n"
		 "primary busy wait_sum . ~8\n"},
		{{.min_pct = 20}, NULL, NULL, NULL, BUSY},
		{{.changed = FALSE}, NULL, TEXT("1001ns"), NULL, ""},
		{{.changed = FALSE}, NULL, TEXT("1us"), NULL, BUSY},
		{{.limit = 1},
		 NULL,
		 NULL,
		 NULL,
		 BUSY "primary busy wait_sum . ~8\n"
		      "primary busy thread_count 2 2 +0 +0.0% S\nprimary cut 3\n"},
		{{.changed = FALSE},
		 TEXT("^id"),
		 NULL,
		 NULL,
		 "primary idle thread_count 1 1 +0 +0.0% S\n"
		 "primary idle run_time_ns 1000 1000 +0 +0.0% S\n"
		 "primary idle wait_sum . . S\n"},
		{{.changed = FALSE, .limit = 1},
		 NULL,
		 NULL,
		 TEXT("run_time_ns:asc"),
		 "primary idle thread_count 1 1 +0 +0.0% S\n"
		 "primary idle run_time_ns 1000 1000 +0 +0.0% S\n"
		 "primary idle wait_sum . . S\nprimary cut 3\n"},
		{{.changed = TRUE, .rate = TRUE, .elapsed_s = 4},
		 NULL,
		 NULL,
		 NULL,
		 "primary busy run_time_ns 400 1400 +250 +250.0% r\n"
		 "primary busy wait_sum . ~8\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) a = NULL;
		g_autoptr(Sample) b = NULL;
		AnalysisOptions options = cases[i].options;
		const struct ctprof_report *report;

		options.group_by = GROUP_BY_PCOMM;
		options.metrics = TEXT("thread_count,run_time_ns,wait_sum");
		options.sections = TEXT("primary");
		options.filter = cases[i].filter;
		options.min_delta = cases[i].min_delta;
		options.sort_by = cases[i].sort_by;
		workers_new_pair(&a, &b);
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(a, b, &options, &report);
		g_autofree char *dump = sample_dump(report);
		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

/* --filter leaves orphans out, too. */
static void test_filter_orphans(void)
{
	g_autoptr(Sample) a = workers_new("x-a y");
	g_autoptr(Sample) b = workers_new("x-b z");
	char filter[] = "^x";
	AnalysisOptions options = {.group_by = GROUP_BY_COMM_EXACT, .filter = filter};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	g_autofree char *only_a = sample_dump_only(report, 0);
	g_autofree char *only_b = sample_dump_only(report, 1);

	g_assert_cmpstr(only_a, ==, "x-a 1\n");
	g_assert_cmpstr(only_b, ==, "x-b 1\n");
}

/* A derived metric sorts like any other, in show and in compare; groups without it come last in
 * either direction. */
static void test_sort_by_derived(void)
{
	static const struct {
		gboolean compare;
		const char *sort_by, *groups;
	} cases[] = {
		{FALSE, "avg_slice_ns", "c 1 a 1 b 1 d 1"},
		{FALSE, "avg_slice_ns:asc", "b 1 a 1 c 1 d 1"},
		{FALSE, "timeslices,avg_slice_ns:asc", "b 1 a 1 c 1 d 1"},
		{TRUE, "avg_slice_ns", "a 1>1 b 1>1 c 1>1 d 1>1"},
		{TRUE, "avg_slice_ns:asc", "a 1>1 b 1>1 c 1>1 d 1>1"},
	};
	static const guint64 run_times[] = {200, 100, 300};
	g_autoptr(Sample) sample = sample_new();
	char metrics[] = "thread_count";

	for (gint32 i = 0; i < 4; i++) {
		char name[] = {(char)('a' + i), '\0'};

		sample_thread(sample, i + 1, i + 1, name, name, "/");
		if (i == 3)
			continue;
		sample_u64(sample, "run_time_ns", run_times[i]);
		sample_u64(sample, "timeslices", 10);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = workers_options(GROUP_BY_COMM, metrics);
		g_autofree char *sort_by = g_strdup(cases[i].sort_by);
		const struct ctprof_report *report;

		options.sort_by = sort_by;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, cases[i].compare ? sample : NULL, &options, &report);
		g_autofree char *groups = workers_dump(report);
		g_test_message("%s", cases[i].sort_by);
		g_assert_cmpstr(groups, ==, cases[i].groups);
		g_assert_cmpuint(report->columns[report->n_columns - 1], ==, CTPROF_COLUMN_SORT);
		g_assert_nonnull(report->sort_header);
		if (strncmp(sort_by, "avg", 3) == 0)
			g_assert_cmpuint(
				sample_section(report, "primary")->lines[0].sort->value[0].type, ==,
				CTPROF_VALUE_REAL);
	}
}

static void test_pids(void)
{
	static const char *const pids[] = {"2", "3", NULL};
	g_autoptr(Sample) sample = workers_new("a b c d");
	char metrics[] = "run_time_ns";
	AnalysisOptions options = workers_options(GROUP_BY_COMM, metrics);
	const struct ctprof_report *report;

	options.pids = pids;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);
	g_autofree char *groups = workers_dump(report);
	g_assert_cmpstr(groups, ==, "b 1 c 1");
}

static void test_fail_on(void)
{
	static const struct {
		const char *fail_on;
		gboolean fails;
	} cases[] = {
		{"run_time_ns:pct>200", TRUE},
		{"run_time_ns:pct>300", FALSE},
		{"run_time_ns:delta>=1us", TRUE},
		{"wait_sum>0", FALSE}, /* only one side has it */
		{"run_time_ns>300,thread_count>=0", TRUE},
		{"avg_slice_ns>0", FALSE},
		{"", FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) a = NULL;
		g_autoptr(Sample) b = NULL;
		g_autofree char *fail_on = g_strdup(cases[i].fail_on);
		char shown[] = "derived";
		/* The condition also applies to lines that are not shown. */
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM,
					   .fail_on = fail_on,
					   .sections = shown,
					   .min_pct = 1000};
		const struct ctprof_report *report;

		workers_new_pair(&a, &b);
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(a, b, &options, &report);
		g_test_message("%s", cases[i].fail_on);
		g_assert_cmpint(analysis_failed(analysis), ==, cases[i].fails);
	}
}

/* Options are rejected before any row arrives, or else when names are known. */
static void test_bad_options(void)
{
	char *bad_glob[] = {TEXT("/ok/*"), TEXT("[invalid"), NULL};
	static const char *const bad_pids[] = {"12", "x", NULL};
	const struct {
		AnalysisOptions options;
		gboolean late; /* names of metrics are known only from the files */
		const char *says;
	} cases[] = {
		{{.sort_by = TEXT("a,,b")}, FALSE, "--sort '"},
		{{.columns = TEXT("nonsense")}, FALSE, "--columns"},
		{{.sections = TEXT("non sense")}, FALSE, "--sections"},
		/* Groups of objects are known only then, too. */
		{{.sections = TEXT("nonsense")}, TRUE, "no section 'nonsense'"},
		{{.metrics = TEXT("a,a")}, FALSE, "--metrics"},
		{{.min_delta = TEXT("5parsec")}, FALSE, "--min-delta"},
		{{.fail_on = TEXT("wait_sum")}, FALSE, "--fail-on"},
		{{.filter = TEXT("(")}, FALSE, "--filter"},
		{{.flatten = bad_glob}, FALSE, "[invalid"},
		{{.pids = bad_pids}, FALSE, "'x'"},
		{{.sort_by = TEXT("bogus")}, TRUE, "--sort: unknown metric 'bogus' (see"},
		{{.sort_by = TEXT("avg_wiat_ns")},
		 TRUE,
		 "'avg_wiat_ns': did you mean avg_wait_ns?"},
		{{.metrics = TEXT("run_tim_ns")}, TRUE, "did you mean run_time_ns?"},
		{{.metrics = TEXT("wait")}, TRUE, "'wait': did you mean wait_"},
		{{.sort_by = TEXT("memory.current")},
		 TRUE,
		 "'memory.current' is a gauge of scope cgroup, which --sort does not take"},
		{{.fail_on = TEXT("comm:delta>1")}, TRUE, "'comm' is a label of scope thread"},
		{{.sections = TEXT("primry")}, TRUE, "'primry': did you mean primary?"},
		{{.columns = TEXT("metrics")}, FALSE, "did you mean metric?"},
		{{.fail_on = TEXT("wait_sum:delta>1sek")}, FALSE, "ns us ms s min"},
		{{.sort_by = TEXT("policy")}, TRUE, "categorical"},
		{{.metrics = TEXT("wait_sum,Wait_sum")}, TRUE, "Wait_sum"},
		{{.fail_on = TEXT("state>1")}, TRUE, "categorical"},
		{{.fail_on = TEXT("cpu_efficiency>1")}, TRUE, ":delta"},
	};
	g_autoptr(Sample) sample = workers_new("c");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = cases[i].options;
		g_autoptr(GError) error = NULL;

		options.compare = TRUE;
		g_autoptr(Analysis) analysis = analysis_new(&options, &error);
		g_test_message("%s", cases[i].says);
		g_assert_cmpint(analysis != NULL, ==, cases[i].late);
		if (analysis) {
			g_assert_true(sample_feed(sample, analysis, 0, &error));
			g_assert_false(sample_feed(sample, analysis, 1, &error));
		}
		g_assert_error(error, USAGE_ERROR, 0);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, cases[i].says));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/views/views", test_views);
	g_test_add_func("/views/filter-orphans", test_filter_orphans);
	g_test_add_func("/views/sort-by-derived", test_sort_by_derived);
	g_test_add_func("/views/pids", test_pids);
	g_test_add_func("/views/fail-on", test_fail_on);
	g_test_add_func("/views/bad-options", test_bad_options);
	return g_test_run();
}
