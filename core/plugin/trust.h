/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether code may be loaded from a file into a privileged process. */
#pragma once

#include <glib.h>

/* Whether this process has more rights than the person who started it, or is
 * root: then files others can write are not to be trusted. */
gboolean trust_is_needed(void);

/*
 * Whether nobody but root can change the file or put another in its place:
 * it and every directory above it belong to root and are writable by no one
 * else (a sticky directory is fine).  The error names the weak spot.
 */
gboolean trust_check_file(const char *path, GError **error);
