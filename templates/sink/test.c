/* SPDX-License-Identifier: 0BSD */
/* Tests @NAME@ with a fake host and handwritten reports. */
#include "fakehost.h"

#include <ctprof/report.h>
#include <ctprof/sink.h>

#define FIELD(word) .struct_size = sizeof(struct ctprof_report_field), .name = (word)
#define LINE .struct_size = sizeof(struct ctprof_report_line)
#define CELL .struct_size = sizeof(struct ctprof_cell)

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

static const struct ctprof_report_field fields[] = {{FIELD("run_time_ns")}, {FIELD("nice")}};

static const struct ctprof_cell cells[] = {
	{CELL, .value = {{.type = CTPROF_VALUE_NUMBER, .number = 12}}},
	{CELL, .value = {{.type = CTPROF_VALUE_RANGE, .min = -5, .max = 10},
			 {.type = CTPROF_VALUE_MODE, .text = "SCHED_OTHER", .count = 3, .n = 5}}},
	{CELL, .value = {{.type = CTPROF_VALUE_NUMBER, .flags = CTPROF_VALUE_PARTIAL, .number = 7},
			 {.type = CTPROF_VALUE_REAL, .real = 0.5}}},
};

/* A line has cells for all fields or for some; a heading has none. */
static const struct ctprof_report_line lines[] = {
	{LINE, .flags = CTPROF_LINE_HEADING, .n_names = 1, .names = {"a"}},
	{LINE, .n_names = 1, .names = {"worker-{N}"}, .n_cells = 2, .cells = &cells[0]},
	{LINE, .n_names = 2, .names = {"/a", "evil\n\033[2J"}, .first = 1, .n_cells = 1,
	 .cells = &cells[2]},
};

static const struct ctprof_report_section section = {
	.struct_size = sizeof section,
	.flags = CTPROF_SECTION_METRICS,
	.name = "primary",
	.heading = "Primary metrics",
	.names_header = "pcomm",
	.n_fields = 2,
	.fields = fields,
	.n_lines = 3,
	.lines = lines,
};

static const struct {
	uint32_t flags;
	const char *drawn;
} cases[] = {
	{0, "primary worker-{N} run_time_ns 12\n"
	    "primary worker-{N} nice -5..10\n"
	    "primary /a evil??[2J nice ~7\n"},
	{CTPROF_REPORT_COMPARE, "primary worker-{N} run_time_ns 12 -\n"
				"primary worker-{N} nice -5..10 SCHED_OTHER\n"
				"primary /a evil??[2J nice ~7 0.500\n"},
};

int main(void)
{
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ctprof_report report = {
			.struct_size = sizeof report,
			.flags = cases[i].flags,
			.group_by = "pcomm",
			.n_sections = 1,
			.sections = &section,
		};
		void *self = NULL;

		fake_begin(&fake, NULL, sizeof fake.table);
		FAKE_CHECK(ops->open(&fake.table, &self) == 0);
		FAKE_CHECK(ops->report(self, &report) == 0);
		ops->close(self);
		printf("# case %u\n%s", (unsigned int)i, fake.written);
		FAKE_CHECK(strcmp(fake.written, cases[i].drawn) == 0);
		fake_end(&fake);
	}
	puts("@NAME@: all tests passed");
	return 0;
}
