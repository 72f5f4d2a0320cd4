/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mounted file systems whose files are memory, and telling them by device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "text.h"

/* What backs the files of a file system. */
enum mount_kind {
	MOUNT_UNKNOWN, /* mounted elsewhere, or nowhere: the kernel's own */
	MOUNT_OTHER,   /* a disk, a network, a device's driver, ... */
	MOUNT_TMPFS,
	MOUNT_RAMFS,
	MOUNT_HUGETLBFS,
	MOUNT_DEVTMPFS,
};

struct mount {
	uint32_t major, minor;
	uint32_t line; /* place in the file */
	enum mount_kind kind;
	bool whole;        /* not a part of the file system only (a bind mount) */
	struct text point; /* bytes, unescaped */
	struct text source;
	struct amount limit; /* option size= of a tmpfs */
};

struct mounts {
	char *text;       /* what the texts are in */
	struct mount *at; /* by device */
	size_t n;
	const struct mount **visible; /* by point; no other mount lies on it */
	size_t n_visible;
	const struct mount **tmpfs; /* one visible mount a device, by point */
	size_t n_tmpfs;
};

/* Takes mountinfo's text over, which must be malloc()'s; 0 or -ENOMEM. */
int mounts_parse(char *text, size_t len, struct mounts *ret);
/* Those of this process; 0 or -errno. */
int mounts_read(const struct ctprof_host *host, struct mounts *ret);
void mounts_clear(struct mounts *mounts);

/* Of the file system with that device. */
enum mount_kind mounts_kind_of_device(const struct mounts *mounts, uint32_t major, uint32_t minor);
/* Of the file system that the path is on, as seen from here. */
enum mount_kind mounts_kind_of_path(const struct mounts *mounts, struct text path);

/* "64k", "2m", "1TB", "4096"; false for all else ("50%"). */
bool mounts_parse_size(struct text text, uint64_t *ret_bytes);
