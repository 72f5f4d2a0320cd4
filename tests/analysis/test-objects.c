/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests sections of objects named by their sources. */
#include <string.h>

#include "base/error.h"
#include "sample.h"

#define LEVEL CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT
#define SORT CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_OBJECT

/* Returns parts of memory, which are fixed words; segments of two kinds; and a group that has no
 * section by default. */
static Sample *object_sample(void)
{
	Sample *sample = sample_new();

	sample_metric(sample, "part_bytes", LEVEL, "parts");
	sample_metric(sample, "part_label", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_OBJECT,
		      "parts");
	sample_metric(sample, "seg_used", LEVEL, "segments");
	sample_metric(sample, "seg_sort", SORT, "segments");
	sample_metric(sample, "seg_other_sort", SORT, "segments");
	sample_metric(sample, "seg_reads", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT,
		      "segments");
	sample_metric(sample, "seg_most", CTPROF_PEAK, CTPROF_UNIT_NS, CTPROF_SCOPE_OBJECT,
		      "segments");
	sample_metric(sample, "file_bytes", LEVEL, "many");
	sample_flag(sample, ROW_OBJECT, "file_bytes", CTPROF_METRIC_QUIET);
	sample_thread(sample, 1, 1, "p", "c", "/");
	return sample;
}

static void part(Sample *sample, const char *name, guint64 bytes)
{
	sample_object(sample, "parts", name);
	sample_u64(sample, "part_bytes", bytes);
}

static void segment(Sample *sample, const char *sort, const char *name, guint64 used, guint64 reads)
{
	sample_object(sample, "segments", name);
	if (sort)
		sample_text(sample, "seg_sort", sort);
	sample_u64(sample, "seg_used", used);
	sample_u64(sample, "seg_reads", reads);
	sample_text(sample, "seg_other_sort", "none");
}

static Sample *before(void)
{
	Sample *sample = object_sample();

	part(sample, "zram1", 10);
	part(sample, "zram0", 20);
	sample_object(sample, "parts", "unread");
	segment(sample, "file", "/a-1", 100, 1);
	segment(sample, "memfd", "/a-1", 7, 2);
	segment(sample, "file", "/a-2", 200, 3);
	segment(sample, NULL, "/b", 1, 4);
	sample_object(sample, "many", "/tmp/x");
	sample_u64(sample, "file_bytes", 5);
	return sample;
}

static Sample *after(void)
{
	Sample *sample = object_sample();

	part(sample, "zram1", 10);
	part(sample, "zram0", 25);
	part(sample, "zram2", 1);
	segment(sample, "memfd", "/a-3", 3 << 20, 2);
	segment(sample, "file", "/a-4", 150, 1);
	segment(sample, NULL, "/b", 1, 4);
	/* This object has half of a large change, and was never read. */
	segment(sample, "tmpfs", "/new", 1 << 19, 0);
	return sample;
}

static char *dump_of(const Sample *a, const Sample *b, AnalysisOptions options)
{
	const struct ctprof_report *report;
	g_autoptr(GString) out = g_string_new(NULL);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, b, &options, &report);

	for (guint64 i = 0; i < report->n_sections; i++) {
		const char *name = report->sections[i].name;
		g_autofree char *dump = sample_dump_section(report, name);

		if (!strcmp(name, "parts") || !strcmp(name, "segments") || !strcmp(name, "many"))
			g_string_append(out, dump);
	}
	return g_strdup(out->str);
}

/* Fixed words stay separate, in their source's order; instances of a kind are folded, the largest
 * first.  Columns without any value are left out. */
static void test_show(void)
{
	g_autoptr(Sample) a = before();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};
	g_autofree char *dump = dump_of(a, NULL, options);

	g_assert_cmpstr(dump, ==,
			"parts zram1 part_bytes 10\n"
			"parts zram0 part_bytes 20\n"
			"parts unread part_bytes .\n"
			"segments file /a-{N} seg_used 300\n"
			"segments file /a-{N} seg_reads 4\n"
			"segments memfd /a-{N} seg_used 7\n"
			"segments memfd /a-{N} seg_reads 2\n"
			"segments - /b seg_used 1\n"
			"segments - /b seg_reads 4\n");
	options.no_thread_normalize = TRUE;
	options.limit = 2;
	g_autofree char *literal = dump_of(a, NULL, options);
	g_assert_cmpstr(literal, ==,
			"parts zram1 part_bytes 10\n"
			"parts zram0 part_bytes 20\n"
			"parts cut 1\n"
			"segments file /a-2 seg_used 200\n"
			"segments file /a-2 seg_reads 3\n"
			"segments file /a-1 seg_used 100\n"
			"segments file /a-1 seg_reads 1\n"
			"segments cut 2\n");
}

/* An object missing on one side is absent there; the largest change comes first.  A level has no
 * rate. */
static void test_compare(void)
{
	g_autoptr(Sample) a = before();
	g_autoptr(Sample) b = after();
	AnalysisOptions options = {
		.group_by = GROUP_BY_PCOMM, .rate = TRUE, .elapsed_s = 2, .changed = TRUE};
	g_autofree char *dump = dump_of(a, b, options);

	g_assert_cmpstr(dump, ==,
			"parts zram0 part_bytes 20 25 +5 +25.0%\n"
			"parts zram2 part_bytes . 1\n"
			"segments memfd /a-{N} seg_used 7 3145728 +3.14572e+06 +44938871.4%\n"
			"segments file /a-{N} seg_reads 4 1 -1.5 -75.0% r\n"
			"segments file /a-{N} seg_used 300 150 -150 -50.0%\n"
			"segments tmpfs /new seg_used . 524288\n");
}

/* A name that a group has twice is a single object. */
static void test_twice(void)
{
	g_autoptr(Sample) a = object_sample();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};

	part(a, "x", G_MAXUINT64);
	part(a, "x", 1);
	sample_object(a, "parts", "x");
	g_autofree char *dump = dump_of(a, NULL, options);
	g_assert_cmpstr(dump, ==, "parts x part_bytes ~18446744073709551615\n");
}

static void test_choice(void)
{
	static const struct {
		const char *sections, *metrics, *filter, *dump;
	} cases[] = {
		{"parts", NULL, "zram0", "parts zram0 part_bytes 20\n"},
		{"many", NULL, NULL, "many /tmp/x file_bytes 5\n"},
		{"primary,segments", "seg_reads", "memfd", "segments memfd /a-{N} seg_reads 2\n"},
		{NULL, "seg_reads,thread_count", "/b", "segments - /b seg_reads 4\n"},
		{NULL, "thread_count", NULL, ""},
		{"primary", NULL, NULL, ""},
		{"parts", "seg_reads", NULL, ""},
	};
	g_autoptr(Sample) a = before();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *shown = g_strdup(cases[i].sections);
		g_autofree char *metrics = g_strdup(cases[i].metrics);
		g_autofree char *filter = g_strdup(cases[i].filter);
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM,
					   .sections = shown,
					   .metrics = metrics,
					   .filter = filter};
		g_autofree char *dump = dump_of(a, NULL, options);

		g_assert_cmpstr(dump, ==, cases[i].dump);
	}
}

/* --fail-on also checks objects of groups without a section. */
static void test_fail_on(void)
{
	static const struct {
		const char *fail_on, *filter;
		gboolean holds;
	} cases[] = {
		{"part_bytes:delta>=5", NULL, TRUE},     {"part_bytes:delta>5", NULL, FALSE},
		{"part_bytes:delta>=5", "zram1", FALSE}, {"seg_used:pct<-40", NULL, TRUE},
		{"file_bytes:delta>=3B", NULL, TRUE},
	};
	g_autoptr(Sample) a = before();
	g_autoptr(Sample) b = after();

	sample_object(b, "many", "/tmp/x");
	sample_u64(b, "file_bytes", 8);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *fail_on = g_strdup(cases[i].fail_on);
		g_autofree char *filter = g_strdup(cases[i].filter);
		AnalysisOptions options = {
			.group_by = GROUP_BY_PCOMM, .fail_on = fail_on, .filter = filter};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis = sample_analyse(a, b, &options, &report);

		g_assert_cmpint(analysis_failed(analysis), ==, cases[i].holds);
	}
}

/* The choice of shown metrics does not affect which changes are worse. */
static void test_fail_on_worse(void)
{
	static const struct {
		const char *sections;
		guint limit;
		gdouble min_pct;
	} shown[] = {{NULL, 0, 0}, {NULL, 1, 99}, {"segments", 0, 0}, {"primary", 0, 0}};
	g_autoptr(Sample) a = before();
	g_autoptr(Sample) b = after();
	const Sample *const sides[] = {a, b};

	for (guint side = 0; side < G_N_ELEMENTS(sides); side++) {
		Metric *metric =
			registry_named(sample_registry(sides[side]), ROW_OBJECT, "part_bytes");

		metric->def.polarity = CTPROF_MORE_IS_WORSE;
		metric->def.gate = 1;
	}
	for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
		g_autofree char *fail_on = g_strdup("worse");
		g_autofree char *named = g_strdup(shown[i].sections);
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM,
					   .fail_on = fail_on,
					   .sections = named,
					   .limit = shown[i].limit,
					   .min_pct = shown[i].min_pct};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis = sample_analyse(a, b, &options, &report);

		g_test_message("%s", named);
		g_assert_true(analysis_failed(analysis));
		g_assert_cmpuint(report->n_hits, ==, 1);
		g_assert_cmpstr(report->hits[0].names[0], ==, "zram0");
	}
}

/* Objects come after the built-in sections, ranked groups first. */
static void test_order(void)
{
	g_autoptr(Sample) a = before();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED = sample_analyse(a, NULL, &options, &report);

	g_assert_cmpuint(report->n_sections, >, 2);
	const struct ctprof_report_section *last = &report->sections[report->n_sections - 1];
	g_assert_cmpstr(last[-1].name, ==, "parts");
	g_assert_cmpstr(last->name, ==, "segments");
	g_assert_cmpuint(last->flags, ==, CTPROF_SECTION_METRICS);
}

/* One side does not have the group. */
static void test_one_sided(void)
{
	g_autoptr(Sample) a = sample_new();
	g_autoptr(Sample) b = object_sample();
	AnalysisOptions options = {.group_by = GROUP_BY_PCOMM};

	sample_thread(a, 1, 1, "p", "c", "/");
	part(b, "x", 1);
	g_autofree char *dump = dump_of(a, b, options);
	g_assert_cmpstr(dump, ==, "parts x part_bytes . 1\n");
	g_autofree char *other = dump_of(b, a, options);
	g_assert_cmpstr(other, ==, "parts x part_bytes 1 .\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/objects/show", test_show);
	g_test_add_func("/objects/compare", test_compare);
	g_test_add_func("/objects/names-that-come-twice", test_twice);
	g_test_add_func("/objects/sections-metrics-filter", test_choice);
	g_test_add_func("/objects/fail-on", test_fail_on);
	g_test_add_func("/objects/fail-on-worse", test_fail_on_worse);
	g_test_add_func("/objects/order", test_order);
	g_test_add_func("/objects/one-sided", test_one_sided);
	return g_test_run();
}
