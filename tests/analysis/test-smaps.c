/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the section of the memory of processes, from smaps_rollup. */
#include <string.h>

#include "sample.h"

/* Leaves the thread's values out of the dump. */
static char *dump_of(const Sample *a, const Sample *b, AnalysisOptions options, const char *section)
{
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);

	return sample_dump_section(report, section);
}

static void add_process(Sample *sample, gint32 tgid, const char *pcomm, const char *cgroup,
			const char *map)
{
	sample_thread(sample, tgid, tgid, pcomm, pcomm, cgroup);
	if (map)
		sample_map(sample, "smaps_rollup_kib", map);
	sample_thread(sample, tgid, tgid + 1, pcomm, "helper", cgroup);
}

static void test_smaps_show(void)
{
	static const struct {
		GroupBy group_by;
		gboolean literal;
		const char *dump;
	} cases[] = {
		/* vectors 61, 62: pools and single leaders both have the pattern as their key */
		{GROUP_BY_PCOMM, FALSE,
		 "smaps-rollup worker-{N} Pss 153600\n"
		 "smaps-rollup worker-{N} Rss 7340032\n"
		 "smaps-rollup lone-{N} Rss 4096\n"},
		{GROUP_BY_COMM, FALSE,
		 "smaps-rollup worker-{N} Pss 153600\n"
		 "smaps-rollup worker-{N} Rss 7340032\n"
		 "smaps-rollup lone-{N} Rss 4096\n"},
		/* vector 61, literally */
		{GROUP_BY_PCOMM, TRUE,
		 "smaps-rollup worker-12[120] Pss 51200\n"
		 "smaps-rollup worker-12[120] Rss 5242880\n"
		 "smaps-rollup worker-7[70] Pss 102400\n"
		 "smaps-rollup worker-7[70] Rss 2097152\n"
		 "smaps-rollup lone-1[10] Rss 4096\n"},
		{GROUP_BY_THREAD, FALSE,
		 "smaps-rollup worker-12[120] Pss 51200\n"
		 "smaps-rollup worker-12[120] Rss 5242880\n"
		 "smaps-rollup worker-7[70] Pss 102400\n"
		 "smaps-rollup worker-7[70] Rss 2097152\n"
		 "smaps-rollup lone-1[10] Rss 4096\n"},
		/* The tree is ordered by name. */
		{GROUP_BY_ALL, FALSE,
		 "smaps-rollup /a|lone-{N} Rss 4096\n"
		 "smaps-rollup /a|worker-{N} Pss 102400\n"
		 "smaps-rollup /a|worker-{N} Rss 2097152\n"
		 "smaps-rollup /b|worker-{N} Pss 51200\n"
		 "smaps-rollup /b|worker-{N} Rss 5242880\n"},
	};
	g_autoptr(Sample) sample = sample_new();

	add_process(sample, 70, "worker-7", "/a", "Pss=100 Rss=2048 Swap=0");
	add_process(sample, 120, "worker-12", "/b", "Pss=50 Rss=5120");
	add_process(sample, 10, "lone-1", "/a", "Rss=4");
	add_process(sample, 2, "kthreadd", "/", NULL);
	add_process(sample, 3, "empty", "/", "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = {.group_by = cases[i].group_by,
					   .no_thread_normalize = cases[i].literal};
		g_autofree char *dump = dump_of(sample, NULL, options, "smaps-rollup");

		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

/* Only differences are shown; absent is not 0; the largest change of Rss comes first. */
static void test_smaps_compare(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};
	char sort_by[] = "run_time_ns";

	add_process(a, 10, "small", "/", "Rss=1 Swap=5");
	add_process(b, 11, "small", "/", "Rss=3 Swap=5");
	add_process(a, 20, "big", "/", "Rss=100 Pss=9");
	add_process(b, 21, "big", "/", "Rss=50");
	add_process(a, 30, "same", "/", "Rss=7");
	add_process(b, 31, "same", "/", "Rss=7");
	add_process(b, 40, "new", "/", "Rss=0");
	sample_thread(a, 50, 50, "small", "x", "/");
	sample_u64(a, "run_time_ns", 5);
	sample_thread(b, 50, 50, "small", "x", "/");
	sample_u64(b, "run_time_ns", 9);
	g_autofree char *dump = dump_of(a, b, options, "smaps-rollup");
	g_assert_cmpstr(dump, ==,
			"smaps-rollup big Pss 9216 .\n"
			"smaps-rollup big Rss 102400 51200 -51200 -50.0%\n"
			"smaps-rollup small Rss ~1024 ~3072 +2048 +200.0%\n"
			"smaps-rollup new Rss . 0\n");
	options.limit = 1;
	g_autofree char *cut = dump_of(a, b, options, "smaps-rollup");
	g_assert_cmpstr(cut, ==,
			"smaps-rollup big Pss 9216 .\n"
			"smaps-rollup big Rss 102400 51200 -51200 -50.0%\nsmaps-rollup cut 2\n");
	/* --sort takes precedence over the size. */
	options.limit = 0;
	options.sort_by = sort_by;
	g_autofree char *sorted = dump_of(a, b, options, "smaps-rollup");
	g_assert_true(g_str_has_prefix(sorted, "smaps-rollup small"));
}

/* A process has another number on the other side: its pattern is the key even without a peer, so
 * that the sides match; with literal names they do not. */
static void test_smaps_join(void)
{
	static const struct {
		GroupBy group_by;
		gboolean literal;
		const char *dump;
	} cases[] = {
		{GROUP_BY_PCOMM, FALSE, "smaps-rollup worker-{N} Pss 102400 51200 -51200 -50.0%\n"},
		{GROUP_BY_ALL, FALSE, "smaps-rollup /|worker-{N} Pss 102400 51200 -51200 -50.0%\n"},
		{GROUP_BY_PCOMM, TRUE,
		 "smaps-rollup worker-12[120] Pss . 51200\n"
		 "smaps-rollup worker-7[70] Pss 102400 .\n"},
	};
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();

	add_process(a, 70, "worker-7", "/", "Pss=100");
	add_process(b, 120, "worker-12", "/", "Pss=50");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = {.group_by = cases[i].group_by,
					   .no_thread_normalize = cases[i].literal};
		g_autofree char *dump = dump_of(a, b, options, "smaps-rollup");

		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

/* A condition applies to the processes that --filter shows, by the same names. */
static void test_smaps_fail_on(void)
{
	static const struct {
		GroupBy group_by;
		const char *filter, *hit; /* NULL: none */
	} cases[] = {
		{GROUP_BY_ALL, NULL, "/a"},
		{GROUP_BY_ALL, "^/a$", "/a"},
		{GROUP_BY_ALL, "worker", "/a"},
		{GROUP_BY_ALL, "^/b$", NULL},
		{GROUP_BY_PCOMM, "worker", "worker-{N}"},
		{GROUP_BY_PCOMM, "other", NULL},
	};
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = sample_new();

	add_process(a, 70, "worker-7", "/a", "Pss=100");
	add_process(b, 71, "worker-7", "/a", "Pss=200");
	add_process(a, 80, "other", "/b", "Pss=100");
	add_process(b, 81, "other", "/b", "Pss=100");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *fail_on = g_strdup("Pss:delta>1KiB");
		g_autofree char *filter = g_strdup(cases[i].filter);
		AnalysisOptions options = {
			.group_by = cases[i].group_by, .filter = filter, .fail_on = fail_on};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis = sample_analyse(a, b, &options, &report);

		g_test_message("%s", filter);
		g_assert_null(analysis_unjudged(analysis));
		g_assert_cmpuint(report->n_hits, ==, cases[i].hit ? 1 : 0);
		if (cases[i].hit)
			g_assert_cmpstr(report->hits[0].names[0], ==, cases[i].hit);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sections/smaps-show", test_smaps_show);
	g_test_add_func("/sections/smaps-compare", test_smaps_compare);
	g_test_add_func("/sections/smaps-join", test_smaps_join);
	g_test_add_func("/sections/smaps-fail-on", test_smaps_fail_on);
	return g_test_run();
}
