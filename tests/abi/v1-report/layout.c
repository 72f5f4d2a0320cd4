/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports as sinks draw them since 0.1.0, in numbers; see
 * ../v1/layout.c. Nothing here is ever edited.
 */
#include "ctprof/report.h"
#include "ctprof/sink.h"

#define AT_LEAST(type, size) _Static_assert(sizeof(struct type) >= (size), #type " shrank")
#define EXACTLY(type, size) _Static_assert(sizeof(struct type) == (size), #type " changed its size")
#define MEMBER(type, member, offset, size)                                                         \
	_Static_assert(offsetof(struct type, member) == (offset) &&                                \
			       sizeof(((struct type *)0)->member) == (size),                       \
		       #type "." #member " moved or changed its size")
#define VALUE(name, number) _Static_assert((name) == (number), #name " changed")

EXACTLY(ctprof_value, 80);
MEMBER(ctprof_value, type, 0, 4);
MEMBER(ctprof_value, flags, 4, 4);
MEMBER(ctprof_value, number, 8, 8);
MEMBER(ctprof_value, real, 16, 8);
MEMBER(ctprof_value, min, 24, 8);
MEMBER(ctprof_value, max, 32, 8);
MEMBER(ctprof_value, count, 40, 8);
MEMBER(ctprof_value, n, 48, 8);
MEMBER(ctprof_value, missing, 56, 8);
MEMBER(ctprof_value, why, 64, 4);
MEMBER(ctprof_value, reserved, 68, 4);
MEMBER(ctprof_value, text, 72, 8);

AT_LEAST(ctprof_cell, 184);
MEMBER(ctprof_cell, struct_size, 0, 4);
MEMBER(ctprof_cell, flags, 4, 4);
MEMBER(ctprof_cell, value, 8, 160);
MEMBER(ctprof_cell, delta, 168, 8);
MEMBER(ctprof_cell, pct, 176, 8);

AT_LEAST(ctprof_report_field, 48);
MEMBER(ctprof_report_field, struct_size, 0, 4);
MEMBER(ctprof_report_field, flags, 4, 4);
MEMBER(ctprof_report_field, ladder, 8, 4);
MEMBER(ctprof_report_field, kind, 12, 4);
MEMBER(ctprof_report_field, name, 16, 8);
MEMBER(ctprof_report_field, header, 24, 8);
MEMBER(ctprof_report_field, unit, 32, 8);
MEMBER(ctprof_report_field, tags, 40, 8);

AT_LEAST(ctprof_report_line, 112);
MEMBER(ctprof_report_line, struct_size, 0, 4);
MEMBER(ctprof_report_line, flags, 4, 4);
MEMBER(ctprof_report_line, depth, 8, 4);
MEMBER(ctprof_report_line, n_names, 12, 4);
MEMBER(ctprof_report_line, names, 16, 32);
MEMBER(ctprof_report_line, threads, 48, 16);
MEMBER(ctprof_report_line, renamed, 64, 8);
MEMBER(ctprof_report_line, uptime, 72, 8);
MEMBER(ctprof_report_line, first, 80, 8);
MEMBER(ctprof_report_line, n_cells, 88, 8);
MEMBER(ctprof_report_line, cells, 96, 8);
MEMBER(ctprof_report_line, sort, 104, 8);

AT_LEAST(ctprof_report_section, 120);
MEMBER(ctprof_report_section, struct_size, 0, 4);
MEMBER(ctprof_report_section, flags, 4, 4);
MEMBER(ctprof_report_section, name, 8, 8);
MEMBER(ctprof_report_section, heading, 16, 8);
MEMBER(ctprof_report_section, names_header, 24, 8);
MEMBER(ctprof_report_section, n_fields, 32, 8);
MEMBER(ctprof_report_section, fields, 40, 8);
MEMBER(ctprof_report_section, n_lines, 48, 8);
MEMBER(ctprof_report_section, lines, 56, 8);
MEMBER(ctprof_report_section, n_cut, 64, 8);
MEMBER(ctprof_report_section, n_exact, 72, 8);
MEMBER(ctprof_report_section, n_approximate, 80, 8);
MEMBER(ctprof_report_section, n_missing, 88, 8);
MEMBER(ctprof_report_section, covered, 96, 8);
MEMBER(ctprof_report_section, n_notes, 104, 8);
MEMBER(ctprof_report_section, notes, 112, 8);

AT_LEAST(ctprof_report_rename, 88);
MEMBER(ctprof_report_rename, struct_size, 0, 4);
MEMBER(ctprof_report_rename, overlap, 4, 4);
MEMBER(ctprof_report_rename, baseline, 8, 8);
MEMBER(ctprof_report_rename, candidate, 16, 8);
MEMBER(ctprof_report_rename, baseline_root, 24, 8);
MEMBER(ctprof_report_rename, candidate_root, 32, 8);
MEMBER(ctprof_report_rename, jaccard, 40, 8);
MEMBER(ctprof_report_rename, cascaded, 48, 8);
MEMBER(ctprof_report_rename, n_only_baseline, 56, 8);
MEMBER(ctprof_report_rename, n_only_candidate, 64, 8);
MEMBER(ctprof_report_rename, only_baseline, 72, 8);
MEMBER(ctprof_report_rename, only_candidate, 80, 8);

AT_LEAST(ctprof_report, 160);
MEMBER(ctprof_report, struct_size, 0, 4);
MEMBER(ctprof_report, flags, 4, 4);
MEMBER(ctprof_report, group_by, 8, 8);
MEMBER(ctprof_report, files, 16, 16);
MEMBER(ctprof_report, n_warnings, 32, 8);
MEMBER(ctprof_report, warnings, 40, 8);
MEMBER(ctprof_report, n_columns, 48, 8);
MEMBER(ctprof_report, columns, 56, 8);
MEMBER(ctprof_report, n_sections, 64, 8);
MEMBER(ctprof_report, sections, 72, 8);
MEMBER(ctprof_report, n_only, 80, 16);
MEMBER(ctprof_report, only, 96, 16);
MEMBER(ctprof_report, n_renames, 112, 8);
MEMBER(ctprof_report, renames, 120, 8);
MEMBER(ctprof_report, width, 128, 8);
MEMBER(ctprof_report, sort_header, 136, 8);
MEMBER(ctprof_report, command, 144, 8);
MEMBER(ctprof_report, sort_ladder, 152, 4);
MEMBER(ctprof_report, reserved, 156, 4);

AT_LEAST(ctprof_sink_ops, 64);
MEMBER(ctprof_sink_ops, struct_size, 0, 4);
MEMBER(ctprof_sink_ops, reserved, 4, 4);
MEMBER(ctprof_sink_ops, open, 8, 8);
MEMBER(ctprof_sink_ops, close, 16, 8);
MEMBER(ctprof_sink_ops, begin, 24, 8);
MEMBER(ctprof_sink_ops, rows, 32, 8);
MEMBER(ctprof_sink_ops, end, 40, 8);
MEMBER(ctprof_sink_ops, report, 48, 8);
MEMBER(ctprof_sink_ops, read, 56, 8);

VALUE(CTPROF_VALUE_ABSENT, 0);
VALUE(CTPROF_VALUE_NUMBER, 10);
VALUE(CTPROF_VALUE_REAL, 20);
VALUE(CTPROF_VALUE_RANGE, 30);
VALUE(CTPROF_VALUE_MODE, 40);
VALUE(CTPROF_VALUE_CPUS, 50);
VALUE(CTPROF_VALUE_UNLIMITED, 60);
VALUE(CTPROF_VALUE_TEXT, 70);
VALUE(CTPROF_LADDER_NONE, 0);
VALUE(CTPROF_LADDER_UNITLESS, 10);
VALUE(CTPROF_LADDER_NS, 20);
VALUE(CTPROF_LADDER_US, 30);
VALUE(CTPROF_LADDER_TICKS, 40);
VALUE(CTPROF_LADDER_BYTES, 50);
VALUE(CTPROF_LADDER_RATIO, 60);
VALUE(CTPROF_LADDER_CENTIPERCENT, 70);
VALUE(CTPROF_COLUMN_GROUP, 10);
VALUE(CTPROF_COLUMN_THREADS, 20);
VALUE(CTPROF_COLUMN_METRIC, 30);
VALUE(CTPROF_COLUMN_VALUE, 40);
VALUE(CTPROF_COLUMN_BASELINE, 50);
VALUE(CTPROF_COLUMN_CANDIDATE, 60);
VALUE(CTPROF_COLUMN_ARROW, 70);
VALUE(CTPROF_COLUMN_DELTA, 80);
VALUE(CTPROF_COLUMN_PCT, 90);
VALUE(CTPROF_COLUMN_UPTIME, 100);
VALUE(CTPROF_COLUMN_TAGS, 110);
VALUE(CTPROF_COLUMN_SORT, 120);
VALUE(CTPROF_VALUE_PARTIAL, 1);
VALUE(CTPROF_CELL_HAS_DELTA, 1);
VALUE(CTPROF_CELL_HAS_PCT, 2);
VALUE(CTPROF_CELL_SAME, 4);
VALUE(CTPROF_CELL_DIFFERS, 8);
VALUE(CTPROF_CELL_RATE, 16);
VALUE(CTPROF_CELL_PARTIAL, 32);
VALUE(CTPROF_FIELD_TREE, 1);
VALUE(CTPROF_FIELD_HIDDEN, 2);
VALUE(CTPROF_FIELD_PERCENT, 4);
VALUE(CTPROF_LINE_TOTAL, 1);
VALUE(CTPROF_LINE_CONTEXT, 2);
VALUE(CTPROF_LINE_HEADING, 4);
VALUE(CTPROF_LINE_HAS_UPTIME, 8);
VALUE(CTPROF_LINE_NAMES, 4);
VALUE(CTPROF_SECTION_LONG, 1);
VALUE(CTPROF_SECTION_TREE, 2);
VALUE(CTPROF_SECTION_METRICS, 4);
VALUE(CTPROF_SECTION_HAS_COVERAGE, 8);
VALUE(CTPROF_REPORT_COMPARE, 1);
VALUE(CTPROF_REPORT_COLOUR, 2);
VALUE(CTPROF_REPORT_HEADER, 4);
VALUE(CTPROF_REPORT_ORPHANS, 8);
