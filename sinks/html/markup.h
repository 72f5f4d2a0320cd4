/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts text from the host into a page such that it can neither begin a tag nor end an attribute. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "drawing.h"

/* Writes any bytes as text, or as the value of a quoted attribute. */
void markup_put(FILE *stream, const char *bytes);
/* Writes any bytes (NULL: none) as text between two pieces of markup. */
void markup_put_in(FILE *stream, const char *before, const char *bytes, const char *after);
/* Writes a sentence, or `otherwise` if that is NULL; each piece that is APART gets a span.  known:
 * a beginning that is left out, because it is shown already; or NULL. */
void markup_put_sentence(FILE *stream, const struct ctprof_sentence *sentence,
			 const char *otherwise, const char *known);
/* Writes a time in its time zone, with the zone's name if is_zoned; nothing if time is NULL. */
void markup_put_time(FILE *stream, GDateTime *time, const char *format, gboolean is_zoned);
/* Writes each note of a section as a paragraph. */
void markup_put_notes(FILE *stream, const struct ctprof_report_section *section);
/* Opens a region of that name (any bytes) that scrolls if it is wider than the window. */
void markup_open_scroll(FILE *stream, const char *name);
/* Returns the name of a capture: its file without directory and ending. */
char *markup_name_file(const char *file);
/* Returns the name of one or two files in a title, without the times, which are shown below. */
char *markup_name_files(const struct ctprof_report *report);

/* Returns the index of the field with a role in a section; n_fields: there is none. */
guint64 markup_find_role(const struct ctprof_report_section *section, guint32 role);
/* Returns the index of the field of that name in a section; n_fields: there is none. */
guint64 markup_find_field(const struct ctprof_report_section *section, const char *name);
/* Returns the section of that name; NULL: there is none. */
const struct ctprof_report_section *markup_find_section(const struct ctprof_report *report,
							const char *name);
/* Returns the value that a cell has for the newest capture. */
const struct ctprof_value *markup_newest(const struct ctprof_report *report,
					 const struct ctprof_cell *cell);
/* Returns a value as a number; NAN: it is not a number. */
double markup_number(const struct ctprof_value *value);
/* Returns that number for a field of a line, in the newest capture. */
double markup_number_of(const struct ctprof_report *report, const struct ctprof_report_line *line,
			guint64 field);
