/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening files whose place or name another user chose.  Opening a device, a
 * FIFO or a terminal can have an effect of its own, so a file is first opened as
 * a mere place (O_PATH), and for reading only once it is known to be a regular
 * file: the same one, through its link in /proc.
 */
#pragma once

#include "ctprof/plugin.h"

/* Opens a link that the kernel made (exe, map_files/...).  Returns a descriptor
 * or -errno; -EINVAL: it is not a regular file. */
int foreign_open(const struct ctprof_host *host, int dirfd, const char *path);

/*
 * Opens an absolute path as a process sees it whose root directory is the link
 * dirfd/root.  No symbolic link leads out of that root; on kernels without
 * openat2() (before 5.6) none is followed at all.
 */
int foreign_open_below(const struct ctprof_host *host, int dirfd, const char *root,
		       const char *path);
