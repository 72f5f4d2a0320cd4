/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroupset.h"

#include <string.h>

/* Finds the thread metric of that name and value type that holds texts; or NULL. */
static const Metric *find_texts(const Registry *registry, const char *name, guint32 type)
{
	const Metric *metric = registry_named(registry, ROW_THREAD, name);

	return metric && metric->type == type && metric->def.unit == CTPROF_UNIT_TEXT ? metric
										      : NULL;
}

/* The cgroups of a thread, which it usually shares with many others. */
struct membership {
	GBytes *paths;  /* each with a NUL */
	guint64 sample; /* the last sample in which a thread was in them */
};

void cgroup_set_init(CgroupSet *set, const Registry *registry)
{
	*set = (CgroupSet){
		.registry = registry,
		.paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.memberships = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						     (GDestroyNotify)g_bytes_unref, g_free),
		.of_thread = g_hash_table_new(NULL, NULL),
		.path = find_texts(registry, "cgroup", CTPROF_TYPE_TEXT),
		.v1_paths = find_texts(registry, "cgroup_v1", CTPROF_TYPE_MAP),
	};
}

void cgroup_set_clear(CgroupSet *set)
{
	g_clear_pointer(&set->of_thread, g_hash_table_unref);
	g_clear_pointer(&set->memberships, g_hash_table_unref);
	g_clear_pointer(&set->paths, g_hash_table_unref);
}

void cgroup_set_begin(CgroupSet *set, gboolean remembers)
{
	g_hash_table_remove_all(set->paths);
	set->sample++;
	if (remembers)
		return;
	g_hash_table_remove_all(set->of_thread);
	g_hash_table_remove_all(set->memberships);
}

/* Adds a cgroup and those above it, but not the root, which has no limits.  If a cgroup is known
 * already, so are those above it. */
static void take_path(CgroupSet *set, const char *path)
{
	if (!*path || g_hash_table_lookup(set->paths, path))
		return;
	g_hash_table_insert(set->paths, g_strdup(path), GINT_TO_POINTER(TRUE));
	g_autofree char *above = g_strdup(path);
	for (char *end; (end = strrchr(above, '/')) && end > above;) {
		*end = '\0';
		if (g_hash_table_contains(set->paths, above))
			return;
		g_hash_table_insert(set->paths, g_strdup(above), NULL);
	}
}

/* Returns the row's value of that metric; NULL: absent. */
static gconstpointer path_value(const struct ctprof_rows *rows, guint64 i, const Metric *metric)
{
	gsize at = metric ? i * rows->n_slots + metric->index : 0;

	return metric && rows->states[at] == CTPROF_PRESENT
		       ? (gconstpointer)(uintptr_t)rows->values[at]
		       : NULL;
}

static void join(CgroupSet *set, struct membership *membership)
{
	gsize size;
	const char *paths = g_bytes_get_data(membership->paths, &size);

	if (membership->sample == set->sample)
		return;
	membership->sample = set->sample;
	/* paths is NULL if size is 0. */
	for (gsize at = 0; at < size; at += strlen(paths + at) + 1)
		take_path(set, paths + at);
}

static struct membership *find_membership(CgroupSet *set, const struct ctprof_text *path,
					  const struct ctprof_map *v1)
{
	g_autoptr(GByteArray) joined = g_byte_array_new();

	if (path)
		g_byte_array_append(joined, (const guint8 *)path->bytes, path->length + 1);
	for (guint64 i = 0; v1 && i < v1->n; i++)
		g_byte_array_append(joined, (const guint8 *)v1->entries[i].text,
				    v1->entries[i].text_len + 1);
	g_autoptr(GBytes) paths = g_byte_array_free_to_bytes(g_steal_pointer(&joined));
	struct membership *found = g_hash_table_lookup(set->memberships, paths);
	if (found)
		return found;
	found = g_new0(struct membership, 1);
	found->paths = g_steal_pointer(&paths);
	g_hash_table_insert(set->memberships, found->paths, found);
	return found;
}

void cgroup_set_note(CgroupSet *set, const struct ctprof_rows *rows)
{
	for (guint64 i = 0; i < rows->n; i++) {
		struct membership *found = find_membership(set, path_value(rows, i, set->path),
							   path_value(rows, i, set->v1_paths));

		join(set, found);
		g_hash_table_insert(set->of_thread, GINT_TO_POINTER(rows->targets[i].tid), found);
	}
}

void cgroup_set_note_same(CgroupSet *set, gint32 tid)
{
	struct membership *found = g_hash_table_lookup(set->of_thread, GINT_TO_POINTER(tid));

	if (found)
		join(set, found);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

GList *cgroup_set_list(const CgroupSet *set)
{
	return g_list_sort(g_hash_table_get_keys(set->paths), compare_paths);
}

gsize cgroup_set_targets(GList **list, struct ctprof_target *targets, gsize most)
{
	gsize n = 0;

	for (; *list && n < most; *list = (*list)->next)
		targets[n++] = (struct ctprof_target){
			.struct_size = sizeof(struct ctprof_target),
			.task_fd = -1,
			.path = (*list)->data,
			.path_len = (guint32)strlen((*list)->data),
		};
	return n;
}

gboolean cgroup_set_keeps(const CgroupSet *set, const struct ctprof_rows *row)
{
	const GPtrArray *metrics = registry_row(set->registry, ROW_CGROUP);
	gboolean keeps = g_hash_table_lookup(set->paths, row->targets[0].path) != NULL;

	for (guint i = 0; i < metrics->len && !keeps; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		keeps = metric->def.flags & CTPROF_METRIC_UNLIMITED &&
			row->states[metric->index] == CTPROF_PRESENT &&
			row->values[metric->index] > 0 && row->values[metric->index] < G_MAXUINT64;
	}
	return keeps;
}
