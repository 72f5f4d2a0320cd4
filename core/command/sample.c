/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sample.h"

#include <string.h>

#include "row/rowset.h"

struct sample {
	const Registry *registry; /* NULL: no row came */
	Loaded *loaded;           /* whose registry it is; NULL: another's */
	LoadFacts facts;          /* borrowed from loaded, or of sample_note() */
	GArray *pieces;           /* struct ctprof_rows */
	Arena *arena;             /* what these point to */
};

Sample *sample_new(void)
{
	Sample *sample = g_new0(Sample, 1);

	sample->pieces = g_array_new(FALSE, FALSE, sizeof(struct ctprof_rows));
	sample->arena = arena_new();
	return sample;
}

void sample_free(Sample *sample)
{
	if (!sample->loaded)
		g_clear_pointer(&sample->facts.options, g_hash_table_unref);
	g_array_unref(sample->pieces);
	arena_free(sample->arena);
	g_clear_pointer(&sample->loaded, loaded_free);
	g_free(sample);
}

/* ---- copies ------------------------------------------------------------------------ */

static gpointer copy(Arena *arena, gconstpointer from, gsize size)
{
	return memcpy(arena_take(arena, size), from, size);
}

/* Most values are numbers: only the slots of others are looked at. */
static void copy_pointers(const Sample *sample, const struct ctprof_rows *rows, guint64 *values)
{
	const GPtrArray *metrics =
		registry_row(sample->registry, registry_row_of_scope(rows->scope));

	for (guint m = 0; m < metrics->len; m++) {
		const Metric *metric = g_ptr_array_index(metrics, m);

		if (metric->type == CTPROF_TYPE_U64 || metric->type == CTPROF_TYPE_I64)
			continue;
		for (guint64 i = 0; i < rows->n; i++) {
			gsize at = i * rows->n_slots + metric->index;

			if (rows->states[at] == CTPROF_PRESENT)
				values[at] = rowset_copy_value(sample->arena, metric, values[at]);
		}
	}
}

static struct ctprof_target *copy_targets(Arena *arena, const struct ctprof_rows *rows)
{
	struct ctprof_target *targets = arena_take(arena, rows->n * sizeof *targets);

	for (guint64 i = 0; i < rows->n; i++) {
		targets[i] = *ctprof_rows_target(rows, i);
		targets[i].struct_size = sizeof targets[i];
		if (targets[i].path)
			targets[i].path = copy(arena, targets[i].path, targets[i].path_len + 1);
	}
	return targets;
}

gboolean sample_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error)
{
	Sample *sample = data;
	struct ctprof_rows piece = *rows;
	gsize n = rows->n * rows->n_slots;

	(void)error;
	sample->registry = registry;
	guint64 *values = copy(sample->arena, rows->values, n * sizeof *values);
	copy_pointers(sample, rows, values);
	piece.struct_size = sizeof piece;
	piece.values = values;
	piece.states = copy(sample->arena, rows->states, n);
	piece.targets = copy_targets(sample->arena, rows);
	g_array_append_val(sample->pieces, piece);
	return TRUE;
}

/* ---- facts ------------------------------------------------------------------------- */

void sample_adopt(Sample *sample, Loaded *loaded)
{
	sample->loaded = loaded;
	sample->registry = loaded->registry;
	sample->facts = loaded->facts;
}

void sample_note(Sample *sample, guint64 realtime_ns, guint64 boottime_ns, guint64 skew_ns,
		 GHashTable *options)
{
	sample->facts = (LoadFacts){
		.realtime_ns = realtime_ns,
		.boottime_ns = boottime_ns,
		.skew_ns = skew_ns,
		.options = g_hash_table_ref(options),
	};
}

const LoadFacts *sample_facts(const Sample *sample)
{
	return &sample->facts;
}

const Registry *sample_registry(const Sample *sample)
{
	return sample->registry;
}

static gboolean has_value(const struct ctprof_rows *rows, guint32 index)
{
	for (guint64 i = 0; i < rows->n; i++)
		if (rows->states[i * rows->n_slots + index] == CTPROF_PRESENT)
			return TRUE;
	return FALSE;
}

static gboolean has_metric(const Sample *sample, const char *name)
{
	for (guint i = 0; i < sample->pieces->len; i++) {
		const struct ctprof_rows *rows =
			&g_array_index(sample->pieces, struct ctprof_rows, i);
		const Metric *metric =
			registry_named(sample->registry, registry_row_of_scope(rows->scope), name);

		if (metric && metric->slot != 0 && has_value(rows, metric->index))
			return TRUE;
	}
	return FALSE;
}

gboolean sample_has(const Sample *sample, const char *metrics)
{
	g_auto(GStrv) names = g_strsplit(metrics, ",", -1);

	for (guint i = 0; names[i]; i++)
		if (has_metric(sample, names[i]))
			return TRUE;
	return FALSE;
}

gboolean sample_replay(const Sample *sample, LoadRows each, gpointer data, GError **error)
{
	for (guint i = 0; i < sample->pieces->len; i++)
		if (!each(data, sample->registry,
			  &g_array_index(sample->pieces, struct ctprof_rows, i), error))
			return FALSE;
	return TRUE;
}
