/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pick.h"

/* Lines gathered beyond the limit before they are sorted and cut. */
#define SLACK 4096

void picker_init(Picker *picker, guint limit)
{
	picker->lines = g_array_new(FALSE, FALSE, sizeof(Line));
	picker->limit = limit;
	picker->offered = 0;
}

void picker_clear(Picker *picker)
{
	g_clear_pointer(&picker->lines, g_array_unref);
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	return standing_compare(&((const Line *)a)->at, &((const Line *)b)->at);
}

static void cut(Picker *picker)
{
	g_array_sort(picker->lines, compare_lines);
	if (picker->limit > 0 && picker->lines->len > picker->limit)
		g_array_set_size(picker->lines, picker->limit);
}

void picker_offer(Picker *picker, const Line *line)
{
	picker->offered++;
	g_array_append_val(picker->lines, *line);
	if (picker->limit > 0 && picker->lines->len / 2 > picker->limit + SLACK)
		cut(picker);
}

guint64 picker_finish(Picker *picker)
{
	cut(picker);
	return picker->offered - picker->lines->len;
}

/* A line and where the first of its cgroup and of its process stand. */
typedef struct branch {
	Line line;
	guint cgroup, process, at;
} Branch;

static gint compare_branches(gconstpointer a, gconstpointer b)
{
	const Branch *x = a, *y = b;

	if (x->cgroup != y->cgroup)
		return x->cgroup < y->cgroup ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Where the key was met first; now, if it is new. */
static guint first_at(GHashTable *firsts, const char *cgroup, const char *pcomm, guint at)
{
	RecordKey key = {.names = {cgroup, pcomm}};
	gpointer first;

	if (g_hash_table_lookup_extended(firsts, &key, NULL, &first))
		return GPOINTER_TO_UINT(first);
	g_hash_table_insert(firsts, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(at));
	return at;
}

void picker_make_tree(Picker *picker)
{
	g_autoptr(GHashTable) firsts =
		g_hash_table_new_full(record_key_hash, record_key_equal, g_free, NULL);
	g_autoptr(GArray) branches = g_array_new(FALSE, FALSE, sizeof(Branch));

	for (guint i = 0; i < picker->lines->len; i++) {
		const Line *line = &g_array_index(picker->lines, Line, i);
		const char *const *names = line->group->names;
		Branch branch = {*line, first_at(firsts, names[0], NULL, i),
				 first_at(firsts, names[0], names[1], i), i};

		g_array_append_val(branches, branch);
	}
	g_array_sort(branches, compare_branches);
	for (guint i = 0; i < branches->len; i++)
		g_array_index(picker->lines, Line, i) = g_array_index(branches, Branch, i).line;
}
