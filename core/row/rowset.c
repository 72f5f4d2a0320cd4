/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rowset.h"

#include <string.h>

struct rowset {
	guint32 scope;
	guint64 n_slots;
	GArray *targets; /* struct ctprof_target */
	GArray *values;  /* guint64, n_slots a row */
	GByteArray *states;
	GArray *order; /* guint: indexes in the other arrays */
	Arena *arena;
};

Rowset *rowset_new(void)
{
	Rowset *set = g_new0(Rowset, 1);

	set->targets = g_array_new(FALSE, FALSE, sizeof(struct ctprof_target));
	set->values = g_array_new(FALSE, FALSE, sizeof(guint64));
	set->states = g_byte_array_new();
	set->order = g_array_new(FALSE, FALSE, sizeof(guint));
	set->arena = arena_new();
	return set;
}

void rowset_free(Rowset *set)
{
	g_array_unref(set->targets);
	g_array_unref(set->values);
	g_byte_array_unref(set->states);
	g_array_unref(set->order);
	arena_free(set->arena);
	g_free(set);
}

void rowset_clear(Rowset *set)
{
	g_array_set_size(set->targets, 0);
	g_array_set_size(set->values, 0);
	g_byte_array_set_size(set->states, 0);
	g_array_set_size(set->order, 0);
	arena_reset(set->arena);
}

Arena *rowset_arena(Rowset *set)
{
	return set->arena;
}

guint64 rowset_size(const Rowset *set)
{
	return set->order->len;
}

/* ---- copies ------------------------------------------------------------- */

guint64 rowset_copy_value(Arena *arena, const Metric *metric, guint64 value)
{
	const void *at = (const void *)(uintptr_t)value;
	const struct ctprof_text *text = at;
	const struct ctprof_cpus *cpus = at;
	const struct ctprof_map *map = at;

	switch (metric->type) {
	case CTPROF_TYPE_TEXT:
		return (uintptr_t)arena_copy_text(arena, text->bytes, text->length);
	case CTPROF_TYPE_CPUS:
		return (uintptr_t)arena_copy(arena, cpus,
					     offsetof(struct ctprof_cpus, cpus) +
						     cpus->n * sizeof cpus->cpus[0]);
	case CTPROF_TYPE_MAP:
		return (uintptr_t)arena_copy_map(arena, map->entries, map->n, TRUE);
	default:
		return value;
	}
}

/* ---- rows --------------------------------------------------------------- */

static struct ctprof_target *add_target(Rowset *set, const struct ctprof_target *from)
{
	struct ctprof_target target = {0};
	guint place = set->order->len;

	memcpy(&target, from, MIN(from->struct_size, sizeof target));
	target.struct_size = sizeof target;
	if (target.path)
		target.path = arena_copy(set->arena, target.path, target.path_len);
	/* A sink may keep this pointer from one sample to the next. */
	target.group = g_intern_string(target.group);
	g_array_append_val(set->targets, target);
	g_array_append_val(set->order, place);
	return &g_array_index(set->targets, struct ctprof_target, place);
}

struct ctprof_target *rowset_add(Rowset *set, const Registry *registry,
				 const struct ctprof_rows *rows, guint64 row, RowsetCopy copy,
				 gpointer data)
{
	const GPtrArray *metrics = registry_row(registry, registry_row_of_scope(rows->scope));

	set->scope = rows->scope;
	set->n_slots = rows->n_slots;
	for (guint64 i = row * rows->n_slots; i < (row + 1) * rows->n_slots; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i - row * rows->n_slots);
		guint64 value = 0;

		if (rows->states[i] == CTPROF_PRESENT)
			value = copy ? copy(data, set->arena, metric, rows->values[i])
				     : rowset_copy_value(set->arena, metric, rows->values[i]);
		g_array_append_val(set->values, value);
	}
	if (rows->n_slots > 0)
		g_byte_array_append(set->states, rows->states + row * rows->n_slots,
				    (guint)rows->n_slots);
	return add_target(set, ctprof_rows_target(rows, row));
}

static gint compare_paths(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ctprof_target *targets = data;
	const struct ctprof_target *x = &targets[*(const guint *)a];
	const struct ctprof_target *y = &targets[*(const guint *)b];
	int order = memcmp(x->path, y->path, MIN(x->path_len, y->path_len));

	return order ? order : (x->path_len > y->path_len) - (x->path_len < y->path_len);
}

void rowset_sort(Rowset *set)
{
	g_array_sort_with_data(set->order, compare_paths, set->targets->data);
}

static void view(const Rowset *set, guint place, guint64 n, struct ctprof_rows *ret_rows)
{
	*ret_rows = (struct ctprof_rows){
		.struct_size = sizeof *ret_rows,
		.scope = set->scope,
		.n = n,
		.n_slots = set->n_slots,
	};
	/* Without rows or slots there are no arrays to point into. */
	if (n > 0)
		ret_rows->targets = &g_array_index(set->targets, struct ctprof_target, place);
	if (n > 0 && set->n_slots > 0) {
		ret_rows->values = &g_array_index(set->values, guint64, place * set->n_slots);
		ret_rows->states = set->states->data + place * set->n_slots;
	}
}

void rowset_view(const Rowset *set, guint64 i, struct ctprof_rows *ret_rows)
{
	view(set, g_array_index(set->order, guint, i), 1, ret_rows);
}

void rowset_view_all(const Rowset *set, struct ctprof_rows *ret_rows)
{
	view(set, 0, set->order->len, ret_rows);
}
