/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "key.h"

#include <stdint.h>
#include <string.h>

guint record_key_hash(gconstpointer key)
{
	const RecordKey *k = key;
	guint64 hash = k->start ^ (guint64)(guint32)k->tid << 32 ^ (guint64)k->of_command;

	for (guint i = 0; i < KEY_NAMES; i++)
		hash = (hash ^ (guint64)(uintptr_t)k->names[i]) * 0x9e3779b97f4a7c15u;
	return (guint)(hash >> 32);
}

gboolean record_key_equal(gconstpointer a, gconstpointer b)
{
	const RecordKey *x = a, *y = b;

	return x->tid == y->tid && x->start == y->start && x->of_command == y->of_command &&
	       memcmp(x->names, y->names, sizeof x->names) == 0;
}

gint record_key_compare(const RecordKey *a, const RecordKey *b)
{
	for (guint i = 0; i < KEY_NAMES; i++) {
		/* Usually the cgroup or process is the same, and equal texts have the same
		 * address. */
		int order = a->names[i] == b->names[i] ? 0 : g_strcmp0(a->names[i], b->names[i]);

		if (order != 0)
			return order;
	}
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->of_command - b->of_command;
}

gint record_key_compare_owners(gconstpointer a, gconstpointer b)
{
	return record_key_compare(*(const RecordKey *const *)a, *(const RecordKey *const *)b);
}
