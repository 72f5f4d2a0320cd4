/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens files that the user names. */
#pragma once

#include <glib.h>

/*
 * Opens a file or pipe for reading (close-on-exec) with the rights of the user who runs
 * ctprof: root can read files of others; a ctprof with capabilities reads nothing that its
 * user could not.  The type is checked first, as opening a device may have an effect.
 * flags are added; O_NOFOLLOW: only a regular file, and not through a link.  Returns a
 * descriptor or -errno: -EISDIR for a directory, -ENODEV for a device.
 */
int userfile_open(const char *path, int flags);

/*
 * Opens a file now for the next userfile_open() of that path, which returns the descriptor
 * or the error: for files that are read when the process has only the rights of plugins.
 * Returns whether it was opened.
 */
gboolean userfile_keep(const char *path, int flags);

/* Reads the rest of the file, at most size bytes; returns their number, or -errno. */
gssize userfile_read(int fd, char *text, gsize size);
