/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "history.h"

#include <math.h>

#include "base/bars.h"

typedef struct ring {
	gdouble values[HISTORY_LENGTH]; /* by window modulo the length; NAN: none */
	guint64 first, last;            /* windows in which it was noted */
} Ring;

struct history {
	GHashTable *rings;
	guint64 window; /* from 1 */
};

History *history_new(void)
{
	History *history = g_new0(History, 1);

	history->rings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return history;
}

void history_free(History *history)
{
	g_hash_table_unref(history->rings);
	g_free(history);
}

static gboolean is_forgotten(gpointer key, gpointer value, gpointer data)
{
	const Ring *ring = value;
	const History *history = data;

	(void)key;
	return ring->last + HISTORY_LENGTH <= history->window;
}

void history_step(History *history)
{
	history->window++;
	g_hash_table_foreach_remove(history->rings, is_forgotten, history);
}

void history_note(History *history, const char *name, gdouble value)
{
	Ring *ring = g_hash_table_lookup(history->rings, name);

	if (!ring) {
		ring = g_new0(Ring, 1);
		ring->first = ring->last = history->window;
		g_hash_table_insert(history->rings, g_strdup(name), ring);
	}
	for (guint64 gap = ring->last + 1; gap < history->window; gap++)
		ring->values[gap % HISTORY_LENGTH] = NAN;
	ring->values[history->window % HISTORY_LENGTH] = value;
	ring->last = history->window;
}

void history_clear(History *history)
{
	g_hash_table_remove_all(history->rings);
}

char *history_draw(const History *history, const char *name, guint n)
{
	const Ring *ring = g_hash_table_lookup(history->rings, name);
	GString *text = g_string_new(NULL);
	gdouble highest = 0;

	n = MIN(n, HISTORY_LENGTH);
	if (!ring || ring->first == ring->last || n < 2)
		return g_string_free(text, FALSE);
	guint64 from = history->window >= n ? history->window - n + 1 : 1;
	from = MAX(from, ring->first);
	for (guint64 i = from; i <= ring->last; i++)
		highest = fmax(highest, ring->values[i % HISTORY_LENGTH]);
	for (guint64 i = from; i <= history->window; i++)
		bars_append(text, i <= ring->last ? ring->values[i % HISTORY_LENGTH] : NAN,
			    highest);
	return g_string_free(text, FALSE);
}
