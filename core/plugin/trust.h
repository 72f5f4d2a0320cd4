/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether code may be loaded from a file into a privileged process. */
#pragma once

#include <glib.h>

/* Whether this process is root or has more rights than the user who started it.  If so,
 * files that others can write must not be trusted. */
gboolean trust_is_needed(void);

/*
 * Whether only root can change or replace the file: it and every directory
 * above it belong to root and are writable by no one else (a sticky directory
 * is fine).  The error names the path that is not.
 */
gboolean trust_check_file(const char *path, GError **error);
