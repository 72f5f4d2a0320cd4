/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns a table may have, and the text of their cells. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "style.h"

/* The place of a cell: everything that it is drawn from. */
struct spot {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct ctprof_cell *cell; /* the line's cell of that field; never NULL */
	guint64 part;                   /* index of one of the line's names */
	guint side;                     /* the side that the column shows */
	gdouble highest;                /* highest value of the field, if drawn as a bar */
};

struct column {
	guint32 id; /* enum ctprof_column, or 0 */
	const char *header;
	gboolean right; /* aligned to the right */
	guint side;     /* the side whose values the column shows */
	void (*fill)(GString *text, const struct spot *spot);
	double (*rank)(const struct spot *spot);      /* sort key; NULL, or NAN: use the text */
	enum style (*style)(const struct spot *spot); /* NULL: plain */
	const char *of_runs;                          /* header in a report of runs; or NULL */
};

/* Returns the column of an enum ctprof_column, or NULL. */
const struct column *column_find(guint32 id);

/* All names of the line in one cell; in a tree, only the last one. */
extern const struct column *const column_group;
/* One of the line's names. */
extern const struct column column_part;
/* The line's value of one of the section's fields. */
extern const struct column column_field;
/* The same value as a bar. */
extern const struct column column_bar;

/* A column of a section's table. */
struct drawn {
	const struct column *column;
	guint64 index;      /* index of one of the names, or of a field */
	const char *header; /* NULL: none */
	gboolean right, flexible;
	gboolean is_sorted; /* the lines are sorted by it */
	gdouble highest;    /* highest value in the column, if drawn as bars; otherwise 0 */
};

/* Returns the columns of a section (struct drawn): for a LONG section those that are requested
 * and not blank, otherwise its names and the fields that are for people. */
GArray *columns_choose(const struct ctprof_report *report,
		       const struct ctprof_report_section *section);
/* Returns everything that the cell of a line in a column is drawn from. */
struct spot columns_spot(const struct ctprof_report *report,
			 const struct ctprof_report_section *section,
			 const struct ctprof_report_line *line, const struct drawn *drawn);

/* Returns the highest value in the field of a column; 0: there is none. */
gdouble columns_highest(const struct ctprof_report *report,
			const struct ctprof_report_section *section, const struct drawn *drawn);
/* Returns the value that the bar of a cell shows; 0: no bar. */
gdouble column_length(const struct spot *spot);
/* Returns the indentation, in columns, at that depth in a tree. */
guint column_indent(guint32 depth);
