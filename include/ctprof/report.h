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

/* The content of a value: struct ctprof_value.type. */
enum ctprof_value_type {
	CTPROF_VALUE_ABSENT = 0,  /* not measured: never 0 */
	CTPROF_VALUE_NUMBER = 10, /* number: counters, peaks, lows, gauges, levels, map entries */
	CTPROF_VALUE_REAL = 20,   /* real: derived metrics, shares */
	CTPROF_VALUE_RANGE = 30,  /* min, max: ordinals */
	CTPROF_VALUE_MODE = 40,   /* text: the most frequent value, found in count of the n rows */
	CTPROF_VALUE_CPUS = 50,   /* min, max number of CPUs; text: the list if all rows agree */
	CTPROF_VALUE_UNLIMITED = 60, /* a limit that is not set */
	CTPROF_VALUE_TEXT = 70,      /* text */
};

/* struct ctprof_value.flags */
/* Incomplete: some of its rows had no value, or the number stands in for one that
 * could not be read.  A sink for people marks it "~". */
#define CTPROF_VALUE_PARTIAL 1u

/* An amount: a folded value and its coverage.  Embedded in other structs, so it
 * never grows and has no struct_size. */
struct ctprof_value {
	uint32_t type;    /* enum ctprof_value_type */
	uint32_t flags;   /* CTPROF_VALUE_* */
	uint64_t number;  /* in the field's unit */
	double real;      /* in the field's unit; finite */
	int64_t min, max; /* min <= max */
	uint64_t count;   /* MODE: rows of the n that have text */
	uint64_t n;       /* rows folded into it; 0: not counted (names, shares) */
	uint64_t missing; /* rows that had no value; inapplicable ones are not counted */
	uint32_t why; /* most frequent reason for missing values: enum ctprof_absence; 0: none */
	uint32_t reserved;
	const char *text; /* NULL if the type has none */
};

/* How numbers of a field are scaled: struct ctprof_report_field.ladder. */
enum ctprof_ladder {
	CTPROF_LADDER_NONE = 0,          /* not scaled */
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
#define CTPROF_CELL_DIFFERS 8u   /* they differ, and the change is not a number */
#define CTPROF_CELL_RATE 16u     /* delta is per second between the captures */
/* One side lacks rows that the other has: a sink marks the change "~"; pct is not
 * set. */
#define CTPROF_CELL_PARTIAL 32u
/* By the field's polarity the change is for the worse, or for the better, and it passes
 * the field's gates; in a report of runs, only if the verdict is CTPROF_VERDICT_CHANGED.
 * Never set in a window.  Since 1.6. */
#define CTPROF_CELL_WORSE 64u
#define CTPROF_CELL_BETTER 128u

/* Whether the runs of two sides differ: struct ctprof_runs.verdict. */
enum ctprof_verdict {
	CTPROF_VERDICT_NONE = 0,     /* not tested: there is one side */
	CTPROF_VERDICT_CHANGED = 10, /* q is below the report's alpha */
	CTPROF_VERDICT_SAME = 20,    /* not distinguishable from chance */
	CTPROF_VERDICT_FEW = 30,     /* too few runs have a value for a test */
};

/* struct ctprof_runs.flags */
#define CTPROF_RUNS_HAS_TEST 1u     /* p is set */
#define CTPROF_RUNS_HAS_Q 2u        /* q is set: the row was one of those tested */
#define CTPROF_RUNS_HAS_INTERVAL 4u /* low, high and level are set */
/* level is approximate: there are ties, and it is exact only for values without ties,
 * or it comes from a normal approximation of the distribution of U.  A sink marks
 * the interval "~". */
#define CTPROF_RUNS_APPROXIMATE 8u

/* The values of a cell in each run of each side: a report of
 * CTPROF_REPORT_RUNS.  Numbers are in the unit of the field.  Since 1.4. */
struct ctprof_runs {
	uint32_t struct_size;
	uint32_t flags;   /* CTPROF_RUNS_* */
	uint32_t verdict; /* enum ctprof_verdict */
	uint32_t reserved;
	uint64_t n_runs[2];      /* runs of each side; [1] is 0 if there is one side */
	uint64_t n[2];           /* number of these runs that have the value */
	const double *values[2]; /* n_runs[side] numbers in the order of the runs; NAN: none */
	double min[2], max[2];   /* of the present values; NAN if n is 0 */
	/* Confidence interval of the shift (the cell's delta), and its confidence
	 * level, 0 to 1. */
	double low, high, level;
	double p; /* p-value of the two-sided Mann-Whitney U test: 0 to 1 */
	double q; /* p adjusted by Benjamini and Hochberg, among the rows that can differ */
};

/* A bucket that has values; bounds in the unit of the metric.  Since 1.6. */
struct ctprof_bucket {
	uint32_t struct_size;
	uint32_t number;      /* as in histogram.h */
	uint64_t least, most; /* bounds, both included */
	uint64_t count;       /* at least 1 */
};

/* A distribution of values.  Since 1.6. */
struct ctprof_histogram {
	uint32_t struct_size;
	uint32_t n; /* number of elements of buckets, ascending */
	const struct ctprof_bucket *buckets;
};

/* The value, or values, of a field in a line. */
struct ctprof_cell {
	uint32_t struct_size;
	uint32_t flags;               /* CTPROF_CELL_* */
	struct ctprof_value value[2]; /* baseline and candidate; show: [0] */
	double delta;                 /* candidate - baseline, in the unit of the field */
	double pct;                   /* delta in percent of the baseline */
	/* Set in a report of runs: the values are then their medians, and delta
	 * is the Hodges-Lehmann shift between the sides.  NULL otherwise.
	 * Since 1.4. */
	const struct ctprof_runs *runs;
	/* Kind HISTOGRAM: the distribution on each side; value then holds the number of values
	 * counted.  NULL: none.  A percentile has the bounds of its bucket in value.min and
	 * value.max, and the upper bound in value.number.  Since 1.6. */
	const struct ctprof_histogram *histogram[2];
};

/* The role of a field: struct ctprof_report_field.role.  Since 1.6. */
enum ctprof_field_role {
	CTPROF_FIELD_PLAIN = 0,     /* known by its name and unit */
	CTPROF_FIELD_SUBJECT = 10,  /* text: what the line is about, any bytes */
	CTPROF_FIELD_SENTENCE = 20, /* text: the line's sentence, as plain text */
	CTPROF_FIELD_CPU = 30,      /* REAL: CPUs used */
	CTPROF_FIELD_WAITING = 40,  /* REAL: threads that waited for a CPU */
	CTPROF_FIELD_MEMORY = 50,   /* bytes: memory held */
	CTPROF_FIELD_END = 60,      /* text: when the span of the line ended, ISO 8601, UTC */
	CTPROF_FIELD_SECONDS = 70,  /* REAL: how long that span was */
};

/* struct ctprof_report_field.flags */
#define CTPROF_FIELD_TREE 1u    /* text; indent it by the depth of the line */
#define CTPROF_FIELD_HIDDEN 2u  /* for machines only: a sink for people leaves it out */
#define CTPROF_FIELD_PERCENT 4u /* REAL: a percentage, one decimal for people */
#define CTPROF_FIELD_SHORT 8u   /* for people: three digits suffice ("34.1M"); since 1.4 */
/* Text that may be cut in the middle to fit a terminal; other cells never are.
 * Since 1.4. */
#define CTPROF_FIELD_CUT 16u
/* Numbers that may also be drawn as bars, each as long as its share of the largest
 * number, if there is room.  Since 1.5. */
#define CTPROF_FIELD_BARS 32u
/* The lines are sorted by this field: a sink for people marks it and, if columns do not
 * fit, drops it last.  Since 1.6. */
#define CTPROF_FIELD_SORTED 64u

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
	uint32_t role;      /* enum ctprof_field_role.  Since 1.6. */
	/* As in struct ctprof_metric; gate is in the unit of the field.  Since 1.6. */
	uint32_t polarity; /* enum ctprof_polarity */
	uint32_t gate_percent;
	uint32_t reserved;
	uint64_t gate;
};

/* ---- sentences: since 1.6 ------------------------------------------------ */

/* How a term of a sentence is written: struct ctprof_term.form. */
enum ctprof_term_form {
	CTPROF_TERM_SHORT = 0,       /* number, three digits, scaled by ladder */
	CTPROF_TERM_WHOLE = 10,      /* number, rounded to a whole one */
	CTPROF_TERM_PADDED = 20,     /* as WHOLE, at least three columns wide */
	CTPROF_TERM_GIB = 30,        /* number of bytes, in GiB, one decimal */
	CTPROF_TERM_HUNDREDTHS = 40, /* number, two decimals */
	CTPROF_TERM_TEXT = 50,       /* text */
	CTPROF_TERM_NAME = 60,       /* text: a name from the host; may be cut in the middle */
	CTPROF_TERM_TIME = 70,       /* number: seconds since 1970, UTC; written "HH:MM:SS" */
	CTPROF_TERM_TIME_ZONE = 80,  /* as TIME, with the name of the zone */
	CTPROF_TERM_LABEL = 90,      /* text: what the sentence is about, eight columns wide */
};

/* A number or a name in a sentence. */
struct ctprof_term {
	uint32_t struct_size;
	uint32_t form;   /* enum ctprof_term_form */
	uint32_t ladder; /* of SHORT: enum ctprof_ladder */
	uint32_t reserved;
	double number;    /* in unit; 0 if it is text */
	const char *text; /* NULL if it is a number */
	const char *name; /* for machines, unique in the sentence: "waiting"; NULL: not evidence */
	const char *unit; /* for machines: "cpus", "threads", "bytes/s"; NULL if name is */
};

/* struct ctprof_piece.flags */
/* An entry of a list.  The first piece after the entries ends the list; if they do not
 * fit, the last entries are replaced by an ellipsis, and the end of the list is kept. */
#define CTPROF_PIECE_ENTRY 1u
#define CTPROF_PIECE_APART 2u /* preceded by a wide gap */

/* A part of a sentence.  If the sentence does not fit, its last pieces are left out. */
struct ctprof_piece {
	uint32_t struct_size;
	uint32_t flags;    /* CTPROF_PIECE_* */
	const char *words; /* UTF-8; each "{}" stands for the next term */
	uint64_t n_terms;
	const struct ctprof_term *terms; /* n_terms: one for each "{}" */
};

/* The subject of a sentence: struct ctprof_sentence.role. */
enum ctprof_sentence_role {
	CTPROF_SENTENCE_TITLE = 10, /* the captures, their host, the command */
	CTPROF_SENTENCE_HEADING = 20,
	CTPROF_SENTENCE_FINDING = 30,
	CTPROF_SENTENCE_CPU = 40,    /* the host's CPUs */
	CTPROF_SENTENCE_DISK = 50,   /* the host's disks */
	CTPROF_SENTENCE_MEMORY = 60, /* the host's memory */
	CTPROF_SENTENCE_FOOTER = 70, /* what was not measured, what else can be shown */
};

/* A sentence as data.  sentence.h writes it in words. */
struct ctprof_sentence {
	uint32_t struct_size;
	uint32_t role;     /* enum ctprof_sentence_role */
	uint64_t n_pieces; /* at least 1 */
	const struct ctprof_piece *pieces;
};

/* ---- lines ---------------------------------------------------------------- */

/* The role of a line: struct ctprof_report_line.role.  A name cannot show it: a process may be
 * called "total".  Since 1.6. */
enum ctprof_line_role {
	CTPROF_ROLE_NONE = 0,         /* a metric, an object, or something else with a name */
	CTPROF_ROLE_POOL = 10,        /* a group of threads */
	CTPROF_ROLE_REST = 20,        /* the sum of the groups without a line of their own */
	CTPROF_ROLE_OWN = 30,         /* the processes of this run of ctprof, known by their PIDs */
	CTPROF_ROLE_EXITED = 40,      /* threads that ended; also UNACCOUNTED, if it has no line */
	CTPROF_ROLE_UNACCOUNTED = 50, /* what the host's counters show beyond all other lines */
	CTPROF_ROLE_TOTAL = 60,       /* the total of all lines */
	CTPROF_ROLE_HOST = 70,        /* the host */
	CTPROF_ROLE_CGROUP = 80,      /* a cgroup */
};

/* struct ctprof_report_line.flags */
#define CTPROF_LINE_TOTAL 1u   /* a total of the others; sinks for machines list it separately */
#define CTPROF_LINE_CONTEXT 2u /* shown only because of the lines below it */
#define CTPROF_LINE_HEADING                                                                        \
	4u /* its last name is the heading of the lines below; no cells; for people */
#define CTPROF_LINE_HAS_UPTIME 8u /* uptime is set */
#define CTPROF_LINE_HIDDEN 16u    /* for machines only; since 1.4 */

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
	double uptime;       /* mean age of the threads at the newest capture, in s */
	/* The cells of fields first to first + n_cells - 1: all fields, or in a LONG
	 * section, one. */
	uint64_t first;
	uint64_t n_cells;
	const struct ctprof_cell *cells;
	const struct ctprof_cell *sort; /* --sort: the first sort metric of the group; or NULL */
	uint32_t role;                  /* enum ctprof_line_role.  Since 1.6. */
	uint32_t reserved;
	/* The sentence of a finding; NULL for other lines.  Since 1.6. */
	const struct ctprof_sentence *sentence;
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
#define CTPROF_SECTION_HAS_COVERAGE 8u /* n_exact, n_approximate and n_missing are set */
/* A sink for people draws it without a heading.  Since 1.4. */
#define CTPROF_SECTION_BARE 16u
/* A sink for people draws only its notes; the lines are for machines.  Since 1.4. */
#define CTPROF_SECTION_TOLD 32u

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
	/* Coverage of the totals, in rows: read in full; read in part, or replaced;
	 * not read at all.  Rows to which the value does not apply (kernel threads
	 * have no memory) are not counted. */
	uint64_t n_exact, n_approximate, n_missing;
	const char *covered; /* what these numbers count: "processes"; or NULL */
	uint64_t n_notes;
	const char *const *notes; /* n_notes lines of text below the table */
	/* n_notes elements: the notes as data, or NULL for a note that is only text; NULL
	 * instead of the array: all are only text.  Since 1.6. */
	const struct ctprof_sentence *const *sentences;
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
	/* In reports of runs.  Since 1.4. */
	CTPROF_COLUMN_VERDICT = 130,
	CTPROF_COLUMN_Q = 140,
	CTPROF_COLUMN_RUNS = 150,     /* how many runs have a value */
	CTPROF_COLUMN_INTERVAL = 160, /* confidence interval of the shift */
	CTPROF_COLUMN_BASELINE_RANGE = 170,
	CTPROF_COLUMN_CANDIDATE_RANGE = 180,
	CTPROF_COLUMN_P = 190,
};

/* Two cgroups paired as renamed. */
struct ctprof_report_rename {
	uint32_t struct_size;
	uint32_t overlap;                           /* number of kinds of thread that both have */
	const char *baseline, *candidate;           /* cgroups */
	const char *baseline_root, *candidate_root; /* the paths without the end they share */
	double jaccard;                             /* similarity of their threads, 0 to 1 */
	uint64_t cascaded;                          /* children paired with them */
	uint64_t n_only_baseline, n_only_candidate;
	const char *const *only_baseline; /* kinds of thread on one side only, "pcomm:comm" */
	const char *const *only_candidate;
};

/* struct ctprof_report_window.flags */
/* The kernel's records of ended threads were received: n_recorded and n_unseen
 * are set. */
#define CTPROF_WINDOW_HAS_EXITS 1u
/* Some of these records were lost: the kernel's buffer was full. */
#define CTPROF_WINDOW_LOST_EXITS 2u

/*
 * The time between two captures of one boot.  Counters then have the values of
 * the threads whose change is known: candidate - baseline is what they counted
 * in the window.  Peaks are present only if they rose in it.
 */
struct ctprof_report_window {
	uint32_t struct_size;
	uint32_t flags;      /* CTPROF_WINDOW_* */
	double seconds;      /* from the start of one capture to that of the other */
	uint64_t threads[2]; /* in each capture */
	uint64_t n_born;     /* threads only the candidate has */
	uint64_t n_gone;     /* threads only the baseline has */
	uint64_t n_recorded; /* how many of n_gone have an exit record */
	uint64_t n_unseen;   /* threads that started and ended in the window */
};

/* A value that meets a condition of --fail-on. */
struct ctprof_report_hit {
	uint32_t struct_size;
	uint32_t n_names;                     /* number of names, at least 1 */
	const char *names[CTPROF_LINE_NAMES]; /* of the group, cgroup, object or "host" */
	const char *condition;                /* as given */
	const char *metric;
	const char *unit; /* of value and limit, for machines: "ns", "percent", ... */
	double value;     /* the change; per second with --rate */
	double limit;
	/* The runs the value is from; NULL: not a report of runs.  Since 1.4. */
	const struct ctprof_runs *runs;
};

/* struct ctprof_report.flags */
#define CTPROF_REPORT_COMPARE 1u /* two sides; otherwise show */
#define CTPROF_REPORT_COLOUR 2u  /* colours are allowed */
#define CTPROF_REPORT_HEADER 4u  /* headings and column headers wanted */
#define CTPROF_REPORT_ORPHANS 8u /* orphan lists wanted */
/* The first screen of a terminal with few lines: no blank lines.  Since 1.4. */
#define CTPROF_REPORT_DENSE 16u
/* Several runs per side: their values are in cells' runs.  Since 1.4. */
#define CTPROF_REPORT_RUNS 32u

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
	/* Columns of the terminal to fit into; 0: no limit.  Tables other than
	 * CTPROF_SECTION_METRICS lose columns from the right. */
	uint64_t width;
	const char *sort_header; /* name of the first sort metric; NULL: none */
	const char *command;     /* "show", "compare", "memory" */
	uint32_t sort_ladder;    /* of the lines' sort cells: enum ctprof_ladder */
	uint32_t reserved;
	const struct ctprof_report_window *window; /* NULL: not a report of a window. Since 1.3. */
	/* Since 1.3. */
	uint64_t n_hits;
	const struct ctprof_report_hit *hits; /* n_hits values that meet --fail-on. Since 1.3. */
	/* Text above and below all sections, for people.  Since 1.4. */
	uint64_t n_titles;
	const char *const *titles;
	uint64_t n_footers;
	const char *const *footers;
	/* When each capture began, CLOCK_REALTIME in ns; 0: unknown, or several
	 * captures. */
	uint64_t realtime_ns[2];
	/* The members below are since 1.6.  Lines of the terminal to fit into; 0: no limit. */
	uint64_t height;
	/* n_titles and n_footers elements: the same lines as data, or NULL for a line that is
	 * only text; NULL instead of the array: all are only text. */
	const struct ctprof_sentence *const *title_sentences;
	const struct ctprof_sentence *const *footer_sentences;
	const void *handle; /* for the host only */
	/* Returns section number section with at most n_pools lines of role POOL and, if it
	 * has more, one of role REST for the others.  The result is valid as long as the
	 * report; it is the section itself if nothing needs to be folded.  NULL instead of
	 * the function: sections must not be folded. */
	const struct ctprof_report_section *(*fold)(const struct ctprof_report *report,
						    uint64_t section, uint64_t n_pools);
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_REPORT_H */
