/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The initial namespaces; their inode numbers never change. */
#pragma once

#include <stdbool.h>

#include <ctprof/plugin.h>

/* Whether this process is in the initial namespace of a kind, by its name in /proc/self/ns:
 * "cgroup", "pid", "time", "user".  True if the kernel does not have this kind. */
bool namespace_is_first(const struct ctprof_host *host, const char *kind);
