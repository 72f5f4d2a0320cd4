/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text of the host's in a page: it can neither begin a tag nor leave an attribute. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "drawing.h"

/* Any bytes, as text or as the value of a quoted attribute. */
void markup_put(FILE *stream, const char *bytes);
/* A sentence, or if it is NULL another text: parts that are apart are each in a span.  known: what
 * is said already, and left out in front; or NULL. */
void markup_put_sentence(FILE *stream, const struct ctprof_sentence *sentence,
			 const char *otherwise, const char *known);
/* A time in the zone it has, which is named if is_zoned; NULL: unknown, nothing. */
void markup_put_time(FILE *stream, GDateTime *time, const char *format, gboolean is_zoned);
/* The notes of a section, a paragraph each. */
void markup_put_notes(FILE *stream, const struct ctprof_report_section *section);
/* Opens what is wider than a narrow window, as a region of that name (any bytes). */
void markup_open_scroll(FILE *stream, const char *name);
/* The name of a capture: its file without folder and ending. */
char *markup_name_file(const char *file);
/* What a file, or two, are called in a title: without the times, which stand below it. */
char *markup_name_files(const struct ctprof_report *report);

/* The place of the field of a role in a section; n_fields: it has none. */
guint64 markup_find_role(const struct ctprof_report_section *section, guint32 role);
/* The place of a field in a section; n_fields: it has none of that name. */
guint64 markup_find_field(const struct ctprof_report_section *section, const char *name);
/* The section of that name; NULL: there is none. */
const struct ctprof_report_section *markup_find_section(const struct ctprof_report *report,
							const char *name);
/* What a cell has of the newest capture. */
const struct ctprof_value *markup_newest(const struct ctprof_report *report,
					 const struct ctprof_cell *cell);
/* A value as a number; NAN: it is none. */
double markup_number(const struct ctprof_value *value);
/* The same of a line's field, of the newest capture. */
double markup_number_of(const struct ctprof_report *report, const struct ctprof_report_line *line,
			guint64 field);
/* Why a value is missing: "denied"; NULL: nothing says so. */
const char *markup_why(const struct ctprof_value *value);
