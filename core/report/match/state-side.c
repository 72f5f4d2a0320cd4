/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "state-side.h"

#define INSTANTS_METRIC "states_instants"
#define BEGAN_METRIC "states_began_ns"
#define ENDED_METRIC "ended_states"

void state_side_note(StateSide *side, const Registry *registry, Store *store,
		     const struct ctprof_rows *rows)
{
	gint ended = registry_index(registry, ROW_OBJECT, ENDED_METRIC, CTPROF_TYPE_TEXT);

	if (rows->scope == CTPROF_SCOPE_HOST && rows->n > 0) {
		(void)rows_read(
			rows, 0,
			registry_index(registry, ROW_HOST, INSTANTS_METRIC, CTPROF_TYPE_U64),
			&side->instants);
		(void)rows_read(rows, 0,
				registry_index(registry, ROW_HOST, BEGAN_METRIC, CTPROF_TYPE_U64),
				&side->began_ns);
	}
	for (guint64 i = 0; rows->scope == CTPROF_SCOPE_OBJECT && i < rows->n; i++) {
		const char *text = rows_text(rows, i, ended);

		if (!text)
			continue;
		if (!side->ended)
			side->ended = g_hash_table_new(g_str_hash, g_str_equal);
		g_hash_table_insert(
			side->ended,
			(gpointer)(uintptr_t)store_text(store, ctprof_rows_target(rows, i)->path),
			(gpointer)(uintptr_t)store_text(store, text));
	}
}

void state_side_clear(StateSide *side)
{
	g_clear_pointer(&side->ended, g_hash_table_unref);
}
