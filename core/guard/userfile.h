/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that the user names. */
#pragma once

#include <glib.h>

/*
 * Opens a file or pipe for reading (close-on-exec) with the rights of the user who runs
 * ctprof: root reads what is another's, a ctprof with capabilities reads nothing that its
 * user could not.  What it is is known before it is opened: a device may act on that.
 * flags are added.  Returns a descriptor or -errno; -EISDIR and -ENODEV for a directory and a
 * device.
 */
int userfile_open(const char *path, int flags);

/*
 * Opens it now for the next userfile_open() of that path, which returns what this would
 * have: for files that are read when the process has the rights of plugins only.
 */
void userfile_keep(const char *path, int flags);

/* Reads what is left of it, at most size bytes: their number, or -errno. */
gssize userfile_read(int fd, char *text, gsize size);
