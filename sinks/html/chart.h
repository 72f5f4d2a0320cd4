/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Charts of a page, as SVG that needs no script. */
#pragma once

#include "markup.h"

/* A piece of a bar. */
struct chart_part {
	const char *class; /* its colour, see page.css */
	char *name;        /* any bytes */
	char *shown;       /* its value, as text for people */
	double value;
	guint64 of; /* for the caller: identifies what the piece represents */
};

/* Returns an empty array of pieces that frees what they own. */
GArray *chart_parts_new(void);
/* Adds a piece whose value is a number of that ladder; class must outlive it. */
void chart_add(GArray *parts, const char *class, const char *name, double value, guint32 ladder);

/* Gives the largest pieces a colour of their own, the largest first, and drops the others;
 * returns the sum of the dropped ones. */
double chart_keep_largest(GArray *parts);
/* Gives pieces that are also in another chart the same colours as there. */
void chart_match(GArray *parts, const GArray *others);

/* Returns the pixel position of a value if width pixels represent whole. */
int chart_place(double value, double whole, int width);
/* Writes a piece at a place on the axis ('x', 'y'), with its name and value as a tooltip. */
void chart_put_piece(FILE *stream, const struct chart_part *part, const char *shown, char axis,
		     int at, int width, int height);
/* Writes a bar of pieces side by side; whole: the value of its full width. */
void chart_put_bar(FILE *stream, const char *class, const char *about, const GArray *parts,
		   double whole);
/* Writes the key to the bar's colours, each with its value. */
void chart_put_legend(FILE *stream, const GArray *parts);
/* Writes a thin bar in a cell, or nothing if there is no part to show. */
void chart_put_gauge(FILE *stream, double part, double whole);
/* Writes the distributions of both sides over each other, on a logarithmic axis, each as shares of
 * its values; nothing for a cell without any. */
void chart_put_distribution(FILE *stream, const struct ctprof_cell *cell);
/* Writes a dot per run in a row per side, the medians, and the interval of the shift. */
void chart_put_strip(FILE *stream, const struct ctprof_cell *cell);
/* Writes the key to the dots and lines of a strip. */
void chart_put_strip_key(FILE *stream, gboolean has_sides);
