/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no plugin needs of the kernel, taken from the process that runs them. */
#pragma once

#include <glib.h>

/*
 * Refuses, for good and in every process and thread that follows, what would let
 * a plugin get past its capabilities: changing the memory or the registers of
 * other processes, taking their descriptors, opening files by handle, namespaces,
 * mounts, modules, keys, io_uring, sockets but those of this host, setting up networks, and tracing
 * that does more than look, or looks at the parent process.  The kernel's CONFIG_SECCOMP_FILTER and
 * a 64-bit machine that is known; otherwise it does nothing.  Needs no_new_privs, or CAP_SYS_ADMIN.
 */
gboolean sandbox_confine(GError **error);

/* Leaks are looked for by a process of our own that attaches to our threads. */
#if defined(__SANITIZE_ADDRESS__)
#define SANDBOX_IS_TRACED_BY_ITSELF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANDBOX_IS_TRACED_BY_ITSELF 1
#endif
#endif
#ifndef SANDBOX_IS_TRACED_BY_ITSELF
#define SANDBOX_IS_TRACED_BY_ITSELF 0
#endif
