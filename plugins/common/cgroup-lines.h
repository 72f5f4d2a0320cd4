/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of proc/<pid>/cgroup, "ID:CONTROLLERS:PATH" (proc_cgroup_show). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ctprof/plugin.h"
#include "text.h"

/* Enough for two dozen hierarchies, each with a path. */
#define CGROUP_LINES_BYTES (64u * 1024)
/* The v1 controllers whose paths are kept. */
#define CGROUP_CONTROLLERS 4u

/* Finds the main path: that of v2, otherwise the first one that is not the root, among these
 * controllers and systemd's own hierarchy. */
bool cgroup_lines_main(struct text text, struct text *ret_path);
/* Writes the paths that differ from the main one, by controller, to entries, an array of
 * CGROUP_CONTROLLERS elements; returns their number. */
size_t cgroup_lines_v1(struct text text, struct ctprof_map_entry *entries);
/* Whether one of these controllers is in v1; the answer is the same for all threads. */
bool cgroup_lines_have_v1(struct text text);
