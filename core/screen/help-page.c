/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pages of the keys, and of the choice of columns. */
#include <string.h>

#include "columns.h"
#include "inside.h"
#include "keys.h"

static gboolean make_help(Screen *screen, const char *subject, Page *page, GError **error)
{
	static const char keys[] = KEYS_EVERYWHERE(KEY_LINE), more[] = KEYS_OF_REPLAY(KEY_LINE);
	g_autofree char *text = g_strconcat(keys, screen->feed->is_replay ? more : "",
					    "\n  Columns\n" COLUMNS_HELP, NULL);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	(void)subject;
	(void)error;
	g_ptr_array_add(page->heading, g_strdup(" Keys, and below them the columns (PgDn)"));
	for (guint i = 0; lines[i] && lines[i + 1]; i++)
		page_add_row(page, g_strdup(lines[i]), NULL, NULL);
	return TRUE;
}

const ViewKind kind_help = {.make = make_help, .is_still = TRUE};

static gboolean make_columns(Screen *screen, const char *subject, Page *page, GError **error)
{
	(void)subject;
	(void)error;
	g_ptr_array_add(page->heading,
			g_strdup(" Columns: Enter shows or hides one, Esc goes back"));
	for (guint i = 0; i < screen->choices->len; i++) {
		const char *column = g_ptr_array_index(screen->choices, i);
		gboolean hidden = g_hash_table_contains(screen->hidden, column);

		page_add_row(page, g_strdup_printf(" [%c] %s", hidden ? ' ' : 'x', column), column,
			     NULL);
	}
	return TRUE;
}

static void toggle_column(Screen *screen, const char *column)
{
	if (!g_hash_table_remove(screen->hidden, column))
		g_hash_table_add(screen->hidden, g_strdup(column));
}

const ViewKind kind_columns = {.make = make_columns, .choose = toggle_column};
