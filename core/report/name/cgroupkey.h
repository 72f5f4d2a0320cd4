/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name a cgroup is grouped under, in four steps: the first glob that
 * matches replaces the path, and that is its name.  Otherwise an instance of a
 * systemd template becomes {I}, tokens become placeholders (pattern.h), and
 * what all paths of one shape have in common goes back to what it was, so that
 * a path without a peer keeps its name.
 */
#pragma once

#include <glib.h>

typedef struct cgroup_keys CgroupKeys;

/* globs: NULL-terminated, checked, borrowed; NULL: none.  Without normalise
 * only the globs count. */
CgroupKeys *cgroup_keys_new(char *const *globs, gboolean normalise);
void cgroup_keys_free(CgroupKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupKeys, cgroup_keys_free)

/* First all paths there are, of both sides; then their names. */
void cgroup_keys_add(CgroupKeys *keys, const char *path);
/* A glob, a text that lives until the next path is added, or path itself. */
const char *cgroup_keys_get(CgroupKeys *keys, const char *path);

/* Instances and tokens replaced: paths of one shape have one skeleton. */
char *cgroup_skeleton(const char *path);
