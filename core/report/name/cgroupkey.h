/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name under which a cgroup is grouped.  If a glob matches the path, the name is the first such
 * glob.  Otherwise the name is made in three steps: an instance of a systemd template becomes {I},
 * tokens become placeholders (pattern.h), and pieces that are equal in all paths of one shape are
 * restored, so that a path without a peer keeps its name.
 */
#pragma once

#include <glib.h>

typedef struct cgroup_keys CgroupKeys;

/* globs: NULL-terminated, checked, borrowed; NULL: none.  If normalise is FALSE, only the globs
 * apply. */
CgroupKeys *cgroup_keys_new(char *const *globs, gboolean normalise);
void cgroup_keys_free(CgroupKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupKeys, cgroup_keys_free)

/* Add all paths of both sides first; then get their names. */
void cgroup_keys_add(CgroupKeys *keys, const char *path);
/* Returns a glob, a text that is valid until the next path is added, or path itself. */
const char *cgroup_keys_get(CgroupKeys *keys, const char *path);
/* Returns the part of an added path's key that does not depend on other paths: a glob, the path's
 * skeleton, or path itself. */
const char *cgroup_keys_shape(const CgroupKeys *keys, const char *path);
/* Returns the name that cgroup_keys_get() gives to all paths of this shape. */
const char *cgroup_keys_name(const CgroupKeys *keys, const char *shape);

/* Returns the path with instances and tokens replaced.  Paths of one shape have the same
 * skeleton. */
char *cgroup_skeleton(const char *path);
