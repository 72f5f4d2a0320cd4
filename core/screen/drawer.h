/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a report as lines of text: as the sink that draws tables has them. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "guard/output.h"
#include "page.h"
#include "plugin/plugin.h"

typedef struct drawer {
	Plugin *sink;
	Output *output; /* in memory */
	guint width;    /* columns they may take */
	GError *error;  /* why something could not be drawn; nothing is drawn after that */
} Drawer;

/* Add to lines (char *, owned): the first n lines above a report, ... */
void drawer_titles(Drawer *drawer, const struct ctprof_report *report, guint64 n, GPtrArray *lines);
/* ... or a sentence, on as many lines as it takes, with what no terminal should get escaped. */
void drawer_text(Drawer *drawer, const char *text, GPtrArray *lines);

/* A section of a report to be drawn; what it shows, and how, may be changed. */
typedef struct sheet {
	Drawer *drawer;
	struct ctprof_report report;
	struct ctprof_report_section section;
	struct ctprof_report_field *fields; /* its own: those of the section */
} Sheet;

/* FALSE: the report does not have it. */
gboolean sheet_take(Drawer *drawer, const struct ctprof_report *report, const char *section,
		    Sheet *ret_sheet);
void sheet_clear(Sheet *sheet);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

/* The newest value of a line's field; the same by its name. */
const struct ctprof_value *sheet_value(const Sheet *sheet, const struct ctprof_report_line *line,
				       guint64 field);
const struct ctprof_value *sheet_named(const Sheet *sheet, const struct ctprof_report_line *line,
				       const char *field);
/* Adds it to lines; of its notes one alone. */
void sheet_draw(const Sheet *sheet, GPtrArray *lines);
void sheet_draw_note(const Sheet *sheet, guint64 note, GPtrArray *lines);

/* How lines become rows: which fields say what a line is about, together, and which what is
 * opened by it; given: a field that it must have for that. */
typedef struct sheet_rows {
	const char *names[3]; /* NULL after the last */
	const char *subject, *given;
} SheetRows;

/* Lines become rows of the page; lines of sums stay visible below them. */
void sheet_fill(const Sheet *sheet, const SheetRows *rows, Page *page);
