/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "renderer.h"

#include <string.h>

/* ---- drawing ---------------------------------------------------------------------- */

/* Returns a copy of the report without any parts; the caller adds the parts to draw. */
static struct ctprof_report bare(const Renderer *renderer, const struct ctprof_report *report)
{
	struct ctprof_report part = *report;

	part.flags &= ~(CTPROF_REPORT_COLOUR | CTPROF_REPORT_ORPHANS);
	part.flags |= CTPROF_REPORT_HEADER | CTPROF_REPORT_DENSE;
	part.width = renderer->width;
	part.window = NULL;
	part.n_sections = part.n_titles = part.n_footers = part.n_warnings = 0;
	part.n_only[0] = part.n_only[1] = part.n_renames = part.n_hits = 0;
	return part;
}

static void draw(Renderer *renderer, const struct ctprof_report *part, GPtrArray *lines)
{
	if (renderer->error ||
	    !plugin_draw(renderer->sink, renderer->output, part, &renderer->error))
		return;
	g_autofree char *text = output_take_text(renderer->output, &renderer->error);
	if (!text)
		return;
	g_auto(GStrv) split = g_strsplit(text, "\n", -1);
	/* The part after the last line end is empty. */
	for (guint i = 0; split[i] && split[i + 1]; i++)
		g_ptr_array_add(lines, g_strdup(split[i]));
}

static void draw_section(Renderer *renderer, const struct ctprof_report *report,
			 const struct ctprof_report_section *section, GPtrArray *lines)
{
	struct ctprof_report part = bare(renderer, report);

	part.n_sections = 1;
	part.sections = section;
	draw(renderer, &part, lines);
}

void renderer_titles(Renderer *renderer, const struct ctprof_report *report, guint64 n,
		     GPtrArray *lines)
{
	struct ctprof_report part = bare(renderer, report);

	part.n_titles = MIN(n, report->n_titles);
	draw(renderer, &part, lines);
}

void renderer_text(Renderer *renderer, const char *text, GPtrArray *lines)
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

	draw_section(renderer, &report, &note, lines);
}

/* ---- sections ----------------------------------------------------------------------- */

gboolean panel_take(Renderer *renderer, const struct ctprof_report *report, const char *section,
		    Panel *ret_panel)
{
	*ret_panel = (Panel){.renderer = renderer, .report = *report};
	for (guint64 i = 0; i < report->n_sections; i++) {
		if (strcmp(report->sections[i].name, section) != 0)
			continue;
		ret_panel->section = report->sections[i];
		ret_panel->section.fields = ret_panel->fields =
			g_memdup2(report->sections[i].fields,
				  report->sections[i].n_fields * sizeof *ret_panel->fields);
		return TRUE;
	}
	return FALSE;
}

void panel_clear(Panel *panel)
{
	g_clear_pointer(&panel->fields, g_free);
}

const struct ctprof_value *panel_value(const Panel *panel, const struct ctprof_report_line *line,
				       guint64 field)
{
	static const struct ctprof_value none = {.type = CTPROF_VALUE_ABSENT};
	guint newest = panel->report.flags & CTPROF_REPORT_COMPARE ? 1 : 0;

	return field < line->first || field >= line->first + line->n_cells
		       ? &none
		       : &line->cells[field - line->first].value[newest];
}

const struct ctprof_value *
panel_value_by_name(const Panel *panel, const struct ctprof_report_line *line, const char *field)
{
	guint64 i = 0;

	while (i < panel->section.n_fields && strcmp(panel->fields[i].name, field) != 0)
		i++;
	return panel_value(panel, line, i < panel->section.n_fields ? i : G_MAXUINT64);
}

void panel_draw(const Panel *panel, GPtrArray *lines)
{
	draw_section(panel->renderer, &panel->report, &panel->section, lines);
}

void panel_draw_note(const Panel *panel, guint64 note, GPtrArray *lines)
{
	Panel part = *panel;

	part.section.n_notes = 1;
	part.section.notes += note;
	part.section.sentences += part.section.sentences ? note : 0;
	panel_draw(&part, lines);
}

/* ---- rows of sections --------------------------------------------------------------- */

/* Returns the text of a field; NULL: the line does not have it. */
static char *text_of(const Panel *panel, const struct ctprof_report_line *line, const char *field)
{
	const struct ctprof_value *value = panel_value_by_name(panel, line, field);

	if (value->type == CTPROF_VALUE_NUMBER)
		return g_strdup_printf("%" G_GUINT64_FORMAT, value->number);
	return g_strdup(value->text);
}

static void add_row(const Panel *panel, const struct ctprof_report_line *line,
		    const PanelRows *rows, char *text, Page *page)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(rows->names) && rows->names[i]; i++) {
		g_autofree char *part = text_of(panel, line, rows->names[i]);

		g_string_append_printf(name, "%s%s", i > 0 ? " " : "", part ? part : "");
	}
	gboolean opens = !rows->given ||
			 panel_value_by_name(panel, line, rows->given)->type != CTPROF_VALUE_ABSENT;
	g_autofree char *subject = opens ? text_of(panel, line, rows->subject) : NULL;
	page_add_row(page, text, name->str, subject);
}

void panel_fill(const Panel *panel, const PanelRows *rows, Page *page)
{
	const struct ctprof_report_section *section = &panel->section;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	panel_draw(panel, lines);
	/* The first line is the heading, the next ones are the section's lines; the rest is below
	 * them. */
	for (guint i = 0; i < lines->len; i++) {
		char *text = g_steal_pointer(&g_ptr_array_index(lines, i));
		const struct ctprof_report_line *line =
			i > 0 && i <= section->n_lines ? &section->lines[i - 1] : NULL;

		if (line && !(line->flags & CTPROF_LINE_TOTAL))
			add_row(panel, line, rows, text, page);
		else
			g_ptr_array_add(i == 0 ? page->heading : page->foot, text);
	}
}
