/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns a table may have, and the text of their cells. */
#pragma once

#include "ctprof/report.h"
#include "grid.h"

/* What a cell is drawn from. */
struct spot {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct ctprof_cell *cell; /* the line's of that field; never NULL */
	guint64 part;                   /* of the line's names */
};

struct column {
	guint32 id; /* enum ctprof_column, or 0 */
	const char *header;
	gboolean right; /* aligned to the right */
	void (*fill)(GString *text, const struct spot *spot);
	enum style (*style)(const struct spot *spot); /* NULL: plain */
};

/* The column of an enum ctprof_column, or NULL. */
const struct column *column_find(guint32 id);

/* What the line is about, in one cell: all its names, or in a tree the last. */
extern const struct column *const column_group;
/* One of its names. */
extern const struct column column_part;
/* What it says in one of the section's fields. */
extern const struct column column_field;

/* Where what is so deep in a tree begins. */
guint column_indent(guint32 depth);
