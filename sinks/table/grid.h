/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Aligns columns in two passes over the same lines: one measures, one prints.  No line is stored,
 * so a report may have any length.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "style.h"

struct cell {
	GString *text;
	enum style style;
	gboolean right; /* aligned right; persists from line to line */
	guint width;    /* of the column */
	guint least;    /* minimum width when cut; 0: never cut; persists, too */
	gboolean spare; /* drawn only if nothing must be cut for it; persists, too */
	gboolean kept;  /* dropped after the others; persists, too */
	gboolean dropped;
};

typedef struct grid {
	FILE *stream;
	gboolean coloured;
	gboolean measuring;
	guint n; /* number of columns */
	struct cell *cells;
} Grid;

void grid_init(Grid *grid, FILE *stream, gboolean coloured, guint n);
void grid_clear(Grid *grid);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Grid, grid_clear)

/* Ends measuring.  width: of the terminal; 0: no limit.  Cuts columns that may be cut,
 * from the right; if that is not enough and may_drop, drops columns from the right,
 * kept ones last. */
void grid_fit(Grid *grid, guint64 width, gboolean may_drop);

/* Measures or prints the line of the texts and styles of the cells, and empties them. */
void grid_end_line(Grid *grid);
/* Writes a heading across all columns, above other lines. */
void grid_heading(Grid *grid, guint indent, const char *name, enum style style);

/* Writes a rule between two parts of the table. */
void grid_rule(Grid *grid);

/* Prints text, in a style if coloured. */
void grid_print(FILE *stream, gboolean coloured, enum style style, const char *text);
