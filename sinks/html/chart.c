/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart.h"

#include <math.h>

#include "ctprof/numbers.h"

/* Coordinates are whole numbers: independent of the locale, and few bytes. */
#define BAR_WIDTH 1000
#define BAR_HEIGHT 24
#define GAUGE_WIDTH 100
/* Share of the largest part below which a part is invisible. */
#define LEAST_SHARE 0.005
#define STRIP_WIDTH 160
#define STRIP_INDENT 4
#define STRIP_ROW 11
#define SHAPE_WIDTH 160
#define SHAPE_HEIGHT 32

static void clear_part(gpointer data)
{
	struct chart_part *part = data;

	g_free(part->name);
	g_free(part->shown);
}

GArray *chart_parts_new(void)
{
	GArray *parts = g_array_new(FALSE, FALSE, sizeof(struct chart_part));

	g_array_set_clear_func(parts, clear_part);
	return parts;
}

void chart_add(GArray *parts, const char *class, const char *name, double value, guint32 ladder)
{
	char shown[CTPROF_SHORT_ROOM];
	struct chart_part part = {.class = class, .value = value};

	ctprof_number_short(ladder, value, shown);
	part.name = g_strdup(name);
	part.shown = g_strdup(shown);
	g_array_append_val(parts, part);
}

static gint compare_parts(gconstpointer a, gconstpointer b)
{
	double x = ((const struct chart_part *)a)->value, y = ((const struct chart_part *)b)->value;

	return x < y ? 1 : x > y ? -1 : 0;
}

double chart_keep_largest(GArray *parts)
{
	/* More colours could not be told apart. */
	static const char *const classes[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6"};
	double others = 0;
	guint n = 0;

	g_array_sort(parts, compare_parts);
	for (guint i = 0; i < parts->len; i++) {
		struct chart_part *part = &g_array_index(parts, struct chart_part, i);
		const struct chart_part *first = &g_array_index(parts, struct chart_part, 0);

		if (n < G_N_ELEMENTS(classes) && part->value > 0 &&
		    part->value >= LEAST_SHARE * first->value)
			part->class = classes[n++];
		else
			others += part->value;
	}
	g_array_set_size(parts, n);
	return others;
}

void chart_match(GArray *parts, const GArray *others)
{
	struct chart_part *own = (struct chart_part *)(void *)parts->data;

	for (guint i = 0; i < parts->len * others->len; i++) {
		struct chart_part *part = &own[i / others->len];
		const struct chart_part *other =
			&g_array_index(others, struct chart_part, i % others->len);

		if (!g_str_equal(part->name, other->name))
			continue;
		for (guint k = 0; k < parts->len; k++)
			if (g_str_equal(own[k].class, other->class))
				own[k].class = part->class;
		part->class = other->class;
	}
}

int chart_place(double value, double whole, int width)
{
	double share = whole > 0 ? value / whole : 0;

	return (int)lround(CLAMP(share, 0, 1) * width);
}

void chart_put_piece(FILE *stream, const struct chart_part *part, const char *shown, char axis,
		     int at, int width, int height)
{
	fprintf(stream, "<rect class=\"%s\" %c=\"%d\" width=\"%d\" height=\"%d\"><title>",
		part->class, axis, at, width, height);
	markup_put(stream, part->name);
	fprintf(stream, " %s</title></rect>", shown);
}

void chart_put_bar(FILE *stream, const char *class, const char *about, const GArray *parts,
		   double whole)
{
	double sum = 0;

	fprintf(stream,
		"<svg class=\"%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		"role=\"img\" aria-label=\"",
		class, BAR_WIDTH, BAR_HEIGHT);
	markup_put(stream, about);
	fputs("\">", stream);
	for (guint i = 0; i < parts->len; i++) {
		const struct chart_part *part = &g_array_index(parts, struct chart_part, i);
		int x = chart_place(sum, whole, BAR_WIDTH);

		sum += part->value > 0 ? part->value : 0;
		int width = chart_place(sum, whole, BAR_WIDTH) - x;
		if (width > 0)
			chart_put_piece(stream, part, part->shown, 'x', x, width, BAR_HEIGHT);
	}
	fputs("</svg>", stream);
}

void chart_put_legend(FILE *stream, const GArray *parts)
{
	fputs("<ul class=\"legend\">", stream);
	for (guint i = 0; i < parts->len; i++) {
		const struct chart_part *part = &g_array_index(parts, struct chart_part, i);

		fprintf(stream, "<li><i class=\"%s\"></i>", part->class);
		markup_put(stream, part->name);
		fprintf(stream, " <b>%s</b></li>", part->shown);
	}
	fputs("</ul>\n", stream);
}

void chart_put_gauge(FILE *stream, double part, double whole)
{
	int width = chart_place(part, whole, GAUGE_WIDTH);

	if (width > 0)
		fprintf(stream,
			"<svg class=\"gauge\" viewBox=\"0 0 %d 4\" preserveAspectRatio=\"none\" "
			"aria-hidden=\"true\"><rect width=\"%d\" height=\"4\"/></svg>",
			GAUGE_WIDTH, width);
}

/* ---- distributions --------------------------------------------------------- */

/* The buckets that a chart shows, and the largest share of a side's values in one. */
struct axis {
	guint32 first, last;
	double highest;
};

static double count_all(const struct ctprof_histogram *histogram)
{
	double all = 0;

	for (guint32 i = 0; i < histogram->n; i++)
		all += (double)BORDER_AT(histogram->buckets, i)->count;
	return all;
}

static void fit_axis(struct axis *axis, const struct ctprof_histogram *histogram)
{
	double all = count_all(histogram);

	for (guint32 i = 0; i < histogram->n; i++) {
		const struct ctprof_bucket *bucket = BORDER_AT(histogram->buckets, i);

		axis->first = MIN(axis->first, bucket->number);
		axis->last = MAX(axis->last, bucket->number);
		axis->highest = MAX(axis->highest, (double)bucket->count / all);
	}
}

static void put_shape(FILE *stream, const struct axis *axis,
		      const struct ctprof_histogram *histogram, const char *class)
{
	double all = count_all(histogram), width = axis->last - axis->first + 1;

	fprintf(stream, "<path class=\"%s\" d=\"", class);
	for (guint32 i = 0; i < histogram->n; i++) {
		const struct ctprof_bucket *bucket = BORDER_AT(histogram->buckets, i);
		int x = chart_place(bucket->number - axis->first, width, SHAPE_WIDTH);
		int end = chart_place(bucket->number - axis->first + 1, width, SHAPE_WIDTH);
		int height = chart_place((double)bucket->count / all, axis->highest, SHAPE_HEIGHT);

		/* Even a few values among many must be visible. */
		fprintf(stream, "M%d %dv-%dh%dV%dz", x, SHAPE_HEIGHT, MAX(height, 1), end - x,
			SHAPE_HEIGHT);
	}
	fputs("\"/>", stream);
}

void chart_put_distribution(FILE *stream, const struct ctprof_cell *cell)
{
	static const char *const classes[] = {"c0", "c3"};
	struct axis axis = {G_MAXUINT32, 0, 0};

	for (unsigned int side = 0; side < 2; side++)
		if (drawing_histogram(cell, side))
			fit_axis(&axis, drawing_histogram(cell, side));
	if (axis.highest <= 0)
		return;
	fprintf(stream,
		"<svg class=\"shape\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"role=\"img\" aria-label=\"distribution\">",
		SHAPE_WIDTH, SHAPE_HEIGHT, SHAPE_WIDTH, SHAPE_HEIGHT);
	for (unsigned int side = 0; side < 2; side++)
		if (drawing_histogram(cell, side))
			put_shape(stream, &axis, drawing_histogram(cell, side), classes[side]);
	fputs("</svg>", stream);
}

/* ---- strips --------------------------------------------------------------- */

/* The range of values that a strip shows. */
struct scale {
	double from, to;
};

static void widen(struct scale *scale, double value)
{
	if (isnan(value))
		return;
	scale->from = isnan(scale->from) ? value : fmin(scale->from, value);
	scale->to = isnan(scale->to) ? value : fmax(scale->to, value);
}

static int strip_x(const struct scale *scale, double value)
{
	int width = STRIP_WIDTH - 2 * STRIP_INDENT;

	/* If all numbers are equal, they are in the middle. */
	if (!(scale->to > scale->from))
		return STRIP_WIDTH / 2;
	return STRIP_INDENT + chart_place(value - scale->from, scale->to - scale->from, width);
}

/* Draws dots as lines of length 0 with round ends, which take few bytes per run. */
static void put_runs(FILE *stream, const struct ctprof_runs *runs, unsigned int side,
		     const struct scale *scale, double median)
{
	int y = STRIP_ROW * (int)side + STRIP_ROW / 2 + 1;

	if (runs->n[side] == 0)
		return;
	fprintf(stream, "<path class=\"dots s%u\" d=\"", side);
	for (guint64 i = 0; i < runs->n_runs[side]; i++)
		if (!isnan(runs->values[side][i]))
			fprintf(stream, "M%d %dh0", strip_x(scale, runs->values[side][i]), y);
	fputs("\"/>", stream);
	if (!isnan(median))
		fprintf(stream, "<path class=\"median\" d=\"M%d %dv8\"/>", strip_x(scale, median),
			y - 4);
}

void chart_put_strip(FILE *stream, const struct ctprof_cell *cell)
{
	const struct ctprof_runs *runs = drawing_runs(cell);
	struct scale scale = {NAN, NAN};

	if (!runs || runs->n[0] + runs->n[1] == 0)
		return;
	gboolean has_sides = runs->n_runs[1] > 0;
	gboolean has_interval = has_sides && runs->flags & CTPROF_RUNS_HAS_INTERVAL;
	double median = markup_number(&cell->value[0]);
	for (unsigned int side = 0; side < 2; side++) {
		widen(&scale, runs->n[side] > 0 ? runs->min[side] : NAN);
		widen(&scale, runs->n[side] > 0 ? runs->max[side] : NAN);
	}
	if (has_interval) {
		widen(&scale, median + runs->low);
		widen(&scale, median + runs->high);
	}
	int height = STRIP_ROW * (has_interval ? 3 : has_sides ? 2 : 1) + 2;
	fprintf(stream,
		"<svg class=\"strip\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"role=\"img\" aria-label=\"runs\">",
		STRIP_WIDTH, height, STRIP_WIDTH, height);
	for (unsigned int side = 0; side < 2; side++)
		put_runs(stream, runs, side, &scale, markup_number(&cell->value[side]));
	if (has_interval) {
		int from = strip_x(&scale, median + runs->low);

		fprintf(stream,
			"<path class=\"interval\" d=\"M%d 29H%d\"><title>confidence interval "
			"of the shift</title></path>",
			from, MAX(strip_x(&scale, median + runs->high), from + 1));
	}
	fputs("</svg>", stream);
}

void chart_put_strip_key(FILE *stream, gboolean has_sides)
{
	fprintf(stream,
		"<ul class=\"legend\"><li><i class=\"c0\"></i>%s</li>%s<li><b>|</b> median</li>%s"
		"</ul>\n",
		has_sides ? "runs of A" : "runs",
		has_sides ? "<li><i class=\"c3\"></i>runs of B</li>" : "",
		has_sides ? "<li><b>\342\200\225</b> A's median and the interval of the shift</li>"
			  : "");
}
