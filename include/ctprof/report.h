/* SPDX-License-Identifier: 0BSD */
/*
 * The finished result of show and compare, as a sink draws it.
 *
 * A report is sections of rows; a row is one metric of one group, with its
 * value on one side (show) or both (compare).  A section of layout TABLE has
 * fields and lines instead (ctprof memory).  Everything is computed: a sink scales, aligns, escapes
 * and prints, and does no sums.  All structs follow the rules of plugin.h; arrays are walked by the
 * struct_size of their first element; everything is borrowed for the call.
 */
#ifndef CTPROF_REPORT_H
#define CTPROF_REPORT_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a folded value is: struct ctprof_value.type. */
enum ctprof_value_type {
	CTPROF_VALUE_ABSENT = 0,  /* not measured on that side */
	CTPROF_VALUE_NUMBER = 10, /* number: counters, peaks, lows, gauges, map entries */
	CTPROF_VALUE_ESTIMATE =
		15,              /* number, which stands in for what could not be read; since 1.1 */
	CTPROF_VALUE_REAL = 20,  /* real: derived metrics */
	CTPROF_VALUE_RANGE = 30, /* min, max: ordinals */
	CTPROF_VALUE_MODE = 40,  /* text is the winner, count rows of total have it */
	CTPROF_VALUE_CPUS = 50,  /* min, max CPUs allowed; text the list when all rows agree */
	CTPROF_VALUE_UNLIMITED = 60, /* a limit that is not set */
	CTPROF_VALUE_TEXT = 70,      /* text */
};

/* Stands inside other structs: this one never grows. */
struct ctprof_value {
	uint32_t struct_size;
	uint32_t type; /* enum ctprof_value_type */
	uint64_t number;
	double real;
	int64_t min, max;
	uint64_t count, total;
	const char *text; /* bytes, NUL-terminated; NULL when the type has none */
};

/* How numbers of a row are scaled: struct ctprof_report_row.ladder. */
enum ctprof_ladder {
	CTPROF_LADDER_NONE = 0,          /* as they are */
	CTPROF_LADDER_UNITLESS = 10,     /* K M G, by 1000 */
	CTPROF_LADDER_NS = 20,           /* ns, µs, ms, s */
	CTPROF_LADDER_US = 30,           /* µs, ms, s */
	CTPROF_LADDER_TICKS = 40,        /* ticks, Kticks, Mticks */
	CTPROF_LADDER_BYTES = 50,        /* B, KiB, MiB, GiB, TiB */
	CTPROF_LADDER_RATIO = 60,        /* three decimals, never a percentage of change */
	CTPROF_LADDER_CENTIPERCENT = 70, /* hundredths of a percent */
};

/* struct ctprof_report_row.flags */
#define CTPROF_ROW_HAS_DELTA 1u   /* delta is set */
#define CTPROF_ROW_HAS_PCT 2u     /* pct is set */
#define CTPROF_ROW_SAME 4u        /* both sides are equal */
#define CTPROF_ROW_DIFFERS 8u     /* categories whose winners differ: no delta, but a change */
#define CTPROF_ROW_RENAMED 16u    /* the two sides were paired by rename */
#define CTPROF_ROW_HAS_UPTIME 32u /* uptime is set */
#define CTPROF_ROW_RATE 64u       /* delta is per second of the time between */

/* One metric of one group. */
struct ctprof_report_row {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_ROW_* */
	/* 1; under --group-by all 3 (cgroup, pcomm, comm), memory of processes 2
	 * (cgroup, process); pressure of cgroups 2 (cgroup, "some" or "full"). */
	uint32_t n_group;
	uint32_t ladder;              /* enum ctprof_ladder */
	const char *group[4];         /* names, bytes; those behind n_group are NULL */
	const char *metric;           /* or the key of a map */
	const char *unit;             /* word for machines: "ns", "bytes", "ratio", ... */
	const char *tags;             /* "[cfs-only] [SCHEDSTATS]", or "" */
	const char *renamed;          /* with RENAMED: the candidate's cgroup; else NULL */
	uint64_t threads[2];          /* in the group, baseline and candidate; show: [0] */
	struct ctprof_value value[2]; /* baseline and candidate; show: [0] */
	double delta;                 /* candidate - baseline */
	double pct;                   /* of the baseline, in percent */
	double uptime;                /* 0..100: age of the group's threads by the oldest group's */
	struct ctprof_value sort[2];  /* with --sort-by: the group's first sort metric */
	uint32_t sort_ladder;
	uint32_t reserved;
	/* How the value came to be: enum ctprof_metric_kind, of a map's entry its
	 * own where that is known, else MAP.  0: derived from others.  Since 1.1. */
	uint32_t kind;
	uint32_t reserved_2;
};

/* How a table of rows is best laid out: struct ctprof_report_section.layout. */
enum ctprof_layout {
	CTPROF_LAYOUT_LONG = 10,  /* a line for each row */
	CTPROF_LAYOUT_WIDE = 20,  /* a line for each group, a column for each metric */
	CTPROF_LAYOUT_TREE = 30,  /* long, below headings of cgroup and pcomm (n_group 3) */
	CTPROF_LAYOUT_TABLE = 40, /* a table of its own fields, in table; since 1.1 */
};

/* struct ctprof_report_field.flags */
#define CTPROF_FIELD_TREE 1u    /* text; a line's depth shows as an indent of this field */
#define CTPROF_FIELD_HIDDEN 2u  /* for machines only: a sink for people leaves it out */
#define CTPROF_FIELD_PERCENT 4u /* REAL: a percentage, one decimal for people */

/* A field of a table's lines: a column of it. */
struct ctprof_report_field {
	uint32_t struct_size;
	uint32_t flags;  /* CTPROF_FIELD_* */
	uint32_t ladder; /* enum ctprof_ladder */
	uint32_t reserved;
	const char *name;   /* for machines: "pss", unique in the table */
	const char *header; /* for people: "PSS" */
	const char *unit;   /* word for machines: "bytes", "none", "text" */
};

/* struct ctprof_report_line.flags */
#define CTPROF_LINE_TOTAL 1u   /* a total of the others; machines get these apart */
#define CTPROF_LINE_CONTEXT 2u /* shown only because lines below it were asked for */

struct ctprof_report_line {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_LINE_* */
	uint32_t depth; /* in a tree; 0: a root */
	uint32_t reserved;
	const struct ctprof_value *cells; /* one for each field */
};

/* struct ctprof_report_table.flags */
#define CTPROF_TABLE_HAS_COVERAGE 1u /* the n_... of coverage are set */

/* Lines of one shape.  Since 1.1. */
struct ctprof_report_table {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_TABLE_* */
	uint64_t n_fields;
	const struct ctprof_report_field *fields;
	uint64_t n_lines;
	const struct ctprof_report_line *lines; /* in the order to be shown, totals last */
	/* How many rows the totals are made of: read in full; partly read, or
	 * stood in for; not read at all.  Rows that have no such value (kernel
	 * threads have no memory) are in none of them. */
	uint64_t n_exact, n_approximate, n_missing;
	uint64_t n_notes;
	const char *const *notes; /* lines below the table */
	const char *covered;      /* what the n_... of coverage count: "processes"; or NULL */
};

struct ctprof_report_section {
	uint32_t struct_size;
	uint32_t layout;          /* enum ctprof_layout */
	const char *name;         /* "primary", as --sections takes it */
	const char *heading;      /* "Primary metrics" */
	const char *group_header; /* of the group column: "pcomm", "cgroup", "comm-pattern", ... */
	uint64_t n_rows;
	const struct ctprof_report_row *rows;    /* in the order to be shown */
	uint64_t n_cut;                          /* rows that --limit took away; WIDE: lines */
	const struct ctprof_report_table *table; /* layout TABLE; else NULL.  Since 1.1 */
};

/* A column, in the order asked for: struct ctprof_report.columns. */
enum ctprof_column {
	CTPROF_COLUMN_GROUP = 10,
	CTPROF_COLUMN_THREADS = 20,
	CTPROF_COLUMN_METRIC = 30,
	CTPROF_COLUMN_VALUE = 40, /* show */
	CTPROF_COLUMN_BASELINE = 50,
	CTPROF_COLUMN_CANDIDATE = 60,
	CTPROF_COLUMN_ARROW = 70, /* "A → B" */
	CTPROF_COLUMN_DELTA = 80,
	CTPROF_COLUMN_PCT = 90,
	CTPROF_COLUMN_UPTIME = 100,
	CTPROF_COLUMN_TAGS = 110,
	CTPROF_COLUMN_SORT = 120, /* the sort metric of the group */
};

/* Groups of one side only, or a pair found by rename. */
struct ctprof_report_orphan {
	uint32_t struct_size;
	uint32_t n_group;
	const char *group[4];
	uint64_t threads;
};

struct ctprof_report_rename {
	uint32_t struct_size;
	uint32_t overlap;                           /* sorts of thread both have */
	const char *baseline, *candidate;           /* cgroups */
	const char *baseline_root, *candidate_root; /* where they begin to differ */
	double jaccard;                             /* 0..1 */
	uint64_t cascaded;                          /* children paired along */
	uint64_t n_only_baseline, n_only_candidate;
	const char *const *only_baseline; /* "pcomm:comm" */
	const char *const *only_candidate;
};

/* struct ctprof_report.flags */
#define CTPROF_REPORT_COMPARE 1u /* two sides; else show */
#define CTPROF_REPORT_COLOUR 2u  /* the sink may colour */
#define CTPROF_REPORT_HEADER 4u  /* headings and column headers wanted */
#define CTPROF_REPORT_ORPHANS 8u /* orphan lists wanted */

struct ctprof_report {
	uint32_t struct_size;
	uint32_t flags;
	const char *group_by; /* "pcomm", "cgroup", "comm", "comm-exact", "all", "thread" */
	const char *files[2]; /* as given */
	uint64_t n_warnings;
	const char *const *warnings; /* why the sides may not be comparable */
	uint64_t n_columns;
	const uint32_t *columns; /* enum ctprof_column */
	uint64_t n_sections;
	const struct ctprof_report_section *sections;
	uint64_t n_only[2];
	const struct ctprof_report_orphan *only[2];
	uint64_t n_renames;
	const struct ctprof_report_rename *renames;
	uint64_t width;          /* columns of the terminal to fit into; 0: no limit */
	const char *sort_header; /* name of the first sort metric; NULL: none */
	const char *command;     /* "show", "compare", "memory"; NULL: by flags.  Since 1.1 */
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_REPORT_H */
