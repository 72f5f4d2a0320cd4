/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests scrape with a fake host and handmade reports. */
#include "fakehost.h"

#include <ctprof/report.h>
#include <ctprof/sink.h>

#define FIELD(what, word)                                                                          \
	.struct_size = sizeof(struct ctprof_report_field), .name = (what), .unit = (word)
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		.type = CTPROF_VALUE_NUMBER, .number = (n)                                         \
	}
#define RANGE(a, b)                                                                                \
	{                                                                                          \
		.type = CTPROF_VALUE_RANGE, .min = (a), .max = (b)                                 \
	}
#define ABSENT                                                                                     \
	{                                                                                          \
		.type = CTPROF_VALUE_ABSENT                                                        \
	}

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

/* A metric alone in a section, and the expected lines. */
static const struct {
	const char *section, *header;
	uint32_t flags; /* of the report */
	struct ctprof_report_field field;
	const char *names[CTPROF_LINE_NAMES];
	struct ctprof_value value[2];
	const char *drawn;
} cases[] = {
	/* Counters, and exact conversion to base units. */
	{"primary",
	 "pcomm",
	 0,
	 {FIELD("run_time_ns", "ns"), .kind = CTPROF_COUNTER, .tags = "[SCHED_INFO]"},
	 {"p"},
	 {NUMBER(18446744073709551615u)},
	 "# TYPE ctprof_run_time_seconds counter\n"
	 "# UNIT ctprof_run_time_seconds seconds\n"
	 "# HELP ctprof_run_time_seconds run_time_ns [SCHED_INFO]\n"
	 "ctprof_run_time_seconds_total{pcomm=\"p\"} 18446744073.709551615\n"},
	{"primary",
	 "comm-pattern",
	 0,
	 {FIELD("cpu_delay_total_ns", "ns"), .kind = CTPROF_COUNTER},
	 {"p"},
	 {NUMBER(5)},
	 "# TYPE ctprof_cpu_delay_seconds counter\n"
	 "# UNIT ctprof_cpu_delay_seconds seconds\n"
	 "# HELP ctprof_cpu_delay_seconds cpu_delay_total_ns\n"
	 "ctprof_cpu_delay_seconds_total{comm=\"p\"} 0.000000005\n"},
	{"primary",
	 "thread",
	 0,
	 {FIELD("utime_clock_ticks", "ticks"), .kind = CTPROF_GAUGE},
	 {"p"},
	 {NUMBER(101)},
	 "# TYPE ctprof_utime_seconds gauge\n"
	 "# UNIT ctprof_utime_seconds seconds\n"
	 "# HELP ctprof_utime_seconds utime_clock_ticks\n"
	 "ctprof_utime_seconds{thread=\"p\"} 1.01\n"},
	/* Names by section, with the sides of a comparison; absent values are missing. */
	{"memory-stat",
	 "cgroup",
	 CTPROF_REPORT_COMPARE,
	 {FIELD("Anon.Huge", "bytes"), .kind = CTPROF_LEVEL},
	 {"p"},
	 {ABSENT, NUMBER(4096)},
	 "# TYPE ctprof_memory_stat_anon_huge_bytes gauge\n"
	 "# UNIT ctprof_memory_stat_anon_huge_bytes bytes\n"
	 "# HELP ctprof_memory_stat_anon_huge_bytes Anon.Huge\n"
	 "ctprof_memory_stat_anon_huge_bytes{cgroup=\"p\",side=\"candidate\"} 4096\n"},
	{"pressure",
	 "cgroup",
	 0,
	 {FIELD("total", "us"), .kind = CTPROF_COUNTER},
	 {"/a", "some"},
	 {NUMBER(2500000)},
	 "# TYPE ctprof_pressure_seconds counter\n"
	 "# UNIT ctprof_pressure_seconds seconds\n"
	 "# HELP ctprof_pressure_seconds total\n"
	 "ctprof_pressure_seconds_total{cgroup=\"/a\",stall=\"some\"} 2.500000\n"},
	/* Two families of a range, one for each end. */
	{"primary",
	 "pcomm",
	 0,
	 {FIELD("nice", "none"), .kind = CTPROF_ORDINAL},
	 {"p"},
	 {RANGE(-5, 10)},
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
	 {FIELD("policy", "text"), .kind = CTPROF_CATEGORY},
	 {"/a", "q\"\\", "l\n\xff\xc3\xa4\x1b"},
	 {{.type = CTPROF_VALUE_MODE, .text = "SCHED_OTHER", .count = 3, .n = 5}},
	 "# TYPE ctprof_policy gauge\n"
	 "# HELP ctprof_policy policy\n"
	 "ctprof_policy{cgroup=\"/a\",pcomm=\"q\\\"\\\\\",comm=\"l\\n\\\\xff\xc3\xa4\\\\x1b\","
	 "value=\"SCHED_OTHER\"} 3\n"},
	{"derived",
	 "pcomm",
	 0,
	 {FIELD("cpu_efficiency", "ratio")},
	 {"p"},
	 {{.type = CTPROF_VALUE_REAL, .real = 0.1}},
	 "# TYPE ctprof_cpu_efficiency_ratio gauge\n"
	 "# UNIT ctprof_cpu_efficiency_ratio ratio\n"
	 "# HELP ctprof_cpu_efficiency_ratio cpu_efficiency\n"
	 "ctprof_cpu_efficiency_ratio{pcomm=\"p\"} 0.1\n"},
	{"cgroup-limits",
	 "cgroup",
	 0,
	 {FIELD("memory.max", "bytes")},
	 {"p"},
	 {{.type = CTPROF_VALUE_UNLIMITED}},
	 "# TYPE ctprof_cgroup_limits_memory_max_bytes gauge\n"
	 "# UNIT ctprof_cgroup_limits_memory_max_bytes bytes\n"
	 "# HELP ctprof_cgroup_limits_memory_max_bytes memory.max\n"
	 "ctprof_cgroup_limits_memory_max_bytes{cgroup=\"p\"} +Inf\n"},
	/* An absent value, and one of an unknown type. */
	{"primary", "pcomm", 0, {FIELD("majflt", "none")}, {"p"}, {ABSENT}, ""},
	{"primary", "pcomm", 0, {FIELD("new", "none")}, {"p"}, {{.type = 990, .number = 1}}, ""},
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

static void check_metrics(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ctprof_cell cell = {.struct_size = sizeof cell,
						 .value = {cases[i].value[0], cases[i].value[1]}};
		struct ctprof_report_line line = {
			.struct_size = sizeof line, .n_cells = 1, .cells = &cell};
		const struct ctprof_report_section section = {
			.struct_size = sizeof section,
			.flags = CTPROF_SECTION_METRICS,
			.name = cases[i].section,
			.heading = "Heading",
			.names_header = cases[i].header,
			.n_fields = 1,
			.fields = &cases[i].field,
			.n_lines = 1,
			.lines = &line,
		};
		const struct ctprof_report report = {
			.struct_size = sizeof report,
			.flags = cases[i].flags,
			.group_by = "pcomm",
			.n_sections = 1,
			.sections = &section,
		};

		for (; line.n_names < CTPROF_LINE_NAMES && cases[i].names[line.n_names];
		     line.n_names++)
			line.names[line.n_names] = cases[i].names[line.n_names];
		printf("# %s\n", cases[i].field.name);
		check_drawn(&report, cases[i].drawn, "");
	}
}

/* Families stay together whatever the rows' order; sections of one name, and
 * what differs only in what names cannot hold. */
static void check_families(void)
{
	static const struct ctprof_report_field fields[] = {
		{FIELD("a.b", "none"), .kind = CTPROF_LEVEL},
		{FIELD("c", "none"), .kind = CTPROF_LEVEL},
		{FIELD("a-b", "none"), .kind = CTPROF_LEVEL},
	};
	static const struct ctprof_cell cells[] = {
		{.struct_size = sizeof cells[0], .value = {NUMBER(1)}},
		{.struct_size = sizeof cells[0], .value = {NUMBER(2)}},
		{.struct_size = sizeof cells[0], .value = {NUMBER(3)}},
	};
	static const struct ctprof_report_line lines[] = {
		{.struct_size = sizeof lines[0],
		 .n_names = 1,
		 .names = {"p"},
		 .n_cells = 3,
		 .cells = cells},
		{.struct_size = sizeof lines[0],
		 .n_names = 1,
		 .names = {"p"},
		 .n_cells = 2,
		 .cells = cells},
	};
	static const struct ctprof_report_section sections[] = {
		{.struct_size = sizeof sections[0],
		 .flags = CTPROF_SECTION_METRICS,
		 .name = "x",
		 .heading = "X / 1",
		 .names_header = "object",
		 .n_fields = 3,
		 .fields = fields,
		 .n_lines = 1,
		 .lines = &lines[0]},
		{.struct_size = sizeof sections[0],
		 .flags = CTPROF_SECTION_METRICS,
		 .name = "x",
		 .heading = "X / 2",
		 .names_header = "object",
		 .n_fields = 3,
		 .fields = fields,
		 .n_lines = 1,
		 .lines = &lines[1]},
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
	check_metrics();
	check_families();
	puts("scrape: all tests passed");
	return 0;
}
