/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups that the threads of a capture are in, and those above them, which may limit them;
 * of one sample of a recording after the other. */
#pragma once

#include <glib.h>

#include "row/registry.h"

typedef struct cgroup_set {
	const Registry *registry;
	GHashTable *paths;             /* path -> whether threads are in it, of this sample */
	const Metric *path, *v1_paths; /* a path, and a map of paths; NULL: not there */
	GHashTable *memberships;       /* struct membership -> itself */
	GHashTable *of_thread;         /* tid -> struct membership */
	guint64 sample;                /* being taken */
} CgroupSet;

void cgroup_set_init(CgroupSet *set, const Registry *registry);
void cgroup_set_clear(CgroupSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CgroupSet, cgroup_set_clear)
/* Another sample: no thread is in any.  remembers: cgroup_set_note_same() may come. */
void cgroup_set_begin(CgroupSet *set, gboolean remembers);
/* Takes the cgroups of threads. */
void cgroup_set_note(CgroupSet *set, const struct ctprof_rows *rows);
/* Takes those of a thread that is in the same ones as in the sample before. */
void cgroup_set_note_same(CgroupSet *set, gint32 tid);
/* The paths, bytewise; borrowed, the caller frees the list. */
GList *cgroup_set_list(const CgroupSet *set);
/* Takes the next paths of a list as targets, at most that many; returns their number. */
gsize cgroup_set_targets(GList **list, struct ctprof_target *targets, gsize most);
/* Whether a row was worth reading: threads are in that cgroup, or it has a limit. */
gboolean cgroup_set_keeps(const CgroupSet *set, const struct ctprof_rows *row);
