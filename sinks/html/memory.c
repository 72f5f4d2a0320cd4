/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <math.h>

#include "chart.h"
#include "ctprof/numbers.h"
#include "label.h"

#define WIDTH 1100
#define ROW 24
#define DEEPEST 10
/* Narrower processes are left out: they would be invisible, and there may be very many. */
#define LEAST_WIDTH 1
#define LETTER 7
#define LEAST_LETTERS 4
#define MARGIN 3

/* Parts of the section "host" of memory that add up to its total. */
static const struct {
	const char *name, *words, *class;
} ram_parts[] = {
	{"anonymous", "anonymous", "c0"},
	{"file_cache", "file cache", "c1"},
	{"shared", "shared", "c2"},
	{"slab", "slab", "c3"},
	{"hugetlb", "huge pages", "c4"},
	{"kernel", "page tables and stacks", "c5"},
	{"unaccounted", "unaccounted", "others"},
	{"free", "free", "idle"},
};

static double bytes_of(const struct ctprof_report *report, const struct ctprof_report_section *host,
		       const char *name)
{
	guint64 names = markup_find_field(host, "name");
	guint64 bytes = markup_find_field(host, "bytes");

	for (guint64 i = 0; i < host->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(host->lines, i);

		if (g_strcmp0(drawing_cell_of(line, names)->value[0].text, name) == 0)
			return markup_number_of(report, line, bytes);
	}
	return NAN;
}

gboolean memory_put_ram(FILE *stream, const struct ctprof_report *report,
			const struct ctprof_report_section *host)
{
	g_autoptr(GArray) parts = chart_parts_new();
	double total = bytes_of(report, host, "total");

	if (isnan(total))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(ram_parts); i++) {
		double value = bytes_of(report, host, ram_parts[i].name);

		if (value > 0)
			chart_add(parts, ram_parts[i].class, ram_parts[i].words, value,
				  CTPROF_LADDER_BYTES);
	}
	fputs("<section><h2>What the RAM holds</h2>\n", stream);
	chart_put_bar(stream, "stack tall", "RAM by use", parts, total);
	chart_put_legend(stream, parts);
	markup_put_notes(stream, host);
	fputs("</section>\n", stream);
	return TRUE;
}

/* ---- the tree ------------------------------------------------------------------ */

/* The state of writing a tree. */
struct icicle {
	FILE *stream;
	const struct ctprof_report *report;
	guint64 name, pid, pss; /* fields */
	double whole;
	double at[DEEPEST + 2]; /* for each level: where the next process begins */
	guint64 n_narrow;
	guint32 depth; /* level of the deepest process that is drawn */
};

static double pss_of(const struct icicle *icicle, const struct ctprof_report_line *line)
{
	return fmax(markup_number_of(icicle->report, line, icicle->pss), 0);
}

static void put_box(const struct icicle *icicle, const struct ctprof_report_line *line, int x,
		    int width)
{
	const char *name = markup_newest(icicle->report, drawing_cell_of(line, icicle->name))->text;
	const struct ctprof_value *pid =
		markup_newest(icicle->report, drawing_cell_of(line, icicle->pid));
	g_autoptr(GString) text = g_string_new(NULL);
	char size[CTPROF_SHORT_ROOM];
	int y = (int)line->depth * ROW;

	label_append(text, name ? name : "");
	ctprof_number_short(CTPROF_LADDER_BYTES, pss_of(icicle, line), size);
	fprintf(icicle->stream,
		"<g><rect class=\"l%u\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
		line->depth % 4, x, y, width - (width > 2 ? 1 : 0), ROW - 1);
	if (width >= LETTER * LEAST_LETTERS + 2 * MARGIN) {
		g_autoptr(GString) cut = g_string_new(text->str);

		label_cut(cut, (guint)((width - 2 * MARGIN) / LETTER));
		fprintf(icicle->stream, "<text x=\"%d\" y=\"%d\">", x + MARGIN, y + ROW - 8);
		markup_put(icicle->stream, cut->str);
		fputs("</text>", icicle->stream);
	}
	fputs("<title>", icicle->stream);
	markup_put(icicle->stream, text->str);
	fprintf(icicle->stream, " %" G_GUINT64_FORMAT ": %s with its children</title></g>\n",
		pid->number, size);
}

/* Draws a line.  Parents come first; on each level, a process begins where the last one ended. */
static void put_line(struct icicle *icicle, const struct ctprof_report_line *line)
{
	guint32 depth = line->depth;

	if (depth > DEEPEST || drawing_is_total(line))
		return;
	double from = icicle->at[depth], to = from + pss_of(icicle, line) / icicle->whole;
	int x = (int)lround(from * WIDTH), width = (int)lround(to * WIDTH) - x;

	icicle->at[depth] = to;
	icicle->at[depth + 1] = from;
	if (width < LEAST_WIDTH)
		icicle->n_narrow++;
	else
		put_box(icicle, line, x, width);
}

static void measure(struct icicle *icicle, const struct ctprof_report_section *section)
{
	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		if (drawing_is_total(line) || line->depth > DEEPEST)
			continue;
		icicle->depth = MAX(icicle->depth, line->depth);
		icicle->whole += line->depth == 0 ? pss_of(icicle, line) : 0;
	}
}

void memory_put_tree(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section)
{
	struct icicle icicle = {
		.stream = stream,
		.report = report,
		.name = markup_find_field(section, "name"),
		.pid = markup_find_field(section, "pid"),
		.pss = markup_find_field(section, "pss_subtree"),
	};

	if (icicle.pss == section->n_fields || icicle.pid == section->n_fields)
		return;
	measure(&icicle, section);
	if (!(icicle.whole > 0))
		return;
	fputs("<section><h2>Processes by memory (PSS)</h2>\n", stream);
	markup_open_scroll(stream, "Processes by memory");
	fprintf(stream,
		"<svg class=\"icicle\" viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"Each "
		"process as wide as the memory of it and its children\">\n",
		WIDTH, (icicle.depth + 1) * ROW);
	for (guint64 i = 0; i < section->n_lines; i++)
		put_line(&icicle, BORDER_AT(section->lines, i));
	fputs("</svg></div>\n", stream);
	if (icicle.n_narrow > 0)
		fprintf(stream,
			"<p class=\"note\">%" G_GUINT64_FORMAT
			" processes are too small to be seen here; the table below has them.</p>\n",
			icicle.n_narrow);
	fputs("</section>\n", stream);
}
