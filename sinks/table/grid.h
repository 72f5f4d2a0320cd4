/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Aligned columns, in two passes over the same lines: one that measures, one
 * that prints.  Nothing of a line is kept, so a report may be of any length.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

enum style {
	STYLE_NONE,
	STYLE_HEADER,
	STYLE_MORE,      /* a value that grew */
	STYLE_LESS,      /* one that shrank */
	STYLE_LEVEL,     /* one that did neither */
	STYLE_MUCH_MORE, /* by more than half */
	STYLE_MUCH_LESS,
	STYLE_OLD, /* age */
	STYLE_AGED,
	STYLE_YOUNG,
	STYLE_ROOT, /* headings of a tree, by depth */
	STYLE_BRANCH,
	STYLE_TWIG,
	STYLE_PROCESS,
	STYLE_COMPUTED,
	STYLE_NOTE,
	STYLE_NAME,
	N_STYLES,
};

struct cell {
	GString *text;
	enum style style;
	gboolean right; /* aligned to the right; kept from line to line */
	guint width;    /* of the column */
};

typedef struct grid {
	FILE *stream;
	gboolean coloured;
	gboolean measuring;
	guint n;
	struct cell *cells;
	guint flexible; /* the column that may be cut */
} Grid;

void grid_init(Grid *grid, FILE *stream, gboolean coloured, guint n);
void grid_clear(Grid *grid);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Grid, grid_clear)

/* Ends the measuring; width: of the terminal, 0: no limit. */
void grid_fit(Grid *grid, guint64 width);

/* The text of a cell of the line being made, to be appended to. */
GString *grid_text(Grid *grid, guint column);
void grid_style(Grid *grid, guint column, enum style style);
/* Measures or prints the line, and begins the next. */
void grid_end_line(Grid *grid);
/* A line of its own across all columns, below which others stand. */
void grid_heading(Grid *grid, guint indent, const char *name, enum style style);

/* A line that parts what is above it from what is below. */
void grid_rule(Grid *grid);

/* Text in a style, when coloured. */
void grid_print(FILE *stream, gboolean coloured, enum style style, const char *text);
