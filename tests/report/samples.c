/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "samples.h"

#include <stddef.h>
#include <stdint.h>

#define FIELD .struct_size = sizeof(struct ctprof_report_field)
#define LINE .struct_size = sizeof(struct ctprof_report_line)
#define SECTION .struct_size = sizeof(struct ctprof_report_section)
#define REPORT .struct_size = sizeof(struct ctprof_report)
#define N(array) (sizeof(array) / sizeof(array)[0])

#define NUMBER(n_)                                                                                 \
	{                                                                                          \
		.type = CTPROF_VALUE_NUMBER, .number = (n_)                                        \
	}
/* Computed from rows of which some had no value. */
#define PART(n_, rows, lost)                                                                       \
	{                                                                                          \
		.type = CTPROF_VALUE_NUMBER, .flags = CTPROF_VALUE_PARTIAL, .number = (n_),        \
		.n = (rows), .missing = (lost), .why = CTPROF_ABSENT_DENIED                        \
	}
#define WHOLE(n_, rows)                                                                            \
	{                                                                                          \
		.type = CTPROF_VALUE_NUMBER, .number = (n_), .n = (rows)                           \
	}
#define REAL(x)                                                                                    \
	{                                                                                          \
		.type = CTPROF_VALUE_REAL, .real = (x)                                             \
	}
#define PART_REAL(x, rows, lost)                                                                   \
	{                                                                                          \
		.type = CTPROF_VALUE_REAL, .flags = CTPROF_VALUE_PARTIAL, .real = (x),             \
		.n = (rows), .missing = (lost), .why = CTPROF_ABSENT_VANISHED                      \
	}
#define RANGE(a, b)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_RANGE, .min = (a), .max = (b)                                 \
	}
#define MODE(word, times, rows)                                                                    \
	{                                                                                          \
		.type = CTPROF_VALUE_MODE, .text = (word), .count = (times), .n = (rows)           \
	}
#define CPUS(a, b, list)                                                                           \
	{                                                                                          \
		.type = CTPROF_VALUE_CPUS, .min = (a), .max = (b), .text = (list)                  \
	}
#define TEXT(bytes)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_TEXT, .text = (bytes)                                         \
	}
#define UNLIMITED                                                                                  \
	{                                                                                          \
		.type = CTPROF_VALUE_UNLIMITED                                                     \
	}
#define ABSENT                                                                                     \
	{                                                                                          \
		.type = CTPROF_VALUE_ABSENT                                                        \
	}
/* Absent in all rows, for a reason. */
#define LOST(rows)                                                                                 \
	{                                                                                          \
		.type = CTPROF_VALUE_ABSENT, .missing = (rows), .why = CTPROF_ABSENT_DENIED        \
	}

/* The change that a cell shows. */
#define DELTA(d) .flags = CTPROF_CELL_HAS_DELTA, .delta = (d)
#define MOVED(d, p) .flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT, .delta = (d), .pct = (p)
#define ABOUT(d) .flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_PARTIAL, .delta = (d)
#define RATE(d) .flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_RATE, .delta = (d)
#define STILL .flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_SAME
#define SAME .flags = CTPROF_CELL_SAME
#define DIFFERS .flags = CTPROF_CELL_DIFFERS
#define UNKNOWN .flags = 0

#define CELL(a, b, ...)                                                                            \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_cell), .value = {a, b}, __VA_ARGS__            \
	}
#define ONLY(a)                                                                                    \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_cell), .value = { a }                          \
	}
/* The cells starting with that of field first. */
#define CELLS(first_, ...)                                                                         \
	.first = (first_), .cells = (const struct ctprof_cell[]){__VA_ARGS__},                     \
	.n_cells = N(((const struct ctprof_cell[]){__VA_ARGS__}))

#define ONE(name) .n_names = 1, .names = {name}
#define TWO(cgroup, name) .n_names = 2, .names = {cgroup, name}
#define ALL(cgroup, pcomm, comm) .n_names = 3, .names = {cgroup, pcomm, comm}
#define AGED(percent) .flags = CTPROF_LINE_HAS_UPTIME, .uptime = (percent)
#define HEADING(at) .flags = CTPROF_LINE_HEADING, .depth = (at)

#define METRIC(word, unit_, ladder_, tags_)                                                        \
	{                                                                                          \
		FIELD, .name = (word), .header = (word), .unit = (unit_), .tags = (tags_),         \
		       .ladder = CTPROF_LADDER_##ladder_                                           \
	}
#define LINES(lines_) .n_lines = N(lines_), .lines = (lines_)
#define FIELDS(fields_) .n_fields = N(fields_), .fields = (fields_)
#define LONG .flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG
#define WIDE .flags = CTPROF_SECTION_METRICS

static const struct ctprof_report_field primary_fields[] = {
	METRIC("run_time_ns", "ns", NS, "[SCHED_INFO]"),
	METRIC("rchar", "bytes", BYTES, "[TASK_IO_ACCOUNTING]"),
	METRIC("majflt", "count", UNITLESS, ""),
	METRIC("utime_clock_ticks", "ticks", TICKS, ""),
	METRIC("allocated_bytes", "bytes", BYTES, ""),
	METRIC("policy", "text", NONE, ""),
	METRIC("state", "char", NONE, ""),
	METRIC("nice", "none", NONE, ""),
	METRIC("cpu_affinity", "cpus", NONE, ""),
};
static const struct ctprof_report_line primary_lines[] = {
	{LINE, ONE("worker-{N}"), .threads = {1, 3}, AGED(75),
	 CELLS(0, CELL(NUMBER(1500), NUMBER(3000000), MOVED(2998500, 199900)))},
	{LINE, ONE("worker-{N}"), .threads = {1, 3}, AGED(75),
	 CELLS(1, CELL(NUMBER(1048576), NUMBER(524288), MOVED(-524288, -50)))},
	{LINE, ONE("日本語"), .threads = {2, 2}, AGED(12.5),
	 CELLS(2, CELL(NUMBER(0), NUMBER(1500), DELTA(1500)))},
	{LINE, ONE("evil\x1b[31m\xff"), .threads = {1, 1}, AGED(50),
	 CELLS(3, CELL(NUMBER(42), NUMBER(42), STILL))},
	{LINE, ONE("=cmd,\"x\""), .threads = {1, 1},
	 CELLS(4, CELL(ABSENT, NUMBER(UINT64_MAX), UNKNOWN))},
	{LINE, ONE("init"), .threads = {1, 1}, CELLS(4, CELL(ABSENT, ABSENT, SAME))},
	{LINE, ONE("init"), .threads = {5, 5},
	 CELLS(5, CELL(MODE("SCHED_OTHER", 3, 5), MODE("SCHED_EXT", 5, 5), DIFFERS))},
	{LINE, ONE("init"), .threads = {5, 5},
	 CELLS(6, CELL(MODE("S", 5, 5), MODE("S", 4, 5), SAME))},
	{LINE, ONE("init"), .threads = {5, 5},
	 CELLS(7, CELL(RANGE(-5, 10), RANGE(3, 3), DELTA(0.5)))},
	{LINE, ONE("init"), .threads = {5, 5},
	 CELLS(8, CELL(CPUS(5, 5, "0-3,8"), CPUS(2, 8, NULL), DIFFERS))},
};

static const struct ctprof_report_field derived_fields[] = {
	METRIC("cpu_efficiency", "ratio", RATIO, ""),
	METRIC("avg_slice_ns", "ns", NS, ""),
	METRIC("avg_wait_ns", "ns", NS, ""),
};
static const struct ctprof_report_line derived_lines[] = {
	{LINE, ONE("worker-{N}"), .threads = {1, 3},
	 CELLS(0, CELL(REAL(0.8735), REAL(1), DELTA(0.1265)))},
	{LINE, ONE("worker-{N}"), .threads = {1, 3},
	 CELLS(1, CELL(REAL(123.4), REAL(2.5e6), MOVED(2499876.6, 2025832.739)))},
	{LINE, ONE("init"), .threads = {5, 5}, CELLS(2, CELL(ABSENT, REAL(1.5), UNKNOWN))},
};

static const struct ctprof_report_field limit_fields[] = {
	METRIC("memory.max", "bytes", BYTES, ""),
	METRIC("pids.current", "count", UNITLESS, ""),
	METRIC("cpu.some.avg10", "centipercent", CENTIPERCENT, ""),
};
/* A line may have cells of some fields only. */
static const struct ctprof_report_line limit_lines[] = {
	{LINE, ONE("/a.slice"),
	 CELLS(0, CELL(UNLIMITED, NUMBER(1073741824), DIFFERS),
	       CELL(NUMBER(10), NUMBER(42), DELTA(32)))},
	{LINE, ONE("/b.slice"),
	 CELLS(0, CELL(UNLIMITED, UNLIMITED, SAME), CELL(ABSENT, ABSENT, SAME),
	       CELL(NUMBER(2431), NUMBER(1859), DELTA(-572)))},
	{LINE, ONE("/c.slice"), CELLS(1, CELL(NUMBER(7), ABSENT, UNKNOWN))},
};

static const struct ctprof_report_field pressure_fields[] = {
	METRIC("avg10", "centipercent", CENTIPERCENT, ""),
	METRIC("total", "us", US, ""),
};
static const struct ctprof_report_line pressure_lines[] = {
	{LINE, TWO("/a.slice", "some"),
	 CELLS(0, CELL(NUMBER(1859), NUMBER(2431), DELTA(572)),
	       CELL(NUMBER(999), NUMBER(2000), DELTA(1001)))},
	{LINE, TWO("/a.slice", "full"), CELLS(0, CELL(NUMBER(750), ABSENT, UNKNOWN))},
};

static const struct ctprof_report_section compare_sections[] = {
	{SECTION, LONG, .name = "primary", .heading = "Primary metrics", .names_header = "pcomm",
	 FIELDS(primary_fields), LINES(primary_lines), .n_cut = 7},
	{SECTION, LONG, .name = "derived", .heading = "Derived metrics", .names_header = "pcomm",
	 FIELDS(derived_fields), LINES(derived_lines)},
	{SECTION, WIDE, .name = "cgroup-limits", .heading = "Cgroup limits / knobs",
	 .names_header = "cgroup", FIELDS(limit_fields), LINES(limit_lines)},
	{SECTION, WIDE, .name = "pressure", .heading = "Pressure / cpu", .names_header = "cgroup",
	 FIELDS(pressure_fields), LINES(pressure_lines)},
	{SECTION, LONG, .name = "smaps-rollup", .heading = "smaps_rollup", .names_header = "pcomm"},
};

#define SESSION "/user.slice/user-{N}.slice/session-{H}.scope"

static const struct ctprof_report_field tree_fields[] = {
	METRIC("processor", "none", NONE, ""),
	METRIC("nr_threads", "count", NONE, ""),
};
static const struct ctprof_report_line tree_lines[] = {
	{LINE, ONE("user.slice"), HEADING(0)},
	{LINE, ONE("user-{N}.slice"), HEADING(1)},
	{LINE, ONE("session-{H}.scope"), HEADING(2)},
	{LINE, TWO(SESSION, "ctprof"), HEADING(3)},
	{LINE, ALL(SESSION, "ctprof", "ctprof"), .threads = {1, 1}, .depth = 4, AGED(0),
	 CELLS(0, CELL(NUMBER(9), NUMBER(43), MOVED(34, 377.77)))},
	{LINE, ALL(SESSION, "ctprof", "worker"), .threads = {1, 1}, .depth = 4, AGED(0),
	 CELLS(0, CELL(NUMBER(9), NUMBER(8), MOVED(-1, -11.1)))},
	{LINE, TWO("/user.slice", "systemd"), HEADING(1)},
	{LINE, ALL("/user.slice", "systemd", "systemd"), .threads = {1, 1}, .depth = 2, AGED(0),
	 CELLS(1, CELL(NUMBER(1), NUMBER(1), STILL))},
	{LINE, ONE("system.slice"), HEADING(0)},
	{LINE, ONE("a.service"), HEADING(1)},
	{LINE, TWO("/system.slice/a.service", "a"), HEADING(2)},
	{LINE, ALL("/system.slice/a.service", "a", "a-thread-of-a-long-name"), .threads = {1, 1},
	 .depth = 3, AGED(0), .renamed = "/system.slice/b.service",
	 CELLS(1, CELL(NUMBER(1), NUMBER(1), STILL))},
	{LINE, TWO("/", "kthreadd"), HEADING(0)},
	{LINE, ALL("/", "kthreadd", "kworker/{N}:{N}"), .threads = {1, 1}, .depth = 1, AGED(0),
	 CELLS(1, CELL(NUMBER(1), NUMBER(1), STILL))},
};
static const struct ctprof_report_section tree_sections[] = {
	{SECTION, .flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG | CTPROF_SECTION_TREE,
	 .name = "primary", .heading = "Primary metrics", .names_header = "comm",
	 FIELDS(tree_fields), LINES(tree_lines)},
};

static const struct ctprof_report_field rate_fields[] = {METRIC("wchar", "bytes", BYTES, "")};
static const struct ctprof_cell rate_sort = CELL(NUMBER(1500), NUMBER(3000), DELTA(1500));
static const struct ctprof_report_line rate_lines[] = {
	{LINE, ONE("bash"), .threads = {1, 1}, .sort = &rate_sort,
	 CELLS(0, CELL(NUMBER(1024), NUMBER(3072), RATE(2048)))},
};
static const struct ctprof_report_section rate_sections[] = {
	{SECTION, LONG, .name = "primary", .heading = "Primary metrics",
	 .names_header = "comm-pattern", FIELDS(rate_fields), LINES(rate_lines)},
};

/* Some rows had no value, on one side or on both. */
static const struct ctprof_cell part_sort = CELL(PART(1500, 3, 1), WHOLE(1000, 4), ABOUT(-500));
static const struct ctprof_report_line part_lines[] = {
	{LINE, ONE("nginx"), .threads = {4, 4}, .sort = &part_sort,
	 CELLS(0, CELL(PART(1500, 3, 1), WHOLE(1000, 4), ABOUT(-500)))},
	{LINE, ONE("nginx"), .threads = {4, 4}, .sort = &part_sort,
	 CELLS(1, CELL(PART(4096, 3, 1), PART(4096, 3, 1), STILL))},
	{LINE, ONE("nginx"), .threads = {4, 4}, .sort = &part_sort,
	 CELLS(4, CELL(LOST(4), WHOLE(512, 4), UNKNOWN))},
	{LINE, ONE("root"), .threads = {1, 1}, CELLS(0, CELL(WHOLE(7, 1), WHOLE(7, 1), STILL))},
};
static const struct ctprof_report_line part_derived_lines[] = {
	{LINE, ONE("nginx"), .threads = {4, 4},
	 CELLS(0, CELL(PART_REAL(0.5, 3, 1), REAL(0.75), ABOUT(0.25)))},
};
static const struct ctprof_report_line part_limit_lines[] = {
	{LINE, ONE("/a.slice"),
	 CELLS(0, CELL(PART(4096, 1, 1), PART(8192, 1, 2), ABOUT(4096)),
	       CELL(LOST(2), LOST(2), SAME), CELL(PART(2431, 1, 1), NUMBER(2431), STILL))},
};
static const struct ctprof_report_section part_sections[] = {
	{SECTION, LONG, .name = "primary", .heading = "Primary metrics", .names_header = "pcomm",
	 FIELDS(primary_fields), LINES(part_lines)},
	{SECTION, LONG, .name = "derived", .heading = "Derived metrics", .names_header = "pcomm",
	 FIELDS(derived_fields), LINES(part_derived_lines)},
	{SECTION, WIDE, .name = "cgroup-limits", .heading = "Cgroup limits / knobs",
	 .names_header = "cgroup", FIELDS(limit_fields), LINES(part_limit_lines)},
};

static const struct ctprof_report_field process_fields[] = {
	{FIELD, .name = "pid", .header = "PID", .unit = "none"},
	{FIELD, .name = "ppid", .header = "PPID", .unit = "none", .flags = CTPROF_FIELD_HIDDEN},
	{FIELD, .name = "user", .header = "USER", .unit = "text"},
	{FIELD, .name = "pss", .header = "PSS", .unit = "bytes", .ladder = CTPROF_LADDER_BYTES},
	{FIELD, .name = "share", .header = "%", .unit = "percent", .flags = CTPROF_FIELD_PERCENT},
	{FIELD, .name = "command", .header = "COMMAND", .unit = "text", .flags = CTPROF_FIELD_TREE},
};
static const struct ctprof_report_line process_lines[] = {
	{LINE, .flags = CTPROF_LINE_CONTEXT,
	 CELLS(0, ONLY(NUMBER(1)), ONLY(NUMBER(0)), ONLY(TEXT("root")), ONLY(NUMBER(1048576)),
	       ONLY(REAL(12.345)), ONLY(TEXT("/sbin/init")))},
	{LINE, .depth = 1,
	 CELLS(0, ONLY(NUMBER(70)), ONLY(NUMBER(1)), ONLY(TEXT("d\xff")), ONLY(PART(2048, 0, 1)),
	       ONLY(REAL(0.06)), ONLY(TEXT("=evil,\"\x1b[31m\"")))},
	{LINE, .depth = 2,
	 CELLS(0, ONLY(NUMBER(710)), ONLY(NUMBER(70)), ONLY(ABSENT), ONLY(LOST(1)), ONLY(ABSENT),
	       ONLY(TEXT("b\xc3\xa9 \xf0\x9f\x98")))},
	{LINE, .flags = CTPROF_LINE_TOTAL,
	 CELLS(0, ONLY(ABSENT), ONLY(ABSENT), ONLY(ABSENT), ONLY(PART(1050624, 1, 2)),
	       ONLY(REAL(100)), ONLY(TEXT("total")))},
};
static const char *const process_notes[] = {"1 process could not be read: \x1b"};
static const struct ctprof_report_field mount_fields[] = {
	{FIELD, .name = "mount", .header = "MOUNT", .unit = "text"},
	{FIELD, .name = "limit", .header = "LIMIT", .unit = "bytes", .ladder = CTPROF_LADDER_BYTES},
};
static const struct ctprof_report_line mount_lines[] = {
	{LINE, CELLS(0, ONLY(TEXT("/tmp")), ONLY(UNLIMITED))},
};
static const struct ctprof_report_section table_sections[] = {
	{SECTION, .flags = CTPROF_SECTION_HAS_COVERAGE, .name = "processes", .heading = "Processes",
	 FIELDS(process_fields), LINES(process_lines), .n_cut = 3, .n_exact = 1, .n_approximate = 1,
	 .n_missing = 1, .covered = "processes", .n_notes = N(process_notes),
	 .notes = process_notes},
	{SECTION, .name = "tmpfs", .heading = "tmpfs mounts", FIELDS(mount_fields),
	 LINES(mount_lines)},
};

/* As memory BEFORE AFTER shows it. */
static const struct ctprof_report_line process_pairs[] = {
	{LINE, .flags = CTPROF_LINE_CONTEXT,
	 CELLS(0, CELL(NUMBER(1), NUMBER(1), SAME), CELL(NUMBER(0), NUMBER(0), SAME),
	       CELL(TEXT("root"), TEXT("root"), SAME),
	       CELL(NUMBER(1048576), NUMBER(3145728), MOVED(2097152, 200)),
	       CELL(REAL(12.345), REAL(20), MOVED(7.655, 62)),
	       CELL(TEXT("/sbin/init"), TEXT("/sbin/init"), SAME))},
	{LINE, .depth = 1,
	 CELLS(0, CELL(NUMBER(70), NUMBER(70), SAME), CELL(NUMBER(1), NUMBER(1), SAME),
	       CELL(TEXT("d\xff"), TEXT("nobody"), DIFFERS),
	       CELL(PART(2048, 0, 1), WHOLE(4096, 1), ABOUT(2048)),
	       CELL(REAL(0.06), REAL(0.06), STILL), CELL(TEXT("sh"), TEXT("sh"), SAME))},
	{LINE, .depth = 1,
	 CELLS(0, CELL(ABSENT, NUMBER(710), UNKNOWN), CELL(ABSENT, NUMBER(1), UNKNOWN),
	       CELL(ABSENT, TEXT("root"), UNKNOWN), CELL(ABSENT, LOST(1), SAME),
	       CELL(ABSENT, ABSENT, SAME), CELL(ABSENT, TEXT("new"), UNKNOWN))},
	{LINE, .flags = CTPROF_LINE_TOTAL,
	 CELLS(0, CELL(ABSENT, ABSENT, SAME), CELL(ABSENT, ABSENT, SAME),
	       CELL(ABSENT, ABSENT, SAME),
	       CELL(PART(1050624, 1, 1), PART(3149824, 2, 1), ABOUT(2099200)),
	       CELL(REAL(100), REAL(100), STILL), CELL(TEXT("total"), TEXT("total"), SAME))},
};
static const struct ctprof_report_line mount_pairs[] = {
	{LINE, CELLS(0, CELL(TEXT("/tmp"), TEXT("/tmp"), SAME),
		     CELL(UNLIMITED, NUMBER(1048576), DIFFERS))},
};
static const struct ctprof_report_section pair_sections[] = {
	{SECTION, .flags = CTPROF_SECTION_HAS_COVERAGE, .name = "processes", .heading = "Processes",
	 FIELDS(process_fields), LINES(process_pairs), .n_exact = 1, .n_approximate = 1,
	 .n_missing = 1, .covered = "processes"},
	{SECTION, .name = "tmpfs", .heading = "tmpfs mounts", FIELDS(mount_fields),
	 LINES(mount_pairs)},
};

static const uint32_t arrow_columns[] = {
	CTPROF_COLUMN_GROUP, CTPROF_COLUMN_THREADS, CTPROF_COLUMN_METRIC, CTPROF_COLUMN_ARROW,
	CTPROF_COLUMN_DELTA, CTPROF_COLUMN_PCT,     CTPROF_COLUMN_UPTIME,
};

static const uint32_t full_columns[] = {
	CTPROF_COLUMN_GROUP,
	CTPROF_COLUMN_METRIC,
	CTPROF_COLUMN_BASELINE,
	CTPROF_COLUMN_CANDIDATE,
	CTPROF_COLUMN_DELTA,
	CTPROF_COLUMN_SORT,
	12345, /* unknown: added by a later host */
};

static const uint32_t part_columns[] = {
	CTPROF_COLUMN_GROUP, CTPROF_COLUMN_METRIC, CTPROF_COLUMN_ARROW,
	CTPROF_COLUMN_DELTA, CTPROF_COLUMN_PCT,    CTPROF_COLUMN_SORT,
};

static const uint32_t sort_columns[] = {
	CTPROF_COLUMN_GROUP,
	CTPROF_COLUMN_METRIC,
	CTPROF_COLUMN_VALUE,
	CTPROF_COLUMN_SORT,
};

static const uint32_t show_columns[] = {
	CTPROF_COLUMN_METRIC, CTPROF_COLUMN_GROUP, CTPROF_COLUMN_THREADS,
	CTPROF_COLUMN_VALUE,  CTPROF_COLUMN_TAGS,
};

static const struct ctprof_report_line only_baseline[] = {
	{LINE, ONE("gone"), .threads = {4, 0}},
};

static const struct ctprof_report_line only_candidate[] = {
	{LINE, ALL("/a", "p", "c-{N}"), .threads = {0, 2}},
	{LINE, ALL("/a", "p", "d"), .threads = {0, 1}},
	{LINE, ALL("/b", "p", "d"), .threads = {0, 1}},
};

static const char *const residual[] = {"p:old", "q:old"};

static const struct ctprof_report_rename renames[] = {
	{.struct_size = sizeof(struct ctprof_report_rename),
	 .overlap = 12,
	 .baseline = "/system.slice/a.service/x",
	 .candidate = "/system.slice/b.service/x",
	 .baseline_root = "/system.slice/a.service",
	 .candidate_root = "/system.slice/b.service",
	 .jaccard = 0.923,
	 .cascaded = 1,
	 .n_only_baseline = N(residual),
	 .only_baseline = residual},
};

static const char *const warnings[] = {"CPUs: 8 in the baseline, 16 in the candidate"};

#define EVERYTHING (CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS)

const struct sample samples[] = {
	{"compare",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "pcomm",
	  .files = {"before.ctprof.zst", "after.ctprof.zst"}, .n_warnings = N(warnings),
	  .warnings = warnings, .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(compare_sections), .sections = compare_sections,
	  .n_only = {N(only_baseline)}, .only = {only_baseline}, .command = "compare"}},
	{"colour",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | CTPROF_REPORT_COLOUR | EVERYTHING,
	  .group_by = "pcomm", .files = {"a", "b"}, .n_columns = N(arrow_columns),
	  .columns = arrow_columns, .n_sections = 1, .sections = compare_sections,
	  .command = "compare"}},
	{"tree",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "all",
	  .files = {"a", "b"}, .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(tree_sections), .sections = tree_sections,
	  .n_only = {0, N(only_candidate)}, .only = {NULL, only_candidate}, .n_renames = N(renames),
	  .renames = renames, .command = "compare"}},
	{"narrow",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "all",
	  .files = {"a", "b"}, .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(tree_sections), .sections = tree_sections, .width = 66,
	  .command = "compare"}},
	{"rate",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "comm",
	  .files = {"a", "b"}, .n_columns = N(full_columns), .columns = full_columns,
	  .n_sections = N(rate_sections), .sections = rate_sections, .sort_header = "run_time_ns",
	  .sort_ladder = CTPROF_LADDER_NS, .command = "compare"}},
	{"partial",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "pcomm",
	  .files = {"a", "b"}, .n_columns = N(part_columns), .columns = part_columns,
	  .n_sections = N(part_sections), .sections = part_sections, .sort_header = "run_time_ns",
	  .sort_ladder = CTPROF_LADDER_NS, .command = "compare"}},
	{"partial-show",
	 {REPORT, .flags = EVERYTHING, .group_by = "pcomm", .files = {"a"},
	  .n_columns = N(sort_columns), .columns = sort_columns, .n_sections = N(part_sections),
	  .sections = part_sections, .sort_header = "run_time_ns", .sort_ladder = CTPROF_LADDER_NS,
	  .command = "show"}},
	{"bare",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE, .group_by = "pcomm", .files = {"a", "b"},
	  .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(compare_sections), .sections = compare_sections,
	  .n_only = {N(only_baseline)}, .only = {only_baseline}, .command = "compare"}},
	{"show",
	 {REPORT, .flags = EVERYTHING, .group_by = "pcomm", .files = {"before.ctprof.zst"},
	  .n_columns = N(show_columns), .columns = show_columns, .n_sections = N(compare_sections),
	  .sections = compare_sections, .command = "show"}},
	{"tables",
	 {REPORT, .flags = EVERYTHING, .files = {"a"}, .n_sections = N(table_sections),
	  .sections = table_sections, .command = "memory"}},
	{"tables-bare",
	 {REPORT, .files = {"a"}, .n_sections = N(table_sections), .sections = table_sections,
	  .command = "memory"}},
	{"tables-compare",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .files = {"a", "b"},
	  .n_sections = N(pair_sections), .sections = pair_sections, .command = "memory"}},
	{"empty",
	 {REPORT, .flags = EVERYTHING, .group_by = "pcomm", .files = {"a"}, .command = "show"}},
};
const unsigned int n_samples = N(samples);
