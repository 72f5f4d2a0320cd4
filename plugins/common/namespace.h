/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The namespaces that the kernel began with; their inode numbers never change. */
#pragma once

#include <stdbool.h>

#include <ctprof/plugin.h>

/* Whether this process is in the first one of a kind, by its name in /proc/self/ns: "cgroup",
 * "pid", "time", "user".  A kernel without one has no others of it: true. */
bool namespace_is_first(const struct ctprof_host *host, const char *kind);
