/* SPDX-License-Identifier: 0BSD */
/*
 * The finished result of show, compare, stat and memory, as a sink draws it.
 *
 * A report consists of sections; a section is one table of fields, lines and
 * cells.  A cell holds one value (show) or two and their change (compare).  All
 * values are computed: a sink only scales, aligns, escapes and prints them.
 *
 * All structs follow the rules of plugin.h; to step through an array, use the
 * struct_size of its first element.  Strings are NUL-terminated bytes from the
 * host or from ctprof, which the sink must escape.  Everything is borrowed for
 * the call.
 */
#ifndef CTPROF_REPORT_H
#define CTPROF_REPORT_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a value contains: struct ctprof_value.type. */
enum ctprof_value_type {
	CTPROF_VALUE_ABSENT = 0,  /* not measured: never 0 */
	CTPROF_VALUE_NUMBER = 10, /* number: counters, peaks, lows, gauges, levels, map entries */
	CTPROF_VALUE_REAL = 20,   /* real: derived metrics, shares */
	CTPROF_VALUE_RANGE = 30,  /* min, max: ordinals */
	CTPROF_VALUE_MODE = 40, /* text: the most frequent value, which count of the n rows have */
	CTPROF_VALUE_CPUS = 50, /* min, max number of CPUs; text: the list if all rows agree */
	CTPROF_VALUE_UNLIMITED = 60, /* a limit that is not set */
	CTPROF_VALUE_TEXT = 70,      /* text */
};

/* struct ctprof_value.flags */
/* Incomplete: some of the rows it is made of had no value, or the number replaces
 * one that could not be read.  A sink for people marks it "~". */
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
	uint32_t why;     /* most frequent reason of the missing: enum ctprof_absence; 0: none */
	uint32_t reserved;
	const char *text; /* NULL if the type has none */
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

/* struct ctprof_cell.flags; show sets none of them, except RATE */
#define CTPROF_CELL_HAS_DELTA 1u /* delta is set */
#define CTPROF_CELL_HAS_PCT 2u   /* pct is set */
#define CTPROF_CELL_SAME 4u      /* both sides are equal */
#define CTPROF_CELL_DIFFERS 8u   /* they are not, and the change cannot be a number */
#define CTPROF_CELL_RATE 16u     /* delta is per second between the captures */
/* One side lacks rows that the other has: a sink marks the change "~"; no pct. */
#define CTPROF_CELL_PARTIAL 32u

/* The value, or values, of a field in a line. */
struct ctprof_cell {
	uint32_t struct_size;
	uint32_t flags;               /* CTPROF_CELL_* */
	struct ctprof_value value[2]; /* baseline and candidate; show: [0] */
	double delta;                 /* candidate - baseline, in the unit of the field */
	double pct;                   /* delta in percent of the baseline */
};

/* struct ctprof_report_field.flags */
#define CTPROF_FIELD_TREE 1u    /* text; indent it by the depth of the line */
#define CTPROF_FIELD_HIDDEN 2u  /* for machines only: a sink for people leaves it out */
#define CTPROF_FIELD_PERCENT 4u /* REAL: a percentage, one decimal for people */

/* A field of a section's lines: a metric, or a column of the table. */
struct ctprof_report_field {
	uint32_t struct_size;
	uint32_t flags;  /* CTPROF_FIELD_* */
	uint32_t ladder; /* enum ctprof_ladder */
	/* Kind of the metric: enum ctprof_metric_kind; for an entry of a map its own
	 * kind if known, otherwise MAP.  0: derived from other metrics, or a name. */
	uint32_t kind;
	const char *name;   /* for machines: "pss", unique in the section */
	const char *header; /* for people: "PSS" */
	const char *unit;   /* for machines: "ns", "bytes", "ratio", "none", "text" */
	const char *tags;   /* "[cfs-only] [SCHEDSTATS]", or "" */
};

/* struct ctprof_report_line.flags */
#define CTPROF_LINE_TOTAL 1u   /* a total of the others; sinks for machines list it separately */
#define CTPROF_LINE_CONTEXT 2u /* shown only because of the lines below it */
#define CTPROF_LINE_HEADING                                                                        \
	4u /* its last name is the heading of the lines below; no cells; for people */
#define CTPROF_LINE_HAS_UPTIME 8u /* uptime is set */

/* The maximum number of names of a line. */
#define CTPROF_LINE_NAMES 4

/* A line of a section: a group, one metric of a group, an object or a total. */
struct ctprof_report_line {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_LINE_* */
	uint32_t depth; /* level in a tree; 0: a root */
	/* Number of names: a group has 1, with --group-by all 3 (cgroup, pcomm,
	 * comm), memory of processes 2 (cgroup, process); 0: the name is in the
	 * fields. */
	uint32_t n_names;
	const char *names[CTPROF_LINE_NAMES]; /* those after n_names are NULL */
	uint64_t threads[2];                  /* in the group: baseline, candidate; show: [0] */
	const char *renamed; /* the candidate's cgroup if paired as renamed; or NULL */
	double uptime;       /* s since the threads began, on average, at the newest capture */
	/* The cells of fields first to first + n_cells - 1: of all fields, or in a LONG
	 * section of one. */
	uint64_t first;
	uint64_t n_cells;
	const struct ctprof_cell *cells;
	const struct ctprof_cell *sort; /* --sort-by: the first sort metric of the group; or NULL */
};

/* struct ctprof_report_section.flags */
/* Each line is one metric; draw the columns in report.columns. */
#define CTPROF_SECTION_LONG 1u
/* Lines are shown below headings, with their last name only. */
#define CTPROF_SECTION_TREE 2u
/* Lines are groups and fields their metrics: sinks for machines write a row for
 * each cell.  Otherwise fields are columns, and they write an object for each
 * line. */
#define CTPROF_SECTION_METRICS 4u
#define CTPROF_SECTION_HAS_COVERAGE 8u /* the n_... of coverage are set */

/* A section: one table. */
struct ctprof_report_section {
	uint32_t struct_size;
	uint32_t flags;           /* CTPROF_SECTION_* */
	const char *name;         /* "primary", as --sections takes it */
	const char *heading;      /* "Primary metrics" */
	const char *names_header; /* header of the names: "pcomm", "cgroup", ...; NULL: no names */
	uint64_t n_fields;
	const struct ctprof_report_field *fields;
	uint64_t n_lines;
	const struct ctprof_report_line *lines; /* n_lines in the order of display, totals last */
	uint64_t n_cut;                         /* number of lines removed by --limit */
	/* Numbers of rows that the totals are made of: read in full; read in part, or
	 * replaced; not read at all.  Rows without such a value by their nature
	 * (kernel threads have no memory) are not counted. */
	uint64_t n_exact, n_approximate, n_missing;
	const char *covered; /* what these numbers count: "processes"; or NULL */
	uint64_t n_notes;
	const char *const *notes; /* n_notes lines of text below the table */
};

/* A column of a LONG section: struct ctprof_report.columns. */
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
	const char *baseline_root, *candidate_root; /* from where the paths differ */
	double jaccard;                             /* similarity of their threads, 0 to 1 */
	uint64_t cascaded;                          /* children paired with them */
	uint64_t n_only_baseline, n_only_candidate;
	const char *const *only_baseline; /* kinds of thread of one side, "pcomm:comm" */
	const char *const *only_candidate;
};

/* struct ctprof_report_window.flags */
/* The kernel's records of threads that end were received: n_recorded and n_unseen
 * are set. */
#define CTPROF_WINDOW_HAS_EXITS 1u
/* Some of these records were lost: the kernel's buffer was full. */
#define CTPROF_WINDOW_LOST_EXITS 2u

/*
 * What lies between two captures of one boot.  The values of counters are then
 * those of the threads whose change is known: candidate - baseline is what they
 * counted in the window.  Peaks are there only if they rose in it.
 */
struct ctprof_report_window {
	uint32_t struct_size;
	uint32_t flags;      /* CTPROF_WINDOW_* */
	double seconds;      /* from the beginning of one capture to that of the other */
	uint64_t threads[2]; /* in each capture */
	uint64_t n_born;     /* threads only the candidate has */
	uint64_t n_gone;     /* threads only the baseline has */
	uint64_t n_recorded; /* of the gone: those with a record of their end */
	uint64_t n_unseen;   /* threads that began and ended in the window */
};

/* Where a condition of --fail-on holds. */
struct ctprof_report_hit {
	uint32_t struct_size;
	uint32_t n_names;                     /* of names; at least 1 */
	const char *names[CTPROF_LINE_NAMES]; /* of the group, cgroup, object or "host" */
	const char *condition;                /* as given */
	const char *metric;
	const char *unit; /* of value and limit, for machines: "ns", "percent", ... */
	double value;     /* the change; per second with --rate */
	double limit;
};

/* struct ctprof_report.flags */
#define CTPROF_REPORT_COMPARE 1u /* two sides; else show */
#define CTPROF_REPORT_COLOUR 2u  /* colours are allowed */
#define CTPROF_REPORT_HEADER 4u  /* headings and column headers wanted */
#define CTPROF_REPORT_ORPHANS 8u /* orphan lists wanted */

/* A finished report. */
struct ctprof_report {
	uint32_t struct_size;
	uint32_t flags;
	const char *group_by; /* "pcomm", "cgroup", "comm", "comm-exact", "all", "thread" */
	const char *files[2]; /* as given */
	uint64_t n_warnings;
	const char *const *warnings; /* why the sides may not be comparable */
	uint64_t n_columns;
	const uint32_t *columns; /* n_columns in the order requested: enum ctprof_column */
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
	const struct ctprof_report_window *window; /* NULL: it is about none.  Since 1.3. */
	/* Since 1.3, as are those below. */
	uint64_t n_hits;
	const struct ctprof_report_hit *hits; /* n_hits, where --fail-on holds */
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_REPORT_H */
