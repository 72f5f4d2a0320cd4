/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stuck.h"

#include "base/lock.h"

struct stuck {
	GMutex lock;
	GHashTable *tgids;
};

Stuck *stuck_new(void)
{
	Stuck *stuck = g_new0(Stuck, 1);

	g_mutex_init(&stuck->lock);
	stuck->tgids = g_hash_table_new(NULL, NULL);
	return stuck;
}

void stuck_free(Stuck *stuck)
{
	g_hash_table_unref(stuck->tgids);
	g_mutex_clear(&stuck->lock);
	g_free(stuck);
}

void stuck_add(Stuck *stuck, gint32 tgid)
{
	HOLD(&stuck->lock);
	g_hash_table_add(stuck->tgids, GINT_TO_POINTER(tgid));
}

gboolean stuck_has(Stuck *stuck, gint32 tgid)
{
	HOLD(&stuck->lock);
	return g_hash_table_contains(stuck->tgids, GINT_TO_POINTER(tgid));
}

void stuck_remove(Stuck *stuck, gint32 tgid)
{
	HOLD(&stuck->lock);
	g_hash_table_remove(stuck->tgids, GINT_TO_POINTER(tgid));
}

guint stuck_count(Stuck *stuck)
{
	HOLD(&stuck->lock);
	return g_hash_table_size(stuck->tgids);
}
