/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layered.h"

enum { NICE, UID, PPID, RUN_TIME, TURNS, N_METRICS };

static const struct {
	const char *name;
	guint32 type; /* enum ctprof_type */
} metrics[N_METRICS] = {
	[NICE] = {"nice", CTPROF_TYPE_I64},        [UID] = {"uid", CTPROF_TYPE_U64},
	[PPID] = {"ppid", CTPROF_TYPE_U64},        [RUN_TIME] = {"run_time_ns", CTPROF_TYPE_U64},
	[TURNS] = {"timeslices", CTPROF_TYPE_U64},
};

struct layered {
	gint slots[N_METRICS];  /* in a row, or -1 */
	GHashTable *of_process; /* tgid -> LayerThread; rows of several processes may alternate */
};

Layered *layered_new(const Registry *registry)
{
	Layered *layered = g_new0(Layered, 1);

	for (guint i = 0; i < N_METRICS; i++)
		layered->slots[i] =
			registry_index(registry, ROW_THREAD, metrics[i].name, metrics[i].type);
	layered->of_process = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return layered;
}

void layered_free(Layered *layered)
{
	g_hash_table_unref(layered->of_process);
	g_free(layered);
}

void layered_mark(const Layered *layered, gboolean *slots)
{
	for (guint i = 0; i < N_METRICS; i++)
		if (layered->slots[i] >= 0)
			slots[layered->slots[i]] = TRUE;
}

/* Returns the values that only the leader's row has. */
static const LayerThread *take_leader(Layered *layered, const struct ctprof_rows *rows, guint64 i,
				      const struct ctprof_target *target)
{
	static const LayerThread unknown = {.known = 0};
	gpointer key = GINT_TO_POINTER(target->tgid);

	if (target->tid == target->tgid) {
		LayerThread *leader = g_new0(LayerThread, 1);

		leader->known |=
			rows_read(rows, i, layered->slots[UID], &leader->uid) ? LAYER_UID : 0;
		leader->known |=
			rows_read(rows, i, layered->slots[PPID], &leader->ppid) ? LAYER_KTHREAD : 0;
		g_hash_table_insert(layered->of_process, key, leader);
	}
	const LayerThread *known = g_hash_table_lookup(layered->of_process, key);
	return known ? known : &unknown;
}

const char *layered_find(Layered *layered, const Layers *layers, const struct ctprof_rows *rows,
			 guint64 i, LayerThread thread)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	const LayerThread *leader = take_leader(layered, rows, i, target);
	guint64 nice;

	thread.known |= LAYER_OF_IDS | leader->known;
	thread.tid = target->tid;
	thread.tgid = target->tgid;
	thread.uid = leader->uid;
	thread.ppid = leader->ppid;
	if (rows_read(rows, i, layered->slots[NICE], &nice)) {
		thread.known |= LAYER_NICE;
		thread.nice = (gint64)nice;
	}
	if (rows_read(rows, i, layered->slots[RUN_TIME], &thread.run_ns) &&
	    rows_read(rows, i, layered->slots[TURNS], &thread.turns))
		thread.known |= LAYER_RUNTIME;
	return layers_find(layers, &thread);
}
