/* SPDX-License-Identifier: 0BSD */
/*
 * The finished result of show, compare, stat and memory, as a sink draws it.
 *
 * A report is sections; a section is one table of fields, lines and cells.  A
 * cell holds one value (show) or two and their change (compare).  Everything is
 * computed: a sink scales, aligns, escapes and prints, and does no sums.
 *
 * All structs follow the rules of plugin.h; arrays are walked by the
 * struct_size of their first element.  Strings are NUL-terminated bytes of the
 * host or of ctprof, to be escaped.  Everything is borrowed for the call.
 */
#ifndef CTPROF_REPORT_H
#define CTPROF_REPORT_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a value is: struct ctprof_value.type. */
enum ctprof_value_type {
	CTPROF_VALUE_ABSENT = 0,  /* not measured: never 0 */
	CTPROF_VALUE_NUMBER = 10, /* number: counters, peaks, lows, gauges, levels, map entries */
	CTPROF_VALUE_REAL = 20,   /* real: derived metrics, shares */
	CTPROF_VALUE_RANGE = 30,  /* min, max: ordinals */
	CTPROF_VALUE_MODE = 40,   /* text is the winner: count of the n rows have it */
	CTPROF_VALUE_CPUS = 50,   /* min, max CPUs allowed; text the list when all rows agree */
	CTPROF_VALUE_UNLIMITED = 60, /* a limit that is not set */
	CTPROF_VALUE_TEXT = 70,      /* text */
};

/* struct ctprof_value.flags */
/* Incomplete: some of the rows it is made of had no value, or it is a number
 * that replaces one which could not be read.  A sink for people marks it "~". */
#define CTPROF_VALUE_PARTIAL 1u

/* An amount: a folded value and its coverage.  Inside other structs: it never
 * grows, and has no struct_size. */
struct ctprof_value {
	uint32_t type;    /* enum ctprof_value_type */
	uint32_t flags;   /* CTPROF_VALUE_* */
	uint64_t number;  /* in the field's unit */
	double real;      /* in the field's unit; finite */
	int64_t min, max; /* min <= max */
	uint64_t count;   /* MODE: rows of the n that have text */
	uint64_t n;       /* rows it is made of; 0: not counted (names, shares) */
	uint64_t missing; /* rows that had no value; inapplicable ones are not counted */
	uint32_t why;     /* commonest reason among missing: enum ctprof_absence; 0: none */
	uint32_t reserved;
	const char *text; /* NULL when the type has none */
};

/* How numbers of a field are scaled: struct ctprof_report_field.ladder. */
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

/* struct ctprof_cell.flags; of show only RATE and none of the others is set */
#define CTPROF_CELL_HAS_DELTA 1u /* delta is set */
#define CTPROF_CELL_HAS_PCT 2u   /* pct is set */
#define CTPROF_CELL_SAME 4u      /* both sides are equal */
#define CTPROF_CELL_DIFFERS 8u   /* they are not, and the change has no size */
#define CTPROF_CELL_RATE 16u     /* delta is per second of the time between */
/* One side lacks rows that the other has: the change is "~", and has no pct. */
#define CTPROF_CELL_PARTIAL 32u

/* What a line says in a field. */
struct ctprof_cell {
	uint32_t struct_size;
	uint32_t flags;               /* CTPROF_CELL_* */
	struct ctprof_value value[2]; /* baseline and candidate; show: [0] */
	double delta;                 /* candidate - baseline, in the field's unit */
	double pct;                   /* of the baseline, in percent */
};

/* struct ctprof_report_field.flags */
#define CTPROF_FIELD_TREE 1u    /* text; a line's depth shows as an indent of this field */
#define CTPROF_FIELD_HIDDEN 2u  /* for machines only: a sink for people leaves it out */
#define CTPROF_FIELD_PERCENT 4u /* REAL: a percentage, one decimal for people */

/* A field of a section's lines: a metric, or a column of the table. */
struct ctprof_report_field {
	uint32_t struct_size;
	uint32_t flags;  /* CTPROF_FIELD_* */
	uint32_t ladder; /* enum ctprof_ladder */
	/* How its values came to be: enum ctprof_metric_kind, of a map's entry its
	 * own where that is known, else MAP.  0: derived from others, or a name. */
	uint32_t kind;
	const char *name;   /* for machines: "pss", unique in the section */
	const char *header; /* for people: "PSS" */
	const char *unit;   /* word for machines: "ns", "bytes", "ratio", "none", "text" */
	const char *tags;   /* "[cfs-only] [SCHEDSTATS]", or "" */
};

/* struct ctprof_report_line.flags */
#define CTPROF_LINE_TOTAL 1u      /* a total of the others; machines get these apart */
#define CTPROF_LINE_CONTEXT 2u    /* shown only because lines below it were asked for */
#define CTPROF_LINE_HEADING 4u    /* its last name heads the lines below; no cells: for people */
#define CTPROF_LINE_HAS_UPTIME 8u /* uptime is set */

/* The most names a line has. */
#define CTPROF_LINE_NAMES 4

struct ctprof_report_line {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_LINE_* */
	uint32_t depth; /* in a tree; 0: a root */
	/* What the line is about: a group has 1 name, under --group-by all 3
	 * (cgroup, pcomm, comm), memory of processes 2 (cgroup, process); 0: the
	 * fields tell. */
	uint32_t n_names;
	const char *names[CTPROF_LINE_NAMES]; /* those after n_names are NULL */
	uint64_t threads[2];                  /* in the group, baseline and candidate; show: [0] */
	const char *renamed; /* paired by rename: the candidate's cgroup; or NULL */
	double uptime;       /* 0..100: age of the threads by the oldest group's */
	/* The cells of fields [first, first + n_cells): all of them, or under LONG one. */
	uint64_t first;
	uint64_t n_cells;
	const struct ctprof_cell *cells;
	const struct ctprof_cell *sort; /* with --sort-by: the group's first sort metric; or NULL */
};

/* struct ctprof_report_section.flags */
/* A line is one metric of what it is about; drawn in report.columns. */
#define CTPROF_SECTION_LONG 1u
/* Lines stand below headings, and show their last name only. */
#define CTPROF_SECTION_TREE 2u
/* Fields are metrics of named groups: machines get a row for each cell.  Else
 * fields are columns: machines get an object for each line. */
#define CTPROF_SECTION_METRICS 4u
#define CTPROF_SECTION_HAS_COVERAGE 8u /* the n_... of coverage are set */

/* One table. */
struct ctprof_report_section {
	uint32_t struct_size;
	uint32_t flags;           /* CTPROF_SECTION_* */
	const char *name;         /* "primary", as --sections takes it */
	const char *heading;      /* "Primary metrics" */
	const char *names_header; /* of the names: "pcomm", "cgroup", ...; NULL: no names */
	uint64_t n_fields;
	const struct ctprof_report_field *fields;
	uint64_t n_lines;
	const struct ctprof_report_line *lines; /* in the order to be shown, totals last */
	uint64_t n_cut;                         /* lines that --limit took away */
	/* How many rows the totals are made of: read in full; partly read, or
	 * replaced; not read at all.  Rows that have no such value (kernel threads
	 * have no memory) are in none of them. */
	uint64_t n_exact, n_approximate, n_missing;
	const char *covered; /* what these count: "processes"; or NULL */
	uint64_t n_notes;
	const char *const *notes; /* lines below the table */
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

/* Two cgroups paired as renamed. */
struct ctprof_report_rename {
	uint32_t struct_size;
	uint32_t overlap;                           /* kinds of thread both have */
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
	/* Groups of one side only: lines without cells. */
	uint64_t n_only[2];
	const struct ctprof_report_line *only[2];
	uint64_t n_renames;
	const struct ctprof_report_rename *renames;
	uint64_t width;          /* columns of the terminal to fit into; 0: no limit */
	const char *sort_header; /* name of the first sort metric; NULL: none */
	const char *command;     /* "show", "compare", "memory" */
	uint32_t sort_ladder;    /* of the lines' sort cells: enum ctprof_ladder */
	uint32_t reserved;
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_REPORT_H */
