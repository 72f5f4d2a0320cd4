/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openmetrics against a fake host and reports made by hand. */
#include "fakehost.h"

#include <ctprof/report.h>
#include <ctprof/sink.h>

#define NAMED(what, word) .metric = (what), .unit = (word)
#define ROW(what, word) .struct_size = sizeof(struct ctprof_report_row), NAMED(what, word)
#define VALUE .struct_size = sizeof(struct ctprof_value), .type
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		VALUE = CTPROF_VALUE_NUMBER, .number = (n)                                         \
	}
#define RANGE(a, b)                                                                                \
	{                                                                                          \
		VALUE = CTPROF_VALUE_RANGE, .min = (a), .max = (b)                                 \
	}
#define ABSENT                                                                                     \
	{                                                                                          \
		VALUE = CTPROF_VALUE_ABSENT                                                        \
	}
#define P .n_group = 1, .group = {"p"}

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

/* Each row alone in a section; what is drawn of it. */
static const struct {
	const char *section, *header;
	uint32_t flags;
	struct ctprof_report_row row;
	const char *drawn;
} cases[] = {
	/* Counters, and units as base units, exactly. */
	{"primary",
	 "pcomm",
	 0,
	 {ROW("run_time_ns", "ns"), P, .kind = CTPROF_COUNTER, .tags = "[SCHED_INFO]",
	  .value = {NUMBER(18446744073709551615u)}},
	 "# TYPE ctprof_run_time_seconds counter\n"
	 "# UNIT ctprof_run_time_seconds seconds\n"
	 "# HELP ctprof_run_time_seconds run_time_ns [SCHED_INFO]\n"
	 "ctprof_run_time_seconds_total{pcomm=\"p\"} 18446744073.709551615\n"},
	{"primary",
	 "comm-pattern",
	 0,
	 {ROW("cpu_delay_total_ns", "ns"), P, .kind = CTPROF_COUNTER, .value = {NUMBER(5)}},
	 "# TYPE ctprof_cpu_delay_seconds counter\n"
	 "# UNIT ctprof_cpu_delay_seconds seconds\n"
	 "# HELP ctprof_cpu_delay_seconds cpu_delay_total_ns\n"
	 "ctprof_cpu_delay_seconds_total{comm=\"p\"} 0.000000005\n"},
	{"primary",
	 "thread",
	 0,
	 {ROW("utime_clock_ticks", "ticks"), P, .kind = CTPROF_GAUGE, .value = {NUMBER(101)}},
	 "# TYPE ctprof_utime_seconds gauge\n"
	 "# UNIT ctprof_utime_seconds seconds\n"
	 "# HELP ctprof_utime_seconds utime_clock_ticks\n"
	 "ctprof_utime_seconds{thread=\"p\"} 1.01\n"},
	/* By section, with a comparison's sides; absent ones are not there. */
	{"memory-stat",
	 "cgroup",
	 CTPROF_REPORT_COMPARE,
	 {ROW("Anon.Huge", "bytes"), P, .kind = CTPROF_LEVEL, .value = {ABSENT, NUMBER(4096)}},
	 "# TYPE ctprof_memory_stat_anon_huge_bytes gauge\n"
	 "# UNIT ctprof_memory_stat_anon_huge_bytes bytes\n"
	 "# HELP ctprof_memory_stat_anon_huge_bytes Anon.Huge\n"
	 "ctprof_memory_stat_anon_huge_bytes{cgroup=\"p\",side=\"candidate\"} 4096\n"},
	{"pressure",
	 "cgroup",
	 0,
	 {ROW("total", "us"), .kind = CTPROF_COUNTER, .n_group = 2, .group = {"/a", "some"},
	  .value = {NUMBER(2500000)}},
	 "# TYPE ctprof_pressure_seconds counter\n"
	 "# UNIT ctprof_pressure_seconds seconds\n"
	 "# HELP ctprof_pressure_seconds total\n"
	 "ctprof_pressure_seconds_total{cgroup=\"/a\",stall=\"some\"} 2.500000\n"},
	/* Two families of a range, one for each end. */
	{"primary",
	 "pcomm",
	 0,
	 {ROW("nice", "none"), P, .kind = CTPROF_ORDINAL, .value = {RANGE(-5, 10)}},
	 "# TYPE ctprof_nice_max gauge\n"
	 "# HELP ctprof_nice_max nice\n"
	 "ctprof_nice_max{pcomm=\"p\"} 10\n"
	 "# TYPE ctprof_nice_min gauge\n"
	 "# HELP ctprof_nice_min nice\n"
	 "ctprof_nice_min{pcomm=\"p\"} -5\n"},
	/* Texts. */
	{"primary",
	 "comm",
	 0,
	 {ROW("policy", "text"), .kind = CTPROF_CATEGORY, .n_group = 3,
	  .group = {"/a", "q\"\\", "l\n\xff\xc3\xa4\x1b"},
	  .value = {{VALUE = CTPROF_VALUE_MODE, .text = "SCHED_OTHER", .count = 3, .total = 5}}},
	 "# TYPE ctprof_policy gauge\n"
	 "# HELP ctprof_policy policy\n"
	 "ctprof_policy{cgroup=\"/a\",pcomm=\"q\\\"\\\\\",comm=\"l\\n\\\\xff\xc3\xa4\\\\x1b\","
	 "value=\"SCHED_OTHER\"} 3\n"},
	{"derived",
	 "pcomm",
	 0,
	 {ROW("cpu_efficiency", "ratio"), P, .value = {{VALUE = CTPROF_VALUE_REAL, .real = 0.1}}},
	 "# TYPE ctprof_cpu_efficiency_ratio gauge\n"
	 "# UNIT ctprof_cpu_efficiency_ratio ratio\n"
	 "# HELP ctprof_cpu_efficiency_ratio cpu_efficiency\n"
	 "ctprof_cpu_efficiency_ratio{pcomm=\"p\"} 0.1\n"},
	{"cgroup-limits",
	 "cgroup",
	 0,
	 {ROW("memory.max", "bytes"), P, .value = {{VALUE = CTPROF_VALUE_UNLIMITED}}},
	 "# TYPE ctprof_cgroup_limits_memory_max_bytes gauge\n"
	 "# UNIT ctprof_cgroup_limits_memory_max_bytes bytes\n"
	 "# HELP ctprof_cgroup_limits_memory_max_bytes memory.max\n"
	 "ctprof_cgroup_limits_memory_max_bytes{cgroup=\"p\"} +Inf\n"},
	/* Nothing is known of it, or not by us. */
	{"primary", "pcomm", 0, {ROW("majflt", "none"), P, .value = {ABSENT}}, ""},
	{"primary", "pcomm", 0, {ROW("new", "none"), P, .value = {{VALUE = 990, .number = 1}}}, ""},
	/* A host from before rows told their kind. */
	{"primary",
	 "pcomm",
	 0,
	 {NAMED("majflt", "none"), P, .struct_size = offsetof(struct ctprof_report_row, kind),
	  .kind = CTPROF_COUNTER, .value = {NUMBER(7)}},
	 "# TYPE ctprof_majflt gauge\n"
	 "# HELP ctprof_majflt majflt\n"
	 "ctprof_majflt{pcomm=\"p\"} 7\n"},
};

static void check_drawn(const struct ctprof_report *report, const char *drawn, const char *logged)
{
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;
	char expected[4096];
	void *self = NULL;

	snprintf(expected, sizeof expected, "%s# EOF\n", drawn);
	fake_begin(&fake, NULL, sizeof fake.table);
	FAKE_CHECK(ops->open(&fake.table, &self) == 0);
	FAKE_CHECK(ops->report(self, report) == 0);
	ops->close(self);
	if (strcmp(fake.written, expected) != 0)
		printf("# expected:\n%s# got:\n%s", expected, fake.written);
	FAKE_CHECK(strcmp(fake.written, expected) == 0);
	FAKE_CHECK(logged[0] ? strstr(fake.log, logged) != NULL : !fake.log[0]);
	fake_end(&fake);
}

static void check_rows(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ctprof_report_section section = {
			.struct_size = sizeof section,
			.layout =
				cases[i].row.n_group > 2 ? CTPROF_LAYOUT_TREE : CTPROF_LAYOUT_LONG,
			.name = cases[i].section,
			.heading = "Heading",
			.group_header = cases[i].header,
			.n_rows = 1,
			.rows = &cases[i].row,
		};
		const struct ctprof_report report = {
			.struct_size = sizeof report,
			.flags = cases[i].flags,
			.group_by = "pcomm",
			.n_sections = 1,
			.sections = &section,
		};
		int is_old = cases[i].row.struct_size < sizeof cases[i].row;

		printf("# %s\n", cases[i].row.metric);
		check_drawn(&report, cases[i].drawn, is_old ? "all are gauges" : "");
	}
}

/* Families stay together whatever the rows' order; sections of one name, and
 * what differs only in what names cannot hold. */
static void check_families(void)
{
	static const struct ctprof_report_row rows[] = {
		{ROW("a.b", "none"), P, .kind = CTPROF_LEVEL, .value = {NUMBER(1)}},
		{ROW("c", "none"), P, .kind = CTPROF_LEVEL, .value = {NUMBER(2)}},
		{ROW("a-b", "none"), P, .kind = CTPROF_LEVEL, .value = {NUMBER(3)}},
	};
	static const struct ctprof_report_section sections[] = {
		{.struct_size = sizeof sections[0],
		 .layout = CTPROF_LAYOUT_LONG,
		 .name = "x",
		 .heading = "X / 1",
		 .group_header = "object",
		 .n_rows = 3,
		 .rows = rows},
		{.struct_size = sizeof sections[0],
		 .layout = CTPROF_LAYOUT_LONG,
		 .name = "x",
		 .heading = "X / 2",
		 .group_header = "object",
		 .n_rows = 2,
		 .rows = rows},
	};
	const struct ctprof_report report = {.struct_size = sizeof report,
					     .group_by = "pcomm",
					     .n_sections = 2,
					     .sections = sections};

	check_drawn(&report,
		    "# TYPE ctprof_x_a_b gauge\n"
		    "# HELP ctprof_x_a_b a-b\n"
		    "ctprof_x_a_b{section=\"X / 1\",object=\"p\"} 3\n"
		    "ctprof_x_a_b{section=\"X / 2\",object=\"p\"} 1\n"
		    "# TYPE ctprof_x_c gauge\n"
		    "# HELP ctprof_x_c c\n"
		    "ctprof_x_c{section=\"X / 1\",object=\"p\"} 2\n"
		    "ctprof_x_c{section=\"X / 2\",object=\"p\"} 2\n",
		    "1 values left out");
}

int main(void)
{
	check_rows();
	check_families();
	puts("openmetrics: all tests passed");
	return 0;
}
