/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws parts of a report as lines of text, with the sink that draws tables. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "guard/output.h"
#include "page.h"
#include "plugin/plugin.h"

typedef struct drawer {
	Plugin *sink;
	Output *output; /* in memory */
	guint width;    /* columns that a line may take */
	GError *error;  /* why something could not be drawn; nothing is drawn after that */
} Drawer;

/* Appends the first n lines above a report to lines (char *, owned). */
void drawer_titles(Drawer *drawer, const struct ctprof_report *report, guint64 n, GPtrArray *lines);
/* Appends a sentence, on as many lines as it takes, and escapes characters that no terminal must
 * get. */
void drawer_text(Drawer *drawer, const char *text, GPtrArray *lines);

/* A section of a report to be drawn; its content and form may be changed first. */
typedef struct sheet {
	Drawer *drawer;
	struct ctprof_report report;
	struct ctprof_report_section section;
	struct ctprof_report_field *fields; /* its own copy of the section's fields */
} Sheet;

/* FALSE: the report does not have the section. */
gboolean sheet_take(Drawer *drawer, const struct ctprof_report *report, const char *section,
		    Sheet *ret_sheet);
void sheet_clear(Sheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

/* Return the newest value of a line's field, by index or by name. */
const struct ctprof_value *sheet_value(const Sheet *sheet, const struct ctprof_report_line *line,
				       guint64 field);
const struct ctprof_value *sheet_named(const Sheet *sheet, const struct ctprof_report_line *line,
				       const char *field);
/* Appends the section to lines, with all its notes or with only one. */
void sheet_draw(const Sheet *sheet, GPtrArray *lines);
void sheet_draw_note(const Sheet *sheet, guint64 note, GPtrArray *lines);

/* How lines become rows.  names: the fields that together say what a line is about; subject: the
 * field that says what the row opens; given: a field that the line must have for that; NULL:
 * none. */
typedef struct sheet_rows {
	const char *names[3]; /* NULL after the last */
	const char *subject, *given;
} SheetRows;

/* Makes the lines rows of the page; lines of sums stay visible below them. */
void sheet_fill(const Sheet *sheet, const SheetRows *rows, Page *page);
