/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How full a mounted tmpfs is, without a look at its files. */
#pragma once

#include <sys/types.h>

#include "amount.h"
#include "mounts.h"

struct tmpfs_usage {
	struct amount used;  /* in memory, and swapped out of it; deleted files that are
			      * still open included */
	struct amount limit; /* UINT64_MAX: none */
	struct amount files;
};

/* A descriptor of where it is mounted (O_PATH), with its device number; -errno,
 * -ESTALE: something else is there. */
int tmpfs_open(const struct mount *mount, dev_t *ret_device);
/* Live: by asking the file system; else by what mountinfo tells. */
void tmpfs_measure(const struct mount *mount, bool live, struct tmpfs_usage *ret);
