/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the paths of files that plugins declare with those they open. */
#pragma once

#include <glib.h>

/*
 * Whether a declared need covers an opened path. Both are below a root: "proc/<tgid>/task/<tid>/io"
 * and "proc/12/task/13/io".  A component <path> matches any number of components, any other <word>
 * one component, self own_pid, and '*' any bytes within one; a declared path also covers everything
 * below it.
 */
gboolean path_is_covered(const char *need, const char *opened, const char *own_pid);
/* Whether the opened path may be a directory on the way to the declared one. */
gboolean path_leads_to(const char *need, const char *opened, const char *own_pid);

/* Returns the path with placeholders for numbers: "proc/<tgid>/task/<tid>/io". */
char *path_generalise(const char *opened);
