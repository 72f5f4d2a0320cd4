/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes reports and tables as comma-separated values (RFC 4180). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "real.h"
#include "tables.h"
#include "utf8.h"

/* Whether a spreadsheet would take a cell that begins like this for a formula; this includes the
 * full-width forms of the signs. */
static bool is_formula(const char *text)
{
	return text[0] &&
	       (strchr("=+-@", text[0]) || (strncmp(text, "\xef\xbc", 2) == 0 && text[2] &&
					    strchr("\x9d\x8b\x8d\xa0", text[2])));
}

/* Writes a field with the host's text in the middle; before and after need no quotes. */
static void put_text(FILE *stream, const char *before, const char *text, const char *after)
{
	static const struct utf8_escape doubled[] = {{'"', "\"\""}, {'\0', NULL}};
	/* A reader that separates cells at ';' would take the text after it for another cell. */
	const char *quote = strpbrk(text, ",\";") ? "\"" : "";
	const char *mark = !before[0] && is_formula(text) ? "'" : "";

	fprintf(stream, "%s%s%s", quote, mark, before);
	utf8_put(stream, text, doubled);
	fprintf(stream, "%s%s", after, quote);
}

/* From here on, each function first writes the comma before its field. name may be NULL: an empty
 * field. */
static void put_name(FILE *stream, const char *name)
{
	fputc(',', stream);
	put_text(stream, "", name ? name : "", "");
}

static void put_count(FILE *stream, uint64_t count)
{
	fprintf(stream, ",%" PRIu64, count);
}

static void put_real(FILE *stream, bool is_set, double value)
{
	char text[REAL_ROOM] = "";

	if (is_set)
		real_shortest(value, text);
	fprintf(stream, ",%s", text);
}

static void put_value(FILE *stream, const struct ctprof_value *value)
{
	struct drawing_words words;

	if (value->type == CTPROF_VALUE_NUMBER) {
		put_count(stream, value->number);
	} else if (value->type == CTPROF_VALUE_REAL) {
		put_real(stream, true, value->real);
	} else {
		fputc(',', stream);
		if (drawing_words(value, &words))
			put_text(stream, words.before, words.text, words.after);
	}
}

static void put_change(FILE *stream, const struct ctprof_cell *cell)
{
	put_value(stream, &cell->value[0]);
	put_value(stream, &cell->value[1]);
	put_real(stream, cell->flags & CTPROF_CELL_HAS_DELTA, cell->delta);
	put_real(stream, cell->flags & CTPROF_CELL_HAS_PCT, cell->pct);
}

/* ---- metrics: a line for each cell, all sections below one header ---------- */

static const char names_header[] = "section,heading,group1,group2,group3,metric,unit";
static const char show_header[] = ",threads,value,n,missing";
static const char runs_header[] = ",verdict,runs_baseline,runs_candidate,min_baseline,max_baseline,"
				  "min_candidate,max_candidate,low,high,level,p,q";
static const char compare_header[] =
	",threads_baseline,threads_candidate,baseline,candidate,delta,pct,"
	"n_baseline,missing_baseline,n_candidate,missing_candidate";

static void put_names(FILE *stream, const char *section, const char *heading,
		      const struct ctprof_report_line *line)
{
	put_text(stream, "", section, "");
	put_name(stream, heading);
	for (unsigned int i = 0; i < 3; i++)
		put_name(stream, line->names[i]);
}

/* Writes the number of rows folded into the value, and the number of rows without a value, if
 * counted. */
static void put_rows(FILE *stream, const struct ctprof_value *value)
{
	if (value->n > 0 || value->missing > 0)
		fprintf(stream, ",%" PRIu64 ",%" PRIu64, value->n, value->missing);
	else
		fputs(",,", stream);
}

/* Writes the statistics of runs; the medians and the shift are in the columns of the values and the
 * delta. */
static void put_runs(FILE *stream, const struct ctprof_runs *runs)
{
	bool has_test = runs->flags & CTPROF_RUNS_HAS_TEST;
	bool has_interval = runs->flags & CTPROF_RUNS_HAS_INTERVAL;

	fprintf(stream, ",%s", drawing_verdict_word(runs));
	for (unsigned int side = 0; side < 2; side++)
		put_count(stream, runs->n[side]);
	for (unsigned int side = 0; side < 2; side++) {
		put_real(stream, runs->n[side] > 0, runs->min[side]);
		put_real(stream, runs->n[side] > 0, runs->max[side]);
	}
	put_real(stream, has_interval, runs->low);
	put_real(stream, has_interval, runs->high);
	put_real(stream, has_interval, runs->level);
	put_real(stream, has_test, runs->p);
	put_real(stream, runs->flags & CTPROF_RUNS_HAS_Q, runs->q);
}

static void put_cell(FILE *stream, const struct ctprof_report_line *line,
		     const struct ctprof_cell *cell, bool is_compare)
{
	unsigned int sides = is_compare ? 2 : 1;

	for (unsigned int side = 0; side < sides; side++)
		put_count(stream, line->threads[side]);
	if (is_compare)
		put_change(stream, cell);
	else
		put_value(stream, &cell->value[0]);
	for (unsigned int side = 0; side < sides; side++)
		put_rows(stream, &cell->value[side]);
	if (drawing_runs(cell))
		put_runs(stream, drawing_runs(cell));
	fputs("\r\n", stream);
}

static void put_metrics(FILE *stream, const struct ctprof_report_section *section, bool is_compare)
{
	for (uint64_t i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		for (uint64_t j = 0; j < line->n_cells; j++) {
			const struct ctprof_report_field *field =
				BORDER_AT(section->fields, line->first + j);

			put_names(stream, section->name, section->heading, line);
			put_name(stream, field->name);
			put_name(stream, field->unit);
			put_cell(stream, line, BORDER_AT(line->cells, j), is_compare);
		}
	}
}

static void put_only(FILE *stream, const struct ctprof_report *report, unsigned int side)
{
	static const char *const sections[] = {"only-baseline", "only-candidate"};

	for (uint64_t i = 0; i < report->n_only[side]; i++) {
		const struct ctprof_report_line *line = BORDER_AT(report->only[side], i);

		put_names(stream, sections[side], NULL, line);
		fprintf(stream, side == 0 ? ",,,%" PRIu64 "," : ",,,,%" PRIu64,
			line->threads[side]);
		fputs(",,,,,,,,", stream);
		fputs(drawing_is_of_runs(report) ? ",,,,,,,,,,,,\r\n" : "\r\n", stream);
	}
}

/* ---- other tables: a line for each line, below a header of their own ------- */

static void put_header(FILE *stream, const struct ctprof_report_section *section, bool is_compare)
{
	static const char *const endings[] = {"_baseline", "_candidate", "_delta", "_pct"};

	fputs("section,line,depth", stream);
	for (uint64_t i = 0; i < section->n_fields; i++) {
		const struct ctprof_report_field *field = BORDER_AT(section->fields, i);
		bool is_one = !is_compare || drawing_is_text(field);

		for (unsigned int j = 0; j < (is_one ? 1 : 4); j++) {
			fputc(',', stream);
			put_text(stream, "", field->name, is_one ? "" : endings[j]);
		}
	}
	fputs(",partial", stream);
	if (drawing_has(section, CTPROF_SECTION_HAS_COVERAGE))
		fputs(",covered,n_exact,n_approximate,n_missing", stream);
	fputs("\r\n", stream);
}

/* For text, writes the candidate's value, or the baseline's if only that has one. */
static void put_field(FILE *stream, const struct ctprof_report_field *field,
		      const struct ctprof_cell *cell, bool is_compare)
{
	if (is_compare && !drawing_is_text(field))
		put_change(stream, cell);
	else
		put_value(stream,
			  &cell->value[is_compare && cell->value[1].type != CTPROF_VALUE_ABSENT]);
}

/* Writes everything except the coverage and the end of the line. */
static void put_line(FILE *stream, const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line, const char *kind, bool is_compare)
{
	const char *separator = "";

	put_text(stream, "", section->name, "");
	fprintf(stream, ",%s,%" PRIu32, kind, line->depth);
	for (uint64_t i = 0; i < section->n_fields; i++)
		put_field(stream, BORDER_AT(section->fields, i), drawing_cell_of(line, i),
			  is_compare);
	fputc(',', stream);
	/* Writes the names of the incomplete fields. */
	for (uint64_t i = 0; i < line->n_cells; i++) {
		if (!drawing_has_partial(BORDER_AT(line->cells, i), is_compare))
			continue;
		fputs(separator, stream);
		fputs(BORDER_AT(section->fields, line->first + i)->name, stream);
		separator = " ";
	}
}

static void put_table(FILE *stream, const struct ctprof_report_section *section, bool is_compare)
{
	static const struct ctprof_report_line nothing = {.struct_size = sizeof nothing};
	bool is_covered = drawing_has(section, CTPROF_SECTION_HAS_COVERAGE);

	for (uint64_t i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);
		const char *kind = drawing_is_total(line)              ? "total"
				   : line->flags & CTPROF_LINE_CONTEXT ? "context"
								       : "line";

		if (line->flags & CTPROF_LINE_HEADING)
			continue;
		put_line(stream, section, line, kind, is_compare);
		fputs(is_covered ? ",,,,\r\n" : "\r\n", stream);
	}
	if (!is_covered)
		return;
	/* The coverage gets a line of its own at the end, as there may be no total. */
	put_line(stream, section, &nothing, "coverage", is_compare);
	put_name(stream, section->covered);
	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", section->n_exact,
		section->n_approximate, section->n_missing);
}

/* ---- the report ------------------------------------------------------------ */

/* Whether there is anything below the common header of metrics. */
static bool has_metrics(const struct ctprof_report *report)
{
	bool has_any = report->n_sections == 0;

	for (uint64_t i = 0; i < report->n_sections; i++)
		has_any |= drawing_has(BORDER_AT(report->sections, i), CTPROF_SECTION_METRICS);
	return has_any;
}

static void put_report(const struct ctprof_host *host, FILE *stream,
		       const struct ctprof_report *report)
{
	bool is_compare = drawing_is_compare(report);
	bool is_headed = report->flags & CTPROF_REPORT_HEADER;

	if (is_headed && has_metrics(report))
		fprintf(stream, "%s%s%s\r\n", names_header,
			is_compare ? compare_header : show_header,
			drawing_is_of_runs(report) ? runs_header : "");
	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = BORDER_AT(report->sections, i);
		bool is_metrics = drawing_has(section, CTPROF_SECTION_METRICS);

		if (is_headed && !is_metrics)
			put_header(stream, section, is_compare);
		(is_metrics ? put_metrics : put_table)(stream, section, is_compare);
		if (section->n_cut > 0)
			host->log(host, CTPROF_LOG_WARNING,
				  "%s: %" PRIu64 " rows left out (--limit 0 shows all)",
				  section->name, section->n_cut);
	}
	for (unsigned int side = 0; side < 2 && is_compare; side++)
		if (report->flags & CTPROF_REPORT_ORPHANS)
			put_only(stream, report, side);
}

/* ---- tables: a line for each row, below a header ---------------------------- */

static int csv_report(void *self, const struct ctprof_report *report)
{
	return drawing_to_stream(((struct tables *)self)->host, report, put_report);
}

static void free_text(char **text)
{
	free(*text);
}

/* Calls put() with a stream, and adds everything written to it to the output. */
static int to_stream(const struct tables *tables, const void *what,
		     void (*put)(const struct tables *tables, FILE *stream, const void *what))
{
	const struct ctprof_host *host = tables->host;
	__attribute__((cleanup(free_text))) char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream)
		put(tables, stream, what);
	if (!stream || fclose(stream) != 0) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	int r = host->write(host, text, size);
	if (r < 0)
		host->error(host, "the output cannot be written");
	return r;
}

static void put_columns(const struct tables *tables, FILE *stream, const void *what)
{
	const struct ctprof_table *table = what;

	(void)tables;
	for (uint64_t i = 0; i < table->n_columns; i++) {
		if (i > 0)
			fputc(',', stream);
		put_text(stream, "", BORDER_AT(table->columns, i)->name, "");
	}
	fputs("\r\n", stream);
}

static int csv_table(void *self, const struct ctprof_table *table)
{
	int r = tables_add(self, table);

	return r < 0 ? r : to_stream(self, table, put_columns);
}

static void put_cell_of(FILE *stream, const struct ctprof_table_column *column, uint64_t value)
{
	char text[REAL_ROOM];

	switch (column->type) {
	case CTPROF_TYPE_I64:
		fprintf(stream, "%" PRId64, (int64_t)value);
		break;
	case CTPROF_TYPE_REAL:
		real_shortest(tables_real(value), text);
		fputs(text, stream);
		break;
	case CTPROF_TYPE_BOOL:
		fputs(value ? "true" : "false", stream);
		break;
	case CTPROF_TYPE_TIME:
		tables_time(value, text);
		fputs(text, stream);
		break;
	case CTPROF_TYPE_TEXT:
		put_text(stream, "", tables_text(value)->bytes, "");
		break;
	default:
		fprintf(stream, "%" PRIu64, value);
	}
}

static void put_records(const struct tables *tables, FILE *stream, const void *what)
{
	const struct ctprof_records *records = what;
	const struct ctprof_table *table = tables->list[records->table];
	uint64_t value;

	for (uint64_t row = 0; row < records->n; row++) {
		for (uint64_t i = 0; i < table->n_columns; i++) {
			if (i > 0)
				fputc(',', stream);
			if (tables_value(records, row, i, &value))
				put_cell_of(stream, BORDER_AT(table->columns, i), value);
		}
		fputs("\r\n", stream);
	}
}

static int csv_records(void *self, const struct ctprof_records *records)
{
	if (!tables_of(self, records))
		return -EINVAL;
	return to_stream(self, records, put_records);
}

SINK_PLUGIN("csv", "Writes a report or tables as comma-separated values", .open = tables_open,
	    .close = tables_free, .report = csv_report, .finish = tables_flush, .table = csv_table,
	    .records = csv_records, .flags = CTPROF_SINK_TEXT)
