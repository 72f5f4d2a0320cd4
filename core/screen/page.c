/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <string.h>

/* At least this many rows of the table stay visible; lines above it are dropped for them. */
#define FEWEST_ROWS 5

static void row_clear(gpointer data)
{
	Row *row = data;

	g_free(row->text);
	g_free(row->name);
	g_free(row->subject);
}

Page *page_new(void)
{
	Page *page = g_new0(Page, 1);

	page->head = g_ptr_array_new_with_free_func(g_free);
	page->alarms = g_ptr_array_new();
	page->heading = g_ptr_array_new_with_free_func(g_free);
	page->rows = g_array_new(FALSE, FALSE, sizeof(Row));
	g_array_set_clear_func(page->rows, row_clear);
	page->foot = g_ptr_array_new_with_free_func(g_free);
	page->notes = g_ptr_array_new_with_free_func(g_free);
	return page;
}

void page_free(Page *page)
{
	g_ptr_array_unref(page->head);
	g_ptr_array_unref(page->alarms);
	g_ptr_array_unref(page->heading);
	g_array_unref(page->rows);
	g_ptr_array_unref(page->foot);
	g_ptr_array_unref(page->notes);
	g_free(page);
}

void page_add_row(Page *page, char *text, const char *name, const char *subject)
{
	const Row row = {text, g_strdup(name), g_strdup(subject)};

	g_array_append_val(page->rows, row);
}

const Row *page_row(const Page *page, guint i)
{
	return &g_array_index(page->rows, Row, i);
}

/* Returns the row of that name, or -1. */
static gint find_row(const Page *page, const char *name)
{
	for (guint i = 0; name && i < page->rows->len; i++)
		if (g_strcmp0(page_row(page, i)->name, name) == 0)
			return (gint)i;
	return -1;
}

gint page_search(const Page *page, guint from, const char *text)
{
	g_autofree char *wanted = g_utf8_strdown(text, -1);

	for (guint i = 1; i <= page->rows->len; i++) {
		guint at = (from + i) % page->rows->len;
		g_autofree char *row = g_utf8_strdown(page_row(page, at)->text, -1);

		if (strstr(row, wanted))
			return (gint)at;
	}
	return -1;
}

/* Returns the number of lines that are available around the table. */
static guint count_room(const Page *page, guint height)
{
	guint rest = page->heading->len + page->foot->len + MIN(page->rows->len, FEWEST_ROWS);

	return height > rest ? height - rest : 0;
}

/* Returns how many of the lines above the table fit; those below it get the rest. */
static guint count_head(const Page *page, guint height)
{
	return MIN(page->head->len, count_room(page, height));
}

static guint count_notes(const Page *page, guint height)
{
	return MIN(page->notes->len, count_room(page, height) - count_head(page, height));
}

guint page_visible(const Page *page, guint height)
{
	guint taken = count_head(page, height) + page->heading->len + page->foot->len +
		      count_notes(page, height);

	return MAX(height > taken ? height - taken : 0, 1);
}

/* Rows without names are text, which scrolls as a whole. */
static gboolean is_text(const Page *page)
{
	return page->rows->len > 0 && !page_row(page, 0)->name;
}

/* Finds the row by its name, as its number may have changed, and makes it visible. */
static void find_place(const Page *page, guint visible, Place *place)
{
	gint found = find_row(page, place->name);
	guint n = page->rows->len;

	if (found >= 0)
		place->row = (guint)found;
	place->row = MIN(place->row, n > 0 ? n - 1 : 0);
	if (place->row < place->top || is_text(page))
		place->top = place->row;
	if (place->row >= place->top + visible)
		place->top = place->row - visible + 1;
	place->top = MIN(place->top, n > visible ? n - visible : 0);
	if (is_text(page))
		place->row = place->top;
}

static void put_all(Terminal *terminal, guint *row, const GPtrArray *lines, guint n,
		    enum terminal_style style)
{
	for (guint i = 0; i < n; i++)
		terminal_put(terminal, (*row)++, g_ptr_array_index(lines, i), style);
}

void page_draw(const Page *page, Terminal *terminal, guint height, Place *place)
{
	guint n_head = count_head(page, height), visible = page_visible(page, height);
	guint row = 0;

	find_place(page, visible, place);
	for (guint i = 0; i < n_head; i++) {
		gpointer line = g_ptr_array_index(page->head, i);

		terminal_put(terminal, row++, line,
			     g_ptr_array_find(page->alarms, line, NULL) ? TERMINAL_ALARM
			     : i == 0                                   ? TERMINAL_BOLD
									: TERMINAL_PLAIN);
	}
	put_all(terminal, &row, page->heading, page->heading->len, TERMINAL_HEADING);
	for (guint i = place->top; i < MIN(place->top + visible, page->rows->len); i++)
		terminal_put(terminal, row++, page_row(page, i)->text,
			     i == place->row && page_row(page, i)->name ? TERMINAL_CHOSEN
									: TERMINAL_PLAIN);
	put_all(terminal, &row, page->foot, page->foot->len, TERMINAL_BOLD);
	put_all(terminal, &row, page->notes, count_notes(page, height), TERMINAL_PLAIN);
	while (row < height)
		terminal_put(terminal, row++, "", TERMINAL_PLAIN);
}

void page_move(const Page *page, Place *place, gint by)
{
	gint last = (gint)page->rows->len - 1;
	gint row = CLAMP((gint)place->row + by, 0, MAX(last, 0));

	place->row = (guint)row;
	g_free(place->name);
	place->name = last >= 0 ? g_strdup(page_row(page, (guint)row)->name) : NULL;
}
