/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections as tables. */
#pragma once

#include "column.h"
#include "markup.h"

/* The text of a cell, as the table sink has it; the caller frees it. */
char *tables_cell(const struct spot *spot, const struct drawn *drawn);
/* A header for each column; extra: one more, after the first (NULL: none). */
void tables_put_head(FILE *stream, const GArray *columns, const char *extra);
/* "<td>" or "<th>" of a cell of that text. */
void tables_open_cell(FILE *stream, const struct spot *spot, const struct drawn *drawn,
		      const char *text, gboolean is_name);

/* Section i below a heading of its own, that is opened to be read. */
void tables_put_section(FILE *stream, const struct ctprof_report *report, guint64 i);
/* Groups of one side only, and cgroups that are taken for the same. */
void tables_put_only(FILE *stream, const struct ctprof_report *report);
