/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the mounted file systems whose files are in memory, and finds them by device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "text.h"

/* The kind of storage of a file system. */
enum mount_kind {
	MOUNT_UNKNOWN, /* not mounted here: mounted elsewhere, or internal to the kernel */
	MOUNT_OTHER,   /* a disk, a network, a device's driver, ... */
	MOUNT_TMPFS,
	MOUNT_RAMFS,
	MOUNT_HUGETLBFS,
	MOUNT_DEVTMPFS,
};

struct mount {
	uint32_t major, minor;
	uint32_t line; /* index in the file */
	enum mount_kind kind;
	bool whole;        /* shows the whole file system, not a part (a bind mount) */
	struct text point; /* bytes, unescaped */
	struct text source;
	struct amount limit; /* option size= of a tmpfs */
};

struct mounts {
	char *text;       /* buffer that the texts point into */
	struct mount *at; /* by device */
	size_t n;
	const struct mount **visible; /* by path; not hidden by another mount */
	size_t n_visible;
	const struct mount **tmpfs; /* one visible mount for each device, by path */
	size_t n_tmpfs;
};

/* Takes ownership of mountinfo's text, which must be from malloc(); 0 or
 * -ENOMEM. */
int mounts_parse(char *text, size_t len, struct mounts *ret);
/* Reads a mountinfo below the proc root; 0 or -errno. */
int mounts_read(const struct ctprof_host *host, const char *path, struct mounts *ret);
void mounts_clear(struct mounts *mounts);

/* Returns the kind of the file system with that device. */
enum mount_kind mounts_kind_of_device(const struct mounts *mounts, uint32_t major, uint32_t minor);
/* Returns the kind of the file system that contains the path, as this process sees it. */
enum mount_kind mounts_kind_of_path(const struct mounts *mounts, struct text path);

/* Parses "64k", "2m", "1TB", "4096"; false for anything else ("50%"). */
bool mounts_parse_size(struct text text, uint64_t *ret_bytes);
