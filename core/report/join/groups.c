/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "groups.h"

#include <string.h>

#define TICKS_A_SECOND 100 /* USER_HZ */

/* Whether a cgroup above that path has the same name: whatever is counted in the lower one is
 * counted in the higher one, too. */
static gboolean is_counted(const RecordSet *set, Namer *namer, const char *path, const char *name)
{
	g_autofree char *top = g_strdup(path);

	for (char *end; (end = strrchr(top, '/')) && end > top;) {
		*end = '\0';
		const RecordKey above = {.names = {store_text(namer->store, top)}};
		RecordKey key;
		if (!record_set_find(set, &above))
			continue;
		namer_key(namer, &above, &key);
		if (key.names[0] == name)
			return TRUE;
	}
	return FALSE;
}

void groups_add_pairs(Pairs *pairs, const RecordSet *set, guint side, Namer *namer,
		      gboolean of_cgroups)
{
	g_autoptr(GPtrArray) records = record_set_sorted(set);

	for (guint i = 0; i < records->len; i++) {
		Record *record = g_ptr_array_index(records, i);
		RecordKey key;

		if (namer->is_done && !of_cgroups)
			key = record->key;
		else
			namer_key(namer, &record->key, &key);
		if (!of_cgroups || !is_counted(set, namer, record->key.names[0], key.names[0]))
			pair_add(pairs_take(pairs, &key), side, record);
	}
}

/* Returns "comm[tid]", with the older name. */
static const char *thread_label(const Pair *pair, Store *store)
{
	const Record *record = pair->sides[0] ? pair->sides[0] : pair->sides[1];

	return store_take(store, g_strdup_printf("%s[%d]", record->key.names[0], pair->key.tid));
}

static Group *group_new(const Pair *pair, const Namer *namer)
{
	Group *group = g_new0(Group, 1);

	group->n_names = namer->axis->n_names;
	group->of_command = pair->key.of_command;
	group->age = -1;
	for (guint i = 0; i < KEY_NAMES; i++)
		group->names[i] = pair->key.names[i];
	if (namer->axis->by_thread)
		group->names[0] = thread_label(pair, namer->store);
	for (guint i = 0; i < SIDES; i++)
		group->sides[i] = pair->sides[i];
	return group;
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
	const Group *x = *(const Group *const *)a, *y = *(const Group *const *)b;

	for (guint i = 0; i < KEY_NAMES; i++) {
		int order = x->names[i] == y->names[i] ? 0 : g_strcmp0(x->names[i], y->names[i]);

		if (order != 0)
			return order;
	}
	/* Both have the same label: the tid was reused. */
	const Record *p = x->sides[0] ? x->sides[0] : x->sides[1];
	const Record *q = y->sides[0] ? y->sides[0] : y->sides[1];
	return record_key_compare(&p->key, &q->key);
}

void groups_order(Groups *groups)
{
	GPtrArray *lists[] = {groups->joined, groups->only[0], groups->only[1]};

	for (guint l = 0; l < G_N_ELEMENTS(lists); l++) {
		g_ptr_array_sort(lists[l], compare_groups);
		for (guint i = 0; i < lists[l]->len; i++)
			((Group *)g_ptr_array_index(lists[l], i))->place = i;
	}
}

void groups_build(Groups *ret_groups, RecordSet *const sides[SIDES], gboolean compare, Namer *namer)
{
	g_autoptr(GHashTable) pairs = pairs_new();

	for (guint side = 0; side < (compare ? SIDES : 1); side++)
		groups_add_pairs(pairs, sides[side], side, namer, FALSE);
	ret_groups->joined = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < SIDES; i++)
		ret_groups->only[i] = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) list = pairs_sorted(pairs);
	for (guint i = 0; i < list->len; i++) {
		const Pair *pair = g_ptr_array_index(list, i);
		gboolean both = pair->sides[0] && pair->sides[1];

		g_ptr_array_add(!compare || both ? ret_groups->joined
						 : ret_groups->only[pair->sides[0] ? 0 : 1],
				group_new(pair, namer));
	}
	groups_order(ret_groups);
}

void groups_clear(Groups *groups)
{
	g_clear_pointer(&groups->joined, g_ptr_array_unref);
	for (guint i = 0; i < SIDES; i++)
		g_clear_pointer(&groups->only[i], g_ptr_array_unref);
}

void groups_set_age(Groups *groups, guint side, guint64 now)
{
	for (guint i = 0; i < groups->joined->len; i++) {
		Group *group = g_ptr_array_index(groups->joined, i);
		const Record *record = group->sides[side];

		if (!record || record->n_starts == 0)
			continue;
		gdouble start = (gdouble)record->starts / (gdouble)record->n_starts;
		group->age = MAX(0, (gdouble)now - start) / TICKS_A_SECOND;
	}
}
