/* SPDX-License-Identifier: 0BSD */
/* @NAME@ against a fake host and reports made by hand. */
#include "fakehost.h"

#include <ctprof/report.h>
#include <ctprof/sink.h>

#define VALUE .struct_size = sizeof(struct ctprof_value), .type
#define ROW .struct_size = sizeof(struct ctprof_report_row)
#define SECTION .struct_size = sizeof(struct ctprof_report_section)

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

static const struct ctprof_report_row rows[] = {
	{ROW, .n_group = 1, .group = {"worker-{N}"}, .metric = "run_time_ns", .unit = "ns",
	 .tags = "",
	 .value = {{VALUE = CTPROF_VALUE_NUMBER, .number = 12}, {VALUE = CTPROF_VALUE_ABSENT}}},
	{ROW, .n_group = 2, .group = {"/a", "evil\n\033[2J"}, .metric = "nice", .unit = "none",
	 .tags = "",
	 .value = {{VALUE = CTPROF_VALUE_RANGE, .min = -5, .max = 10},
		   {VALUE = CTPROF_VALUE_MODE, .text = "SCHED_OTHER", .count = 3, .total = 5}}},
};

/* Of the first section, of the second nothing: it is one to be left out. */
static const struct ctprof_report_section sections[] = {
	{SECTION, .layout = CTPROF_LAYOUT_LONG, .name = "primary", .heading = "Primary metrics",
	 .group_header = "pcomm", .n_rows = 2, .rows = rows},
	{SECTION, .layout = CTPROF_LAYOUT_TABLE, .name = "memory", .heading = "Memory"},
};

static const struct {
	uint32_t flags;
	const char *drawn;
} cases[] = {
	{0, "primary worker-{N} run_time_ns 12\n"
	    "primary /a evil??[2J nice -5..10\n"},
	{CTPROF_REPORT_COMPARE, "primary worker-{N} run_time_ns 12 -\n"
				"primary /a evil??[2J nice -5..10 SCHED_OTHER\n"},
};

int main(void)
{
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ctprof_report report = {
			.struct_size = sizeof report,
			.flags = cases[i].flags,
			.group_by = "pcomm",
			.n_sections = sizeof sections / sizeof sections[0],
			.sections = sections,
		};
		void *self = NULL;

		fake_begin(&fake, NULL, sizeof fake.table);
		FAKE_CHECK(ops->open(&fake.table, &self) == 0);
		FAKE_CHECK(ops->report(self, &report) == 0);
		ops->close(self);
		printf("# case %u\n%s", (unsigned int)i, fake.written);
		FAKE_CHECK(strcmp(fake.written, cases[i].drawn) == 0);
		FAKE_CHECK(strstr(fake.log, "memory: left out"));
		fake_end(&fake);
	}
	puts("@NAME@: all tests passed");
	return 0;
}
