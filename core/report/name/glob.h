/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Globs over paths.  '*', '?' and '[...]' (ranges; '!' negates) stay within a
 * component; a component "**" stands for any number of components, at the end
 * for at least one.  There is no escape character.
 */
#pragma once

#include <glib.h>

/* A USAGE_ERROR that says what is wrong with the glob. */
gboolean glob_check(const char *glob, GError **error);
/* Whether the whole path matches; glob must have passed glob_check(). */
gboolean glob_match(const char *glob, const char *path);
