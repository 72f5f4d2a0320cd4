/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests cgroups that have another name on the other side, under --group-by all. */
#include <string.h>

#include "workers.h"

/* Adds n types of thread to a service; those from own on exist only on this side. */
static void add_service(Sample *sample, const char *cgroup, guint n, guint own, const char *mark,
			guint64 run_time)
{
	for (guint i = 0; i < n; i++) {
		g_autofree char *comm =
			g_strdup_printf("%s%c", i < own ? "common-" : mark, 'a' + (char)i);

		workers_add(sample, (gint32)i + 1, "svc", comm, cgroup, run_time);
	}
}

static Analysis *analyse(const Sample *a, const Sample *b, AnalysisOptions *options,
			 const struct ctprof_report **ret_report)
{
	static char metrics[] = "run_time_ns";

	options->group_by = GROUP_BY_ALL;
	options->metrics = metrics;
	return sample_analyse(a, b, options, ret_report);
}

/* A cgroup is paired if enough of its types of thread agree. */
static void test_thresholds(void)
{
	static const struct {
		guint n, common; /* types of thread on each side, and those in common */
		guint min_types;
		gdouble min_jaccard;
		guint renames;
	} cases[] = {
		{10, 10, 0, 0, 1},    {9, 9, 0, 0, 0}, {9, 9, 9, 0.9, 1},
		{19, 18, 0, 0, 1}, /* 18 of 20: 0.9 */
		{18, 17, 0, 0, 0}, /* 17 of 19: 0.89 */
		{18, 17, 10, 0.8, 1}, {3, 3, 1, 1, 1}, {3, 0, 1, 0, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) a = sample_new();
		g_autoptr(Sample) b = sample_new();
		AnalysisOptions options = {.rename_min_types = cases[i].min_types,
					   .rename_min_jaccard = cases[i].min_jaccard};
		const struct ctprof_report *report;

		add_service(a, "/blue/svc", cases[i].n, cases[i].common, "a-", 10);
		add_service(b, "/green/svc", cases[i].n, cases[i].common, "b-", 30);
		g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
		g_test_message("case %" G_GSIZE_FORMAT, i);
		g_assert_cmpuint(report->n_renames, ==, cases[i].renames);
		guint paired = cases[i].renames ? cases[i].common : 0;
		g_autoptr(GArray) rows = sample_rows(sample_section(report, "primary"));
		g_assert_cmpuint(rows->len, ==, paired);
		g_assert_cmpuint(report->n_only[0], ==, cases[i].n - paired);
		g_assert_cmpuint(report->n_only[1], ==, cases[i].n - paired);
	}
}

static void test_pair(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.rename_min_types = 2, .rename_min_jaccard = 0.5};
	const struct ctprof_report *report;

	add_service(a, "/blue/svc.slice/main", 3, 2, "old-", 10);
	add_service(b, "/green/svc.slice/main", 3, 2, "new-", 30);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
	g_autofree char *dump = sample_dump(report);
	g_autofree char *only_a = sample_dump_only(report, 0);
	g_autofree char *only_b = sample_dump_only(report, 1);
	g_assert_cmpstr(
		dump, ==,
		"primary /blue/svc.slice/main|svc|common-a run_time_ns 10 30 +20 +200.0% R\n"
		"primary /blue/svc.slice/main|svc|common-b run_time_ns 10 30 +20 +200.0% R\n");
	g_assert_cmpstr(
		sample_find(report, "primary", "/blue/svc.slice/main|svc|common-a", "run_time_ns")
			->line->renamed,
		==, "/green/svc.slice/main");
	g_assert_cmpstr(only_a, ==, "/blue/svc.slice/main|svc|old-c 1\n");
	g_assert_cmpstr(only_b, ==, "/green/svc.slice/main|svc|new-c 1\n");
	const struct ctprof_report_rename *rename = &report->renames[0];
	g_assert_cmpuint(report->n_renames, ==, 1);
	g_assert_cmpstr(rename->baseline, ==, "/blue/svc.slice/main");
	g_assert_cmpstr(rename->candidate, ==, "/green/svc.slice/main");
	g_assert_cmpstr(rename->baseline_root, ==, "/blue");
	g_assert_cmpstr(rename->candidate_root, ==, "/green");
	g_assert_cmpuint(rename->overlap, ==, 2);
	g_assert_cmpfloat(rename->jaccard, ==, 0.5);
	g_assert_cmpuint(rename->n_only_baseline, ==, 1);
	g_assert_cmpstr(rename->only_baseline[0], ==, "svc:old-c");
	g_assert_cmpstr(rename->only_candidate[0], ==, "svc:new-c");
}

/* Only whole components are cut off; without a common part, the path stays. */
static void test_roots(void)
{
	static const char *const cases[][4] = {
		{"/a/x/y", "/b/x/y", "/a", "/b"},
		{"/a/xy", "/b/zy", "/a/xy", "/b/zy"},
		{"/x/y", "/b/x/y", "/x/y", "/b"},
		{"/a", "/b", "/a", "/b"},
		{"/svc", "/svc-extra", "/svc", "/svc-extra"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) a = sample_new();
		g_autoptr(Sample) b = sample_new();
		AnalysisOptions options = {.rename_min_types = 1, .rename_min_jaccard = 1};
		const struct ctprof_report *report;

		add_service(a, cases[i][0], 1, 1, "", 1);
		add_service(b, cases[i][1], 1, 1, "", 1);
		g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
		g_assert_cmpuint(report->n_renames, ==, 1);
		g_assert_cmpstr(report->renames[0].baseline_root, ==, cases[i][2]);
		g_assert_cmpstr(report->renames[0].candidate_root, ==, cases[i][3]);
	}
}

/* Children that are too small to be recognised on their own follow their parent; a path that only
 * begins with the same letters is not a child. */
static void test_cascade(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.rename_min_types = 5, .rename_min_jaccard = 0.9};
	const struct ctprof_report *report;

	add_service(a, "/blue", 6, 6, "", 10);
	add_service(b, "/green", 6, 6, "", 10);
	workers_add(a, 50, "h", "h", "/blue/child", 1);
	workers_add(b, 50, "h", "h", "/green/child", 2);
	workers_add(a, 51, "h", "i", "/blue/child", 1);
	workers_add(b, 51, "h", "i", "/green/child", 2);
	workers_add(a, 52, "h", "h", "/blue-extra", 1);
	workers_add(b, 52, "h", "h", "/green-extra", 2);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
	g_autofree char *only_a = sample_dump_only(report, 0);
	g_autofree char *only_b = sample_dump_only(report, 1);
	g_assert_nonnull(sample_find(report, "primary", "/blue/child|h|h", "run_time_ns"));
	g_assert_nonnull(sample_find(report, "primary", "/blue/child|h|i", "run_time_ns"));
	g_assert_cmpstr(only_a, ==, "/blue-extra|h|h 1\n");
	g_assert_cmpstr(only_b, ==, "/green-extra|h|h 1\n");
	g_assert_cmpuint(report->renames[0].cascaded, ==, 1);
}

/* Several replicas in the candidate are folded into the cgroup they came from, with their memory
 * and their children. */
static void test_several_to_one(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.rename_min_types = 5, .rename_min_jaccard = 0.9};
	const struct ctprof_report *report;
	static const char *const replicas[] = {"/green", "/teal"};

	add_service(a, "/blue", 6, 6, "", 10);
	workers_add(a, 50, "h", "h", "/blue/child", 1);
	sample_map(a, "smaps_rollup_kib", "Rss=1");
	for (guint i = 0; i < 2; i++) {
		g_autofree char *child = g_strdup_printf("%s/child", replicas[i]);

		add_service(b, replicas[i], 6, 6, "", 30);
		workers_add(b, 50, "h", "h", child, 4);
		sample_map(b, "smaps_rollup_kib", "Rss=3");
	}
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
	g_autofree char *smaps = sample_dump_section(report, "smaps-rollup");
	const SampleRow *parent =
		sample_find(report, "primary", "/blue|svc|common-a", "run_time_ns");
	const SampleRow *child = sample_find(report, "primary", "/blue/child|h|h", "run_time_ns");
	g_assert_cmpuint(report->n_renames, ==, 2);
	g_assert_cmpuint(parent->value[1].number, ==, 60);
	g_assert_cmpuint(parent->line->threads[1], ==, 2);
	g_assert_cmpuint(child->value[1].number, ==, 8);
	g_assert_cmpstr(smaps, ==, "smaps-rollup /blue/child|h Rss 1024 6144 +5120 +500.0%\n");
	g_assert_cmpuint(report->n_only[0] + report->n_only[1], ==, 0);
}

/* A cgroup that was recognised by its threads is not paired with another one by name. */
static void test_no_second_guess(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.rename_min_types = 4, .rename_min_jaccard = 0.9};
	const struct ctprof_report *report;

	add_service(a, "/blue/x", 5, 5, "", 10);
	add_service(b, "/green/x", 5, 5, "", 10);
	add_service(a, "/blue/y", 4, 0, "other-", 10);
	add_service(b, "/green/z", 4, 0, "other-", 10);
	workers_add(b, 60, "svc", "other-a", "/green/y", 7);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
	const SampleRow *row = sample_find(report, "primary", "/blue/y|svc|other-a", "run_time_ns");
	g_autofree char *only = sample_dump_only(report, 1);
	g_assert_cmpuint(report->n_renames, ==, 2);
	g_assert_cmpuint(row->value[1].number, ==, 10);
	g_assert_cmpstr(only, ==, "/green/y|svc|other-a 1\n");
}

/* The most similar cgroup wins, in a tie the first one; a cgroup that exists under its own name on
 * both sides is left alone. */
static void test_choice(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.rename_min_types = 3, .rename_min_jaccard = 0.5};
	const struct ctprof_report *report;

	add_service(a, "/less", 6, 5, "other-", 1);
	add_service(a, "/like2", 6, 6, "", 1);
	add_service(a, "/like1", 6, 6, "", 1);
	add_service(a, "/kept", 6, 6, "", 1);
	add_service(b, "/kept", 1, 1, "", 1);
	add_service(b, "/fresh", 6, 6, "", 1);
	/* Otherwise /like{N} would be one cgroup. */
	options.no_cgroup_normalize = TRUE;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = analyse(a, b, &options, &report);
	g_assert_cmpuint(report->n_renames, ==, 1);
	g_assert_cmpstr(report->renames[0].baseline, ==, "/like1");
	g_assert_cmpstr(report->renames[0].candidate, ==, "/fresh");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rename/thresholds", test_thresholds);
	g_test_add_func("/rename/pair", test_pair);
	g_test_add_func("/rename/roots", test_roots);
	g_test_add_func("/rename/cascade", test_cascade);
	g_test_add_func("/rename/several-to-one", test_several_to_one);
	g_test_add_func("/rename/no-second-guess", test_no_second_guess);
	g_test_add_func("/rename/choice", test_choice);
	return g_test_run();
}
