/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mode.h"

#include <string.h>

enum { TEXT, COUNT, OTHERS };

static GHashTable *others_of(const guint64 *cells)
{
	return (GHashTable *)(uintptr_t)cells[OTHERS];
}

static void tally(guint64 *cells, gboolean first, const char *text, guint64 count)
{
	guint64 bits = (guint64)(uintptr_t)text;

	if (first) {
		cells[TEXT] = bits;
		cells[COUNT] = count;
		cells[OTHERS] = 0;
		return;
	}
	/* One text has one address: it lies in the store. */
	if (cells[TEXT] == bits) {
		cells[COUNT] += count;
		return;
	}
	if (!cells[OTHERS])
		cells[OTHERS] = (guint64)(uintptr_t)g_hash_table_new_full(NULL, NULL, NULL, g_free);
	gpointer key = (gpointer)(uintptr_t)text;
	guint64 *known = g_hash_table_lookup(others_of(cells), key);
	if (!known) {
		known = g_new0(guint64, 1);
		g_hash_table_insert(others_of(cells), key, known);
	}
	*known += count;
}

void mode_add_text(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	const struct ctprof_text *text = (const void *)(uintptr_t)value;

	tally(cells, first, store_text(store, text->bytes), 1);
}

void mode_add_char(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	char text[] = {(char)value, '\0'};

	tally(cells, first, store_text(store, text), 1);
}

void mode_add_bool(Store *store, guint64 *cells, gboolean first, guint64 value)
{
	tally(cells, first, store_text(store, value ? "true" : "false"), 1);
}

void mode_merge(guint64 *cells, gboolean first, guint64 *from)
{
	GHashTableIter iter;
	gpointer text, count;

	tally(cells, first, (const char *)(uintptr_t)from[TEXT], from[COUNT]);
	if (!from[OTHERS])
		return;
	g_hash_table_iter_init(&iter, others_of(from));
	while (g_hash_table_iter_next(&iter, &text, &count))
		tally(cells, FALSE, text, *(guint64 *)count);
	mode_clear(from);
}

static void weigh(struct ctprof_value *best, const char *text, guint64 count)
{
	best->n += count;
	if (count > best->count || (count == best->count && strcmp(text, best->text) < 0)) {
		best->text = text;
		best->count = count;
	}
}

void mode_value(const guint64 *cells, struct ctprof_value *ret_value)
{
	GHashTableIter iter;
	gpointer text, count;

	ret_value->type = CTPROF_VALUE_MODE;
	ret_value->text = (const char *)(uintptr_t)cells[TEXT];
	ret_value->count = ret_value->n = cells[COUNT];
	if (!cells[OTHERS])
		return;
	g_hash_table_iter_init(&iter, others_of(cells));
	while (g_hash_table_iter_next(&iter, &text, &count))
		weigh(ret_value, text, *(guint64 *)count);
}

void mode_clear(guint64 *cells)
{
	if (cells[OTHERS])
		g_hash_table_unref(others_of(cells));
	cells[OTHERS] = 0;
}
