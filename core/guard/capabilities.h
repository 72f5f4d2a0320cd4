/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least privilege: drops the capabilities that no plugin declares. */
#pragma once

#include <glib.h>

/* The user that plugins run as instead of user 0.  It is in a range that Debian and systemd assign
 * to no one, and it is mapped in the user namespaces of containers. */
#define CAPABILITIES_OTHER_USER 65533

/*
 * Drops every capability except those named ("CAP_SYS_PTRACE"), for good: from the
 * permitted, effective, inheritable, ambient and bounding sets.  Neither exec
 * (no_new_privs) nor being user 0 (locked securebits) restores any of them.
 *
 * leave_root: user 0 becomes CAPABILITIES_OTHER_USER for good, without supplementary groups,
 * and no process of that user can look into this one.  This takes CAP_SETUID, CAP_SETGID,
 * CAP_SETPCAP, CAP_KILL (the supervisor must be able to end this process), CAP_DAC_READ_SEARCH
 * if that is named, and a user namespace that maps the user; otherwise user 0 stays.
 * Without leave_root, CAP_DAC_OVERRIDE stays permitted, for capabilities_become_user().
 *
 * Applies to the calling thread and to the threads that it starts from now on.
 */
gboolean capabilities_drop(const GPtrArray *names, gboolean leave_root, GError **error);

/* Clears the effective capabilities, except CAP_KILL as root, while the process only waits for
 * another one, which it may have to kill.  Returns the argument for capabilities_resume(). */
gpointer capabilities_suspend(void);
/* Restores the capabilities and the user; errno is preserved. */
void capabilities_resume(gpointer before);

/* From now on the calling thread opens, creates and removes files with the rights of the
 * user who runs ctprof.  Root gets all rights, including those that are not in effect
 * otherwise; another user gets none from a set-user-ID bit or from file capabilities.
 * Returns the argument for capabilities_resume(). */
gpointer capabilities_become_user(void);

static inline void capabilities_end_as_user(gpointer *before)
{
	capabilities_resume(*before);
}

/* Runs the rest of the block with the user's rights; leaving it preserves errno. */
#define AS_USER                                                                                    \
	__attribute__((cleanup(capabilities_end_as_user))) gpointer as_user G_GNUC_UNUSED =        \
		capabilities_become_user()
