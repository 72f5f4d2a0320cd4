/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report as aligned text for people. */
#include <inttypes.h>

#include "drawing.h"
#include "grid.h"
#include "label.h"
#include "layout.h"
#include "lists.h"

static void draw_heading(FILE *stream, const struct ctprof_report_section *section)
{
	g_autoptr(GString) text = g_string_new("## ");

	label_append(text, section->heading);
	fprintf(stream, "%s\n", text->str);
}

/* Without headings, a line about rows would look like one of them. */
static void tell_cut(const struct ctprof_host *host, FILE *stream, gboolean in_place,
		     const struct ctprof_report_section *section)
{
	if (section->n_cut == 0)
		return;
	if (in_place)
		fprintf(stream, "... %" PRIu64 " more rows (--limit 0 shows all)\n",
			section->n_cut);
	else
		host->log(host, CTPROF_LOG_WARNING,
			  "%s: %" PRIu64 " rows left out (--limit 0 shows all)", section->name,
			  section->n_cut);
}

/* For a window without a first screen. */
static void tell_window(FILE *stream, const struct ctprof_report_window *window)
{
	fprintf(stream,
		"%.3g s, %" PRIu64 " → %" PRIu64 " threads: %" PRIu64 " new, %" PRIu64 " gone\n\n",
		window->seconds, window->threads[0], window->threads[1], window->n_born,
		window->n_gone);
}

static void draw_texts(FILE *stream, const char *const *texts, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		label_append(text, texts[i]);
		fprintf(stream, " %s\n", text->str);
	}
}

/* Draws a section and what belongs to it besides its table. */
static void draw_section(const struct ctprof_host *host, FILE *stream,
			 const struct ctprof_report *report,
			 const struct ctprof_report_section *section)
{
	gboolean headed = (report->flags & CTPROF_REPORT_HEADER) != 0;
	gboolean is_bare = drawing_has(section, CTPROF_SECTION_BARE);

	if (headed && !is_bare)
		draw_heading(stream, section);
	layout_draw(stream, report, section);
	if (!is_bare)
		tell_cut(host, stream, headed, section);
}

static void draw_report(const struct ctprof_host *host, FILE *stream,
			const struct ctprof_report *report)
{
	gboolean headed = (report->flags & CTPROF_REPORT_HEADER) != 0;
	gboolean is_apart = headed && !(report->flags & CTPROF_REPORT_DENSE);

	if (headed)
		draw_texts(stream, report->titles, drawing_n_titles(report));
	if (is_apart && drawing_n_titles(report) > 0)
		fputc('\n', stream);
	if (headed && drawing_n_titles(report) == 0 && drawing_window(report))
		tell_window(stream, drawing_window(report));
	for (uint64_t i = 0; i < report->n_sections; i++) {
		if (is_apart && i > 0)
			fputc('\n', stream);
		draw_section(host, stream, report, drawing_section(report, i));
	}
	if (headed)
		draw_texts(stream, report->footers, drawing_n_footers(report));
	if (drawing_is_compare(report))
		lists_draw(stream, report);
}

static int table_report(void *self, const struct ctprof_report *report)
{
	return drawing_to_stream(self, report, draw_report);
}

DRAWING_SINK("table", "Draws a report as aligned text", table_report)
