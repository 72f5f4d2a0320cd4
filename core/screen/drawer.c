/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "drawer.h"

#include <string.h>

/* The report with nothing in it that is not asked for. */
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

static gboolean draw(const Drawer *drawer, const struct ctprof_report *part, GPtrArray *lines,
		     GError **error)
{
	if (!plugin_draw(drawer->sink, drawer->output, part, error))
		return FALSE;
	g_autofree char *text = output_take_text(drawer->output, error);
	if (!text)
		return FALSE;
	g_auto(GStrv) split = g_strsplit(text, "\n", -1);
	/* After the last line end there is nothing. */
	for (guint i = 0; split[i] && split[i + 1]; i++)
		g_ptr_array_add(lines, g_strdup(split[i]));
	return TRUE;
}

gboolean drawer_titles(const Drawer *drawer, const struct ctprof_report *report, GPtrArray *lines,
		       GError **error)
{
	struct ctprof_report part = bare(drawer, report);

	part.n_titles = report->n_titles;
	return draw(drawer, &part, lines, error);
}

gboolean drawer_section(const Drawer *drawer, const struct ctprof_report *report,
			const struct ctprof_report_section *section, GPtrArray *lines,
			GError **error)
{
	struct ctprof_report part = bare(drawer, report);

	part.n_sections = 1;
	part.sections = section;
	return draw(drawer, &part, lines, error);
}

gboolean drawer_text(const Drawer *drawer, const char *text, GPtrArray *lines, GError **error)
{
	const struct ctprof_report_section note = {
		.struct_size = sizeof note,
		.flags = CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD,
		.name = "",
		.heading = "",
		.n_notes = 1,
		.notes = &text,
	};
	const struct ctprof_report part = {
		.struct_size = sizeof part,
		.flags = CTPROF_REPORT_HEADER | CTPROF_REPORT_DENSE,
		.width = drawer->width,
		.n_sections = 1,
		.sections = &note,
	};

	return draw(drawer, &part, lines, error);
}

const struct ctprof_report_section *drawer_find(const struct ctprof_report *report,
						const char *section)
{
	for (guint64 i = 0; i < report->n_sections; i++)
		if (strcmp(report->sections[i].name, section) == 0)
			return &report->sections[i];
	return NULL;
}

gint drawer_field(const struct ctprof_report_section *section, const char *name)
{
	for (guint64 i = 0; i < section->n_fields; i++)
		if (strcmp(section->fields[i].name, name) == 0)
			return (gint)i;
	return -1;
}

const struct ctprof_value *drawer_value(const struct ctprof_report *report,
					const struct ctprof_report_line *line, gint field)
{
	static const struct ctprof_value none = {.type = CTPROF_VALUE_ABSENT};
	guint newest = report->flags & CTPROF_REPORT_COMPARE ? 1 : 0;

	if (field < 0 || (guint64)field < line->first ||
	    (guint64)field >= line->first + line->n_cells)
		return &none;
	return &line->cells[(guint64)field - line->first].value[newest];
}
