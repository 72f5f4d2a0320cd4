/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports as they were drawn before they could hold tables, in numbers; see
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

EXACTLY(ctprof_value, 64);
MEMBER(ctprof_value, struct_size, 0, 4);
MEMBER(ctprof_value, type, 4, 4);
MEMBER(ctprof_value, number, 8, 8);
MEMBER(ctprof_value, real, 16, 8);
MEMBER(ctprof_value, min, 24, 8);
MEMBER(ctprof_value, max, 32, 8);
MEMBER(ctprof_value, count, 40, 8);
MEMBER(ctprof_value, total, 48, 8);
MEMBER(ctprof_value, text, 56, 8);

AT_LEAST(ctprof_report_row, 384);
MEMBER(ctprof_report_row, struct_size, 0, 4);
MEMBER(ctprof_report_row, flags, 4, 4);
MEMBER(ctprof_report_row, n_group, 8, 4);
MEMBER(ctprof_report_row, ladder, 12, 4);
MEMBER(ctprof_report_row, group, 16, 32);
MEMBER(ctprof_report_row, metric, 48, 8);
MEMBER(ctprof_report_row, unit, 56, 8);
MEMBER(ctprof_report_row, tags, 64, 8);
MEMBER(ctprof_report_row, renamed, 72, 8);
MEMBER(ctprof_report_row, threads, 80, 16);
MEMBER(ctprof_report_row, value, 96, 128);
MEMBER(ctprof_report_row, delta, 224, 8);
MEMBER(ctprof_report_row, pct, 232, 8);
MEMBER(ctprof_report_row, uptime, 240, 8);
MEMBER(ctprof_report_row, sort, 248, 128);
MEMBER(ctprof_report_row, sort_ladder, 376, 4);
MEMBER(ctprof_report_row, reserved, 380, 4);

AT_LEAST(ctprof_report_section, 56);
MEMBER(ctprof_report_section, struct_size, 0, 4);
MEMBER(ctprof_report_section, layout, 4, 4);
MEMBER(ctprof_report_section, name, 8, 8);
MEMBER(ctprof_report_section, heading, 16, 8);
MEMBER(ctprof_report_section, group_header, 24, 8);
MEMBER(ctprof_report_section, n_rows, 32, 8);
MEMBER(ctprof_report_section, rows, 40, 8);
MEMBER(ctprof_report_section, n_cut, 48, 8);

AT_LEAST(ctprof_report_orphan, 48);
MEMBER(ctprof_report_orphan, struct_size, 0, 4);
MEMBER(ctprof_report_orphan, n_group, 4, 4);
MEMBER(ctprof_report_orphan, group, 8, 32);
MEMBER(ctprof_report_orphan, threads, 40, 8);

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

AT_LEAST(ctprof_report, 144);
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
VALUE(CTPROF_LAYOUT_LONG, 10);
VALUE(CTPROF_LAYOUT_WIDE, 20);
VALUE(CTPROF_LAYOUT_TREE, 30);
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
VALUE(CTPROF_ROW_HAS_DELTA, 1);
VALUE(CTPROF_ROW_HAS_PCT, 2);
VALUE(CTPROF_ROW_SAME, 4);
VALUE(CTPROF_ROW_DIFFERS, 8);
VALUE(CTPROF_ROW_RENAMED, 16);
VALUE(CTPROF_ROW_HAS_UPTIME, 32);
VALUE(CTPROF_ROW_RATE, 64);
VALUE(CTPROF_REPORT_COMPARE, 1);
VALUE(CTPROF_REPORT_COLOUR, 2);
VALUE(CTPROF_REPORT_HEADER, 4);
VALUE(CTPROF_REPORT_ORPHANS, 8);
