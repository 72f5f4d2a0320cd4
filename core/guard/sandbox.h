/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no plugin needs of the kernel, taken from the process that runs them. */
#pragma once

#include <glib.h>

/*
 * Refuses, for good and in every process and thread that follows, what would let
 * a plugin get past its capabilities: changing the memory or the registers of
 * other processes, taking their descriptors, opening files by handle, namespaces,
 * mounts, modules, keys, io_uring, and tracing that does more than look.  The
 * kernel's CONFIG_SECCOMP_FILTER and a 64-bit machine that is known; otherwise it
 * does nothing.  Needs no_new_privs, or CAP_SYS_ADMIN.
 */
gboolean sandbox_confine(GError **error);
