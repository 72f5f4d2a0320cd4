/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the paths of cgroups by their inodes, after one walk of cgroup2. */
#pragma once

#include <stdint.h>

#include "ctprof/plugin.h"
#include "text.h"

struct cgroups;

/* Walks the hierarchy below the host's cgroup root, which the paths are relative to.  NULL if that
 * fails. */
struct cgroups *cgroups_walk(const struct ctprof_host *host);
/*
 * Does the same, with the paths that proc/<pid>/cgroup shows to this process. own, own_path: inode
 * and path of its cgroup, from which those of all others are derived.
 */
struct cgroups *cgroups_new(const struct ctprof_host *host, uint64_t own, struct text own_path);
void cgroups_free(struct cgroups *cgroups);
/* Returns NULL if the path is unknown, because the cgroup is new or has been removed. */
const char *cgroups_find(const struct cgroups *cgroups, uint64_t inode);

/* Finds the cgroup2 path in a proc/<pid>/cgroup; length 0: threads here have none. */
struct text cgroups_parse_own(struct text text);
