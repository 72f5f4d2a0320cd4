/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests ctprof memory: its options, and its report from the rows of a snapshot. */
#include <string.h>

#include "base/error.h"
#include "memory-kit.h"

static AnalysisOptions options_of(const char *view)
{
	return (AnalysisOptions){.view = section_find(view, TRUE),
				 .files = {"x.ctprof.zst", "y.ctprof.zst"}};
}

static void test_options(void)
{
	static const struct {
		const char *view, *sort, *filter, *error;
	} cases[] = {
		{"processes", NULL, NULL, NULL},
		{"processes", "name", "a|b", NULL},
		{"processes", "x", NULL,
		 "--sort 'x': the view processes has pss, uss, rss, swap, eps, anon, file, shmem, pid, "
		 "name"},
		{"processes", NULL, "(", "--filter '(': "},
		{"shared", "anon", NULL,
		 "--sort 'anon': the view shared has pss, rss, uss, swap, "},
		{"shared", "rss", NULL, NULL},
		{"ledger", "pss", NULL, "--sort 'pss': the view ledger has kernel, size, name"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = options_of(cases[i].view);
		g_autoptr(GError) error = NULL;

		options.sort = cases[i].sort;
		options.filter = (char *)(uintptr_t)cases[i].filter;
		g_autoptr(Analysis) analysis = analysis_new(&options, &error);
		if (!cases[i].error) {
			g_assert_no_error(error);
			g_assert_nonnull(analysis);
			continue;
		}
		g_assert_null(analysis);
		g_assert_true(error->domain == USAGE_ERROR);
		g_assert_true(g_str_has_prefix(error->message, cases[i].error));
	}
}

static void test_views(void)
{
	guint n = 0;

	for (guint i = 0; sections[i]; i++) {
		if (!(sections[i]->flags & SECTION_VIEW))
			continue;
		n++;
		g_assert_true(section_find(sections[i]->name, TRUE) == sections[i]);
		g_assert_true(g_str_has_prefix(sections[i]->groups, "memory"));
		g_assert_nonnull(sections[i]->orders[0]);
	}
	g_assert_cmpuint(n, >=, 6);
	g_assert_null(section_find("xyz", TRUE));
}

/* Data missing from a snapshot is reported with the way to capture it. */
static void test_needs(void)
{
	static const struct {
		const char *view, *error;
	} cases[] = {
		{"ledger", "x.ctprof.zst has no memory ledger: capture with --memory"},
		{"categories",
		 "x.ctprof.zst has no memory of processes: capture with --memory=processes"},
		{"processes",
		 "x.ctprof.zst has no memory of processes: capture with --memory=processes"},
		{"tmpfs", "x.ctprof.zst has no tmpfs mounts: capture with --memory=tmpfs"},
		{"shared", "x.ctprof.zst has no shared objects: capture with --memory=shared"},
	};
	g_autoptr(Registry) registry = registry_new();

	g_assert_true(registry_seal(registry, NULL, NULL, NULL));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		AnalysisOptions options = options_of(cases[i].view);
		g_autoptr(GError) error = NULL;
		g_autoptr(Analysis) analysis = analysis_new(&options, NULL);

		g_assert_true(analysis_bind(analysis, 0, registry, NULL));
		g_assert_null(analysis_finish(analysis, &error));
		g_assert_cmpstr(error->message, ==, cases[i].error);
		g_assert_false(error->domain == USAGE_ERROR);
	}
}

/* The side that lacks it may also be the other one. */
static void test_needs_of_both(void)
{
	AnalysisOptions options = options_of("processes");
	g_autoptr(Registry) registry = registry_new();
	g_autoptr(Sample) sample = sample_new();
	g_autoptr(GError) error = NULL;

	options.compare = TRUE;
	g_assert_true(registry_seal(registry, NULL, NULL, NULL));
	sample_metric(sample, "memory_state", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		      CTPROF_SCOPE_PROCESS, "memory");
	sample_seal(sample);
	g_autoptr(Analysis) analysis = analysis_new(&options, NULL);
	g_assert_true(analysis_bind(analysis, 0, sample_registry(sample), NULL));
	g_assert_true(analysis_bind(analysis, 1, registry, NULL));
	g_assert_null(analysis_finish(analysis, &error));
	g_assert_cmpstr(error->message, ==,
			"y.ctprof.zst has no memory of processes: capture with "
			"--memory=processes");
}

static const struct ctprof_value *cell_of(const struct ctprof_report_section *section, guint64 line,
					  const char *field)
{
	return &memory_kit_cell(section, line, field)->value[0];
}

/* Leaders are processes, other threads are not; a metric whose definition does not
 * match its name is ignored. */
static void test_rows(void)
{
	g_autoptr(Sample) sample = sample_new();
	AnalysisOptions options = options_of("processes");
	const struct ctprof_report *report;

	sample_metric(sample, "memory_state", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		      CTPROF_SCOPE_PROCESS, "memory");
	sample_metric(sample, "pss_bytes", CTPROF_GAUGE, CTPROF_UNIT_BYTES, CTPROF_SCOPE_PROCESS,
		      "memory");
	sample_metric(sample, "uss_bytes", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_PROCESS,
		      "memory");
	sample_thread(sample, 7, 7, "p", "p", "/");
	sample_text(sample, "memory_state", "exact");
	sample_u64(sample, "pss_bytes", 5);
	sample_text(sample, "uss_bytes", "evil");
	sample_u64(sample, "state", 'S');
	sample_thread(sample, 7, 8, "p", "q", "/");
	sample_thread(sample, 9, 9, "r", "r", "/");
	sample_text(sample, "memory_state", "exact");
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);
	g_assert_cmpstr(report->command, ==, "memory");
	g_assert_cmpuint(report->n_sections, ==, 1);
	const struct ctprof_report_section *table = &report->sections[0];
	g_assert_cmpuint(table->n_lines, ==, 3);
	g_assert_cmpuint(cell_of(table, 0, "pid")->number, ==, 7);
	g_assert_cmpuint(cell_of(table, 0, "pss")->number, ==, 5);
	g_assert_cmpuint(cell_of(table, 0, "uss")->type, ==, CTPROF_VALUE_ABSENT);
	g_assert_cmpstr(cell_of(table, 0, "state")->text, ==, "S");
	g_assert_cmpstr(cell_of(table, 0, "command")->text, ==, "[p]");
	g_assert_cmpuint(cell_of(table, 1, "pss")->type, ==, CTPROF_VALUE_ABSENT);
}

/* Objects are sorted by their group, regardless of their names. */
static void test_objects(void)
{
	g_autoptr(Sample) sample = sample_new();
	AnalysisOptions options = options_of("tmpfs");
	const struct ctprof_report *report;

	sample_metric(sample, "tmpfs_used_bytes", CTPROF_LEVEL, CTPROF_UNIT_BYTES,
		      CTPROF_SCOPE_OBJECT, "memory-tmpfs");
	sample_limit_metric(sample, "tmpfs_limit_bytes", CTPROF_GAUGE, CTPROF_UNIT_BYTES,
			    CTPROF_SCOPE_OBJECT, "memory-tmpfs", TRUE);
	sample_metric(sample, "other_bytes", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT,
		      "other");
	sample_object(sample, "memory-tmpfs", "/tmp");
	sample_u64(sample, "tmpfs_used_bytes", 5);
	sample_u64(sample, "tmpfs_limit_bytes", G_MAXUINT64);
	sample_object(sample, "other", "/run");
	sample_u64(sample, "other_bytes", 7);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(sample, NULL, &options, &report);
	const struct ctprof_report_section *table = &report->sections[0];
	g_assert_cmpuint(table->n_lines, ==, 2);
	g_assert_cmpstr(cell_of(table, 0, "mount")->text, ==, "/tmp");
	g_assert_cmpuint(cell_of(table, 0, "used")->number, ==, 5);
	g_assert_cmpuint(cell_of(table, 0, "limit")->type, ==, CTPROF_VALUE_UNLIMITED);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/options", test_options);
	g_test_add_func("/memory/views", test_views);
	g_test_add_func("/memory/needs", test_needs);
	g_test_add_func("/memory/needs of both sides", test_needs_of_both);
	g_test_add_func("/memory/rows", test_rows);
	g_test_add_func("/memory/objects", test_objects);
	return g_test_run();
}
