/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups that the threads of a capture are in, and those above them, which may limit them.
 * In a recording, the set is used for one sample after the other. */
#pragma once

#include <glib.h>

#include "row/registry.h"

typedef struct cgroup_set {
	const Registry *registry;
	GHashTable *paths;             /* of this sample: path -> whether it has threads */
	const Metric *path, *v1_paths; /* metrics: one path, and a map of paths; NULL: missing */
	GHashTable *memberships;       /* the paths of a thread (GBytes) -> struct membership */
	GHashTable *of_thread;         /* tid -> struct membership */
	guint64 sample;                /* number of the current sample */
} CgroupSet;

void cgroup_set_init(CgroupSet *set, const Registry *registry);
void cgroup_set_clear(CgroupSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CgroupSet, cgroup_set_clear)
/* Begins another sample, with an empty set.  remembers: keep the cgroups of each thread, for
 * cgroup_set_note_same(). */
void cgroup_set_begin(CgroupSet *set, gboolean remembers);
/* Adds the cgroups of the threads in rows. */
void cgroup_set_note(CgroupSet *set, const struct ctprof_rows *rows);
/* Adds the cgroups of a thread, which are the same as in the previous sample. */
void cgroup_set_note_same(CgroupSet *set, gint32 tid);
/* Returns the paths in bytewise order; they are borrowed, but the caller frees the list. */
GList *cgroup_set_list(const CgroupSet *set);
/* Makes targets of at most `most` of the next paths of a list; returns their number. */
gsize cgroup_set_targets(GList **list, struct ctprof_target *targets, gsize most);
/* Whether a row is worth keeping: its cgroup has threads or a limit. */
gboolean cgroup_set_keeps(const CgroupSet *set, const struct ctprof_rows *row);
