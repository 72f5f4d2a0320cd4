/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files whose path another user chose.  Opening a device, a FIFO or a
 * terminal can have side effects, so a file is first opened with O_PATH, and for
 * reading only once it is known to be a regular file: the same one, through its
 * link in /proc.
 */
#pragma once

#include "ctprof/plugin.h"

/* Opens a link that the kernel made (exe, map_files/...) below a process's task directory.
 * Returns a descriptor or -errno; -EINVAL: it is not a regular file; -EREMOTE: it is on a
 * file system in user space (FUSE), to which no request is sent. */
int foreign_open(const struct ctprof_host *host, int dirfd, const char *path);

/*
 * Opens an absolute path as seen by a process whose root directory is the link
 * dirfd/root.  No symbolic link is followed out of that root; on kernels
 * without openat2() (before 5.6) none is followed at all.
 */
int foreign_open_below(const struct ctprof_host *host, int dirfd, const char *root,
		       const char *path);
