/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <inttypes.h>

#include "column.h"
#include "drawing.h"
#include "grid.h"
#include "label.h"

/* A column of the table. */
struct drawn {
	const struct column *column;
	guint64 index;      /* which part of the names, or which field */
	const char *header; /* NULL: none */
	gboolean right, flexible;
};

/* What a pass over a section's lines works with. */
struct pass {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	gboolean headed;
	Grid grid;
	GArray *columns; /* struct drawn */
};
typedef struct pass Pass;

static void pass_clear(Pass *pass)
{
	grid_clear(&pass->grid);
	g_clear_pointer(&pass->columns, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pass, pass_clear)

/* Under LONG the cell is the line's only one. */
static struct spot spot_of(const Pass *pass, const struct ctprof_report_line *line,
			   const struct column *column, guint64 index)
{
	guint64 field = column == &column_field ? index : line->first;
	gboolean is_there = field < pass->section->n_fields;

	return (struct spot){
		.report = pass->report,
		.section = pass->section,
		.line = line,
		.field = is_there ? drawing_field(pass->section, field) : NULL,
		.cell = drawing_cell_of(line, field),
		.part = index,
	};
}

/* Whether there are lines, and none of them has anything in it. */
static gboolean is_blank(const Pass *pass, const struct column *column)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint64 i = 0; i < pass->section->n_lines && text->len == 0; i++) {
		const struct ctprof_report_line *line = drawing_line(pass->section, i);
		const struct spot spot = spot_of(pass, line, column, 0);

		if (!(line->flags & CTPROF_LINE_HEADING))
			column->fill(text, &spot);
	}
	return pass->section->n_lines > 0 && text->len == 0;
}

static void take_asked(Pass *pass)
{
	for (guint64 i = 0; i < pass->report->n_columns; i++) {
		const struct column *column = column_find(pass->report->columns[i]);
		struct drawn drawn = {.column = column};

		if (!column || (column != column_group && is_blank(pass, column)))
			continue;
		drawn.flexible = column == column_group;
		drawn.right = column->right;
		drawn.header = column == column_group             ? pass->section->names_header
			       : column->id == CTPROF_COLUMN_SORT ? pass->report->sort_header
								  : column->header;
		g_array_append_val(pass->columns, drawn);
	}
}

/* A column for each part that some line's names have; of a tree one. */
static void take_names(Pass *pass)
{
	const struct ctprof_report_section *section = pass->section;
	gboolean is_tree = drawing_has(section, CTPROF_SECTION_TREE);
	guint n = section->names_header ? 1 : 0;

	for (guint64 i = 0; i < section->n_lines; i++)
		n = MAX(n, drawing_line(section, i)->n_names);
	for (guint i = 0; i < (is_tree ? MIN(n, 1) : n); i++) {
		struct drawn drawn = {
			.column = is_tree ? column_group : &column_part,
			.index = i,
			.header = i == 0 ? section->names_header : NULL,
			.flexible = i == 0,
		};

		g_array_append_val(pass->columns, drawn);
	}
}

/* Metrics are read along the line, other numbers down the column. */
static void take_fields(Pass *pass)
{
	gboolean is_metrics = drawing_has(pass->section, CTPROF_SECTION_METRICS);

	for (guint64 i = 0; i < pass->section->n_fields; i++) {
		const struct ctprof_report_field *field = drawing_field(pass->section, i);
		struct drawn drawn = {
			.column = &column_field,
			.index = i,
			.header = field->header,
			.right = !is_metrics && !drawing_is_text(field),
			.flexible = !is_metrics && drawing_is_text(field),
		};

		if (!(field->flags & CTPROF_FIELD_HIDDEN))
			g_array_append_val(pass->columns, drawn);
	}
}

static void begin(Pass *pass, FILE *stream)
{
	pass->headed = (pass->report->flags & CTPROF_REPORT_HEADER) != 0;
	pass->columns = g_array_new(FALSE, FALSE, sizeof(struct drawn));
	if (drawing_has(pass->section, CTPROF_SECTION_LONG)) {
		take_asked(pass);
	} else {
		take_names(pass);
		take_fields(pass);
	}
	grid_init(&pass->grid, stream, (pass->report->flags & CTPROF_REPORT_COLOUR) != 0,
		  pass->columns->len);
	pass->grid.flexible = pass->columns->len;
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct drawn *drawn = &g_array_index(pass->columns, struct drawn, i);

		pass->grid.cells[i].right = drawn->right;
		/* Of several the last is cut: it is the one without an end. */
		if (drawn->flexible)
			pass->grid.flexible = i;
	}
}

/* line NULL: the header. */
static void walk_line(Pass *pass, const struct ctprof_report_line *line)
{
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct drawn *drawn = &g_array_index(pass->columns, struct drawn, i);
		GString *text = grid_text(&pass->grid, i);

		if (line) {
			const struct spot spot = spot_of(pass, line, drawn->column, drawn->index);

			drawn->column->fill(text, &spot);
			grid_style(&pass->grid, i,
				   drawn->column->style ? drawn->column->style(&spot) : STYLE_NONE);
			continue;
		}
		label_append(text, drawn->header ? drawn->header : "");
		if (drawing_is_compare(pass->report))
			grid_style(&pass->grid, i, STYLE_HEADER);
	}
	grid_end_line(&pass->grid);
}

/* A cgroup's, or that of a process in it. */
static void walk_heading(Pass *pass, const struct ctprof_report_line *line)
{
	static const enum style styles[] = {STYLE_ROOT, STYLE_BRANCH, STYLE_TWIG};
	guint32 depth = MIN(line->depth, G_N_ELEMENTS(styles) - 1);

	grid_heading(&pass->grid, column_indent(line->depth), line->names[line->n_names - 1],
		     line->n_names > 1 ? STYLE_PROCESS : styles[depth]);
}

static void walk(Pass *pass)
{
	gboolean is_ruled = !pass->headed;

	if (pass->headed)
		walk_line(pass, NULL);
	for (guint64 i = 0; i < pass->section->n_lines; i++) {
		const struct ctprof_report_line *line = drawing_line(pass->section, i);

		if (drawing_is_total(line) && !is_ruled && i > 0)
			grid_rule(&pass->grid);
		is_ruled = is_ruled || drawing_is_total(line);
		if (line->flags & CTPROF_LINE_HEADING)
			walk_heading(pass, line);
		else
			walk_line(pass, line);
	}
}

/* What stands below the table. */
static void draw_rest(FILE *stream, const struct ctprof_report_section *section)
{
	const char *noun = section->covered;

	if (drawing_has(section, CTPROF_SECTION_HAS_COVERAGE))
		fprintf(stream,
			" %s%s%" PRIu64 " exact, %" PRIu64 " approximate, %" PRIu64 " missing\n",
			noun ? noun : "", noun ? ": " : "", section->n_exact,
			section->n_approximate, section->n_missing);
	for (guint64 i = 0; i < section->n_notes; i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		label_append(text, section->notes[i]);
		fprintf(stream, " %s\n", text->str);
	}
}

void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section)
{
	g_auto(Pass) pass = {.report = report, .section = section};

	begin(&pass, stream);
	walk(&pass);
	grid_fit(&pass.grid, report->width);
	walk(&pass);
	/* Without headings a line about others would be taken for one of them. */
	if (pass.headed)
		draw_rest(stream, section);
}
