/* SPDX-License-Identifier: 0BSD */
/*
 * A sink from before reports could hold tables, compiled against the headers of
 * then: draws each row as a line.
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

static int lines_report(void *self, const struct ctprof_report *report)
{
	const struct ctprof_host *host = self;
	char line[256];

	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = element(report->sections, i);

		for (uint64_t j = 0; j < section->n_rows; j++) {
			const struct ctprof_report_row *row = element(section->rows, j);

			snprintf(line, sizeof line, "%s %s %s %llu\n", section->name, row->group[0],
				 row->metric, (unsigned long long)row->value[0].number);
			int result = host->write(host, line, strlen(line));
			if (result < 0)
				return result;
		}
	}
	return 0;
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
	.summary = "Draws rows as lines",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
