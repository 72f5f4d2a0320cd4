/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name a cgroup is grouped under, in four steps: the first glob that
 * matches replaces the path, and that is its name.  Otherwise an instance of a
 * systemd template becomes {I}, tokens become placeholders (pattern.h), and
 * pieces that are equal in all paths of one shape are restored, so that a path
 * without a peer keeps its name.
 */
#pragma once

#include <glib.h>

typedef struct cgroup_keys CgroupKeys;

/* globs: NULL-terminated, checked, borrowed; NULL: none.  Without normalise
 * only the globs count. */
CgroupKeys *cgroup_keys_new(char *const *globs, gboolean normalise);
void cgroup_keys_free(CgroupKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupKeys, cgroup_keys_free)

/* Add all paths of both sides first; then get their names. */
void cgroup_keys_add(CgroupKeys *keys, const char *path);
/* A glob, a text that lives until the next path is added, or path itself. */
const char *cgroup_keys_get(CgroupKeys *keys, const char *path);
/* The part of an added path's key that does not depend on other paths: a glob, its
 * skeleton, or path itself. */
const char *cgroup_keys_shape(const CgroupKeys *keys, const char *path);
/* The name, as of cgroup_keys_get(), of all paths that have this shape. */
const char *cgroup_keys_name(const CgroupKeys *keys, const char *shape);

/* Instances and tokens replaced: paths of one shape have one skeleton. */
char *cgroup_skeleton(const char *path);
