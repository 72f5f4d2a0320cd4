/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "state-side.h"

#define INSTANTS_METRIC "states_instants"
#define BEGAN_METRIC "states_began_ns"
#define ENDED_METRIC "ended_states"

static const guint64 *find_value(const Registry *registry, const struct ctprof_rows *rows,
				 guint64 i, const char *name)
{
	const Metric *metric = registry_named(registry, registry_row_of_scope(rows->scope), name);
	gsize at = metric ? i * rows->n_slots + metric->index : 0;

	return metric && metric->slot && rows->states[at] == CTPROF_PRESENT ? &rows->values[at]
									    : NULL;
}

void state_side_note(StateSide *side, const Registry *registry, Store *store,
		     const struct ctprof_rows *rows)
{
	const guint64 *value;

	if (rows->scope == CTPROF_SCOPE_HOST && rows->n > 0) {
		if ((value = find_value(registry, rows, 0, INSTANTS_METRIC)))
			side->instants = *value;
		if ((value = find_value(registry, rows, 0, BEGAN_METRIC)))
			side->began_ns = *value;
	}
	for (guint64 i = 0; rows->scope == CTPROF_SCOPE_OBJECT && i < rows->n; i++) {
		if (!(value = find_value(registry, rows, i, ENDED_METRIC)))
			continue;
		if (!side->ended)
			side->ended = g_hash_table_new(g_str_hash, g_str_equal);
		g_hash_table_insert(
			side->ended,
			(gpointer)(uintptr_t)store_text(store, ctprof_rows_target(rows, i)->path),
			(gpointer)(uintptr_t)store_text(
				store, ((const struct ctprof_text *)(uintptr_t)*value)->bytes));
	}
}

void state_side_clear(StateSide *side)
{
	g_clear_pointer(&side->ended, g_hash_table_unref);
}
