/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report as comma-separated values (RFC 4180): one table, a line for each row. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctprof/sink.h"
#include "drawing.h"
#include "hoststream.h"
#include "real.h"
#include "utf8.h"

/* What a line is made of. */
struct line {
	const char *section;
	const char *heading; /* tells sections of one name apart; or NULL */
	uint32_t n_group;
	const char *const *group;
	const struct ctprof_report_row *row; /* NULL: a group of one side only */
	uint64_t threads[2];
	bool has_threads[2];
};

/* A spreadsheet takes a cell that begins so for a formula. */
static bool is_formula(const char *text)
{
	return text[0] && strchr("=+-@", text[0]);
}

/* Bytes of the host's inside a field, fit to be seen, '"' doubled. */
static void put_bytes(FILE *stream, const char *bytes)
{
	size_t len = strlen(bytes);

	for (size_t at = 0; at < len;) {
		char shown[UTF8_SHOWN];
		size_t n;
		uint32_t code;

		at += utf8_show(bytes + at, len - at, shown, &n, &code);
		if (code == '"')
			fputc('"', stream);
		fwrite(shown, 1, n, stream);
	}
}

/* A field whose middle is the host's; before and after need no quotes. */
static void put_text(FILE *stream, const char *before, const char *text, const char *after)
{
	bool quoted = strpbrk(text, ",\"");

	if (quoted)
		fputc('"', stream);
	if (!before[0] && is_formula(text))
		fputc('\'', stream);
	fputs(before, stream);
	put_bytes(stream, text);
	fputs(after, stream);
	if (quoted)
		fputc('"', stream);
}

static void put_name(FILE *stream, const char *name)
{
	put_text(stream, "", name ? name : "", "");
}

static void put_real(FILE *stream, bool is_set, double value)
{
	char text[REAL_ROOM];

	real_shortest(value, text);
	if (is_set)
		fputs(text, stream);
}

static void put_value(FILE *stream, const struct ctprof_value *value)
{
	struct drawing_words words;

	if (drawing_is_number(value))
		fprintf(stream, "%" PRIu64, value->number);
	else if (value->type == CTPROF_VALUE_REAL)
		put_real(stream, true, value->real);
	else if (drawing_words(value, &words))
		put_text(stream, words.before, words.text, words.after);
}

static void put_section(FILE *stream, const struct line *line)
{
	put_name(stream, line->section);
}

static void put_heading(FILE *stream, const struct line *line)
{
	if (line->heading)
		put_name(stream, line->heading);
}

static void put_group(FILE *stream, const struct line *line, uint32_t part)
{
	if (part < line->n_group)
		put_name(stream, line->group[part]);
}

static void put_group1(FILE *stream, const struct line *line)
{
	put_group(stream, line, 0);
}

static void put_group2(FILE *stream, const struct line *line)
{
	put_group(stream, line, 1);
}

static void put_group3(FILE *stream, const struct line *line)
{
	put_group(stream, line, 2);
}

static void put_metric(FILE *stream, const struct line *line)
{
	if (line->row)
		put_name(stream, line->row->metric);
}

static void put_unit(FILE *stream, const struct line *line)
{
	if (line->row)
		put_name(stream, line->row->unit);
}

static void put_threads(FILE *stream, const struct line *line, unsigned int side)
{
	if (line->has_threads[side])
		fprintf(stream, "%" PRIu64, line->threads[side]);
}

static void put_threads_baseline(FILE *stream, const struct line *line)
{
	put_threads(stream, line, 0);
}

static void put_threads_candidate(FILE *stream, const struct line *line)
{
	put_threads(stream, line, 1);
}

static void put_baseline(FILE *stream, const struct line *line)
{
	if (line->row)
		put_value(stream, &line->row->value[0]);
}

static void put_candidate(FILE *stream, const struct line *line)
{
	if (line->row)
		put_value(stream, &line->row->value[1]);
}

static void put_delta(FILE *stream, const struct line *line)
{
	if (line->row)
		put_real(stream, line->row->flags & CTPROF_ROW_HAS_DELTA, line->row->delta);
}

static void put_pct(FILE *stream, const struct line *line)
{
	if (line->row)
		put_real(stream, line->row->flags & CTPROF_ROW_HAS_PCT, line->row->pct);
}

/* The columns of both commands, then those of one. */
enum { IN_SHOW = 1, IN_COMPARE = 2, IN_BOTH = IN_SHOW | IN_COMPARE };

static const struct column {
	unsigned int where;
	const char *header;
	void (*put)(FILE *stream, const struct line *line);
} columns[] = {
	{IN_BOTH, "section", put_section},
	{IN_BOTH, "heading", put_heading},
	{IN_BOTH, "group1", put_group1},
	{IN_BOTH, "group2", put_group2},
	{IN_BOTH, "group3", put_group3},
	{IN_BOTH, "metric", put_metric},
	{IN_BOTH, "unit", put_unit},
	{IN_SHOW, "threads", put_threads_baseline},
	{IN_SHOW, "value", put_baseline},
	{IN_COMPARE, "threads_baseline", put_threads_baseline},
	{IN_COMPARE, "threads_candidate", put_threads_candidate},
	{IN_COMPARE, "baseline", put_baseline},
	{IN_COMPARE, "candidate", put_candidate},
	{IN_COMPARE, "delta", put_delta},
	{IN_COMPARE, "pct", put_pct},
};

/* line NULL: the header. */
static void put_line(FILE *stream, unsigned int where, const struct line *line)
{
	const char *separator = "";

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		if (!(columns[i].where & where))
			continue;
		fputs(separator, stream);
		if (line)
			columns[i].put(stream, line);
		else
			fputs(columns[i].header, stream);
		separator = ",";
	}
	fputs("\r\n", stream);
}

static void put_rows(FILE *stream, unsigned int where, const struct ctprof_report_section *section)
{
	for (uint64_t i = 0; i < section->n_rows; i++) {
		const struct ctprof_report_row *row = drawing_row(section, i);
		struct line line = {
			.section = section->name,
			.heading = section->heading,
			.n_group = row->n_group,
			.group = row->group,
			.row = row,
			.threads = {row->threads[0], row->threads[1]},
			.has_threads = {true, true},
		};

		put_line(stream, where, &line);
	}
}

/* ---- tables of their own fields -------------------------------------------- */

static void put_table_header(FILE *stream, const struct ctprof_report_table *table)
{
	fputs("section,line,depth", stream);
	for (uint64_t i = 0; i < table->n_fields; i++) {
		fputc(',', stream);
		put_name(stream, drawing_field(table, i)->name);
	}
	fputs(",estimates", stream);
	if (table->flags & CTPROF_TABLE_HAS_COVERAGE)
		fputs(",covered,n_exact,n_approximate,n_missing", stream);
	fputs("\r\n", stream);
}

/* The names of the fields whose numbers are none that was read. */
static void put_estimates(FILE *stream, const struct ctprof_report_table *table,
			  const struct ctprof_report_line *line)
{
	const char *separator = "";

	for (uint64_t i = 0; i < table->n_fields; i++) {
		if (line->cells[i].type != CTPROF_VALUE_ESTIMATE)
			continue;
		fputs(separator, stream);
		fputs(drawing_field(table, i)->name, stream);
		separator = " ";
	}
}

static void put_table_line(FILE *stream, const char *section,
			   const struct ctprof_report_table *table,
			   const struct ctprof_report_line *line)
{
	const char *kind = drawing_is_total(line)              ? "total"
			   : line->flags & CTPROF_LINE_CONTEXT ? "context"
							       : "line";

	put_name(stream, section);
	fprintf(stream, ",%s,%" PRIu32, kind, line->depth);
	for (uint64_t i = 0; i < table->n_fields; i++) {
		fputc(',', stream);
		put_value(stream, &line->cells[i]);
	}
	fputc(',', stream);
	put_estimates(stream, table, line);
	if (table->flags & CTPROF_TABLE_HAS_COVERAGE)
		fputs(",,,,", stream);
	fputs("\r\n", stream);
}

/* A line of its own, the last: there is one of them, and there may be no total. */
static void put_coverage(FILE *stream, const char *section, const struct ctprof_report_table *table)
{
	if (!(table->flags & CTPROF_TABLE_HAS_COVERAGE))
		return;
	put_name(stream, section);
	fputs(",coverage,0", stream);
	/* Each field, and the estimates. */
	for (uint64_t i = 0; i <= table->n_fields; i++)
		fputc(',', stream);
	fputc(',', stream);
	put_name(stream, drawing_covered(table));
	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", table->n_exact,
		table->n_approximate, table->n_missing);
}

static void put_table(FILE *stream, const struct ctprof_report *report, const char *section,
		      const struct ctprof_report_table *table)
{
	if (report->flags & CTPROF_REPORT_HEADER)
		put_table_header(stream, table);
	for (uint64_t i = 0; i < table->n_lines; i++)
		put_table_line(stream, section, table, drawing_line(table, i));
	put_coverage(stream, section, table);
}

/* Whether some section has rows, which all share one header. */
static bool has_rows(const struct ctprof_report *report)
{
	bool only_tables = report->n_sections > 0;

	for (uint64_t i = 0; i < report->n_sections; i++)
		only_tables = only_tables && drawing_table(drawing_section(report, i));
	return !only_tables;
}

static void put_only(FILE *stream, const struct ctprof_report *report, unsigned int side)
{
	static const char *const sections[] = {"only-baseline", "only-candidate"};

	for (uint64_t i = 0; i < report->n_only[side]; i++) {
		const struct ctprof_report_orphan *orphan = drawing_only(report, side, i);
		struct line line = {
			.section = sections[side],
			.n_group = orphan->n_group,
			.group = orphan->group,
		};

		line.threads[side] = orphan->threads;
		line.has_threads[side] = true;
		put_line(stream, IN_COMPARE, &line);
	}
}

static void put_report(const struct ctprof_host *host, FILE *stream,
		       const struct ctprof_report *report)
{
	bool is_compare = drawing_is_compare(report);
	unsigned int where = is_compare ? IN_COMPARE : IN_SHOW;

	if (report->flags & CTPROF_REPORT_HEADER && has_rows(report))
		put_line(stream, where, NULL);
	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = drawing_section(report, i);
		const struct ctprof_report_table *table = drawing_table(section);

		if (table)
			put_table(stream, report, section->name, table);
		else
			put_rows(stream, where, section);
		if (section->n_cut > 0)
			host->log(host, CTPROF_LOG_WARNING,
				  "%s: %" PRIu64 " rows left out (--limit 0 gives all)",
				  section->name, section->n_cut);
	}
	for (unsigned int side = 0; side < 2 && is_compare; side++)
		if (report->flags & CTPROF_REPORT_ORPHANS)
			put_only(stream, report, side);
}

static int csv_report(void *self, const struct ctprof_report *report)
{
	FILE *stream = hoststream_open(self);

	if (!stream)
		return -errno;
	put_report(self, stream, report);
	return hoststream_close(stream);
}

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = drawing_open,
	.close = drawing_close,
	.report = csv_report,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "csv",
	.version = CTPROF_VERSION,
	.summary = "Writes a report as comma-separated values",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
