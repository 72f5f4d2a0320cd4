/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least privilege: drops the capabilities that no plugin declares. */
#pragma once

#include <glib.h>

/* Whom plugins run as, instead of user 0: of the range that Debian and systemd reserve
 * and give to no one, and mapped in the user namespaces of containers. */
#define CAPABILITIES_OTHER_USER 65533

/*
 * Drops every capability but those named ("CAP_SYS_PTRACE"), for good: from the
 * permitted, effective, inheritable, ambient and bounding sets.  None comes back,
 * by an exec (no_new_privs) or by being user 0 (locked securebits).
 *
 * leave_root: user 0 becomes CAPABILITIES_OTHER_USER for good, of no group, and no
 * process of that user can look into this one; this takes CAP_SETUID, CAP_SETGID,
 * CAP_SETPCAP and, as the supervisor must be able to end it, CAP_KILL; CAP_DAC_READ_SEARCH,
 * if it is named; and that the user is there in this user namespace.  Else user 0 stays, and
 * CAP_DAC_OVERRIDE stays permitted, for capabilities_become_user().
 *
 * Of the calling thread, and of those it starts from now on.
 */
gboolean capabilities_drop(const GPtrArray *names, gboolean leave_root, GError **error);

/* Clears the effective capabilities while the process only waits for another, which
 * CAP_KILL may take to end.  Returns what capabilities_resume() takes to restore them. */
gpointer capabilities_suspend(void);
/* Leaves errno as it is. */
void capabilities_resume(gpointer before);

/* What the calling thread opens, makes or removes from now on, it does with the rights
 * of the user who runs ctprof: root has all of them, also those that are otherwise not
 * in effect; another user has none that a set-user-ID bit or a file's capabilities
 * gave.  Returns what capabilities_resume() takes. */
gpointer capabilities_become_user(void);

static inline void capabilities_end_as_user(gpointer *before)
{
	capabilities_resume(*before);
}

/* The rest of the block is done so; errno stays as it was. */
#define AS_USER                                                                                    \
	__attribute__((cleanup(capabilities_end_as_user))) gpointer as_user G_GNUC_UNUSED =        \
		capabilities_become_user()
