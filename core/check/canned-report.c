/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>

#include "canned.h"
#include "ctprof/report.h"

#define ODD "odd \"name\"\\,\n\x1b[31m\xff"

#define VALUE(type_, ...)                                                                          \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_value), .type = CTPROF_VALUE_##type_,          \
		__VA_ARGS__                                                                        \
	}
#define ROW(metric_, unit_, ladder_, flags_, before, after)                                        \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_row), .flags = flags_, .n_group = 1,    \
		.ladder = CTPROF_LADDER_##ladder_, .group = {ODD}, .metric = metric_,              \
		.unit = unit_, .tags = "[cfs-only]", .threads = {3, 4}, .value = {before, after},  \
		.delta = -1.5, .pct = -33.3                                                        \
	}
#define BOTH (CTPROF_ROW_HAS_DELTA | CTPROF_ROW_HAS_PCT)

static const struct ctprof_report_row rows[] = {
	ROW("canned_counter", "ns", NS, BOTH, VALUE(NUMBER, .number = 3),
	    VALUE(NUMBER, .number = 2)),
	ROW("canned_level", "bytes", BYTES, 0, VALUE(NUMBER, .number = G_MAXUINT64),
	    VALUE(ABSENT, )),
	ROW("canned_estimate", "bytes", BYTES, BOTH, VALUE(ESTIMATE, .number = 9),
	    VALUE(NUMBER, .number = 1)),
	ROW("canned_ratio", "ratio", RATIO, CTPROF_ROW_HAS_DELTA, VALUE(REAL, .real = 0.25),
	    VALUE(REAL, .real = -1e300)),
	ROW("canned_ordinal", "none", NONE, 0, VALUE(RANGE, .min = -20, .max = 19),
	    VALUE(RANGE, .min = 0, .max = 0)),
	ROW("canned_text", "text", NONE, CTPROF_ROW_DIFFERS,
	    VALUE(MODE, .text = ODD, .count = 2, .total = 3), VALUE(MODE, .text = "", .total = 4)),
	ROW("canned_cpus", "cpus", NONE, CTPROF_ROW_SAME, VALUE(CPUS, .min = 1, .max = 4),
	    VALUE(CPUS, .min = 2, .max = 2, .text = "0-1")),
	ROW("canned_limit", "bytes", BYTES, 0, VALUE(UNLIMITED, ), VALUE(TEXT, .text = ODD)),
};

static const struct ctprof_report_section sections[] = {
	{.struct_size = sizeof sections[0],
	 .layout = CTPROF_LAYOUT_LONG,
	 .name = "primary",
	 .heading = "Primary metrics",
	 .group_header = "pcomm",
	 .n_rows = G_N_ELEMENTS(rows),
	 .rows = rows,
	 .n_cut = 5},
	{.struct_size = sizeof sections[0],
	 .layout = CTPROF_LAYOUT_WIDE,
	 .name = "empty",
	 .heading = "Nothing",
	 .group_header = "pcomm"},
};

static const struct ctprof_report_orphan orphans[] = {
	{.struct_size = sizeof orphans[0], .n_group = 1, .group = {ODD}, .threads = 2},
};

static const uint32_t show_columns[] = {CTPROF_COLUMN_GROUP, CTPROF_COLUMN_THREADS,
					CTPROF_COLUMN_METRIC, CTPROF_COLUMN_VALUE,
					CTPROF_COLUMN_TAGS};
static const uint32_t compare_columns[] = {
	CTPROF_COLUMN_GROUP, CTPROF_COLUMN_METRIC, CTPROF_COLUMN_BASELINE, CTPROF_COLUMN_CANDIDATE,
	CTPROF_COLUMN_ARROW, CTPROF_COLUMN_DELTA,  CTPROF_COLUMN_PCT};
static const char *const warnings[] = {"the two sides may not be comparable: " ODD};

const struct ctprof_report *canned_report_show(void)
{
	static const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_HEADER,
		.group_by = "pcomm",
		.files = {"a.ctprof.zst"},
		.n_columns = G_N_ELEMENTS(show_columns),
		.columns = show_columns,
		.n_sections = G_N_ELEMENTS(sections),
		.sections = sections,
		.command = "show",
	};

	return &report;
}

const struct ctprof_report *canned_report_compare(void)
{
	static const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_COMPARE | CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS,
		.group_by = "pcomm",
		.files = {"a.ctprof.zst", "b.ctprof.zst"},
		.n_warnings = G_N_ELEMENTS(warnings),
		.warnings = warnings,
		.n_columns = G_N_ELEMENTS(compare_columns),
		.columns = compare_columns,
		.n_sections = G_N_ELEMENTS(sections),
		.sections = sections,
		.n_only = {G_N_ELEMENTS(orphans), 0},
		.only = {orphans, NULL},
		.command = "compare",
	};

	return &report;
}

static const struct ctprof_report_field fields[] = {
	{.struct_size = sizeof fields[0],
	 .flags = CTPROF_FIELD_TREE,
	 .name = "name",
	 .header = "NAME",
	 .unit = "text"},
	{.struct_size = sizeof fields[0],
	 .ladder = CTPROF_LADDER_BYTES,
	 .name = "pss",
	 .header = "PSS",
	 .unit = "bytes"},
};

static const struct ctprof_value cells[][G_N_ELEMENTS(fields)] = {
	{VALUE(TEXT, .text = ODD), VALUE(NUMBER, .number = 4096)},
	{VALUE(TEXT, .text = "total"), VALUE(ABSENT, )},
};

static const struct ctprof_report_line lines[] = {
	{.struct_size = sizeof lines[0], .depth = 1, .cells = cells[0]},
	{.struct_size = sizeof lines[0], .flags = CTPROF_LINE_TOTAL, .cells = cells[1]},
};

const struct ctprof_report *canned_report_table(void)
{
	static const struct ctprof_report_table table = {
		.struct_size = sizeof table,
		.flags = CTPROF_TABLE_HAS_COVERAGE,
		.n_fields = G_N_ELEMENTS(fields),
		.fields = fields,
		.n_lines = G_N_ELEMENTS(lines),
		.lines = lines,
		.n_exact = 1,
		.n_missing = 1,
		.n_notes = G_N_ELEMENTS(warnings),
		.notes = warnings,
	};
	static const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.layout = CTPROF_LAYOUT_TABLE,
		.name = "ledger",
		.heading = "Memory",
		.group_header = "",
		.table = &table,
	};
	static const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_HEADER,
		.group_by = "pcomm",
		.files = {"a.ctprof.zst"},
		.n_sections = 1,
		.sections = &section,
		.command = "memory",
	};

	return &report;
}
