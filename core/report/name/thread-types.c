/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread-types.h"

#include <string.h>

#include "pattern.h"

static void typed_cgroup_free(gpointer data)
{
	TypedCgroup *cgroup = data;

	g_hash_table_unref(cgroup->types);
	g_free(cgroup);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
	const TypedCgroup *x = *(const TypedCgroup *const *)a;
	const TypedCgroup *y = *(const TypedCgroup *const *)b;

	return strcmp(x->path, y->path);
}

static TypedCgroup *take_cgroup(GPtrArray *list, GHashTable *by_path, const char *path)
{
	TypedCgroup *cgroup = g_hash_table_lookup(by_path, path);

	if (cgroup)
		return cgroup;
	cgroup = g_new0(TypedCgroup, 1);
	cgroup->path = path;
	cgroup->types = g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
	g_ptr_array_add(list, cgroup);
	g_hash_table_insert(by_path, (gpointer)(uintptr_t)path, cgroup);
	return cgroup;
}

GPtrArray *typed_cgroups_new(const GPtrArray *groups, GHashTable *except, Store *store)
{
	g_autoptr(GHashTable) by_path = g_hash_table_new(NULL, NULL);
	GPtrArray *list = g_ptr_array_new_with_free_func(typed_cgroup_free);

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		RecordKey type = {.start = 0};

		if (g_hash_table_contains(except, group->names[0]))
			continue;
		/* Names may be literal; a pattern's pattern is itself. */
		for (guint n = 0; n < 2; n++)
			type.names[n] = store_take(store, pattern_key(group->names[n + 1]));
		g_hash_table_add(take_cgroup(list, by_path, group->names[0])->types,
				 g_memdup2(&type, sizeof type));
	}
	g_ptr_array_sort(list, compare_paths);
	return list;
}

TypeIndex *type_index_new(const GPtrArray *cgroups)
{
	TypeIndex *index = g_hash_table_new_full(record_key_hash, record_key_equal, NULL,
						 (GDestroyNotify)g_array_unref);

	for (guint i = 0; i < cgroups->len; i++) {
		const TypedCgroup *cgroup = g_ptr_array_index(cgroups, i);
		GHashTableIter iter;
		gpointer type;

		g_hash_table_iter_init(&iter, cgroup->types);
		while (g_hash_table_iter_next(&iter, &type, NULL)) {
			GArray *list = g_hash_table_lookup(index, type);

			if (!list) {
				list = g_array_new(FALSE, FALSE, sizeof(guint));
				g_hash_table_insert(index, type, list);
			}
			g_array_append_val(list, i);
		}
	}
	return index;
}

guint *type_index_count(TypeIndex *index, const TypedCgroup *cgroup, guint n_cgroups)
{
	guint *shared = g_new0(guint, n_cgroups + 1);
	GHashTableIter iter;
	gpointer type;

	g_hash_table_iter_init(&iter, cgroup->types);
	while (g_hash_table_iter_next(&iter, &type, NULL)) {
		const GArray *list = g_hash_table_lookup(index, type);

		for (guint i = 0; list && i < list->len; i++)
			shared[g_array_index(list, guint, i)]++;
	}
	return shared;
}

static gboolean is_in_any(const GPtrArray *cgroups, gconstpointer type)
{
	for (guint i = 0; i < cgroups->len; i++) {
		const TypedCgroup *cgroup = g_ptr_array_index(cgroups, i);

		if (g_hash_table_contains(cgroup->types, type))
			return TRUE;
	}
	return FALSE;
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **typed_cgroup_rest(const TypedCgroup *mine, const GPtrArray *others, Store *store,
			       guint64 *ret_n)
{
	GPtrArray *rest = g_ptr_array_new();
	GHashTableIter iter;
	gpointer data;

	g_hash_table_iter_init(&iter, mine->types);
	while (g_hash_table_iter_next(&iter, &data, NULL)) {
		const RecordKey *type = data;

		if (is_in_any(others, type))
			continue;
		const char *text =
			store_take(store, g_strdup_printf("%s:%s", type->names[0], type->names[1]));
		g_ptr_array_add(rest, (gpointer)(uintptr_t)text);
	}
	g_ptr_array_sort(rest, compare_texts);
	*ret_n = rest->len;
	g_ptr_array_add(rest, NULL);
	return (const char **)(void *)g_ptr_array_free(rest, FALSE);
}
