/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "column.h"

#include <string.h>

#include "drawing.h"
#include "label.h"
#include "scale.h"

/* A change of more than half stands out. */
#define MUCH_PCT 50.0
#define OLD_UPTIME 75.0
#define AGED_UPTIME 50.0

typedef void (*fill_cell)(GString *text, const struct ctprof_report_row *row);

struct column {
	guint32 id; /* enum ctprof_column */
	const char *header;
	gboolean right;
	fill_cell fill[2]; /* of show, of compare */
	enum style (*style)(const struct ctprof_report_row *row);
};

void column_put_value(GString *text, const struct ctprof_value *value, guint32 ladder)
{
	struct drawing_words words;
	char number[SCALE_ROOM];

	if (drawing_is_number(value)) {
		scale_number(ladder, value->number, number);
		if (value->type == CTPROF_VALUE_ESTIMATE)
			g_string_append_c(text, '~');
		g_string_append(text, number);
	} else if (value->type == CTPROF_VALUE_REAL) {
		scale_real(ladder, value->real, number);
		g_string_append(text, number);
	} else if (drawing_words(value, &words)) {
		g_string_append(text, words.before);
		label_append(text, words.text);
		g_string_append(text, words.after);
	} else {
		g_string_append_c(text, '-');
	}
}

static gboolean is_number(const struct ctprof_value *value)
{
	return drawing_is_number(value) || value->type == CTPROF_VALUE_REAL;
}

static void put_delta(GString *text, const struct ctprof_report_row *row)
{
	gboolean is_computed =
		row->value[0].type == CTPROF_VALUE_REAL || row->value[1].type == CTPROF_VALUE_REAL;
	char number[SCALE_ROOM];

	scale_delta(row->ladder, row->delta, is_computed, number);
	g_string_append(text, number);
	if (row->flags & CTPROF_ROW_RATE)
		g_string_append(text, "/s");
}

void column_put_pair(GString *text, const struct ctprof_report_row *row)
{
	gboolean has_delta = (row->flags & CTPROF_ROW_HAS_DELTA) != 0;

	column_put_value(text, &row->value[0], row->ladder);
	if ((row->flags & CTPROF_ROW_SAME) && !has_delta)
		return;
	if (row->value[0].type == CTPROF_VALUE_ABSENT && row->value[1].type == CTPROF_VALUE_ABSENT)
		return;
	g_string_append(text, " → ");
	column_put_value(text, &row->value[1], row->ladder);
	if (!has_delta)
		return;
	g_string_append(text, " (");
	put_delta(text, row);
	g_string_append_c(text, ')');
}

static void fill_nothing(GString *text, const struct ctprof_report_row *row)
{
	(void)text;
	(void)row;
}

/* Sections whose rows are no threads have none to tell. */
static void fill_threads(GString *text, const struct ctprof_report_row *row)
{
	if (row->threads[0] > 0)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, row->threads[0]);
}

static void fill_both_threads(GString *text, const struct ctprof_report_row *row)
{
	if (row->threads[0] == row->threads[1])
		fill_threads(text, row);
	else
		g_string_append_printf(text, "%" G_GUINT64_FORMAT "→%" G_GUINT64_FORMAT,
				       row->threads[0], row->threads[1]);
}

static void fill_metric(GString *text, const struct ctprof_report_row *row)
{
	label_append(text, row->metric);
}

static void fill_first(GString *text, const struct ctprof_report_row *row)
{
	column_put_value(text, &row->value[0], row->ladder);
}

static void fill_second(GString *text, const struct ctprof_report_row *row)
{
	column_put_value(text, &row->value[1], row->ladder);
}

static void fill_arrow(GString *text, const struct ctprof_report_row *row)
{
	column_put_value(text, &row->value[0], row->ladder);
	g_string_append(text, " → ");
	column_put_value(text, &row->value[1], row->ladder);
}

static void fill_delta(GString *text, const struct ctprof_report_row *row)
{
	guint32 type = row->value[0].type;

	if (row->flags & CTPROF_ROW_HAS_DELTA)
		put_delta(text, row);
	else if (row->flags & CTPROF_ROW_DIFFERS)
		g_string_append(text, "differs");
	else if ((row->flags & CTPROF_ROW_SAME) && type != CTPROF_VALUE_ABSENT)
		g_string_append(text, "same");
	else
		g_string_append_c(text, '-');
}

static void fill_pct(GString *text, const struct ctprof_report_row *row)
{
	char number[REAL_ROOM];

	if (!(row->flags & CTPROF_ROW_HAS_PCT)) {
		g_string_append_c(text, '-');
		return;
	}
	real_fixed(row->pct, 1, TRUE, number);
	g_string_append_printf(text, "%s%%", number);
}

static void fill_uptime(GString *text, const struct ctprof_report_row *row)
{
	char number[REAL_ROOM];

	if (!(row->flags & CTPROF_ROW_HAS_UPTIME))
		return;
	real_fixed(row->uptime, 0, FALSE, number);
	g_string_append_printf(text, "%s%%", number);
}

static void fill_tags(GString *text, const struct ctprof_report_row *row)
{
	label_append(text, row->tags ? row->tags : "");
}

/* Both absent is also how a row says that it has no sort value. */
static void fill_sort(GString *text, const struct ctprof_report_row *row)
{
	if (row->sort[0].type != CTPROF_VALUE_ABSENT)
		column_put_value(text, &row->sort[0], row->sort_ladder);
}

static void fill_both_sorts(GString *text, const struct ctprof_report_row *row)
{
	if (row->sort[0].type == CTPROF_VALUE_ABSENT && row->sort[1].type == CTPROF_VALUE_ABSENT)
		return;
	column_put_value(text, &row->sort[0], row->sort_ladder);
	g_string_append(text, "→");
	column_put_value(text, &row->sort[1], row->sort_ladder);
}

static enum style style_of_change(double change)
{
	return change > 0 ? STYLE_MORE : change < 0 ? STYLE_LESS : STYLE_LEVEL;
}

static enum style style_plain(const struct ctprof_report_row *row)
{
	(void)row;
	return STYLE_NONE;
}

static enum style style_delta(const struct ctprof_report_row *row)
{
	return row->flags & CTPROF_ROW_HAS_DELTA ? style_of_change(row->delta) : STYLE_LEVEL;
}

static enum style style_pct(const struct ctprof_report_row *row)
{
	if (!(row->flags & CTPROF_ROW_HAS_PCT))
		return STYLE_LEVEL;
	if (row->pct > MUCH_PCT)
		return STYLE_MUCH_MORE;
	return row->pct < -MUCH_PCT ? STYLE_MUCH_LESS : style_of_change(row->pct);
}

static enum style style_uptime(const struct ctprof_report_row *row)
{
	return row->uptime >= OLD_UPTIME    ? STYLE_OLD
	       : row->uptime >= AGED_UPTIME ? STYLE_AGED
					    : STYLE_YOUNG;
}

static double number_of(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_REAL ? value->real : (double)value->number;
}

static enum style style_sort(const struct ctprof_report_row *row)
{
	if (!is_number(&row->sort[0]) || !is_number(&row->sort[1]))
		return STYLE_NAME;
	double before = number_of(&row->sort[0]), after = number_of(&row->sort[1]);
	return after > before ? STYLE_MORE : after < before ? STYLE_LESS : STYLE_NAME;
}

/* show has blue for what is computed. */
static enum style style_value(const struct ctprof_report_row *row)
{
	return row->value[0].type == CTPROF_VALUE_REAL ? STYLE_COMPUTED : STYLE_NONE;
}

#define BOTH(fill)                                                                                 \
	{                                                                                          \
		fill, fill                                                                         \
	}

static const struct column columns[] = {
	{CTPROF_COLUMN_GROUP, NULL, FALSE, BOTH(fill_nothing), style_plain},
	{CTPROF_COLUMN_THREADS, "threads", TRUE, {fill_threads, fill_both_threads}, style_plain},
	{CTPROF_COLUMN_METRIC, "metric", FALSE, BOTH(fill_metric), style_plain},
	{CTPROF_COLUMN_VALUE, "value", FALSE, BOTH(fill_first), style_value},
	{CTPROF_COLUMN_BASELINE, "baseline", FALSE, BOTH(fill_first), style_plain},
	{CTPROF_COLUMN_CANDIDATE, "candidate", FALSE, BOTH(fill_second), style_plain},
	{CTPROF_COLUMN_ARROW, "value", FALSE, BOTH(fill_arrow), style_plain},
	{CTPROF_COLUMN_DELTA, "delta", TRUE, BOTH(fill_delta), style_delta},
	{CTPROF_COLUMN_PCT, "%", TRUE, BOTH(fill_pct), style_pct},
	{CTPROF_COLUMN_UPTIME, "%uptime", TRUE, BOTH(fill_uptime), style_uptime},
	{CTPROF_COLUMN_TAGS, "tags", FALSE, BOTH(fill_tags), style_plain},
	{CTPROF_COLUMN_SORT, NULL, FALSE, {fill_sort, fill_both_sorts}, style_sort},
};

const struct column *column_find(guint32 id)
{
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (columns[i].id == id)
			return &columns[i];
	return NULL;
}

gboolean column_is_blank(const struct column *column, const struct ctprof_report *report,
			 const struct ctprof_report_section *section)
{
	fill_cell fill = column->fill[drawing_is_compare(report)];
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint64 i = 0; i < section->n_rows && text->len == 0; i++)
		fill(text, drawing_row(section, i));
	return section->n_rows > 0 && text->len == 0;
}

gboolean column_is_group(const struct column *column)
{
	return column->id == CTPROF_COLUMN_GROUP;
}

gboolean column_is_right(const struct column *column)
{
	return column->right;
}

void column_head(const struct column *column, Grid *grid, guint i,
		 const struct ctprof_report *report, const struct ctprof_report_section *section)
{
	const char *header = column->header;

	if (column_is_group(column))
		header = section->group_header;
	else if (column->id == CTPROF_COLUMN_SORT)
		header = report->sort_header;
	label_append(grid_text(grid, i), header ? header : "");
	if (drawing_is_compare(report))
		grid_style(grid, i, STYLE_HEADER);
}

void column_fill(const struct column *column, Grid *grid, guint i,
		 const struct ctprof_report *report, const struct ctprof_report_row *row)
{
	column->fill[drawing_is_compare(report) ? 1 : 0](grid_text(grid, i), row);
	grid_style(grid, i, column->style(row));
}
