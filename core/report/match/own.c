/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "own.h"

#include "report/fold/fold.h"
#include "report/join/pair.h"
#include "report/plan/plan.h"

#define NS_PER_US 1000

/* The CPU time of a thread so far, in ns. */
typedef struct used {
	guint64 sides[SIDES];
} Used;

struct own {
	GHashTable *threads; /* guint64 of tgid and tid -> Used */
};

Own *own_new(void)
{
	Own *own = g_new0(Own, 1);

	own->threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	return own;
}

void own_free(Own *own)
{
	g_hash_table_unref(own->threads);
	g_free(own);
}

static guint64 time_of(const Registry *registry, const struct ctprof_rows *rows, guint64 i)
{
	guint64 run = registry_number(registry, rows, i, cpu_metrics[CPU_RUN]);

	if (rows->scope != CTPROF_SCOPE_EXIT)
		return run;
	guint64 final = registry_number(registry, rows, i, CPU_EXIT_FINAL);
	guint64 ticks = fold_add_saturated(registry_number(registry, rows, i, CPU_EXIT_USER),
					   registry_number(registry, rows, i, CPU_EXIT_SYSTEM));
	return final ? final : MAX(run, fold_multiply_saturated(ticks, NS_PER_US));
}

static void add_row(Own *own, guint side, const Registry *registry, const struct ctprof_rows *rows,
		    guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint64 key = (guint64)(guint32)target->tgid << 32 | (guint32)target->tid;
	Used *used = g_hash_table_lookup(own->threads, &key);

	/* Threads that ended before the window are not part of it. */
	if (side == 0 && rows->scope == CTPROF_SCOPE_EXIT)
		return;
	if (!used) {
		used = g_new0(Used, 1);
		g_hash_table_insert(own->threads, g_memdup2(&key, sizeof key), used);
	}
	used->sides[side] = MAX(used->sides[side], time_of(registry, rows, i));
}

static gboolean is_of(const GArray *pids, const Registry *registry, const struct ctprof_rows *rows,
		      guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	/* Older kernels do not report the process of ended threads. */
	gint32 process = target->tgid ? target->tgid : target->tid;
	guint64 parent = registry_number(registry, rows, i, "ppid");

	for (guint p = 0; p < pids->len; p++) {
		gint32 pid = g_array_index(pids, gint32, p);

		if (pid == process || (p > 0 && (guint64)pid == parent))
			return TRUE;
	}
	return FALSE;
}

gboolean own_take(Own *own, const GArray *pids, guint side, const Registry *registry,
		  const struct ctprof_rows *rows, guint64 i)
{
	if (!pids || (rows->scope != CTPROF_SCOPE_THREAD && rows->scope != CTPROF_SCOPE_EXIT) ||
	    !is_of(pids, registry, rows, i))
		return FALSE;
	add_row(own, side, registry, rows, i);
	return TRUE;
}

gboolean own_has(const gint32 pids[2], const RosterEntry *thread)
{
	return pids[0] > 0 &&
	       (thread->tgid == pids[0] || thread->tgid == pids[1] || thread->ppid == pids[0]);
}

void own_add_moment(Own *own, guint side, const gint32 pids[2], const Moment *moment)
{
	const Roster *const rosters[] = {moment_threads(moment), moment_exits(moment)};

	for (guint r = 0; pids[0] > 0 && r < G_N_ELEMENTS(rosters); r++) {
		g_auto(RosterRow) row;

		roster_row_init(&row, rosters[r]);
		for (guint i = 0; i < roster_length(rosters[r]); i++) {
			if (!own_has(pids, roster_entry(rosters[r], i)))
				continue;
			roster_read(rosters[r], roster_entry(rosters[r], i), &row);
			add_row(own, side, moment_registry(moment), &row.rows, 0);
		}
	}
}

guint64 own_time(const Own *own)
{
	GHashTableIter iter;
	gpointer each;
	guint64 sum = 0;

	g_hash_table_iter_init(&iter, own->threads);
	while (g_hash_table_iter_next(&iter, NULL, &each)) {
		const Used *used = each;

		if (used->sides[1] > used->sides[0])
			sum = fold_add_saturated(sum, used->sides[1] - used->sides[0]);
	}
	return sum;
}
