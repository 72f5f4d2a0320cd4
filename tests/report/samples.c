/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "samples.h"

#include <stddef.h>
#include <stdint.h>

#define ROW .struct_size = sizeof(struct ctprof_report_row)
#define SECTION .struct_size = sizeof(struct ctprof_report_section)
#define REPORT .struct_size = sizeof(struct ctprof_report)
#define N(array) (sizeof(array) / sizeof(array)[0])

#define NUMBER(n)                                                                                  \
	{                                                                                          \
		.type = CTPROF_VALUE_NUMBER, .number = (n)                                         \
	}
#define REAL(x)                                                                                    \
	{                                                                                          \
		.type = CTPROF_VALUE_REAL, .real = (x)                                             \
	}
#define RANGE(a, b)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_RANGE, .min = (a), .max = (b)                                 \
	}
#define MODE(word, n, of)                                                                          \
	{                                                                                          \
		.type = CTPROF_VALUE_MODE, .text = (word), .count = (n), .total = (of)             \
	}
#define CPUS(a, b, list)                                                                           \
	{                                                                                          \
		.type = CTPROF_VALUE_CPUS, .min = (a), .max = (b), .text = (list)                  \
	}
#define UNLIMITED                                                                                  \
	{                                                                                          \
		.type = CTPROF_VALUE_UNLIMITED                                                     \
	}
#define ABSENT                                                                                     \
	{                                                                                          \
		.type = CTPROF_VALUE_ABSENT                                                        \
	}

#define MOVED (CTPROF_ROW_HAS_DELTA | CTPROF_ROW_HAS_PCT | CTPROF_ROW_HAS_UPTIME)
#define STILL (CTPROF_ROW_HAS_DELTA | CTPROF_ROW_SAME | CTPROF_ROW_HAS_UPTIME)

#define ONE(name) .n_group = 1, .group = {name}
#define ALL(cgroup, pcomm, comm) .n_group = 3, .group = {cgroup, pcomm, comm}

static const struct ctprof_report_row primary[] = {
	{ROW, ONE("worker-{N}"), .flags = MOVED, .ladder = CTPROF_LADDER_NS,
	 .metric = "run_time_ns", .unit = "ns", .tags = "[SCHED_INFO]", .threads = {1, 3},
	 .value = {NUMBER(1500), NUMBER(3000000)}, .delta = 2998500, .pct = 199900, .uptime = 75},
	{ROW, ONE("worker-{N}"), .flags = MOVED, .ladder = CTPROF_LADDER_BYTES, .metric = "rchar",
	 .unit = "bytes", .tags = "[TASK_IO_ACCOUNTING]", .threads = {1, 3},
	 .value = {NUMBER(1048576), NUMBER(524288)}, .delta = -524288, .pct = -50, .uptime = 75},
	{ROW, ONE("日本語"), .flags = CTPROF_ROW_HAS_DELTA | CTPROF_ROW_HAS_UPTIME,
	 .ladder = CTPROF_LADDER_UNITLESS, .metric = "majflt", .unit = "count", .tags = "",
	 .threads = {2, 2}, .value = {NUMBER(0), NUMBER(1500)}, .delta = 1500, .uptime = 12.5},
	{ROW, ONE("evil\x1b[31m\xff"), .flags = STILL, .ladder = CTPROF_LADDER_TICKS,
	 .metric = "utime_clock_ticks", .unit = "ticks", .tags = "", .threads = {1, 1},
	 .value = {NUMBER(42), NUMBER(42)}, .uptime = 50},
	{ROW, ONE("=cmd,\"x\""), .metric = "allocated_bytes", .unit = "bytes", .tags = "",
	 .ladder = CTPROF_LADDER_BYTES, .threads = {1, 1}, .value = {ABSENT, NUMBER(UINT64_MAX)}},
	{ROW, ONE("init"), .metric = "allocated_bytes", .unit = "bytes", .tags = "",
	 .ladder = CTPROF_LADDER_BYTES, .threads = {1, 1}, .value = {ABSENT, ABSENT},
	 .flags = CTPROF_ROW_SAME},
	{ROW, ONE("init"), .metric = "policy", .unit = "text", .tags = "", .threads = {5, 5},
	 .flags = CTPROF_ROW_DIFFERS,
	 .value = {MODE("SCHED_OTHER", 3, 5), MODE("SCHED_EXT", 5, 5)}},
	{ROW, ONE("init"), .metric = "state", .unit = "char", .tags = "", .threads = {5, 5},
	 .flags = CTPROF_ROW_SAME, .value = {MODE("S", 5, 5), MODE("S", 4, 5)}},
	{ROW, ONE("init"), .metric = "nice", .unit = "none", .tags = "", .threads = {5, 5},
	 .flags = CTPROF_ROW_HAS_DELTA, .value = {RANGE(-5, 10), RANGE(3, 3)}, .delta = 0.5},
	{ROW, ONE("init"), .metric = "cpu_affinity", .unit = "cpus", .tags = "", .threads = {5, 5},
	 .flags = CTPROF_ROW_DIFFERS, .value = {CPUS(5, 5, "0-3,8"), CPUS(2, 8, NULL)}},
};

static const struct ctprof_report_row derived[] = {
	{ROW, ONE("worker-{N}"), .flags = CTPROF_ROW_HAS_DELTA, .ladder = CTPROF_LADDER_RATIO,
	 .metric = "cpu_efficiency", .unit = "ratio", .tags = "", .threads = {1, 3},
	 .value = {REAL(0.8735), REAL(1)}, .delta = 0.1265},
	{ROW, ONE("worker-{N}"), .flags = CTPROF_ROW_HAS_DELTA | CTPROF_ROW_HAS_PCT,
	 .ladder = CTPROF_LADDER_NS, .metric = "avg_slice_ns", .unit = "ns", .tags = "",
	 .threads = {1, 3}, .value = {REAL(123.4), REAL(2.5e6)}, .delta = 2499876.6,
	 .pct = 2025832.739},
	{ROW, ONE("init"), .metric = "avg_wait_ns", .unit = "ns", .tags = "",
	 .ladder = CTPROF_LADDER_NS, .threads = {5, 5}, .value = {ABSENT, REAL(1.5)}},
};

static const struct ctprof_report_row limits[] = {
	{ROW, ONE("/a.slice"), .ladder = CTPROF_LADDER_BYTES, .metric = "memory.max",
	 .unit = "bytes", .flags = CTPROF_ROW_DIFFERS, .value = {UNLIMITED, NUMBER(1073741824)}},
	{ROW, ONE("/a.slice"), .ladder = CTPROF_LADDER_UNITLESS, .metric = "pids.current",
	 .unit = "count", .flags = CTPROF_ROW_HAS_DELTA, .value = {NUMBER(10), NUMBER(42)},
	 .delta = 32},
	{ROW, ONE("/b.slice"), .ladder = CTPROF_LADDER_BYTES, .metric = "memory.max",
	 .unit = "bytes", .flags = CTPROF_ROW_SAME, .value = {UNLIMITED, UNLIMITED}},
	{ROW, ONE("/b.slice"), .ladder = CTPROF_LADDER_CENTIPERCENT, .metric = "cpu.some.avg10",
	 .unit = "centipercent", .flags = CTPROF_ROW_HAS_DELTA,
	 .value = {NUMBER(2431), NUMBER(1859)}, .delta = -572},
	{ROW, ONE("/c.slice"), .ladder = CTPROF_LADDER_UNITLESS, .metric = "pids.current",
	 .unit = "count", .value = {NUMBER(7), ABSENT}},
};

static const struct ctprof_report_row tree[] = {
	{ROW, ALL("/user.slice/user-{N}.slice/session-{H}.scope", "ctprof", "ctprof"),
	 .flags = MOVED, .ladder = CTPROF_LADDER_NONE, .metric = "processor", .unit = "none",
	 .threads = {1, 1}, .value = {NUMBER(9), NUMBER(43)}, .delta = 34, .pct = 377.77},
	{ROW, ALL("/user.slice/user-{N}.slice/session-{H}.scope", "ctprof", "worker"),
	 .flags = MOVED, .ladder = CTPROF_LADDER_NONE, .metric = "processor", .unit = "none",
	 .threads = {1, 1}, .value = {NUMBER(9), NUMBER(8)}, .delta = -1, .pct = -11.1},
	{ROW, ALL("/user.slice", "systemd", "systemd"), .flags = STILL,
	 .ladder = CTPROF_LADDER_NONE, .metric = "nr_threads", .unit = "count", .threads = {1, 1},
	 .value = {NUMBER(1), NUMBER(1)}},
	{ROW, ALL("/system.slice/a.service", "a", "a-thread-of-a-long-name"),
	 .flags = STILL | CTPROF_ROW_RENAMED, .renamed = "/system.slice/b.service",
	 .ladder = CTPROF_LADDER_NONE, .metric = "nr_threads", .unit = "count", .threads = {1, 1},
	 .value = {NUMBER(1), NUMBER(1)}},
	{ROW, ALL("/", "kthreadd", "kworker/{N}:{N}"), .flags = STILL, .ladder = CTPROF_LADDER_NONE,
	 .metric = "nr_threads", .unit = "count", .threads = {1, 1},
	 .value = {NUMBER(1), NUMBER(1)}},
};

static const struct ctprof_report_row pressure[] = {
	{ROW, .n_group = 2, .group = {"/a.slice", "some"}, .metric = "avg10",
	 .unit = "centipercent", .ladder = CTPROF_LADDER_CENTIPERCENT,
	 .flags = CTPROF_ROW_HAS_DELTA, .value = {NUMBER(1859), NUMBER(2431)}, .delta = 572},
	{ROW, .n_group = 2, .group = {"/a.slice", "some"}, .metric = "total", .unit = "us",
	 .ladder = CTPROF_LADDER_US, .flags = CTPROF_ROW_HAS_DELTA,
	 .value = {NUMBER(999), NUMBER(2000)}, .delta = 1001},
	{ROW, .n_group = 2, .group = {"/a.slice", "full"}, .metric = "avg10",
	 .unit = "centipercent", .ladder = CTPROF_LADDER_CENTIPERCENT,
	 .value = {NUMBER(750), ABSENT}},
};

static const struct ctprof_report_row rates[] = {
	{ROW, ONE("bash"), .flags = CTPROF_ROW_HAS_DELTA | CTPROF_ROW_RATE,
	 .ladder = CTPROF_LADDER_BYTES, .metric = "wchar", .unit = "bytes", .threads = {1, 1},
	 .value = {NUMBER(1024), NUMBER(3072)}, .delta = 2048, .sort = {NUMBER(1500), NUMBER(3000)},
	 .sort_ladder = CTPROF_LADDER_NS},
};

static const struct ctprof_report_section compare_sections[] = {
	{SECTION, .layout = CTPROF_LAYOUT_LONG, .name = "primary", .heading = "Primary metrics",
	 .group_header = "pcomm", .n_rows = N(primary), .rows = primary, .n_cut = 7},
	{SECTION, .layout = CTPROF_LAYOUT_LONG, .name = "derived", .heading = "Derived metrics",
	 .group_header = "pcomm", .n_rows = N(derived), .rows = derived},
	{SECTION, .layout = CTPROF_LAYOUT_WIDE, .name = "cgroup-limits",
	 .heading = "Cgroup limits / knobs", .group_header = "cgroup", .n_rows = N(limits),
	 .rows = limits},
	{SECTION, .layout = CTPROF_LAYOUT_WIDE, .name = "pressure", .heading = "Pressure / cpu",
	 .group_header = "cgroup", .n_rows = N(pressure), .rows = pressure},
	{SECTION, .layout = CTPROF_LAYOUT_LONG, .name = "smaps-rollup", .heading = "smaps_rollup",
	 .group_header = "pcomm"},
};

static const struct ctprof_report_section tree_sections[] = {
	{SECTION, .layout = CTPROF_LAYOUT_TREE, .name = "primary", .heading = "Primary metrics",
	 .group_header = "comm", .n_rows = N(tree), .rows = tree},
};

static const struct ctprof_report_section rate_sections[] = {
	{SECTION, .layout = CTPROF_LAYOUT_LONG, .name = "primary", .heading = "Primary metrics",
	 .group_header = "comm-pattern", .n_rows = N(rates), .rows = rates},
};

#define FIELD .struct_size = sizeof(struct ctprof_report_field)
#define LINE .struct_size = sizeof(struct ctprof_report_line)
#define TABLE .struct_size = sizeof(struct ctprof_report_table)
#define ESTIMATE(n)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_ESTIMATE, .number = (n)                                       \
	}
#define TEXT(bytes)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_TEXT, .text = (bytes)                                         \
	}

static const struct ctprof_report_field process_fields[] = {
	{FIELD, .name = "pid", .header = "PID", .unit = "none"},
	{FIELD, .name = "ppid", .header = "PPID", .unit = "none", .flags = CTPROF_FIELD_HIDDEN},
	{FIELD, .name = "user", .header = "USER", .unit = "text"},
	{FIELD, .name = "pss", .header = "PSS", .unit = "bytes", .ladder = CTPROF_LADDER_BYTES},
	{FIELD, .name = "share", .header = "%", .unit = "percent", .flags = CTPROF_FIELD_PERCENT},
	{FIELD, .name = "command", .header = "COMMAND", .unit = "text", .flags = CTPROF_FIELD_TREE},
};
static const struct ctprof_value process_cells[][N(process_fields)] = {
	{NUMBER(1), NUMBER(0), TEXT("root"), NUMBER(1048576), REAL(12.345), TEXT("/sbin/init")},
	{NUMBER(70), NUMBER(1), TEXT("d\xff"), ESTIMATE(2048), REAL(0.06),
	 TEXT("=evil,\"\x1b[31m\"")},
	{NUMBER(710), NUMBER(70), ABSENT, ABSENT, ABSENT, TEXT("b\xc3\xa9 \xf0\x9f\x98")},
	{ABSENT, ABSENT, ABSENT, ESTIMATE(1050624), REAL(100), TEXT("total")},
};
static const struct ctprof_report_line process_lines[] = {
	{LINE, .flags = CTPROF_LINE_CONTEXT, .cells = process_cells[0]},
	{LINE, .depth = 1, .cells = process_cells[1]},
	{LINE, .depth = 2, .cells = process_cells[2]},
	{LINE, .flags = CTPROF_LINE_TOTAL, .cells = process_cells[3]},
};
static const char *const process_notes[] = {"1 process could not be read: \x1b"};
static const struct ctprof_report_table process_table = {
	TABLE,
	.flags = CTPROF_TABLE_HAS_COVERAGE,
	.n_fields = N(process_fields),
	.fields = process_fields,
	.n_lines = N(process_lines),
	.lines = process_lines,
	.n_exact = 1,
	.n_approximate = 1,
	.n_missing = 1,
	.n_notes = N(process_notes),
	.notes = process_notes,
	.covered = "processes",
};
static const struct ctprof_report_field mount_fields[] = {
	{FIELD, .name = "mount", .header = "MOUNT", .unit = "text"},
	{FIELD, .name = "limit", .header = "LIMIT", .unit = "bytes", .ladder = CTPROF_LADDER_BYTES},
};
static const struct ctprof_value mount_cells[] = {TEXT("/tmp"), UNLIMITED};
static const struct ctprof_report_line mount_lines[] = {{LINE, .cells = mount_cells}};
static const struct ctprof_report_table mount_table = {
	TABLE,
	.n_fields = N(mount_fields),
	.fields = mount_fields,
	.n_lines = N(mount_lines),
	.lines = mount_lines,
};
static const struct ctprof_report_section table_sections[] = {
	{SECTION, .layout = CTPROF_LAYOUT_TABLE, .name = "processes", .heading = "Processes",
	 .table = &process_table, .n_cut = 3},
	{SECTION, .layout = CTPROF_LAYOUT_TABLE, .name = "tmpfs", .heading = "tmpfs mounts",
	 .table = &mount_table},
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
	12345, /* of a later host */
};

static const uint32_t show_columns[] = {
	CTPROF_COLUMN_METRIC, CTPROF_COLUMN_GROUP, CTPROF_COLUMN_THREADS,
	CTPROF_COLUMN_VALUE,  CTPROF_COLUMN_TAGS,
};

static const struct ctprof_report_orphan only_baseline[] = {
	{.struct_size = sizeof(struct ctprof_report_orphan), ONE("gone"), .threads = 4},
};

static const struct ctprof_report_orphan only_candidate[] = {
	{.struct_size = sizeof(struct ctprof_report_orphan), ALL("/a", "p", "c-{N}"), .threads = 2},
	{.struct_size = sizeof(struct ctprof_report_orphan), ALL("/a", "p", "d"), .threads = 1},
	{.struct_size = sizeof(struct ctprof_report_orphan), ALL("/b", "p", "d"), .threads = 1},
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
	  .n_only = {N(only_baseline)}, .only = {only_baseline}}},
	{"colour",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | CTPROF_REPORT_COLOUR | EVERYTHING,
	  .group_by = "pcomm", .files = {"a", "b"}, .n_columns = N(arrow_columns),
	  .columns = arrow_columns, .n_sections = 1, .sections = compare_sections}},
	{"tree",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "all",
	  .files = {"a", "b"}, .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(tree_sections), .sections = tree_sections,
	  .n_only = {0, N(only_candidate)}, .only = {NULL, only_candidate}, .n_renames = N(renames),
	  .renames = renames}},
	{"narrow",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "all",
	  .files = {"a", "b"}, .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(tree_sections), .sections = tree_sections, .width = 66}},
	{"rate",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE | EVERYTHING, .group_by = "comm",
	  .files = {"a", "b"}, .n_columns = N(full_columns), .columns = full_columns,
	  .n_sections = N(rate_sections), .sections = rate_sections, .sort_header = "run_time_ns"}},
	{"bare",
	 {REPORT, .flags = CTPROF_REPORT_COMPARE, .group_by = "pcomm", .files = {"a", "b"},
	  .n_columns = N(arrow_columns), .columns = arrow_columns,
	  .n_sections = N(compare_sections), .sections = compare_sections,
	  .n_only = {N(only_baseline)}, .only = {only_baseline}}},
	{"show",
	 {REPORT, .flags = EVERYTHING, .group_by = "pcomm", .files = {"before.ctprof.zst"},
	  .n_columns = N(show_columns), .columns = show_columns, .n_sections = N(compare_sections),
	  .sections = compare_sections}},
	{"tables",
	 {REPORT, .flags = EVERYTHING, .files = {"a"}, .n_sections = N(table_sections),
	  .sections = table_sections, .command = "memory"}},
	{"tables-bare",
	 {REPORT, .files = {"a"}, .n_sections = N(table_sections), .sections = table_sections,
	  .command = "memory"}},
	{"empty", {REPORT, .flags = EVERYTHING, .group_by = "pcomm", .files = {"a"}}},
};
const unsigned int n_samples = N(samples);
