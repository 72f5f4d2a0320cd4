/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The unit that a cgroup belongs to: the systemd unit, container or pod that a
 * user started, derived from the path alone.
 */
#pragma once

#include <glib.h>

/* Returns a new text: "postgresql@15" (system.slice/.../postgresql@15.service), "docker 9a8b7c6d",
 * "pod 8f3c1e2a", "lxc web", "machine vm"; "-" for the root; for a path that names no unit, its
 * last component if that is a slice, or else the path without its first '/'.  IDs are cut to their
 * first eight digits. */
char *unit_of_cgroup(const char *path);
