/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders a one-row report of runs with the sink that is linked in. */
#pragma once

#include <string.h>

#include "ctprof/report.h"
#include "fakehost.h"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

enum {
	DRAWN_CUT = 1,     /* the row itself was cut by --limit */
	DRAWN_WARNING = 2, /* a warning with everything that must be escaped */
};

/* Returns the sink's output; the caller frees it. */
static inline char *drawn_report(const struct ctprof_report *report)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;
	void *self;

	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	g_assert_cmpint(ops->report(self, report), ==, 0);
	ops->close(self);
	const GByteArray *written = fake_host_written(fake);
	return g_strndup(written->len ? (const char *)written->data : "", written->len);
}

static const char *const drawn_warnings[] = {"50% < 100%"};
static const guint32 drawn_columns[] = {CTPROF_COLUMN_GROUP, CTPROF_COLUMN_DELTA};

/* Renders the row of metric "m" for a group; if fails, it meets --fail-on.  how: DRAWN_* flags. */
static inline char *drawn_run(const char *group, guint32 verdict, gboolean fails, guint how)
{
	static const double runs[] = {1e6, 2e6, 3e6, 2e6, 3e6, 4e6};
	const struct ctprof_runs runs_of = {
		.struct_size = sizeof runs_of,
		.flags = CTPROF_RUNS_HAS_TEST | CTPROF_RUNS_HAS_Q,
		.verdict = verdict,
		.n_runs = {3, 3},
		.n = {3, 3},
		.values = {runs, runs + 3},
		.min = {1e6, 2e6},
		.max = {3e6, 4e6},
		.p = 0.01,
		.q = 0.012,
	};
	const struct ctprof_cell cell = {
		.struct_size = sizeof cell,
		.flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT,
		.value = {{.type = CTPROF_VALUE_REAL, .real = 2e6},
			  {.type = CTPROF_VALUE_REAL, .real = 3e6}},
		.delta = 1e6,
		.pct = 50,
		.runs = &runs_of,
	};
	const struct ctprof_report_field field = {.struct_size = sizeof field,
						  .ladder = CTPROF_LADDER_NS,
						  .name = "m",
						  .header = "m",
						  .unit = "ns",
						  .tags = ""};
	const struct ctprof_report_line line = {.struct_size = sizeof line,
						.n_names = 1,
						.names = {group},
						.n_cells = 1,
						.cells = &cell};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG,
		.name = "runs",
		.heading = "Runs",
		.n_fields = 1,
		.fields = &field,
		.n_lines = how & DRAWN_CUT ? 0 : 1,
		.lines = &line,
	};
	const struct ctprof_report_hit hit = {.struct_size = sizeof hit,
					      .n_names = 1,
					      .names = {group},
					      .condition = "q<0.05 && m:pct>10",
					      .metric = "m",
					      .unit = "percent",
					      .value = 50,
					      .limit = 10,
					      .runs = &runs_of};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_COMPARE | CTPROF_REPORT_RUNS,
		.command = "compare",
		.n_warnings = how & DRAWN_WARNING ? 1 : 0,
		.warnings = drawn_warnings,
		.n_columns = G_N_ELEMENTS(drawn_columns),
		.columns = drawn_columns,
		.n_sections = 1,
		.sections = &section,
		.n_hits = fails ? 1 : 0,
		.hits = &hit,
	};

	return drawn_report(&report);
}
