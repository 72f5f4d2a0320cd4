/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroupset.h"

#include <string.h>

/* A metric of threads that holds texts in that form; NULL: there is none. */
static const Metric *find_texts(const Registry *registry, const char *name, guint32 type)
{
	const Metric *metric = registry_named(registry, ROW_THREAD, name);

	return metric && metric->type == type && metric->def.unit == CTPROF_UNIT_TEXT ? metric
										      : NULL;
}

void cgroup_set_init(CgroupSet *set, const Registry *registry)
{
	*set = (CgroupSet){
		.paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.path = find_texts(registry, "cgroup", CTPROF_TYPE_TEXT),
		.v1_paths = find_texts(registry, "cgroup_v1", CTPROF_TYPE_MAP),
	};
}

void cgroup_set_clear(CgroupSet *set)
{
	g_clear_pointer(&set->paths, g_hash_table_unref);
}

static void take_path(CgroupSet *set, const char *path)
{
	if (*path && !g_hash_table_contains(set->paths, path))
		g_hash_table_add(set->paths, g_strdup(path));
}

/* The row's value of that metric; NULL: it has none. */
static gconstpointer value_of(const struct ctprof_rows *rows, guint64 i, const Metric *metric)
{
	gsize at = metric ? i * rows->n_slots + metric->index : 0;

	return metric && rows->states[at] == CTPROF_PRESENT
		       ? (gconstpointer)(uintptr_t)rows->values[at]
		       : NULL;
}

void cgroup_set_note(CgroupSet *set, const struct ctprof_rows *rows)
{
	for (guint64 i = 0; i < rows->n; i++) {
		const struct ctprof_text *path = value_of(rows, i, set->path);
		const struct ctprof_map *paths = value_of(rows, i, set->v1_paths);

		if (path)
			take_path(set, path->bytes);
		for (guint64 at = 0; paths && at < paths->n; at++)
			take_path(set, paths->entries[at].text);
	}
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

GList *cgroup_set_list(const CgroupSet *set)
{
	return g_list_sort(g_hash_table_get_keys(set->paths), compare_paths);
}
