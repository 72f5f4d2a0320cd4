/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the mount points of the cgroup hierarchies, and the directory of a cgroup there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "text.h"

/* The unified (v2) hierarchy, and the v1 controllers that are read. */
enum cgroup_hierarchy {
	CGROUP_UNIFIED,
	CGROUP_V1_CPU,
	CGROUP_V1_CPUACCT,
	CGROUP_V1_MEMORY,
	CGROUP_V1_PIDS,
	CGROUP_N_HIERARCHIES,
};

struct cgroup_mount {
	int base;     /* borrowed: the directory that prefix is relative to; valid with a prefix */
	char *prefix; /* the mount point below base, never empty; NULL: not mounted */
	char *root;   /* the cgroup that is visible there, mostly "/" */
};

struct cgroup_mounts {
	struct cgroup_mount at[CGROUP_N_HIERARCHIES];
};

/* A cgroup file system's line of a mountinfo file.  The texts are still escaped. */
struct cgroup_mountinfo {
	struct text root;
	struct text point;
	uint32_t hierarchies; /* bit 1 << enum cgroup_hierarchy */
};

/* Returns false for other file systems, and for invalid lines. */
bool cgroup_parse_mountinfo(const char *line, size_t len, struct cgroup_mountinfo *ret);

/*
 * Converts the path in a thread's cgroup file to the cgroup's directory below mount->base.
 * -EINVAL: not a path; -EXDEV: not below the mounted part (another cgroup namespace, or a bind
 * mount of a part); -ENAMETOOLONG.
 */
int cgroup_mount_path(const struct cgroup_mount *mount, const char *path, size_t len,
		      char *ret_path, size_t size);

/* Finds the mounts: from mountinfo on the running kernel, otherwise from the contents of the cgroup
 * root.  *ret is all zeros, or from an earlier call.  -EOPNOTSUPP if nothing is mounted, or
 * -ENOMEM. */
int cgroup_mounts_find(const struct ctprof_host *host, struct cgroup_mounts *ret);
/* Whether any hierarchy is mounted, beginning with first. */
bool cgroup_mounts_has(const struct cgroup_mounts *mounts, enum cgroup_hierarchy first);
void cgroup_mounts_clear(struct cgroup_mounts *mounts);
