/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread-list.h"

#include "row/batch.h"
#include "walk.h"

/* Number of threads passed on at a time. */
#define PIECE 512

/* How to sort the threads that the source reports. */
typedef struct sorting {
	ThreadList *list;
	const GArray *pids;
	gboolean skips_leaders, skips_others;
} Sorting;

static gint compare_threads(gconstpointer a, gconstpointer b)
{
	const WalkThread *x = a, *y = b;

	if (x->tgid != y->tgid)
		return (x->tgid > y->tgid) - (x->tgid < y->tgid);
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static gboolean is_chosen(const GArray *pids, gint32 tgid)
{
	guint i = 0;

	while (pids && i < pids->len && g_array_index(pids, gint32, i) != tgid)
		i++;
	return !pids || i < pids->len;
}

static void take_thread(const struct ctprof_listing *open, gint32 tgid, gint32 tid, guint32 is_same)
{
	const Sorting *sorting = open->handle;
	ThreadList *list = sorting->list;
	gboolean leads = tgid == tid;

	if (!is_chosen(sorting->pids, tgid))
		return;
	list->processes += leads ? 1 : 0;
	const WalkThread thread = {tgid, tid};

	g_array_append_val(is_same && (leads ? sorting->skips_leaders : sorting->skips_others)
				   ? list->same
				   : list->threads,
			   thread);
}

/* Whether a value may differ although the source that lists the thread reports it as the same:
 * because another source fills it, or because it is read now but was not before, or vice versa. */
static gboolean may_differ(const Metric *metric, const char *lister)
{
	if (!metric->wanted)
		return FALSE;
	if (metric->skip_changed)
		return TRUE;
	return !metric->skipped && !(metric->def.flags & CTPROF_METRIC_STILL) &&
	       metric_has_filler(metric) && strcmp(metric_source(metric), lister) != 0;
}

static void choose_skips(Sorting *sorting, const Registry *registry, const char *lister)
{
	const GPtrArray *metrics = registry_row(registry, ROW_THREAD);

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (!may_differ(metric, lister))
			continue;
		sorting->skips_leaders = FALSE;
		if (metric->def.scope == CTPROF_SCOPE_THREAD)
			sorting->skips_others = FALSE;
	}
}

static Plugin *find_lister(const GPtrArray *plugins)
{
	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		if (plugin->descriptor.kind == CTPROF_KIND_SOURCE && plugin_can_list(plugin))
			return plugin;
	}
	return NULL;
}

gboolean thread_list_read(ThreadList *list, const GPtrArray *plugins, const Registry *registry,
			  const GArray *pids, gboolean may_skip)
{
	Plugin *lister = find_lister(plugins);
	Sorting sorting = {list, pids, may_skip, may_skip};
	const struct ctprof_listing open = {
		.struct_size = sizeof open,
		.handle = &sorting,
		.thread = take_thread,
	};

	if (!lister)
		return FALSE;
	list->threads = g_array_new(FALSE, FALSE, sizeof(WalkThread));
	list->same = g_array_new(FALSE, FALSE, sizeof(WalkThread));
	if (may_skip)
		choose_skips(&sorting, registry, plugin_name(lister));
	/* Programs in the kernel do not see every thread on every host: in some virtual machines
	 * they do not see PID 1.  The walk also finds out which of pids have ended. */
	if (!plugin_list(lister, &open) || list->processes < (pids ? pids->len : 1)) {
		thread_list_clear(list);
		return FALSE;
	}
	g_array_sort(list->threads, compare_threads);
	return TRUE;
}

guint64 thread_list_n_unchanged(const ThreadList *list)
{
	return list->same ? list->same->len : 0;
}

gboolean thread_list_deliver(const ThreadList *list, const Receiver *receiver, CgroupSet *cgroups,
			     GError **error)
{
	struct ctprof_target targets[PIECE];
	struct ctprof_rows rows = {
		.struct_size = sizeof rows,
		.scope = CTPROF_SCOPE_THREAD,
		.targets = targets,
	};

	for (guint64 i = 0; i < thread_list_n_unchanged(list); i++) {
		const WalkThread *thread = &g_array_index(list->same, WalkThread, i);

		cgroup_set_note_same(cgroups, thread->tid);
		targets[rows.n] = batch_thread(thread->tgid, thread->tid, -1);
		targets[rows.n++].flags |= CTPROF_TARGET_SAME;
		if (rows.n < PIECE && i + 1 < thread_list_n_unchanged(list))
			continue;
		if (!receiver_rows(receiver, &rows, error))
			return FALSE;
		rows.n = 0;
	}
	return TRUE;
}

void thread_list_clear(ThreadList *list)
{
	g_clear_pointer(&list->threads, g_array_unref);
	g_clear_pointer(&list->same, g_array_unref);
	list->processes = 0;
}
