/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The paths of cgroups by their inodes, from one walk of cgroup2. */
#pragma once

#include <stdint.h>

#include "ctprof/plugin.h"
#include "text.h"

struct cgroups;

/*
 * Walks the hierarchy below the host's cgroup root.  own, told: inode and path of the
 * calling process's cgroup, by which all paths become those of proc/<pid>/cgroup as this
 * process reads it.  NULL when that does not work out.
 */
struct cgroups *cgroups_new(const struct ctprof_host *host, uint64_t own, struct text told);
void cgroups_free(struct cgroups *cgroups);
/* NULL: not known, it is gone or new. */
const char *cgroups_find(const struct cgroups *cgroups, uint64_t inode);

/* The path in the text of a proc/<pid>/cgroup; length 0: no thread has one here. */
struct text cgroups_parse_own(struct text text);
