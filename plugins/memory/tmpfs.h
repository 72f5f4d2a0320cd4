/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the usage of a mounted tmpfs, without reading its files. */
#pragma once

#include "amount.h"
#include "mounts.h"

struct tmpfs_usage {
	struct amount
		used; /* in memory and swapped out, including deleted files that are still open */
	struct amount limit; /* UINT64_MAX: no limit */
	struct amount files;
};

/* Opens the mount point (O_PATH): the descriptor or -errno; -ESTALE: something else is mounted
 * there. */
int tmpfs_open(const struct mount *mount);
/* Queries the file system if live; otherwise uses mountinfo. */
void tmpfs_measure(const struct mount *mount, bool live, struct tmpfs_usage *ret);
