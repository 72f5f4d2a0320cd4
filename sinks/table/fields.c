/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fields.h"

#include <inttypes.h>
#include <string.h>

#include "column.h"
#include "drawing.h"
#include "grid.h"
#include "label.h"
#include "real.h"

#define INDENT 2
/* A tree may be as deep as its maker likes; a line may not. */
#define MAX_DEPTH 40

/* What a pass over a table's lines works with. */
struct pass {
	const struct ctprof_report *report;
	const struct ctprof_report_table *table;
	Grid grid;
	GArray *shown; /* guint64: the fields that are columns */
};
typedef struct pass Pass;

static void pass_clear(Pass *pass)
{
	grid_clear(&pass->grid);
	g_clear_pointer(&pass->shown, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pass, pass_clear)

static const struct ctprof_report_field *field_of(const Pass *pass, guint column)
{
	return drawing_field(pass->table, g_array_index(pass->shown, guint64, column));
}

static gboolean is_text(const struct ctprof_report_field *field)
{
	return g_strcmp0(field->unit, "text") == 0;
}

static void begin_columns(Pass *pass, FILE *stream)
{
	pass->shown = g_array_new(FALSE, FALSE, sizeof(guint64));
	for (guint64 i = 0; i < pass->table->n_fields; i++)
		if (!(drawing_field(pass->table, i)->flags & CTPROF_FIELD_HIDDEN))
			g_array_append_val(pass->shown, i);
	grid_init(&pass->grid, stream, (pass->report->flags & CTPROF_REPORT_COLOUR) != 0,
		  pass->shown->len);
	pass->grid.flexible = pass->shown->len;
	for (guint i = 0; i < pass->shown->len; i++) {
		/* Of texts the last is cut: it is the one without an end. */
		if (is_text(field_of(pass, i)))
			pass->grid.flexible = i;
		else
			pass->grid.cells[i].right = TRUE;
	}
}

static void walk_header(Pass *pass)
{
	if (!(pass->report->flags & CTPROF_REPORT_HEADER))
		return;
	for (guint i = 0; i < pass->shown->len; i++) {
		const char *header = field_of(pass, i)->header;

		label_append(grid_text(&pass->grid, i), header ? header : "");
	}
	grid_end_line(&pass->grid);
}

static void put_cell(GString *text, const struct ctprof_report_field *field, guint32 depth,
		     const struct ctprof_value *value)
{
	char number[REAL_ROOM];

	if (field->flags & CTPROF_FIELD_TREE)
		g_string_append_printf(text, "%*s", (int)(INDENT * MIN(depth, MAX_DEPTH)), "");
	if (!(field->flags & CTPROF_FIELD_PERCENT) || value->type != CTPROF_VALUE_REAL) {
		column_put_value(text, value, field->ladder);
		return;
	}
	real_fixed(value->real, 1, FALSE, number);
	g_string_append_printf(text, "%s%%", number);
}

static void walk_line(Pass *pass, const struct ctprof_report_line *line)
{
	for (guint i = 0; i < pass->shown->len; i++) {
		const struct ctprof_report_field *field = field_of(pass, i);
		const struct ctprof_value *value =
			&line->cells[g_array_index(pass->shown, guint64, i)];
		/* Of what is no amount there is no total. */
		gboolean is_blank = drawing_is_total(line) && field->ladder == CTPROF_LADDER_NONE &&
				    value->type == CTPROF_VALUE_ABSENT;

		if (!is_blank)
			put_cell(grid_text(&pass->grid, i), field, line->depth, value);
		if (line->flags & CTPROF_LINE_CONTEXT)
			grid_style(&pass->grid, i, STYLE_LEVEL);
		else if (value->type == CTPROF_VALUE_ESTIMATE)
			grid_style(&pass->grid, i, STYLE_COMPUTED);
	}
	grid_end_line(&pass->grid);
}

static void walk(Pass *pass)
{
	gboolean in_totals = FALSE;
	gboolean ruled = (pass->report->flags & CTPROF_REPORT_HEADER) != 0;

	walk_header(pass);
	for (guint64 i = 0; i < pass->table->n_lines; i++) {
		const struct ctprof_report_line *line = drawing_line(pass->table, i);

		if (ruled && drawing_is_total(line) && !in_totals && i > 0)
			grid_rule(&pass->grid);
		in_totals = drawing_is_total(line);
		walk_line(pass, line);
	}
}

static void draw_coverage(FILE *stream, const struct ctprof_report_table *table)
{
	const char *noun = drawing_covered(table);

	if (table->flags & CTPROF_TABLE_HAS_COVERAGE)
		fprintf(stream,
			" %s%s%" PRIu64 " exact, %" PRIu64 " approximate, %" PRIu64 " missing\n",
			noun ? noun : "", noun ? ": " : "", table->n_exact, table->n_approximate,
			table->n_missing);
}

static void draw_notes(FILE *stream, const struct ctprof_report_table *table)
{
	for (guint64 i = 0; i < table->n_notes; i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		label_append(text, table->notes[i]);
		fprintf(stream, " %s\n", text->str);
	}
}

void fields_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_table *table)
{
	g_auto(Pass) pass = {.report = report, .table = table};

	begin_columns(&pass, stream);
	walk(&pass);
	grid_fit(&pass.grid, report->width);
	walk(&pass);
	/* Without headings a line about rows would be taken for one of them. */
	if (!(report->flags & CTPROF_REPORT_HEADER))
		return;
	draw_coverage(stream, table);
	draw_notes(stream, table);
}
