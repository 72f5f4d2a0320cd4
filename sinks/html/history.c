/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <math.h>

#include "chart.h"
#include "ctprof/numbers.h"

#define SECTION "history"
#define PHASES "phases"
#define WIDTH 1000
#define HEIGHT 1000
/* Number of steps between grid lines, which have numbers: 0, a half and the top. */
#define STEPS 2
#define DAY 86400

/* A chart of the values of a field, with pools stacked. */
struct kind {
	guint32 role, ladder;
	const char *heading, *title, *others;
	gboolean has_level; /* the host's values are not the sum of pools: a line of their own */
};

static const struct kind kinds[] = {
	{CTPROF_FIELD_CPU, CTPROF_LADDER_NONE, "Busy CPUs over time",
	 "Busy CPUs of the host over time, by pool", "other pools, exited threads and interrupts",
	 FALSE},
	{CTPROF_FIELD_MEMORY, CTPROF_LADDER_BYTES, "Memory over time",
	 "PSS of pools over time, and as a line the memory in use on the host", "other pools",
	 TRUE},
};

/* The section has a line for each window, first of the host, then of each pool. */
struct history {
	const struct ctprof_report *report;
	const struct kind *kind;
	const struct ctprof_report_section *section;
	guint64 n_windows, n_subjects;
	double length;  /* length of all windows together, in s */
	double top;     /* the value of the full height */
	double *wholes; /* height of the stack in each window; NAN: not measured */
	GArray *parts;  /* the pools that are drawn, by subject; the others come last */
};

static const struct ctprof_report_line *line_of(const struct history *history, guint64 subject,
						guint64 window)
{
	return BORDER_AT(history->section->lines, subject * history->n_windows + window);
}

static double number(const struct history *history, guint64 subject, guint64 window)
{
	return markup_number_of(history->report, line_of(history, subject, window),
				markup_find_role(history->section, history->kind->role));
}

static double seconds_of(const struct history *history, guint64 window)
{
	return markup_number_of(history->report, line_of(history, 0, window),
				markup_find_role(history->section, CTPROF_FIELD_SECONDS));
}

static const char *text_of(const struct history *history, guint64 subject, guint64 window,
			   guint32 role)
{
	const struct ctprof_report_line *line = line_of(history, subject, window);

	return drawing_cell_of(line, markup_find_role(history->section, role))->value[0].text;
}

/* Returns the sum of a window's pools; for CPUs, the host's use if that is larger.  The sum can be
 * a little larger as the two are read at different moments.  NAN: not measured. */
static double whole_of(const struct history *history, guint64 window)
{
	double sum = NAN;

	for (guint64 i = 1; i < history->n_subjects; i++) {
		double value = number(history, i, window);

		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return history->kind->has_level ? sum : fmax(number(history, 0, window), sum);
}

/* Returns the mean over the windows that have a stack; one without the pool counts as 0.  subject
 * 0: of the whole stack. */
static double mean_of(const struct history *history, guint64 subject)
{
	double sum = 0, length = 0;

	for (guint64 i = 0; i < history->n_windows; i++) {
		double value = subject > 0 ? number(history, subject, i) : history->wholes[i];

		length += isnan(history->wholes[i]) ? 0 : seconds_of(history, i);
		sum += isnan(value) ? 0 : value * seconds_of(history, i);
	}
	return length > 0 ? sum / length : 0;
}

/* ---- the picture --------------------------------------------------------------- */

/* Measures the section; FALSE: nothing to draw. */
static gboolean measure(struct history *history)
{
	const guint64 n_lines = history->section->n_lines;

	while (history->n_windows < n_lines &&
	       drawing_role(BORDER_AT(history->section->lines, history->n_windows)) ==
		       CTPROF_ROLE_HOST)
		history->n_windows++;
	if (history->n_windows == 0)
		return FALSE;
	history->n_subjects = n_lines / history->n_windows;
	history->wholes = g_new(double, history->n_windows);
	for (guint64 i = 0; i < history->n_windows; i++) {
		history->wholes[i] = whole_of(history, i);
		history->length += seconds_of(history, i);
		history->top = fmax(history->top, fmax(history->wholes[i], number(history, 0, i)));
	}
	return history->length > 0 && history->top > 0;
}

/* Rounds up to the next number that is easy to read on an axis in that ladder's units. */
static double round_up(double value, guint32 ladder)
{
	static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
	double unit = ladder == CTPROF_LADDER_BYTES ? pow(1024, floor(log2(value) / 10)) : 1;
	double power = unit * pow(10, floor(log10(value / unit)));
	guint i = 0;

	while (i < G_N_ELEMENTS(steps) - 1 && steps[i] * power < value)
		i++;
	return steps[i] * power;
}

static void choose_parts(struct history *history, const GArray *known)
{
	double shown = 0;

	for (guint64 i = 1; i < history->n_subjects; i++) {
		const char *name = text_of(history, i, 0, CTPROF_FIELD_SUBJECT);

		chart_add(history->parts, NULL, name ? name : "", mean_of(history, i),
			  history->kind->ladder);
		g_array_index(history->parts, struct chart_part, history->parts->len - 1).of = i;
	}
	chart_keep_largest(history->parts);
	chart_match(history->parts, known);
	for (guint i = 0; i < history->parts->len; i++)
		shown += g_array_index(history->parts, struct chart_part, i).value;
	chart_add(history->parts, "others", history->kind->others,
		  MAX(mean_of(history, 0) - shown, 0), history->kind->ladder);
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

/* Draws the parts of a window as a stack, whose last part is the rest, and the level. */
static void put_window(FILE *stream, const struct history *history, guint64 window, int x,
		       int width)
{
	double whole = history->wholes[window], level = number(history, 0, window), sum = 0;

	fprintf(stream, "<g transform=\"translate(%d) scale(%d 1)\">", x, width);
	for (guint i = 0; i < history->parts->len && !isnan(whole); i++) {
		const struct chart_part *part =
			&g_array_index(history->parts, struct chart_part, i);
		double value =
			part->of > 0 ? number(history, part->of, window) : MAX(whole - sum, 0);
		int bottom = chart_place(sum, history->top, HEIGHT);
		char shown[CTPROF_SHORT_ROOM];

		if (isnan(value))
			continue;
		sum += value;
		int top = chart_place(sum, history->top, HEIGHT);

		ctprof_number_short(history->kind->ladder, value, shown);
		if (top > bottom)
			chart_put_piece(stream, part, shown, 'y', HEIGHT - top, 1, top - bottom);
	}
	if (history->kind->has_level && !isnan(level))
		fprintf(stream, "<path class=\"level\" d=\"M0 %dh1\"/>",
			HEIGHT - chart_place(level, history->top, HEIGHT));
	fputs("</g>\n", stream);
}

static void put_text(FILE *stream, const struct history *history)
{
	guint32 id = history->kind->role;

	fprintf(stream,
		"<title id=\"history%u-title\">%s</title><desc id=\"history%u-desc\">On average: ",
		id, history->kind->title, id);
	for (guint i = 0; i < history->parts->len; i++) {
		const struct chart_part *part =
			&g_array_index(history->parts, struct chart_part, i);

		fputs(i > 0 ? "; " : "", stream);
		markup_put(stream, part->name);
		fprintf(stream, " %s", part->shown);
	}
	fputs(". The values of each window are in the section History.</desc>\n", stream);
}

/* Draws a line where each phase begins. */
static void put_phases(FILE *stream, const struct history *history)
{
	const struct ctprof_report_section *phases = markup_find_section(history->report, PHASES);
	guint64 name = phases ? markup_find_role(phases, CTPROF_FIELD_SUBJECT) : 0;
	guint64 after = phases ? markup_find_field(phases, "after") : 0;

	for (guint64 i = 0; phases && i < phases->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(phases->lines, i);
		const char *text = drawing_cell_of(line, name)->value[0].text;
		double share = drawing_cell_of(line, after)->value[0].real / history->length;

		if (share < 0 || share > 1)
			continue;
		fprintf(stream, "<path class=\"mark\" d=\"M%d 0v%d\"><title>",
			(int)lround(share * WIDTH), HEIGHT);
		markup_put(stream, text ? text : "");
		fputs("</title></path>\n", stream);
	}
}

static void put_svg(FILE *stream, const struct history *history)
{
	double seconds = 0;

	fprintf(stream,
		"<svg class=\"area\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		"role=\"img\" aria-labelledby=\"history%u-title history%u-desc\">",
		WIDTH, HEIGHT, history->kind->role, history->kind->role);
	put_text(stream, history);
	for (guint64 i = 0; i < history->n_windows; i++) {
		int x = chart_place(seconds, history->length, WIDTH);

		seconds += seconds_of(history, i);
		put_window(stream, history, i, x, chart_place(seconds, history->length, WIDTH) - x);
	}
	for (int i = 0; i <= STEPS; i++)
		fprintf(stream, "<path d=\"M0 %dh%d\"/>", HEIGHT * i / STEPS, WIDTH);
	put_phases(stream, history);
	fputs("</svg>\n", stream);
}

/* Writes the text of the axes as HTML beside the picture, which is scaled to the width of the
 * page; the text keeps its size. */
static void put_axes(FILE *stream, const struct history *history)
{
	fputs("<div class=\"cpus\">", stream);
	for (int i = STEPS; i >= 0; i--) {
		char shown[CTPROF_SHORT_ROOM];

		ctprof_number_short(history->kind->ladder, history->top * i / STEPS, shown);
		fprintf(stream, "<span>%s%s</span>", shown,
			i < STEPS || history->kind->has_level ? ""
			: history->top > 1                    ? " CPUs"
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

static void put_chart(FILE *stream, struct history *history, const GArray *known)
{
	if (!measure(history))
		return;
	history->top = round_up(history->top, history->kind->ladder);
	choose_parts(history, known);
	fprintf(stream, "<section><h2>%s</h2>\n", history->kind->heading);
	chart_put_legend(stream, history->parts);
	fputs("<div class=\"past\">\n", stream);
	put_svg(stream, history);
	put_axes(stream, history);
	fprintf(stream,
		"</div>\n<p class=\"note\">The numbers above are averages; those of each window are in "
		"<a href=\"#" SECTION "\">History</a>.%s</p>\n</section>\n",
		history->kind->has_level ? " The line is the memory in use on the host." : "");
}

void history_put(FILE *stream, const struct ctprof_report *report, const GArray *known)
{
	const struct ctprof_report_section *section = markup_find_section(report, SECTION);

	for (guint i = 0; section && i < G_N_ELEMENTS(kinds); i++) {
		g_autoptr(GArray) parts = chart_parts_new();
		struct history history = {
			.report = report, .kind = &kinds[i], .section = section, .parts = parts};

		put_chart(stream, &history, known);
		g_free(history.wholes);
	}
}
