/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The content of the screen: lines above a table, its rows, and lines below it. */
#pragma once

#include <glib.h>

#include "terminal.h"

/* A row of the table. */
typedef struct row {
	char *text;
	char *name;    /* what it is about; NULL: the row is only text */
	char *subject; /* kind of the page that it opens; NULL: none */
} Row;

typedef struct page {
	GPtrArray *head;    /* char *, owned, as are all lines */
	GPtrArray *alarms;  /* those lines of the head that stand out */
	GPtrArray *heading; /* headers of the table: one line, or none */
	GArray *rows;       /* Row */
	GPtrArray *foot;    /* sums */
	GPtrArray *notes;   /* below the foot, as far as there is room */
} Page;

Page *page_new(void);
void page_free(Page *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Page, page_free)

/* Adds a row; takes ownership of text. */
void page_add_row(Page *page, char *text, const char *name, const char *subject);
const Row *page_row(const Page *page, guint i);

/* Returns the next row after from, wrapping around, that contains text, ignoring case; -1: none. */
gint page_search(const Page *page, guint from, const char *text);

/* The user's position on a page. */
typedef struct place {
	char *name; /* subject of the row; NULL: find it by number */
	guint row, top;
} Place;

/* Draws the page from the top row of the terminal on, on at most height rows; makes the row of the
 * place visible. */
void page_draw(const Page *page, Terminal *terminal, guint height, Place *place);
/* Moves the place by a number of rows. */
void page_move(const Page *page, Place *place, gint by);
/* Returns the number of rows that are visible. */
guint page_visible(const Page *page, guint height);
