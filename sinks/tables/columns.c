/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the columns of a section's table. */
#include "column.h"
#include "drawing.h"

/* Terminal width from which bars are drawn. */
#define LEAST_FOR_BARS 100

/* A report, a section of it, and the columns found so far. */
struct choice {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	GArray *columns; /* struct drawn */
};

/* In a LONG section, a line has only one cell. */
struct spot columns_spot(const struct ctprof_report *report,
			 const struct ctprof_report_section *section,
			 const struct ctprof_report_line *line, const struct drawn *drawn)
{
	gboolean is_own = drawn->column == &column_field || drawn->column == &column_bar;
	guint64 field = is_own ? drawn->index : line->first;
	gboolean is_there = field < section->n_fields;

	return (struct spot){
		.report = report,
		.section = section,
		.line = line,
		.field = is_there ? BORDER_AT(section->fields, field) : NULL,
		.cell = drawing_cell_of(line, field),
		.part = drawn->index,
		.side = drawn->column->side,
		.highest = drawn->highest,
	};
}

/* Whether there are lines, but none of them has text in the column. */
static gboolean is_blank(const struct choice *choice, const struct column *column)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const struct ctprof_report_section *section = choice->section;
	const struct drawn drawn = {.column = column};

	for (guint64 i = 0; i < section->n_lines && text->len == 0; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);
		const struct spot spot = columns_spot(choice->report, section, line, &drawn);

		if (!(line->flags & CTPROF_LINE_HEADING))
			column->fill(text, &spot);
	}
	return section->n_lines > 0 && text->len == 0;
}

static const char *header_of(const struct choice *choice, const struct column *column)
{
	if (column == column_group)
		return choice->section->names_header;
	if (column->id == CTPROF_COLUMN_SORT)
		return choice->report->sort_header;
	return drawing_is_of_runs(choice->report) && column->of_runs ? column->of_runs
								     : column->header;
}

static void take_asked(const struct choice *choice)
{
	for (guint64 i = 0; i < choice->report->n_columns; i++) {
		const struct column *column = column_find(choice->report->columns[i]);
		struct drawn drawn = {.column = column};

		if (!column || (column != column_group && is_blank(choice, column)))
			continue;
		drawn.flexible = column == column_group;
		drawn.right = column->right;
		drawn.header = header_of(choice, column);
		g_array_append_val(choice->columns, drawn);
	}
}

/* Adds as many columns as a line has names at most; in a tree, one. */
static void take_names(const struct choice *choice)
{
	const struct ctprof_report_section *section = choice->section;
	gboolean is_tree = drawing_has(section, CTPROF_SECTION_TREE);
	guint n = section->names_header ? 1 : 0;

	for (guint64 i = 0; i < section->n_lines; i++)
		n = MAX(n, BORDER_AT(section->lines, i)->n_names);
	for (guint i = 0; i < (is_tree ? MIN(n, 1) : n); i++) {
		struct drawn drawn = {
			.column = is_tree ? column_group : &column_part,
			.index = i,
			.header = i == 0 ? section->names_header : NULL,
			.flexible = i == 0,
		};

		g_array_append_val(choice->columns, drawn);
	}
}

/* Whether to align right: numbers, and SHORT texts, which consist of numbers. */
static gboolean aligns_right(const struct ctprof_report_field *field)
{
	return !drawing_is_text(field) || (field->flags & CTPROF_FIELD_SHORT) != 0;
}

/* Metrics are compared along the line, other numbers down the column. */
static void take_fields(const struct choice *choice)
{
	gboolean is_metrics = drawing_has(choice->section, CTPROF_SECTION_METRICS);

	for (guint64 i = 0; i < choice->section->n_fields; i++) {
		const struct ctprof_report_field *field = BORDER_AT(choice->section->fields, i);
		struct drawn drawn = {
			.column = &column_field,
			.index = i,
			.header = field->header,
			.right = !is_metrics && aligns_right(field),
			.flexible = (field->flags & CTPROF_FIELD_CUT) != 0,
			.is_sorted = (field->flags & CTPROF_FIELD_SORTED) != 0,
		};

		if (!(field->flags & CTPROF_FIELD_HIDDEN))
			g_array_append_val(choice->columns, drawn);
	}
}

gdouble columns_highest(const struct ctprof_report *report,
			const struct ctprof_report_section *section, const struct drawn *drawn)
{
	gdouble highest = 0;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct spot spot =
			columns_spot(report, section, BORDER_AT(section->lines, i), drawn);

		highest = MAX(highest, column_length(&spot));
	}
	return highest;
}

/* Adds bars on wide screens, after all columns that have to be read. */
static void take_bars(const struct choice *choice)
{
	const struct ctprof_report_section *section = choice->section;

	if (choice->report->width < LEAST_FOR_BARS)
		return;
	for (guint64 i = 0; i < section->n_fields; i++) {
		const struct ctprof_report_field *field = BORDER_AT(section->fields, i);
		struct drawn drawn = {.column = &column_bar, .index = i, .header = field->header};

		if ((field->flags & (CTPROF_FIELD_BARS | CTPROF_FIELD_HIDDEN)) != CTPROF_FIELD_BARS)
			continue;
		drawn.highest = columns_highest(choice->report, section, &drawn);
		if (drawn.highest > 0)
			g_array_append_val(choice->columns, drawn);
	}
}

GArray *columns_choose(const struct ctprof_report *report,
		       const struct ctprof_report_section *section)
{
	const struct choice choice = {
		.report = report,
		.section = section,
		.columns = g_array_new(FALSE, FALSE, sizeof(struct drawn)),
	};

	if (drawing_has(section, CTPROF_SECTION_LONG)) {
		take_asked(&choice);
	} else {
		take_names(&choice);
		take_fields(&choice);
		take_bars(&choice);
	}
	return choice.columns;
}
