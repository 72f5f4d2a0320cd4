/* SPDX-License-Identifier: 0BSD */
/*
 * A sink of 0.1.0, compiled against the headers of then: draws each cell as a
 * line.
 */
#include <stdio.h>
#include <string.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"

static int lines_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = (void *)(uintptr_t)host;
	return 0;
}

static void lines_close(void *self)
{
	(void)self;
}

static const void *element(const void *first, uint64_t i)
{
	const uint32_t *size = first;

	return (const char *)first + i * *size;
}

static int draw_line(const struct ctprof_host *host, const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line)
{
	char text[256];

	for (uint64_t i = 0; i < line->n_cells; i++) {
		const struct ctprof_cell *cell = element(line->cells, i);
		const struct ctprof_report_field *field = element(section->fields, line->first + i);

		snprintf(text, sizeof text, "%s %s %s %llu\n", section->name, line->names[0],
			 field->name, (unsigned long long)cell->value[0].number);
		int result = host->write(host, text, strlen(text));
		if (result < 0)
			return result;
	}
	return 0;
}

static int lines_report(void *self, const struct ctprof_report *report)
{
	int result = 0;

	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = element(report->sections, i);

		for (uint64_t j = 0; j < section->n_lines && result == 0; j++)
			if (section->flags & CTPROF_SECTION_METRICS)
				result = draw_line(self, section, element(section->lines, j));
	}
	return result;
}

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = lines_open,
	.close = lines_close,
	.report = lines_report,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "lines",
	.version = "1.0",
	.summary = "Draws cells as lines",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
