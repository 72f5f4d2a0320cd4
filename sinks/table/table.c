/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a report as aligned text for people. */
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

/* Reports the number of rows that were cut.  Without headings, a line about them would look
 * like a row, so a message is printed instead. */
static void print_cut(const struct ctprof_host *host, FILE *stream, gboolean in_place,
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

/* Describes a window, in reports that do not begin with a first screen. */
static void print_window(FILE *stream, const struct ctprof_report_window *window)
{
	fprintf(stream,
		"%.3g s, %" PRIu64 " → %" PRIu64 " threads: %" PRIu64 " new, %" PRIu64 " gone\n\n",
		window->seconds, window->threads[0], window->threads[1], window->n_born,
		window->n_gone);
}

static void draw_text(FILE *stream, const struct ctprof_report *report,
		      const struct ctprof_sentence *sentence, const char *otherwise)
{
	g_autoptr(GString) text = g_string_new(NULL);

	layout_say(text, report, sentence, otherwise);
	fprintf(stream, " %s\n", text->str);
}

/* ---- a screen ---------------------------------------------------------------- */

/* Blank lines are dropped if fewer pools than this would fit. */
#define FEW_POOLS 5
#define FEWEST_POOLS 3
#define N_BLANKS 3
#define N_PROMPT 1
/* A table of pools also has the header, the sum of the rest, and at least two totals. */
#define N_AROUND_POOLS 2
#define LEAST_TOTALS 2

/* Returns the lines that a section takes without its pools. */
static guint64 count_lines(const struct ctprof_report_section *section)
{
	guint64 n = 0;

	/* If nothing stands out, leave room for a line that may appear later. */
	if (drawing_has(section, CTPROF_SECTION_TOLD))
		return section->n_notes + (section->n_lines == 0 ? 1 : 0);
	for (guint64 i = 0; i < section->n_lines; i++) {
		guint32 role = drawing_role(BORDER_AT(section->lines, i));

		n += role != CTPROF_ROLE_POOL && role != CTPROF_ROLE_REST;
	}
	return N_AROUND_POOLS + MAX(n, LEAST_TOTALS);
}

/* Returns the number of pools that fit; *ret_is_dense: without blank lines. */
static guint64 count_pools(const struct ctprof_report *report, gboolean *ret_is_dense)
{
	guint64 height = BORDER_MEMBER(report, height, 0);
	gint64 room = (gint64)height - N_PROMPT - (gint64)BORDER_MEMBER(report, n_titles, 0) -
		      (gint64)BORDER_MEMBER(report, n_footers, 0);

	*ret_is_dense = (report->flags & CTPROF_REPORT_DENSE) != 0;
	if (height == 0)
		return G_MAXUINT64;
	for (guint64 i = 0; i < report->n_sections; i++)
		room -= (gint64)count_lines(BORDER_AT(report->sections, i));
	*ret_is_dense = *ret_is_dense || room - N_BLANKS < FEW_POOLS;
	return (guint64)MAX(*ret_is_dense ? room : room - N_BLANKS, FEWEST_POOLS);
}

static const struct ctprof_report_section *section_of(const struct ctprof_report *report, guint64 i,
						      guint64 n_pools)
{
	const struct ctprof_report_section *section = BORDER_AT(report->sections, i);
	const struct ctprof_report_section *folded =
		n_pools < G_MAXUINT64 && BORDER_MEMBER(report, fold, NULL)
			? report->fold(report, i, n_pools)
			: NULL;

	return folded ? folded : section;
}

/* Whether a section would draw nothing: not even the header of a table. */
static gboolean is_empty(const struct ctprof_report_section *section)
{
	return drawing_has(section, CTPROF_SECTION_TOLD) && section->n_notes == 0;
}

/* Draws a section: its table, and the lines that belong to it. */
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
		print_cut(host, stream, headed, section);
}

static void draw_report(const struct ctprof_host *host, FILE *stream,
			const struct ctprof_report *report)
{
	gboolean headed = (report->flags & CTPROF_REPORT_HEADER) != 0;
	gboolean is_dense;
	guint64 n_pools = count_pools(report, &is_dense);
	gboolean is_apart = headed && !is_dense;
	guint64 n_drawn = 0;

	for (guint64 i = 0; headed && i < BORDER_MEMBER(report, n_titles, 0); i++)
		draw_text(stream, report, DRAWING_SENTENCE_AT(report, title_sentences, i),
			  report->titles[i]);
	if (is_apart && BORDER_MEMBER(report, n_titles, 0) > 0)
		fputc('\n', stream);
	if (headed && BORDER_MEMBER(report, n_titles, 0) == 0 && drawing_window(report))
		print_window(stream, drawing_window(report));
	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = section_of(report, i, n_pools);

		if (is_empty(section))
			continue;
		if (is_apart && n_drawn++ > 0)
			fputc('\n', stream);
		draw_section(host, stream, report, section);
	}
	for (guint64 i = 0; headed && i < BORDER_MEMBER(report, n_footers, 0); i++)
		draw_text(stream, report, DRAWING_SENTENCE_AT(report, footer_sentences, i),
			  report->footers[i]);
	if (drawing_is_compare(report))
		lists_draw(stream, report);
}

DRAWING_SINK("table", "Draws a report as aligned text", draw_report)
