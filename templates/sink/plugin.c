/* SPDX-License-Identifier: 0BSD */
/*
 * @NAME@: a ctprof sink.  Draws a report as lines, "SECTION NAME... FIELD VALUE";
 * to compare, both values.  Replace put_cell() with your own.
 */
#include <ctprof/report.h>
#include <ctprof/sink.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Buffers the output, since each host->write() is a system call. */
struct drawing {
	const struct ctprof_host *host;
	uint32_t sides; /* 2 to compare */
	int failed;     /* -errno of the first write that failed */
	size_t used;
	char buffer[8192];
};

/* Returns element i of an array from ctprof, whose elements may be larger than
 * the struct this plugin was compiled with. */
static const void *element(const void *first, uint64_t i)
{
	uint32_t size;

	memcpy(&size, first, sizeof size);
	return (const char *)first + i * size;
}

static void flush(struct drawing *drawing)
{
	if (drawing->failed == 0 && drawing->used > 0)
		drawing->failed =
			drawing->host->write(drawing->host, drawing->buffer, drawing->used);
	drawing->used = 0;
}

static void put_byte(struct drawing *drawing, char byte)
{
	if (drawing->used == sizeof drawing->buffer)
		flush(drawing);
	drawing->buffer[drawing->used++] = byte;
}

static void put(struct drawing *drawing, const char *text)
{
	for (; *text; text++)
		put_byte(drawing, *text);
}

/* Users choose names, so they may contain control bytes and line ends: these must
 * not reach a terminal. */
static void put_name(struct drawing *drawing, const char *name)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		put_byte(drawing, byte <= ' ' || byte == 127 ? '?' : *name);
	}
}

static void put_value(struct drawing *drawing, const struct ctprof_value *value)
{
	char text[64] = "-"; /* absent is never 0 */

	if (value->flags & CTPROF_VALUE_PARTIAL)
		put(drawing, "~"); /* of some of its rows only */
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		snprintf(text, sizeof text, "%" PRIu64, value->number);
		break;
	case CTPROF_VALUE_REAL:
		snprintf(text, sizeof text, "%.3f", value->real);
		break;
	case CTPROF_VALUE_RANGE:
	case CTPROF_VALUE_CPUS:
		snprintf(text, sizeof text, "%" PRId64 "..%" PRId64, value->min, value->max);
		break;
	case CTPROF_VALUE_UNLIMITED:
		snprintf(text, sizeof text, "max");
		break;
	case CTPROF_VALUE_MODE:
	case CTPROF_VALUE_TEXT:
		put_name(drawing, value->text);
		return;
	default: /* absent, or a type of a later ctprof */
		break;
	}
	put(drawing, text);
}

/* Writes a line of output: the section, the names of the line, the field, and its values. */
static void put_cell(struct drawing *drawing, const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line, const struct ctprof_report_field *field,
		     const struct ctprof_cell *cell)
{
	put_name(drawing, section->name);
	for (uint32_t i = 0; i < line->n_names; i++) {
		put(drawing, " ");
		put_name(drawing, line->names[i]);
	}
	put(drawing, " ");
	put_name(drawing, field->name);
	for (uint32_t side = 0; side < drawing->sides; side++) {
		put(drawing, " ");
		put_value(drawing, &cell->value[side]);
	}
	put(drawing, "\n");
}

static void put_section(struct drawing *drawing, const struct ctprof_report_section *section)
{
	for (uint64_t i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = element(section->lines, i);

		/* Headings have no cells. */
		for (uint64_t j = 0; j < line->n_cells; j++)
			put_cell(drawing, section, line, element(section->fields, line->first + j),
				 element(line->cells, j));
	}
}

static int plugin_report(void *self, const struct ctprof_report *report)
{
	struct drawing drawing = {.host = self};

	drawing.sides = report->flags & CTPROF_REPORT_COMPARE ? 2 : 1;
	for (uint64_t i = 0; i < report->n_sections; i++)
		put_section(&drawing, element(report->sections, i));
	flush(&drawing);
	return drawing.failed;
}

static int plugin_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = (void *)(uintptr_t)host;
	return 0;
}

static void plugin_close(void *self)
{
	(void)self;
}

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = plugin_open,
	.close = plugin_close,
	.report = plugin_report,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "@NAME@",
	.version = "0.1",
	.summary = "Draws a report as lines",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
