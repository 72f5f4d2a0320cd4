/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>

#include "canned.h"
#include "ctprof/report.h"

#define ODD "odd \"name\"\\,\n\x1b[31m\xff"

#define VALUE(type_, ...)                                                                          \
	{                                                                                          \
		.type = CTPROF_VALUE_##type_, __VA_ARGS__                                          \
	}
#define CELL(flags_, before, after)                                                                \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_cell), .flags = (flags_),                      \
		.value = {before, after}, .delta = -1.5, .pct = -33.3                              \
	}
#define FIELD(name_, unit_, ladder_)                                                               \
	.struct_size = sizeof(struct ctprof_report_field), .name = (name_), .header = (name_),     \
	.unit = (unit_), .ladder = CTPROF_LADDER_##ladder_, .tags = "[cfs-only]"
#define LINE(first_, n, cells_)                                                                    \
	.struct_size = sizeof(struct ctprof_report_line), .first = (first_), .n_cells = (n),       \
	.cells = (cells_)
#define GROUP .n_names = 1, .names = {ODD}, .threads = {3, 4}
#define SECTION(name_, fields_, lines_)                                                            \
	.struct_size = sizeof(struct ctprof_report_section), .name = (name_), .heading = ODD,      \
	.n_fields = G_N_ELEMENTS(fields_), .fields = (fields_), .n_lines = G_N_ELEMENTS(lines_),   \
	.lines = (lines_)
#define REPORT(command_, sections_)                                                                \
	.struct_size = sizeof(struct ctprof_report), .command = (command_), .group_by = "pcomm",   \
	.files = {"a.ctprof.zst", "b.ctprof.zst"}, .n_columns = G_N_ELEMENTS(columns),             \
	.columns = columns, .n_sections = G_N_ELEMENTS(sections_), .sections = (sections_)

#define BOTH (CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT)
#define PARTIAL .flags = CTPROF_VALUE_PARTIAL, .n = 2, .missing = 1, .why = CTPROF_ABSENT_DENIED

static const struct ctprof_report_field fields[] = {
	{FIELD("canned_counter", "ns", NS)},     {FIELD("canned_level", "bytes", BYTES)},
	{FIELD("canned_ratio", "ratio", RATIO)}, {FIELD("canned_ordinal", "none", NONE)},
	{FIELD("canned_text", "text", NONE)},    {FIELD("canned_cpus", "cpus", NONE)},
	{FIELD("canned_limit", "bytes", BYTES)}, {FIELD("canned_partial", "bytes", BYTES)},
};
static const struct ctprof_cell cells[G_N_ELEMENTS(fields)] = {
	CELL(BOTH, VALUE(NUMBER, .number = 3), VALUE(NUMBER, .number = 2)),
	CELL(0, VALUE(NUMBER, .number = G_MAXUINT64), VALUE(ABSENT, )),
	CELL(CTPROF_CELL_HAS_DELTA, VALUE(REAL, .real = 0.25), VALUE(REAL, .real = -1e300)),
	CELL(0, VALUE(RANGE, .min = -20, .max = 19), VALUE(RANGE, .min = 0, .max = 0)),
	CELL(CTPROF_CELL_DIFFERS, VALUE(MODE, .text = ODD, .count = 2, .n = 3),
	     VALUE(MODE, .text = "", .n = 4)),
	CELL(CTPROF_CELL_SAME, VALUE(CPUS, .min = 1, .max = 4),
	     VALUE(CPUS, .min = 2, .max = 2, .text = "0-1")),
	CELL(0, VALUE(UNLIMITED, ), VALUE(TEXT, .text = ODD)),
	CELL(CTPROF_CELL_HAS_DELTA | CTPROF_CELL_PARTIAL, VALUE(NUMBER, PARTIAL, .number = 9),
	     VALUE(NUMBER, .number = 1, .n = 3)),
};
static const struct ctprof_report_line long_lines[] = {
	{LINE(0, 1, &cells[0]), GROUP}, {LINE(1, 1, &cells[1]), GROUP},
	{LINE(2, 1, &cells[2]), GROUP}, {LINE(3, 1, &cells[3]), GROUP},
	{LINE(4, 1, &cells[4]), GROUP}, {LINE(5, 1, &cells[5]), GROUP},
	{LINE(6, 1, &cells[6]), GROUP}, {LINE(7, 1, &cells[7]), GROUP},
};
static const struct ctprof_report_line wide_lines[] = {
	{LINE(0, G_N_ELEMENTS(cells), cells), GROUP}};
static const struct ctprof_report_section sections[] = {
	{SECTION("primary", fields, long_lines), .names_header = "pcomm", .n_cut = 5,
	 .flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG},
	{SECTION("wide", fields, wide_lines), .names_header = "pcomm",
	 .flags = CTPROF_SECTION_METRICS},
};

static const char *const warnings[] = {"the two sides may not be comparable: " ODD};
static const struct ctprof_report_field own_fields[] = {
	{FIELD("name", "text", NONE), .flags = CTPROF_FIELD_TREE}, {FIELD("pss", "bytes", BYTES)}};
static const struct ctprof_cell own_cells[] = {
	CELL(0, VALUE(TEXT, .text = ODD), VALUE(ABSENT, )),
	CELL(0, VALUE(NUMBER, PARTIAL, .number = 4096), VALUE(ABSENT, )),
};
static const struct ctprof_report_line own_lines[] = {
	{LINE(0, 2, own_cells), .depth = 1}, {LINE(0, 2, own_cells), .flags = CTPROF_LINE_TOTAL}};
static const struct ctprof_report_section own_sections[] = {
	{SECTION("ledger", own_fields, own_lines), .flags = CTPROF_SECTION_HAS_COVERAGE,
	 .n_exact = 1, .n_missing = 1, .n_notes = G_N_ELEMENTS(warnings), .notes = warnings}};

static const uint32_t columns[] = {
	CTPROF_COLUMN_GROUP, CTPROF_COLUMN_THREADS,  CTPROF_COLUMN_METRIC,    CTPROF_COLUMN_VALUE,
	CTPROF_COLUMN_TAGS,  CTPROF_COLUMN_BASELINE, CTPROF_COLUMN_CANDIDATE, CTPROF_COLUMN_ARROW,
	CTPROF_COLUMN_DELTA, CTPROF_COLUMN_PCT};
static const struct ctprof_report_line only = {LINE(0, 0, NULL), GROUP};

const struct ctprof_report canned_report_show = {REPORT("show", sections),
						 .flags = CTPROF_REPORT_HEADER};
const struct ctprof_report canned_report_compare = {
	REPORT("compare", sections),
	.flags = CTPROF_REPORT_COMPARE | CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS,
	.n_warnings = G_N_ELEMENTS(warnings),
	.warnings = warnings,
	.n_only = {1, 0},
	.only = {&only, NULL}};
const struct ctprof_report canned_report_table = {REPORT("memory", own_sections),
						  .flags = CTPROF_REPORT_HEADER};
