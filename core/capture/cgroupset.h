/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups that the threads of a capture are in. */
#pragma once

#include <glib.h>

#include "row/registry.h"

typedef struct cgroup_set {
	GHashTable *paths;             /* path -> itself */
	const Metric *path, *v1_paths; /* a path, and a map of paths; NULL: not there */
} CgroupSet;

void cgroup_set_init(CgroupSet *set, const Registry *registry);
void cgroup_set_clear(CgroupSet *set);
/* Takes the cgroups of threads. */
void cgroup_set_note(CgroupSet *set, const struct ctprof_rows *rows);
/* The paths, bytewise; borrowed, the caller frees the list. */
GList *cgroup_set_list(const CgroupSet *set);
