/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files whose path another user chose.  Opening a device, a FIFO or a terminal can have side
 * effects, and a file system in user space (FUSE) may never answer.  Therefore a file is first
 * opened with O_PATH.  Only if that shows a regular file on a known file system, the same file is
 * opened for reading, through its link in /proc.
 *
 * The descriptor shows its mount, and mountinfo the type of the mount: that of ctprof's own
 * namespace or, for other namespaces, of the process.  Three kinds of mounts are refused: FUSE; a
 * mount that neither file lists (it is detached, or not below the root of the process); and an
 * overlay made in another user namespace, as its layers may be on FUSE.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"

/* The mounts of ctprof's own namespace; read again after each change. */
struct foreign_mounts {
	pthread_mutex_t lock;
	int fd; /* its mountinfo, or -errno */
	ssize_t len;
	char *text;
};

/* Must be called before workers start, as their descriptor tables are copies. */
void foreign_mounts_init(struct foreign_mounts *ret, const struct ctprof_host *host);
void foreign_mounts_clear(struct foreign_mounts *mounts);

/* The thread that the files belong to, below the task directory of its process. */
struct foreign {
	const struct ctprof_host *host;
	struct foreign_mounts *own;
	int task_fd;
	int32_t via;
};

/* Opens a link that the kernel made (exe, map_files/...), below the task directory.  Returns a
 * descriptor or -errno; -EINVAL: it is not a regular file; -EREMOTE: its file system is refused,
 * and no request has been sent to that. */
int foreign_open(const struct foreign *foreign, const char *path);

/* Opens an absolute path as the thread sees it.  No symbolic link is followed, and no name is
 * looked up on a refused file system. */
int foreign_open_below(const struct foreign *foreign, const char *path);

/* Opens an absolute path of ctprof's own root, which no process can choose. */
int foreign_open_own(const struct foreign *foreign, const char *path);
