/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "account.h"
#include "chart.h"
#include "json.h"
#include "tables.h"

#define JSON_START 65536

/* The state of writing a section. */
struct drafting {
	FILE *stream;
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	GArray *columns; /* struct drawn */
	gboolean has_account;
	double longest; /* threads: the full width of a bar of an account */
};

/* ---- the host's CPUs ------------------------------------------------------- */

static double host_number(const struct ctprof_report *report, const char *name)
{
	const struct ctprof_report_section *host = markup_find_section(report, "host");
	guint64 field = host ? markup_find_field(host, name) : 0;

	for (guint64 i = 0; host && i < host->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(host->lines, i);

		if (line->first == field && line->n_cells == 1)
			return markup_number_of(report, line, field);
	}
	return NAN;
}

/* Adds the pools that get a colour (ctprof itself is one), then the threads that exited, then the
 * sum of the others. */
static void add_pools(const struct ctprof_report *report,
		      const struct ctprof_report_section *section, GArray *parts)
{
	guint64 pool = markup_find_role(section, CTPROF_FIELD_SUBJECT);
	guint64 cpu = markup_find_role(section, CTPROF_FIELD_CPU);
	const char *exited = NULL;
	double others = 0, ended = 0;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);
		const char *name = drawing_cell_of(line, pool)->value[0].text;
		double value = markup_number_of(report, line, cpu);

		if (!name || isnan(value))
			continue;
		switch (drawing_role(line)) {
		case CTPROF_ROLE_POOL:
		case CTPROF_ROLE_OWN:
			chart_add(parts, NULL, name, value, CTPROF_LADDER_NONE);
			break;
		case CTPROF_ROLE_EXITED:
			exited = name, ended = value;
			break;
		case CTPROF_ROLE_REST:
			others += value;
			break;
		default:
			break;
		}
	}
	others += chart_keep_largest(parts);
	if (exited)
		chart_add(parts, "ended", exited, ended, CTPROF_LADDER_NONE);
	if (others > 0)
		chart_add(parts, "others", "other pools", others, CTPROF_LADDER_NONE);
}

GArray *pools_put_cpu(FILE *stream, const struct ctprof_report *report)
{
	const struct ctprof_report_section *pools = markup_find_section(report, "pools");
	double cpus = host_number(report, "cpus"), busy = host_number(report, "busy");
	GArray *parts = chart_parts_new();

	/* For two boots, or a single capture, the pools' CPU is not a part of the host's. */
	if (!pools || isnan(cpus) || isnan(busy) || !account_exists(pools))
		return parts;
	add_pools(report, pools, parts);
	chart_add(parts, "idle", "idle", MAX(cpus - busy, 0), CTPROF_LADDER_NONE);
	fprintf(stream, "<section><h2>Where %.0f CPU%s went</h2>\n", cpus, cpus > 1 ? "s" : "");
	chart_put_bar(stream, "stack tall", "CPU time of the host by pool", parts, MAX(cpus, busy));
	chart_put_legend(stream, parts);
	fputs("</section>\n", stream);
	return parts;
}

/* ---- the table ---------------------------------------------------------------- */

/* Sets the highest value of the columns that get a gauge: amounts with a role, by which pools are
 * ranked. */
static void set_highest(const struct ctprof_report *report,
			const struct ctprof_report_section *section, struct drawn *drawn)
{
	if (drawn->column == &column_field &&
	    drawing_field_role(BORDER_AT(section->fields, drawn->index)) != CTPROF_FIELD_PLAIN)
		drawn->highest = columns_highest(report, section, drawn);
}

static void put_cell(const struct drafting *drafting, const struct ctprof_report_line *line,
		     guint i)
{
	const struct drawn *drawn = &g_array_index(drafting->columns, struct drawn, i);
	const struct spot spot = columns_spot(drafting->report, drafting->section, line, drawn);
	g_autofree char *text = tables_cell(&spot, drawn);
	gboolean opens = i == 0 && drafting->has_account && !drawing_is_total(line);

	tables_open_cell(drafting->stream, &spot, drawn, text, i == 0);
	/* The page shows the row below while this element is open. */
	fputs(opens ? "<details><summary>" : "", drafting->stream);
	markup_put(drafting->stream, text);
	fputs(opens ? "</summary></details>" : "", drafting->stream);
	chart_put_gauge(drafting->stream, column_length(&spot), drawn->highest);
	fputs(i == 0 ? "</th>" : "</td>", drafting->stream);
	if (i > 0 || !drafting->has_account)
		return;
	fputs("<td>", drafting->stream);
	if (!drawing_is_total(line))
		account_put_bar(drafting->stream, drafting->report, drafting->section, line,
				drafting->longest);
	fputs("</td>", drafting->stream);
}

static void put_line(const struct drafting *drafting, const struct ctprof_report_line *line)
{
	fputs(drawing_is_total(line) ? "<tr class=\"total\">" : "<tbody><tr>", drafting->stream);
	for (guint i = 0; i < drafting->columns->len; i++)
		put_cell(drafting, line, i);
	fputs("</tr>", drafting->stream);
	if (drafting->has_account && !drawing_is_total(line)) {
		fprintf(drafting->stream, "<tr class=\"opened\"><td colspan=\"%u\">\n",
			drafting->columns->len + 1);
		account_put(drafting->stream, drafting->report, drafting->section, line);
		fputs("</td></tr>", drafting->stream);
	}
	fputs(drawing_is_total(line) ? "\n" : "</tbody>\n", drafting->stream);
}

static void put_lines(const struct drafting *drafting, gboolean totals)
{
	for (guint64 i = 0; i < drafting->section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(drafting->section->lines, i);

		if (drawing_is_total(line) == totals && !(line->flags & CTPROF_LINE_HIDDEN))
			put_line(drafting, line);
	}
}

void pools_put(FILE *stream, const struct ctprof_report *report,
	       const struct ctprof_report_section *section)
{
	g_autoptr(GArray) columns = columns_choose(report, section);
	const struct drafting drafting = {stream,
					  report,
					  section,
					  columns,
					  account_exists(section),
					  account_longest(report, section)};

	for (guint i = 0; i < columns->len; i++)
		set_highest(report, section, &g_array_index(columns, struct drawn, i));
	fputs("<section><h2>Pools</h2>\n", stream);
	if (drafting.has_account)
		account_put_key(stream);
	markup_open_scroll(stream, "Pools");
	fputs("<table id=\"pools\" class=\"sortable\">\n", stream);
	tables_put_head(stream, columns, drafting.has_account ? "TIME" : NULL);
	put_lines(&drafting, FALSE);
	fputs("<tfoot>\n", stream);
	put_lines(&drafting, TRUE);
	fputs("</tfoot></table></div>\n", stream);
	markup_put_notes(stream, section);
	fputs("</section>\n", stream);
}

/* ---- as data --------------------------------------------------------------------- */

static void put_value(struct json *json, const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_TEXT)
		json_string(json, value->text);
	else if (value->type == CTPROF_VALUE_NUMBER)
		json_u64(json, value->number);
	else
		json_real(json, markup_number(value));
}

static void put_data(struct json *json, const struct ctprof_report *report,
		     const struct ctprof_report_section *section)
{
	gboolean is_first = TRUE;

	json_literal(json, "{\"fields\":[");
	for (guint64 i = 0; i < section->n_fields; i++)
		json_print(json, i > 0 ? ",%s" : "%s", BORDER_AT(section->fields, i)->name);
	json_literal(json, "],\"lines\":[");
	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		if (drawing_is_total(line) || line->flags & CTPROF_LINE_HIDDEN)
			continue;
		json_print(json, is_first ? "\n[" : ",\n[");
		is_first = FALSE;
		for (guint64 f = 0; f < section->n_fields; f++) {
			json_print(json, f > 0 ? "," : "");
			put_value(json, markup_newest(report, drawing_cell_of(line, f)));
		}
		json_literal(json, "]");
	}
	json_literal(json, "]}");
}

/* Writes JSON with '<' escaped, which occurs only in strings, so that it contains no tag. */
static void put_without_tags(FILE *stream, const struct json *json)
{
	for (size_t i = 0; i < json->used; i++) {
		if (json->data[i] == '<')
			fputs("\\u003c", stream);
		else
			fputc(json->data[i], stream);
	}
}

void pools_put_data(FILE *stream, const struct ctprof_report *report)
{
	const struct ctprof_report_section *section = markup_find_section(report, "pools");
	struct json json;

	if (!section || json_init(&json, JSON_START) < 0)
		return;
	put_data(&json, report, section);
	fputs("<script type=\"application/json\" id=\"pools-data\">", stream);
	if (json.error == 0)
		put_without_tags(stream, &json);
	fputs("</script>\n", stream);
	json_free(&json);
}
