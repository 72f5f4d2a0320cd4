/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes from the process that runs plugins the system calls that no plugin needs. */
#pragma once

#include <glib.h>

/*
 * Refuses, for good and in every process and thread that the caller starts, ways to get past the
 * capabilities of a plugin: changing the memory or the registers of other processes, taking their
 * descriptors, opening files by handle, namespaces, mounts, modules, keys, io_uring, sockets other
 * than those within this host, configuring networks, tracing that does more than inspect, and
 * tracing of the parent process.  Does nothing unless the kernel has CONFIG_SECCOMP_FILTER and the
 * machine is one of the known 64-bit ones.  Needs no_new_privs, or CAP_SYS_ADMIN.
 */
gboolean sandbox_confine(GError **error);

/* The leak check of a sanitizer attaches to this process's threads from a process of its own. */
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
