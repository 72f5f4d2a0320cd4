/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws parts of a report as lines of text, with the sink that draws tables. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "guard/output.h"
#include "page.h"
#include "plugin/plugin.h"

typedef struct renderer {
	Plugin *sink;
	Output *output; /* in memory */
	guint width;    /* columns that a line may take */
	GError *error;  /* why something could not be drawn; nothing more is drawn then */
} Renderer;

/* Appends the first n lines above a report to lines (char *, owned). */
void renderer_titles(Renderer *renderer, const struct ctprof_report *report, guint64 n,
		     GPtrArray *lines);
/* Appends a sentence, on as many lines as it takes, and escapes characters that no terminal must
 * get. */
void renderer_text(Renderer *renderer, const char *text, GPtrArray *lines);

/* A section of a report to be drawn; its content and form may be changed first. */
typedef struct panel {
	Renderer *renderer;
	struct ctprof_report report;
	struct ctprof_report_section section;
	struct ctprof_report_field *fields; /* its own copy of the section's fields */
} Panel;

/* FALSE: the report does not have the section. */
gboolean panel_take(Renderer *renderer, const struct ctprof_report *report, const char *section,
		    Panel *ret_panel);
void panel_clear(Panel *panel);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Panel, panel_clear)

/* Return the newest value of a line's field, by index or by name. */
const struct ctprof_value *panel_value(const Panel *panel, const struct ctprof_report_line *line,
				       guint64 field);
const struct ctprof_value *
panel_value_by_name(const Panel *panel, const struct ctprof_report_line *line, const char *field);
/* Appends the section to lines, with all its notes or with only one. */
void panel_draw(const Panel *panel, GPtrArray *lines);
void panel_draw_note(const Panel *panel, guint64 note, GPtrArray *lines);

/* How lines become rows.  names: the fields that together say what a line is about; subject: the
 * field that says what the row opens; given: a field that the line must have for that; NULL:
 * none. */
typedef struct panel_rows {
	const char *names[3]; /* NULL after the last */
	const char *subject, *given;
} PanelRows;

/* Makes the lines rows of the page; lines of sums stay visible below them. */
void panel_fill(const Panel *panel, const PanelRows *rows, Page *page);
