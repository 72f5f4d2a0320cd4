/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store.h"

#include <string.h>

struct store {
	GStringChunk *texts;
	GHashTable *cpu_lists; /* a set of CpuList */
};

static guint cpu_list_hash(gconstpointer data)
{
	const CpuList *list = data;
	guint hash = list->n;

	for (guint32 i = 0; i < list->n; i++)
		hash = hash * 31 + list->cpus[i];
	return hash;
}

static gboolean cpu_list_equal(gconstpointer a, gconstpointer b)
{
	const CpuList *x = a, *y = b;

	return x->n == y->n && memcmp(x->cpus, y->cpus, x->n * sizeof *x->cpus) == 0;
}

static void cpu_list_free(gpointer data)
{
	CpuList *list = data;

	g_free(list->cpus);
	g_free(list->text);
	g_free(list);
}

Store *store_new(void)
{
	Store *store = g_new0(Store, 1);

	store->texts = g_string_chunk_new(1 << 16);
	store->cpu_lists =
		g_hash_table_new_full(cpu_list_hash, cpu_list_equal, cpu_list_free, NULL);
	return store;
}

void store_free(Store *store)
{
	g_string_chunk_free(store->texts);
	g_hash_table_unref(store->cpu_lists);
	g_free(store);
}

const char *store_text(Store *store, const char *text)
{
	return g_string_chunk_insert_const(store->texts, text);
}

const char *store_take(Store *store, char *text)
{
	g_autofree char *taken = text;

	return store_text(store, taken);
}

/* Formats runs of numbers as ranges. */
static char *cpu_list_format(const guint32 *cpus, guint32 n)
{
	GString *out = g_string_new(NULL);

	for (guint32 i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && cpus[last + 1] == cpus[last] + 1;)
			last++;
		g_string_append_printf(out, "%s%u", out->len ? "," : "", cpus[i]);
		if (last > i)
			g_string_append_printf(out, "-%u", cpus[last]);
	}
	return g_string_free(out, FALSE);
}

gboolean cpu_list_is(const CpuList *list, const struct ctprof_cpus *cpus)
{
	return list->n == cpus->n &&
	       memcmp(list->cpus, cpus->cpus, list->n * sizeof *list->cpus) == 0;
}

const CpuList *store_cpus(Store *store, const struct ctprof_cpus *cpus)
{
	const guint32 *numbers = cpus->cpus;
	CpuList wanted = {.n = cpus->n, .cpus = (guint32 *)(uintptr_t)numbers};
	CpuList *list = g_hash_table_lookup(store->cpu_lists, &wanted);

	if (list)
		return list;
	list = g_new0(CpuList, 1);
	list->n = cpus->n;
	list->cpus = g_memdup2(numbers, cpus->n * sizeof *numbers);
	list->text = cpu_list_format(numbers, cpus->n);
	g_hash_table_add(store->cpu_lists, list);
	return list;
}
