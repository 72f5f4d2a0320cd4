/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <math.h>

#include "chart.h"
#include "ctprof/numbers.h"

#define SECTION "history"
#define WIDTH 1000
#define HEIGHT 1000
/* Number of steps between grid lines, which have numbers: 0, a half and the top. */
#define STEPS 2
#define DAY 86400

/* The section has a line for each window, first of the host, then of each pool. */
struct history {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	guint64 n_windows, n_subjects;
	double length; /* of all windows together, in s */
	double top;    /* number of CPUs that the full height represents */
	GArray *parts; /* the pools that are drawn, by their subjects; the others come last */
};

static const struct ctprof_report_line *line_of(const struct history *history, guint64 subject,
						guint64 window)
{
	return drawing_line(history->section, subject * history->n_windows + window);
}

static double number(const struct history *history, guint64 subject, guint64 window, guint32 role)
{
	return markup_number_of(history->report, line_of(history, subject, window),
				markup_find_role(history->section, role));
}

static const char *text_of(const struct history *history, guint64 subject, guint64 window,
			   guint32 role)
{
	const struct ctprof_report_line *line = line_of(history, subject, window);

	return drawing_cell_of(line, markup_find_role(history->section, role))->value[0].text;
}

/* Returns the CPUs that the host used in a window, but at least the sum of its pools, which can be
 * a little larger as the two are read at different moments.  NAN: not measured. */
static double whole_of(const struct history *history, guint64 window)
{
	double sum = NAN;

	for (guint64 i = 1; i < history->n_subjects; i++) {
		double cpu = number(history, i, window, CTPROF_FIELD_CPU);

		if (!isnan(cpu))
			sum = isnan(sum) ? cpu : sum + cpu;
	}
	return fmax(number(history, 0, window, CTPROF_FIELD_CPU), sum);
}

/* Returns the mean over all windows; a window without the pool counts as 0. */
static double mean_of(const struct history *history, guint64 subject)
{
	double sum = 0;

	for (guint64 i = 0; i < history->n_windows; i++) {
		double cpu = number(history, subject, i, CTPROF_FIELD_CPU);

		sum += isnan(cpu) ? 0 : cpu * number(history, 0, i, CTPROF_FIELD_SECONDS);
	}
	return sum / history->length;
}

/* ---- the picture --------------------------------------------------------------- */

/* Measures the section; FALSE: nothing to draw. */
static gboolean measure(struct history *history)
{
	const guint64 n_lines = history->section->n_lines;

	while (history->n_windows < n_lines &&
	       drawing_role(drawing_line(history->section, history->n_windows)) == CTPROF_ROLE_HOST)
		history->n_windows++;
	if (history->n_windows == 0)
		return FALSE;
	history->n_subjects = n_lines / history->n_windows;
	for (guint64 i = 0; i < history->n_windows; i++) {
		history->length += number(history, 0, i, CTPROF_FIELD_SECONDS);
		history->top = fmax(history->top, whole_of(history, i));
	}
	return history->length > 0 && history->top > 0;
}

/* Rounds up to the next number that is easy to read on an axis. */
static double round_up(double value)
{
	static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
	double power = pow(10, floor(log10(value)));
	guint i = 0;

	while (i < G_N_ELEMENTS(steps) - 1 && steps[i] * power < value)
		i++;
	return steps[i] * power;
}

static void choose_parts(struct history *history, const GArray *known)
{
	double whole = 0, shown = 0;

	for (guint64 i = 1; i < history->n_subjects; i++) {
		const char *name = text_of(history, i, 0, CTPROF_FIELD_SUBJECT);

		chart_add(history->parts, NULL, name ? name : "", mean_of(history, i),
			  CTPROF_LADDER_NONE);
		g_array_index(history->parts, struct chart_part, history->parts->len - 1).of = i;
	}
	chart_keep_largest(history->parts);
	chart_match(history->parts, known);
	for (guint i = 0; i < history->parts->len; i++)
		shown += g_array_index(history->parts, struct chart_part, i).value;
	for (guint64 i = 0; i < history->n_windows; i++) {
		double cpu = whole_of(history, i);

		whole += isnan(cpu) ? 0 : cpu * number(history, 0, i, CTPROF_FIELD_SECONDS);
	}
	chart_add(history->parts, "others", "other pools, exited threads and interrupts",
		  MAX(whole / history->length - shown, 0), CTPROF_LADDER_NONE);
}

/* ---- the chart ------------------------------------------------------------------ */

/* Returns the time after a share of the windows, counted back from the end of the last. */
static GDateTime *time_at(const struct history *history, double share)
{
	const char *text = text_of(history, 0, history->n_windows - 1, CTPROF_FIELD_END);
	g_autoptr(GDateTime) end = text ? g_date_time_new_from_iso8601(text, NULL) : NULL;
	g_autoptr(GDateTime) time =
		end ? g_date_time_add_seconds(end, history->length * (share - 1)) : NULL;

	return time ? g_date_time_to_local(time) : NULL;
}

/* Draws the parts of a window as a stack; the last part is the rest of the whole. */
static void put_window(FILE *stream, const struct history *history, guint64 window, int x,
		       int width)
{
	double whole = whole_of(history, window), sum = 0;

	fprintf(stream, "<g transform=\"translate(%d) scale(%d 1)\">", x, width);
	for (guint i = 0; i < history->parts->len && !isnan(whole); i++) {
		const struct chart_part *part =
			&g_array_index(history->parts, struct chart_part, i);
		double cpu = part->of > 0 ? number(history, part->of, window, CTPROF_FIELD_CPU)
					  : MAX(whole - sum, 0);
		int bottom = chart_place(sum, history->top, HEIGHT);
		char shown[CTPROF_SHORT_ROOM];

		if (isnan(cpu))
			continue;
		sum += cpu;
		int top = chart_place(sum, history->top, HEIGHT);

		ctprof_number_short(CTPROF_LADDER_NONE, cpu, shown);
		if (top > bottom)
			chart_put_piece(stream, part, shown, 'y', HEIGHT - top, 1, top - bottom);
	}
	fputs("</g>\n", stream);
}

static void put_text(FILE *stream, const struct history *history)
{
	fputs("<title id=\"history-title\">Busy CPUs of the host over time, by pool</title>"
	      "<desc id=\"history-desc\">On average: ",
	      stream);
	for (guint i = 0; i < history->parts->len; i++) {
		const struct chart_part *part =
			&g_array_index(history->parts, struct chart_part, i);

		fputs(i > 0 ? "; " : "", stream);
		markup_put(stream, part->name);
		fprintf(stream, " %s", part->shown);
	}
	fputs(". Those of each window are in the section History.</desc>\n", stream);
}

static void put_svg(FILE *stream, const struct history *history)
{
	double seconds = 0;

	fprintf(stream,
		"<svg class=\"area\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		"role=\"img\" aria-labelledby=\"history-title history-desc\">",
		WIDTH, HEIGHT);
	put_text(stream, history);
	for (guint64 i = 0; i < history->n_windows; i++) {
		int x = chart_place(seconds, history->length, WIDTH);

		seconds += number(history, 0, i, CTPROF_FIELD_SECONDS);
		put_window(stream, history, i, x, chart_place(seconds, history->length, WIDTH) - x);
	}
	for (int i = 0; i <= STEPS; i++)
		fprintf(stream, "<path d=\"M0 %dh%d\"/>", HEIGHT * i / STEPS, WIDTH);
	fputs("</svg>\n", stream);
}

/* Writes the text of the axes as HTML beside the picture, which is scaled to the width of the
 * page; the text keeps its size. */
static void put_axes(FILE *stream, const struct history *history)
{
	fputs("<div class=\"cpus\">", stream);
	for (int i = STEPS; i >= 0; i--) {
		char shown[CTPROF_SHORT_ROOM];

		ctprof_number_short(CTPROF_LADDER_NONE, history->top * i / STEPS, shown);
		fprintf(stream, "<span>%s%s</span>", shown,
			i < STEPS          ? ""
			: history->top > 1 ? " CPUs"
					   : " CPU");
	}
	fputs("</div>\n<div class=\"times\">", stream);
	for (int i = 0; i <= STEPS; i++) {
		g_autoptr(GDateTime) time = time_at(history, (double)i / STEPS);

		markup_put_time(stream, time, history->length < DAY ? "%H:%M:%S" : "%F %H:%M",
				i == STEPS);
	}
	fputs("</div>\n", stream);
}

void history_put(FILE *stream, const struct ctprof_report *report, const GArray *known)
{
	const struct ctprof_report_section *section = markup_find_section(report, SECTION);
	g_autoptr(GArray) parts = chart_parts_new();

	if (!section)
		return;
	struct history history = {.report = report, .section = section, .parts = parts};
	if (!measure(&history))
		return;
	history.top = round_up(history.top);
	choose_parts(&history, known);
	fputs("<section><h2>Busy CPUs over time</h2>\n", stream);
	chart_put_legend(stream, parts);
	fputs("<div class=\"past\">\n", stream);
	put_svg(stream, &history);
	put_axes(stream, &history);
	fputs("</div>\n<p class=\"note\">The numbers above are averages; those of each window are in "
	      "<a href=\"#" SECTION "\">History</a>.</p>\n"
	      "</section>\n",
	      stream);
}
