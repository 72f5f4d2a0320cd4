/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <inttypes.h>
#include <string.h>

#include "column.h"
#include "drawing.h"
#include "grid.h"
#include "label.h"

/* A cut name must still be recognisable. */
#define LEAST_LABEL 16
/* Precedes a finding. */
#define MARK "! "
/* Follows the header of the column by which the lines are sorted. */
#define SORTED "▾"
/* Blanks at both ends of a line of text. */
#define MARGINS 2

/* The state of a pass over a section's lines. */
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

static void begin(Pass *pass, FILE *stream)
{
	pass->headed = (pass->report->flags & CTPROF_REPORT_HEADER) != 0;
	pass->columns = columns_choose(pass->report, pass->section);
	grid_init(&pass->grid, stream, (pass->report->flags & CTPROF_REPORT_COLOUR) != 0,
		  pass->columns->len);
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct drawn *drawn = &g_array_index(pass->columns, struct drawn, i);

		pass->grid.cells[i].right = drawn->right;
		pass->grid.cells[i].kept = drawn->is_sorted;
		pass->grid.cells[i].spare = drawn->column == &column_bar;
		pass->grid.cells[i].least = drawn->flexible ? LEAST_LABEL : 0;
	}
}

/* Walks the cells of a line; line NULL: the header. */
static void walk_line(Pass *pass, const struct ctprof_report_line *line)
{
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct drawn *drawn = &g_array_index(pass->columns, struct drawn, i);
		struct cell *cell = &pass->grid.cells[i];

		if (line) {
			const struct spot spot =
				columns_spot(pass->report, pass->section, line, drawn);

			drawn->column->fill(cell->text, &spot);
			if (drawn->column->style)
				cell->style = drawn->column->style(&spot);
			continue;
		}
		label_append(cell->text, drawn->header ? drawn->header : "");
		g_string_append(cell->text, drawn->is_sorted ? SORTED : "");
		if (drawing_is_compare(pass->report))
			cell->style = STYLE_HEADER;
	}
	grid_end_line(&pass->grid);
}

/* Writes the heading of a cgroup, or of a process in it. */
static void walk_heading(Pass *pass, const struct ctprof_report_line *line)
{
	static const enum style styles[] = {STYLE_ROOT, STYLE_BRANCH, STYLE_TWIG};
	guint32 depth = MIN(line->depth, G_N_ELEMENTS(styles) - 1);

	grid_heading(&pass->grid, column_indent(line->depth), line->names[line->n_names - 1],
		     line->n_names > 1 ? STYLE_PROCESS : styles[depth]);
}

static void walk(Pass *pass)
{
	gboolean is_ruled = !pass->headed || drawing_has(pass->section, CTPROF_SECTION_BARE);

	if (pass->headed)
		walk_line(pass, NULL);
	for (guint64 i = 0; i < pass->section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(pass->section->lines, i);

		if (line->flags & CTPROF_LINE_HIDDEN)
			continue;
		if (drawing_is_total(line) && !is_ruled && i > 0)
			grid_rule(&pass->grid);
		is_ruled = is_ruled || drawing_is_total(line);
		if (line->flags & CTPROF_LINE_HEADING)
			walk_heading(pass, line);
		else
			walk_line(pass, line);
	}
}

void layout_say(GString *text, const struct ctprof_report *report,
		const struct ctprof_sentence *sentence, const char *otherwise)
{
	/* Except on a screen, a sentence may continue on the next line. */
	gboolean is_screen =
		BORDER_MEMBER(report, height, 0) > 0 || (report->flags & CTPROF_REPORT_DENSE) != 0;
	gsize taken = sentence && sentence->role == CTPROF_SENTENCE_FINDING ? MARGINS + strlen(MARK)
									    : MARGINS - 1;
	char said[DRAWING_SENTENCE];

	if (sentence)
		drawing_say(sentence,
			    is_screen && report->width > 0 ? MAX(report->width, taken + 1) - taken
							   : 0,
			    said);
	label_append(text, sentence ? said : otherwise);
}

static void draw_note(FILE *stream, const struct ctprof_report *report,
		      const struct ctprof_report_section *section, guint64 i)
{
	const struct ctprof_sentence *sentence = DRAWING_SENTENCE_AT(section, sentences, i);
	g_autoptr(GString) text = g_string_new(NULL);
	gboolean is_finding = sentence && sentence->role == CTPROF_SENTENCE_FINDING;

	/* The mark counts towards the width. */
	g_string_append(text, is_finding ? MARK : "");
	layout_say(text, report, sentence, section->notes[i]);
	label_wrap(text, (guint)(report->width > 0 ? report->width - 1 : 0), MARGINS);
	fputc(' ', stream);
	if (is_finding)
		grid_print(stream, (report->flags & CTPROF_REPORT_COLOUR) != 0, STYLE_NOTE, MARK);
	fprintf(stream, "%s\n", text->str + (is_finding ? strlen(MARK) : 0));
}

static void draw_rest(FILE *stream, const struct ctprof_report *report,
		      const struct ctprof_report_section *section)
{
	const char *noun = section->covered;

	if (drawing_has(section, CTPROF_SECTION_HAS_COVERAGE))
		fprintf(stream,
			" %s%s%" PRIu64 " exact, %" PRIu64 " approximate, %" PRIu64 " missing\n",
			noun ? noun : "", noun ? ": " : "", section->n_exact,
			section->n_approximate, section->n_missing);
	for (guint64 i = 0; i < section->n_notes; i++)
		draw_note(stream, report, section, i);
}

void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section)
{
	g_auto(Pass) pass = {.report = report, .section = section};

	if (drawing_has(section, CTPROF_SECTION_TOLD)) {
		draw_rest(stream, report, section);
		return;
	}
	begin(&pass, stream);
	walk(&pass);
	grid_fit(&pass.grid, report->width,
		 !drawing_has(section, CTPROF_SECTION_METRICS) || drawing_is_of_runs(report));
	walk(&pass);
	/* Without headings, a line about other lines would look like one of them. */
	if (pass.headed)
		draw_rest(stream, report, section);
}
