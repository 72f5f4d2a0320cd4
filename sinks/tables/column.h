/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns a table may have, and the text of their cells. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "style.h"

/* What a cell is drawn from. */
struct spot {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct ctprof_cell *cell; /* the line's of that field; never NULL */
	guint64 part;                   /* of the line's names */
	guint side;                     /* that the column is of */
	gdouble highest;                /* value of that field, where it is drawn as a bar */
};

struct column {
	guint32 id; /* enum ctprof_column, or 0 */
	const char *header;
	gboolean right; /* aligned to the right */
	guint side;     /* whose values it has */
	void (*fill)(GString *text, const struct spot *spot);
	double (*rank)(const struct spot *spot);      /* for order; NULL, or NAN: by its text */
	enum style (*style)(const struct spot *spot); /* NULL: plain */
	const char *of_runs;                          /* the header where it is of runs; or NULL */
};

/* The column of an enum ctprof_column, or NULL. */
const struct column *column_find(guint32 id);

/* What the line is about, in one cell: all its names, or in a tree the last. */
extern const struct column *const column_group;
/* One of its names. */
extern const struct column column_part;
/* What it says in one of the section's fields. */
extern const struct column column_field;
/* The same as a bar. */
extern const struct column column_bar;

/* A column of a section's table. */
struct drawn {
	const struct column *column;
	guint64 index;      /* which part of the names, or which field */
	const char *header; /* NULL: none */
	gboolean right, flexible;
	gboolean is_sorted; /* the lines are in its order */
	gdouble highest;    /* value in it, where it is drawn as bars; 0 otherwise */
};

/* The columns of a section (struct drawn): of a LONG one those that are asked for and
 * not blank, else its names and those of its fields that are for people. */
GArray *columns_choose(const struct ctprof_report *report,
		       const struct ctprof_report_section *section);
/* What a line has in a column. */
struct spot columns_spot(const struct ctprof_report *report,
			 const struct ctprof_report_section *section,
			 const struct ctprof_report_line *line, const struct drawn *drawn);

/* The highest value in the field of a column; 0: there is none. */
gdouble columns_highest(const struct ctprof_report *report,
			const struct ctprof_report_section *section, const struct drawn *drawn);
/* What the bar of a cell is to be as long as; 0: it has none. */
gdouble column_length(const struct spot *spot);
/* Where what is so deep in a tree begins. */
guint column_indent(guint32 depth);
