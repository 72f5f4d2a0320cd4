/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests where threads wait: the most common places of each group. */
#include <string.h>

#include "sample.h"

/* Adds threads of a process, each with the place it waits in; NULL: denied, "": it runs. */
static void add_threads(Sample *sample, const char *pcomm, gint32 tgid, const char *metric,
			const char *const *places, guint n)
{
	for (guint i = 0; i < n; i++) {
		sample_thread(sample, tgid, tgid + (gint32)i, pcomm, "t", "/");
		if (!places[i])
			sample_absent(sample, metric, CTPROF_ABSENT_DENIED);
		else if (!*places[i])
			sample_absent(sample, metric, CTPROF_ABSENT_INAPPLICABLE);
		else
			sample_text(sample, metric, places[i]);
	}
}

static Sample *sample_of_waits(void)
{
	Sample *sample = sample_new();

	sample_metric(sample, "wait_stack", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD,
		      "wait");
	sample_metric(sample, "wait_channel", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		      CTPROF_SCOPE_THREAD, "wait");
	sample_flag(sample, ROW_THREAD, "wait_stack", CTPROF_METRIC_QUIET);
	sample_flag(sample, ROW_THREAD, "wait_channel", CTPROF_METRIC_QUIET);
	return sample;
}

static const char *const pool[] = {"io", "lock", "poll", "lock", "nap",
				   "io", "lock", "",     "nap",  "poll"};
static const char *const few[] = {"poll", NULL, ""};

static void check(const Sample *a, const Sample *b, guint limit, const char *expected)
{
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM, .limit = limit};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);
	g_autofree char *dump = sample_dump_section(report, "wait");
	g_autofree char *others = sample_dump_section(report, "primary");

	g_assert_cmpstr(dump, ==, expected);
	/* Categories are shown elsewhere only if they are named. */
	g_assert_null(strstr(others, "wait_channel"));
}

static void test_show(void)
{
	g_autoptr(Sample) sample = sample_of_waits();

	add_threads(sample, "few", 50, "wait_channel", few, G_N_ELEMENTS(few));
	add_threads(sample, "pool", 100, "wait_channel", pool, G_N_ELEMENTS(pool));
	add_threads(sample, "busy", 200, "wait_channel", (const char *const[]){""}, 1);
	/* The group with most waiting threads comes first; equally common places are ordered by
	 * name. */
	check(sample, NULL, 0,
	      "wait pool|lock waiting_threads 3\n"
	      "wait pool|io waiting_threads 2\n"
	      "wait pool|nap waiting_threads 2\n"
	      "wait few|poll waiting_threads ~1\n");
	check(sample, NULL, 1,
	      "wait pool|lock waiting_threads 3\n"
	      "wait pool|io waiting_threads 2\n"
	      "wait pool|nap waiting_threads 2\n"
	      "wait cut 1\n");
	/* Stacks take precedence, if any thread has one. */
	add_threads(sample, "deep", 300, "wait_stack", (const char *const[]){"a < b"}, 1);
	check(sample, NULL, 0, "wait deep|a < b waiting_threads 1\n");
}

static void test_compare(void)
{
	g_autoptr(Sample) a = sample_of_waits();
	g_autoptr(Sample) b = sample_of_waits();

	add_threads(a, "pool", 100, "wait_channel", pool, 3);
	add_threads(b, "pool", 100, "wait_channel", pool, 7);
	check(a, b, 0,
	      "wait pool|lock waiting_threads 1 3 +2 +200.0%\n"
	      "wait pool|io waiting_threads 1 2 +1 +100.0%\n"
	      "wait pool|nap waiting_threads 0 1 +1\n");
}

static void test_nothing(void)
{
	g_autoptr(Sample) sample = sample_of_waits();

	add_threads(sample, "busy", 1, "wait_channel", (const char *const[]){"", NULL}, 2);
	check(sample, NULL, 0, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/waiters/show", test_show);
	g_test_add_func("/waiters/compare", test_compare);
	g_test_add_func("/waiters/nothing", test_nothing);
	return g_test_run();
}
