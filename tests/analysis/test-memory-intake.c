/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ctprof memory: its options, and from a snapshot's rows to its report. */
#include <string.h>

#include "base/error.h"
#include "report/section/memory/memory.h"
#include "sample.h"

static MemoryOptions options_of(const char *view)
{
	return (MemoryOptions){.view = memory_view_find(view), .file = "x.ctprof.zst"};
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
		MemoryOptions options = options_of(cases[i].view);
		g_autoptr(GError) error = NULL;

		options.sort = cases[i].sort;
		options.filter = cases[i].filter;
		g_autoptr(Memory) memory = memory_new(&options, &error);
		if (!cases[i].error) {
			g_assert_no_error(error);
			g_assert_nonnull(memory);
			continue;
		}
		g_assert_null(memory);
		g_assert_true(error->domain == USAGE_ERROR);
		g_assert_true(g_str_has_prefix(error->message, cases[i].error));
	}
}

static void test_views(void)
{
	guint n = 0;

	for (; memory_view_at(n); n++) {
		const MemoryView *view = memory_view_at(n);

		g_assert_true(memory_view_find(memory_view_name(view)) == view);
		g_assert_true(g_str_has_prefix(memory_view_groups(view), "memory"));
	}
	g_assert_cmpuint(n, >=, 6);
	g_assert_null(memory_view_find("xyz"));
}

/* What a snapshot was made without is told with the way to get it. */
static void test_needs(void)
{
	static const struct {
		const char *view, *error;
	} cases[] = {
		{"ledger", "x.ctprof.zst has no memory ledger: capture with --memory"},
		{"processes",
		 "x.ctprof.zst has no memory of processes: capture with --memory=processes"},
		{"tmpfs", "x.ctprof.zst has no tmpfs mounts: capture with --memory=tmpfs"},
		{"shared", "x.ctprof.zst has no shared objects: capture with --memory=shared"},
	};
	g_autoptr(Registry) registry = registry_new();

	g_assert_true(registry_seal(registry, NULL, NULL, NULL));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		MemoryOptions options = options_of(cases[i].view);
		g_autoptr(GError) error = NULL;
		g_autoptr(Memory) memory = memory_new(&options, NULL);

		g_assert_null(memory_finish(memory, registry, &error));
		g_assert_cmpstr(error->message, ==, cases[i].error);
		g_assert_false(error->domain == USAGE_ERROR);
	}
}

static const struct ctprof_value *cell_of(const struct ctprof_report_table *table, guint64 line,
					  const char *field)
{
	for (guint64 i = 0; i < table->n_fields; i++)
		if (strcmp(table->fields[i].name, field) == 0)
			return &table->lines[line].cells[i];
	g_assert_not_reached();
}

/* Leaders are processes, other threads are not; a metric that is not what it is
 * called by is left alone. */
static void test_rows(void)
{
	g_autoptr(Sample) sample = sample_new();
	MemoryOptions options = options_of("processes");
	g_autoptr(GError) error = NULL;
	g_autoptr(Memory) memory = memory_new(&options, &error);

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
	sample_memory_feed(sample, memory);
	const struct ctprof_report *report = memory_finish(memory, sample_registry(sample), &error);
	g_assert_no_error(error);
	g_assert_cmpstr(report->command, ==, "memory");
	g_assert_cmpuint(report->n_sections, ==, 1);
	const struct ctprof_report_table *table = report->sections[0].table;
	g_assert_cmpuint(table->n_lines, ==, 3);
	g_assert_cmpuint(cell_of(table, 0, "pid")->number, ==, 7);
	g_assert_cmpuint(cell_of(table, 0, "pss")->number, ==, 5);
	g_assert_cmpuint(cell_of(table, 0, "uss")->type, ==, CTPROF_VALUE_ABSENT);
	g_assert_cmpstr(cell_of(table, 0, "state")->text, ==, "S");
	g_assert_cmpstr(cell_of(table, 0, "command")->text, ==, "[p]");
	g_assert_cmpuint(cell_of(table, 1, "pss")->type, ==, CTPROF_VALUE_ABSENT);
}

/* Objects go where their group says, whatever they are called. */
static void test_objects(void)
{
	g_autoptr(Sample) sample = sample_new();
	MemoryOptions options = options_of("tmpfs");
	g_autoptr(GError) error = NULL;
	g_autoptr(Memory) memory = memory_new(&options, &error);

	sample_metric(sample, "tmpfs_used_bytes", CTPROF_LEVEL, CTPROF_UNIT_BYTES,
		      CTPROF_SCOPE_OBJECT, "memory-tmpfs");
	sample_metric(sample, "tmpfs_limit_bytes", CTPROF_GAUGE, CTPROF_UNIT_BYTES,
		      CTPROF_SCOPE_OBJECT, "memory-tmpfs");
	sample_metric(sample, "other_bytes", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT,
		      "other");
	sample_object(sample, "memory-tmpfs", "/tmp");
	sample_u64(sample, "tmpfs_used_bytes", 5);
	sample_u64(sample, "tmpfs_limit_bytes", G_MAXUINT64);
	sample_object(sample, "other", "/run");
	sample_u64(sample, "other_bytes", 7);
	sample_memory_feed(sample, memory);
	const struct ctprof_report *report = memory_finish(memory, sample_registry(sample), &error);
	g_assert_no_error(error);
	const struct ctprof_report_table *table = report->sections[0].table;
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
	g_test_add_func("/memory/rows", test_rows);
	g_test_add_func("/memory/objects", test_objects);
	return g_test_run();
}
