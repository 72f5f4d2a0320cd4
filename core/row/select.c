/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "select.h"

#include <string.h>

#include "base/error.h"

struct select {
	gboolean all;
	GHashTable *picked; /* name -> in (non-NULL) or out (NULL) */
	GPtrArray *mentioned;
};

static gboolean is_name(const char *text)
{
	return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.-")];
}

static gboolean take(Select *select, const char *entry, gboolean first, GError **error)
{
	gboolean out = entry[0] == '-';
	const char *name = entry + (out ? 1 : 0);

	if (!name[0])
		return error_set_usage(error, "an empty entry");
	if (!is_name(name))
		return error_set_usage(error, "'%s' is not a valid name", name);
	if (first && out)
		select->all = TRUE;
	if (strcmp(name, "all") == 0) {
		select->all = !out;
		g_hash_table_remove_all(select->picked);
		return TRUE;
	}
	g_ptr_array_add(select->mentioned, g_strdup(name));
	g_hash_table_insert(select->picked, g_strdup(name), GINT_TO_POINTER(!out));
	return TRUE;
}

Select *select_parse(const char *text, GError **error)
{
	g_autoptr(Select) select = g_new0(Select, 1);

	select->picked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	select->mentioned = g_ptr_array_new_with_free_func(g_free);
	if (!text || !text[0]) {
		select->all = TRUE;
		return g_steal_pointer(&select);
	}
	g_auto(GStrv) entries = g_strsplit(text, ",", -1);
	for (guint i = 0; entries[i]; i++)
		if (!take(select, g_strstrip(entries[i]), i == 0, error))
			return NULL;
	return g_steal_pointer(&select);
}

void select_free(Select *select)
{
	g_hash_table_unref(select->picked);
	g_ptr_array_unref(select->mentioned);
	g_free(select);
}

gboolean select_has(const Select *select, const char *name)
{
	gpointer in;

	if (g_hash_table_lookup_extended(select->picked, name, NULL, &in))
		return in != NULL;
	return select->all;
}

gboolean select_names(const Select *select, const char *name)
{
	return g_hash_table_lookup(select->picked, name) != NULL;
}

const GPtrArray *select_mentioned(const Select *select)
{
	return select->mentioned;
}
