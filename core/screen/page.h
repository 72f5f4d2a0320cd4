/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The content of the screen: lines above a table, its rows, and lines below it. */
#pragma once

#include <glib.h>

#include "terminal.h"

/* A row of the table. */
typedef struct row {
	char *text;
	char *name;    /* what it is about; NULL: a line to be read */
	char *subject; /* of the page that it opens; NULL: it opens none */
} Row;

typedef struct page {
	GPtrArray *head;    /* char *, owned, as are all lines */
	GPtrArray *alarms;  /* those lines of the head that stand out */
	GPtrArray *heading; /* of the table: one line, or none */
	GArray *rows;       /* Row */
	GPtrArray *foot;    /* sums */
	GPtrArray *notes;   /* below them, as far as there is room */
} Page;

Page *page_new(void);
void page_free(Page *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Page, page_free)

/* Adds a row; text, the caller's, is then the page's. */
void page_add_row(Page *page, char *text, const char *name, const char *subject);
const Row *page_row(const Page *page, guint i);

/* The next row after from, and around, whose name has text in it; or -1. */
gint page_search(const Page *page, guint from, const char *text);

/* Where on it the user is. */
typedef struct place {
	char *name; /* of the row; NULL: the first */
	guint row, top;
} Place;

/* Draws it from the top row of the terminal on, at most height rows; the row of the place is
 * visible. */
void page_draw(const Page *page, Terminal *terminal, guint height, Place *place);
/* Moves the place by so many rows. */
void page_move(const Page *page, Place *place, gint by);
/* The number of rows that are visible. */
guint page_visible(const Page *page, guint height);
