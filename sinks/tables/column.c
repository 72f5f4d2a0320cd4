/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "column.h"

#include <math.h>

#include "ctprof/numbers.h"
#include "drawing.h"
#include "label.h"
#include "real.h"
#include "sparkline.h"
#include "value.h"

#define INDENT 2
/* A tree may have any depth; the indentation of a line stops here. */
#define MAX_DEPTH 40

/* Width of the longest bar in characters; the full block, which follows seven narrower ones. */
#define BAR_WIDTH 10
#define FULL_BLOCK 0x2588u

/* A change of more than half stands out. */
#define MUCH_PCT 50.0
#define HOUR_S 3600.0
#define DAY_S 86400.0

guint column_indent(guint32 depth)
{
	return INDENT * MIN(depth, MAX_DEPTH);
}

static void put_indent(GString *text, const struct ctprof_report_line *line)
{
	g_string_append_printf(text, "%*s", (int)column_indent(line->depth), "");
}

static gboolean is_absent(const struct spot *spot, const struct ctprof_cell *cell)
{
	return drawing_is_absent(cell, drawing_is_compare(spot->report));
}

/* ---- text ---------------------------------------------------------------- */

static void fill_group(GString *text, const struct spot *spot)
{
	const struct ctprof_report_line *line = spot->line;
	guint32 from = 0;

	if (drawing_has(spot->section, CTPROF_SECTION_TREE)) {
		put_indent(text, line);
		from = MAX(line->n_names, 1) - 1;
	}
	for (guint32 i = from; i < line->n_names; i++) {
		if (i > from)
			g_string_append_c(text, ' ');
		label_append(text, line->names[i]);
	}
	if (line->renamed)
		g_string_append(text, " [renamed]");
}

static void fill_part(GString *text, const struct spot *spot)
{
	if (spot->part < spot->line->n_names)
		label_append(text, spot->line->names[spot->part]);
}

/* Appends the number of threads; nothing in sections whose lines are not threads. */
static void fill_threads(GString *text, const struct spot *spot)
{
	const guint64 *threads = spot->line->threads;

	if (drawing_is_compare(spot->report) && threads[0] != threads[1])
		g_string_append_printf(text, "%" G_GUINT64_FORMAT "→%" G_GUINT64_FORMAT, threads[0],
				       threads[1]);
	else if (threads[0] > 0)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, threads[0]);
}

static void fill_metric(GString *text, const struct spot *spot)
{
	label_append(text, spot->field->header);
}

static void append_side(GString *text, const struct spot *spot, unsigned int side)
{
	value_append(text, spot->field, &spot->cell->value[side]);
	sparkline_append(text, spot->cell, side);
}

static void fill_value(GString *text, const struct spot *spot)
{
	append_side(text, spot, spot->side);
}

static void fill_arrow(GString *text, const struct spot *spot)
{
	append_side(text, spot, 0);
	g_string_append(text, " → ");
	append_side(text, spot, 1);
}

static void append_short(GString *text, const struct spot *spot, double value, gboolean is_signed)
{
	char number[CTPROF_SHORT_ROOM];

	if (is_signed && value > 0)
		g_string_append_c(text, '+');
	ctprof_number_short(spot->field->ladder, value, number);
	g_string_append(text, number);
}

static void fill_delta(GString *text, const struct spot *spot)
{
	const struct ctprof_cell *cell = spot->cell;

	if (drawing_runs(cell) && cell->flags & CTPROF_CELL_HAS_DELTA) {
		append_short(text, spot, cell->delta, TRUE);
		return;
	}
	if (cell->flags & CTPROF_CELL_HAS_DELTA)
		value_append_delta(text, spot->field, cell);
	else if (cell->flags & CTPROF_CELL_DIFFERS)
		g_string_append(text, "differs");
	else if ((cell->flags & CTPROF_CELL_SAME) && !is_absent(spot, cell))
		g_string_append(text, "same");
	else
		g_string_append_c(text, '-');
}

static void fill_pct(GString *text, const struct spot *spot)
{
	if (spot->cell->flags & CTPROF_CELL_HAS_PCT)
		value_append_percent(text, spot->cell->pct, 1, TRUE);
	else
		g_string_append_c(text, '-');
}

/* Appends an age in the largest unit in which it is at least 2. */
static void append_age(GString *text, double seconds)
{
	static const struct unit {
		double seconds;
		char letter;
	} units[] = {{DAY_S, 'd'}, {HOUR_S, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;

	while (i + 1 < G_N_ELEMENTS(units) && seconds < 2 * units[i].seconds)
		i++;
	g_string_append_printf(text, "%.0f%c", floor(seconds / units[i].seconds), units[i].letter);
}

static void fill_uptime(GString *text, const struct spot *spot)
{
	if (spot->line->flags & CTPROF_LINE_HAS_UPTIME)
		append_age(text, spot->line->uptime);
}

static void fill_tags(GString *text, const struct spot *spot)
{
	label_append(text, spot->field->tags);
}

static void fill_sort(GString *text, const struct spot *spot)
{
	const struct ctprof_report_field field = {.ladder = spot->report->sort_ladder};
	const struct ctprof_cell *sort = spot->line->sort;

	if (!sort || is_absent(spot, sort))
		return;
	value_append(text, &field, &sort->value[0]);
	if (!drawing_is_compare(spot->report))
		return;
	g_string_append(text, "→");
	value_append(text, &field, &sort->value[1]);
}

static void fill_field(GString *text, const struct spot *spot)
{
	const struct ctprof_report_field *field = spot->field;

	/* An absent total is blank if the field is not an amount, or if nothing is missing. */
	if (drawing_is_total(spot->line) && is_absent(spot, spot->cell) &&
	    (field->ladder == CTPROF_LADDER_NONE || spot->cell->value[0].missing == 0))
		return;
	if (field->flags & CTPROF_FIELD_TREE)
		put_indent(text, spot->line);
	if (drawing_is_compare(spot->report))
		value_append_pair(text, field, spot->cell);
	else
		value_append(text, field, &spot->cell->value[0]);
}

/* With two sides, the bar shows the newer one. */
gdouble column_length(const struct spot *spot)
{
	const struct ctprof_value *value = &spot->cell->value[drawing_is_compare(spot->report)];

	if (spot->line->flags & (CTPROF_LINE_TOTAL | CTPROF_LINE_HIDDEN))
		return 0;
	return value->type == CTPROF_VALUE_NUMBER ? (gdouble)value->number : MAX(value->real, 0);
}

/* Draws a bar with a resolution of an eighth of a character. */
static void fill_bar(GString *text, const struct spot *spot)
{
	gdouble share = spot->highest > 0 ? column_length(spot) / spot->highest : 0;
	guint eighths = (guint)lround(CLAMP(share, 0, 1) * BAR_WIDTH * 8);

	for (guint i = 0; i < eighths / 8; i++)
		g_string_append_unichar(text, FULL_BLOCK);
	if (eighths % 8 > 0)
		g_string_append_unichar(text, FULL_BLOCK + 8 - eighths % 8);
}

/* ---- of runs -------------------------------------------------------------- */

/* Appends a probability with up to four digits: "<.0001", ".0286", "1". */
static void append_chance(GString *text, double chance)
{
	char number[REAL_ROOM];

	if (chance >= 0.99995) {
		g_string_append_c(text, '1');
	} else if (chance < 0.00005) {
		g_string_append(text, "<.0001");
	} else {
		real_fixed(chance >= 0.0995 ? chance : chance * 10, 3, FALSE, number);
		g_string_append(text, chance >= 0.0995 ? "" : ".0");
		g_string_append(text, chance >= 0.0995 ? number + 1 : number + 2);
	}
}

/* Returns the runs of a cell if they have all of those flags; otherwise NULL. */
static const struct ctprof_runs *runs_with(const struct spot *spot, uint32_t flags)
{
	const struct ctprof_runs *runs = drawing_runs(spot->cell);

	return runs && (runs->flags & flags) == flags ? runs : NULL;
}

static void fill_verdict(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, 0);
	const char *judgement = drawing_judgement(spot->cell);

	g_string_append(text, judgement[0] ? judgement : runs ? drawing_verdict(runs) : "");
}

static void fill_range(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, 0);

	if (!runs || runs->n[spot->side] == 0)
		return;
	g_string_append_c(text, '[');
	append_short(text, spot, runs->min[spot->side], FALSE);
	g_string_append(text, "…");
	append_short(text, spot, runs->max[spot->side], FALSE);
	g_string_append_c(text, ']');
}

static void fill_interval(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, CTPROF_RUNS_HAS_TEST);

	if (!runs)
		return;
	if (!(runs->flags & CTPROF_RUNS_HAS_INTERVAL)) {
		g_string_append_c(text, '-');
		return;
	}
	if (runs->flags & CTPROF_RUNS_APPROXIMATE)
		g_string_append_c(text, '~');
	append_short(text, spot, runs->low, TRUE);
	g_string_append(text, "…");
	append_short(text, spot, runs->high, TRUE);
}

static void fill_p(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, CTPROF_RUNS_HAS_TEST);

	if (runs)
		append_chance(text, runs->p);
}

static void fill_q(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, CTPROF_RUNS_HAS_TEST);

	if (runs && runs->flags & CTPROF_RUNS_HAS_Q)
		append_chance(text, runs->q);
	else if (runs)
		g_string_append_c(text, '-');
}

static void fill_runs(GString *text, const struct spot *spot)
{
	const struct ctprof_runs *runs = runs_with(spot, 0);

	if (runs)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, runs->n[0]);
	if (runs && runs->n_runs[1] > 0)
		g_string_append_printf(text, "+%" G_GUINT64_FORMAT, runs->n[1]);
}

/* ---- colour -------------------------------------------------------------- */

static enum style style_of_change(double change)
{
	return change > 0 ? STYLE_MORE : change < 0 ? STYLE_LESS : STYLE_LEVEL;
}

static enum style style_delta(const struct spot *spot)
{
	return spot->cell->flags & CTPROF_CELL_HAS_DELTA ? style_of_change(spot->cell->delta)
							 : STYLE_LEVEL;
}

static enum style style_pct(const struct spot *spot)
{
	double pct = spot->cell->flags & CTPROF_CELL_HAS_PCT ? spot->cell->pct : 0;

	if (pct > MUCH_PCT)
		return STYLE_MUCH_MORE;
	return pct < -MUCH_PCT ? STYLE_MUCH_LESS : style_of_change(pct);
}

static enum style style_uptime(const struct spot *spot)
{
	return spot->line->uptime >= DAY_S    ? STYLE_OLD
	       : spot->line->uptime >= HOUR_S ? STYLE_AGED
					      : STYLE_YOUNG;
}

static enum style style_sort(const struct spot *spot)
{
	const struct ctprof_cell *sort = spot->line->sort;

	if (!sort || !(sort->flags & CTPROF_CELL_HAS_DELTA) || sort->delta == 0)
		return STYLE_NAME;
	return style_of_change(sort->delta);
}

/* show displays computed values in blue. */
static enum style style_value(const struct spot *spot)
{
	return spot->cell->value[0].type == CTPROF_VALUE_REAL ? STYLE_COMPUTED : STYLE_NONE;
}

static enum style style_bar(const struct spot *spot)
{
	(void)spot;
	return STYLE_NAME;
}

static enum style style_field(const struct spot *spot)
{
	if (spot->line->flags & CTPROF_LINE_CONTEXT)
		return STYLE_LEVEL;
	return drawing_has_partial(spot->cell, drawing_is_compare(spot->report)) ? STYLE_COMPUTED
										 : STYLE_NONE;
}

static enum style style_verdict(const struct spot *spot)
{
	const struct ctprof_runs *runs = drawing_runs(spot->cell);

	if (spot->cell->flags & (CTPROF_CELL_WORSE | CTPROF_CELL_BETTER))
		return spot->cell->flags & CTPROF_CELL_WORSE ? STYLE_MORE : STYLE_LESS;
	return runs && runs->verdict == CTPROF_VERDICT_CHANGED ? style_delta(spot) : STYLE_LEVEL;
}

/* ---- order ---------------------------------------------------------------- */

static unsigned int newest(const struct spot *spot)
{
	return drawing_is_compare(spot->report) ? 1 : 0;
}

static double rank_value(const struct spot *spot)
{
	return value_rank(&spot->cell->value[spot->side]);
}

static double rank_newest(const struct spot *spot)
{
	return value_rank(&spot->cell->value[newest(spot)]);
}

static double rank_threads(const struct spot *spot)
{
	const guint64 *threads = spot->line->threads;

	return threads[0] + threads[1] > 0 ? (double)threads[newest(spot)] : NAN;
}

static double rank_delta(const struct spot *spot)
{
	return spot->cell->flags & CTPROF_CELL_HAS_DELTA ? spot->cell->delta : NAN;
}

static double rank_pct(const struct spot *spot)
{
	return spot->cell->flags & CTPROF_CELL_HAS_PCT ? spot->cell->pct : NAN;
}

static double rank_uptime(const struct spot *spot)
{
	return spot->line->flags & CTPROF_LINE_HAS_UPTIME ? spot->line->uptime : NAN;
}

static double rank_sort(const struct spot *spot)
{
	return spot->line->sort ? value_rank(&spot->line->sort->value[newest(spot)]) : NAN;
}

/* Defines a rank function that returns one of the runs' numbers if they have those flags. */
#define RUNS_RANK(name, flags, number)                                                             \
	static double name(const struct spot *spot)                                                \
	{                                                                                          \
		const struct ctprof_runs *runs = runs_with(spot, flags);                           \
		return runs ? (double)(number) : NAN;                                              \
	}

RUNS_RANK(rank_range, 0, runs->max[spot->side])
RUNS_RANK(rank_interval, CTPROF_RUNS_HAS_INTERVAL, runs->high)
RUNS_RANK(rank_p, CTPROF_RUNS_HAS_TEST, runs->p)
RUNS_RANK(rank_q, CTPROF_RUNS_HAS_Q, runs->q)
RUNS_RANK(rank_runs, 0, runs->n[0] + runs->n[1])

static const struct column columns[] = {
	{CTPROF_COLUMN_GROUP, NULL, FALSE, 0, fill_group, NULL, NULL, NULL},
	{CTPROF_COLUMN_THREADS, "threads", TRUE, 0, fill_threads, rank_threads, NULL, NULL},
	{CTPROF_COLUMN_METRIC, "metric", FALSE, 0, fill_metric, NULL, NULL, NULL},
	{CTPROF_COLUMN_VALUE, "value", FALSE, 0, fill_value, rank_value, style_value, "median"},
	{CTPROF_COLUMN_BASELINE, "baseline", FALSE, 0, fill_value, rank_value, NULL, "A"},
	{CTPROF_COLUMN_CANDIDATE, "candidate", FALSE, 1, fill_value, rank_value, NULL, "B"},
	{CTPROF_COLUMN_ARROW, "value", FALSE, 0, fill_arrow, rank_newest, NULL, NULL},
	{CTPROF_COLUMN_DELTA, "delta", TRUE, 0, fill_delta, rank_delta, style_delta, "shift"},
	{CTPROF_COLUMN_PCT, "%", TRUE, 0, fill_pct, rank_pct, style_pct, NULL},
	{CTPROF_COLUMN_UPTIME, "age", TRUE, 0, fill_uptime, rank_uptime, style_uptime, NULL},
	{CTPROF_COLUMN_TAGS, "tags", FALSE, 0, fill_tags, NULL, NULL, NULL},
	{CTPROF_COLUMN_SORT, NULL, FALSE, 0, fill_sort, rank_sort, style_sort, NULL},
	{CTPROF_COLUMN_VERDICT, "verdict", FALSE, 0, fill_verdict, NULL, style_verdict, NULL},
	{CTPROF_COLUMN_Q, "q", FALSE, 0, fill_q, rank_q, NULL, NULL},
	{CTPROF_COLUMN_RUNS, "n", TRUE, 0, fill_runs, rank_runs, NULL, NULL},
	{CTPROF_COLUMN_INTERVAL, "interval", FALSE, 0, fill_interval, rank_interval, NULL, NULL},
	{CTPROF_COLUMN_BASELINE_RANGE, "A [min…max]", FALSE, 0, fill_range, rank_range, NULL, NULL},
	{CTPROF_COLUMN_CANDIDATE_RANGE, "B [min…max]", FALSE, 1, fill_range, rank_range, NULL,
	 NULL},
	{CTPROF_COLUMN_P, "p", FALSE, 0, fill_p, rank_p, NULL, NULL},
};

const struct column *const column_group = &columns[0];
const struct column column_part = {.fill = fill_part};
const struct column column_field = {.fill = fill_field, .rank = rank_newest, .style = style_field};
const struct column column_bar = {.fill = fill_bar, .style = style_bar};

const struct column *column_find(guint32 id)
{
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (columns[i].id == id)
			return &columns[i];
	return NULL;
}
