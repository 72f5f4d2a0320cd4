/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "drawer.h"

#include <string.h>

/* ---- drawing ---------------------------------------------------------------------- */

/* Returns a copy of the report with no parts; the caller adds those to draw. */
static struct ctprof_report bare(const Drawer *drawer, const struct ctprof_report *report)
{
	struct ctprof_report part = *report;

	part.flags &= ~(CTPROF_REPORT_COLOUR | CTPROF_REPORT_ORPHANS);
	part.flags |= CTPROF_REPORT_HEADER | CTPROF_REPORT_DENSE;
	part.width = drawer->width;
	part.window = NULL;
	part.n_sections = part.n_titles = part.n_footers = part.n_warnings = 0;
	part.n_only[0] = part.n_only[1] = part.n_renames = part.n_hits = 0;
	return part;
}

static void draw(Drawer *drawer, const struct ctprof_report *part, GPtrArray *lines)
{
	if (drawer->error || !plugin_draw(drawer->sink, drawer->output, part, &drawer->error))
		return;
	g_autofree char *text = output_take_text(drawer->output, &drawer->error);
	if (!text)
		return;
	g_auto(GStrv) split = g_strsplit(text, "\n", -1);
	/* The part after the last line end is empty. */
	for (guint i = 0; split[i] && split[i + 1]; i++)
		g_ptr_array_add(lines, g_strdup(split[i]));
}

static void draw_section(Drawer *drawer, const struct ctprof_report *report,
			 const struct ctprof_report_section *section, GPtrArray *lines)
{
	struct ctprof_report part = bare(drawer, report);

	part.n_sections = 1;
	part.sections = section;
	draw(drawer, &part, lines);
}

void drawer_titles(Drawer *drawer, const struct ctprof_report *report, guint64 n, GPtrArray *lines)
{
	struct ctprof_report part = bare(drawer, report);

	part.n_titles = MIN(n, report->n_titles);
	draw(drawer, &part, lines);
}

void drawer_text(Drawer *drawer, const char *text, GPtrArray *lines)
{
	static const struct ctprof_report report = {.struct_size = sizeof report};
	const struct ctprof_report_section note = {
		.struct_size = sizeof note,
		.flags = CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD,
		.name = "",
		.heading = "",
		.n_notes = 1,
		.notes = &text,
	};

	draw_section(drawer, &report, &note, lines);
}

/* ---- sections ----------------------------------------------------------------------- */

gboolean sheet_take(Drawer *drawer, const struct ctprof_report *report, const char *section,
		    Sheet *ret_sheet)
{
	*ret_sheet = (Sheet){.drawer = drawer, .report = *report};
	for (guint64 i = 0; i < report->n_sections; i++) {
		if (strcmp(report->sections[i].name, section) != 0)
			continue;
		ret_sheet->section = report->sections[i];
		ret_sheet->section.fields = ret_sheet->fields =
			g_memdup2(report->sections[i].fields,
				  report->sections[i].n_fields * sizeof *ret_sheet->fields);
		return TRUE;
	}
	return FALSE;
}

void sheet_clear(Sheet *sheet)
{
	g_clear_pointer(&sheet->fields, g_free);
}

const struct ctprof_value *sheet_value(const Sheet *sheet, const struct ctprof_report_line *line,
				       guint64 field)
{
	static const struct ctprof_value none = {.type = CTPROF_VALUE_ABSENT};
	guint newest = sheet->report.flags & CTPROF_REPORT_COMPARE ? 1 : 0;

	return field < line->first || field >= line->first + line->n_cells
		       ? &none
		       : &line->cells[field - line->first].value[newest];
}

const struct ctprof_value *sheet_named(const Sheet *sheet, const struct ctprof_report_line *line,
				       const char *field)
{
	guint64 i = 0;

	while (i < sheet->section.n_fields && strcmp(sheet->fields[i].name, field) != 0)
		i++;
	return sheet_value(sheet, line, i < sheet->section.n_fields ? i : G_MAXUINT64);
}

void sheet_draw(const Sheet *sheet, GPtrArray *lines)
{
	draw_section(sheet->drawer, &sheet->report, &sheet->section, lines);
}

void sheet_draw_note(const Sheet *sheet, guint64 note, GPtrArray *lines)
{
	Sheet part = *sheet;

	part.section.n_notes = 1;
	part.section.notes += note;
	part.section.sentences += part.section.sentences ? note : 0;
	sheet_draw(&part, lines);
}

/* ---- rows of sections --------------------------------------------------------------- */

/* Returns the text of a field; NULL: the line does not have it. */
static char *text_of(const Sheet *sheet, const struct ctprof_report_line *line, const char *field)
{
	const struct ctprof_value *value = sheet_named(sheet, line, field);

	if (value->type == CTPROF_VALUE_NUMBER)
		return g_strdup_printf("%" G_GUINT64_FORMAT, value->number);
	return g_strdup(value->text);
}

static void add_row(const Sheet *sheet, const struct ctprof_report_line *line,
		    const SheetRows *rows, char *text, Page *page)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(rows->names) && rows->names[i]; i++) {
		g_autofree char *part = text_of(sheet, line, rows->names[i]);

		g_string_append_printf(name, "%s%s", i > 0 ? " " : "", part ? part : "");
	}
	gboolean opens =
		!rows->given || sheet_named(sheet, line, rows->given)->type != CTPROF_VALUE_ABSENT;
	g_autofree char *subject = opens ? text_of(sheet, line, rows->subject) : NULL;
	page_add_row(page, text, name->str, subject);
}

void sheet_fill(const Sheet *sheet, const SheetRows *rows, Page *page)
{
	const struct ctprof_report_section *section = &sheet->section;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	sheet_draw(sheet, lines);
	/* The first line is the heading, the next ones are the section's lines; the rest is below
	 * them. */
	for (guint i = 0; i < lines->len; i++) {
		char *text = g_steal_pointer(&g_ptr_array_index(lines, i));
		const struct ctprof_report_line *line =
			i > 0 && i <= section->n_lines ? &section->lines[i - 1] : NULL;

		if (line && !(line->flags & CTPROF_LINE_TOTAL))
			add_row(sheet, line, rows, text, page);
		else
			g_ptr_array_add(i == 0 ? page->heading : page->foot, text);
	}
}
