/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Charts of a page, as SVG that needs no script. */
#pragma once

#include "markup.h"

/* A piece of a bar. */
struct chart_part {
	const char *class; /* its colour, see page.css */
	char *name;        /* any bytes */
	char *shown;       /* its value, for people */
	double value;
	guint64 of; /* the caller's: what it was made of */
};

/* An array of them that frees what they own. */
GArray *chart_parts_new(void);
/* Adds a piece whose value is a number of that ladder; class must outlive it. */
void chart_add(GArray *parts, const char *class, const char *name, double value, guint32 ladder);

/* Gives the largest pieces a colour of their own, the largest first, and drops the others;
 * returns the sum of these. */
double chart_keep_largest(GArray *parts);
/* Gives pieces that another chart has, too, the colours that they have there. */
void chart_match(GArray *parts, const GArray *others);

/* Where a value is on so many pixels of which all stand for the whole. */
int chart_place(double value, double whole, int width);
/* A piece at a place of the axis ('x', 'y'), with its name and value for who points at it. */
void chart_put_piece(FILE *stream, const struct chart_part *part, const char *shown, char axis,
		     int at, int width, int height);
/* A bar of pieces side by side; whole: what its full width stands for. */
void chart_put_bar(FILE *stream, const char *class, const char *about, const GArray *parts,
		   double whole);
/* What its colours mean, each with its value. */
void chart_put_legend(FILE *stream, const GArray *parts);
/* A thin bar in a cell; nothing when there is no part to show. */
void chart_put_gauge(FILE *stream, double part, double whole);
/* One dot a run, a row for each side, its median, and the interval of the shift. */
void chart_put_strip(FILE *stream, const struct ctprof_cell *cell);
/* What its dots and lines mean. */
void chart_put_strip_key(FILE *stream, gboolean has_sides);
