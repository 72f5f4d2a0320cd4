/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Globs over paths.  '*', '?' and '[...]' (ranges; '!' negates) stay within a component; a
 * component "**" matches any number of components, but at least one at the end.  There is no escape
 * character.
 */
#pragma once

#include <glib.h>

/* The USAGE_ERROR says what is wrong with the glob. */
gboolean glob_check(const char *glob, GError **error);
/* Whether the whole path matches; glob must have passed glob_check(). */
gboolean glob_match(const char *glob, const char *path);
