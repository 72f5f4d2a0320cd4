/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes sections as tables. */
#pragma once

#include "column.h"
#include "markup.h"

/* Returns the text of a cell, as the table sink shows it; the caller frees it. */
char *tables_cell(const struct spot *spot, const struct drawn *drawn);
/* Writes a header for each column; extra: another header, after the first (NULL: none). */
void tables_put_head(FILE *stream, const GArray *columns, const char *extra);
/* Writes "<td>" or "<th>" for a cell with that text. */
void tables_open_cell(FILE *stream, const struct spot *spot, const struct drawn *drawn,
		      const char *text, gboolean is_name);

/* Writes section i below a heading that opens and closes it. */
void tables_put_section(FILE *stream, const struct ctprof_report *report, guint64 i);
/* Lists the groups of one side only, and cgroups that are treated as the same. */
void tables_put_only(FILE *stream, const struct ctprof_report *report);
