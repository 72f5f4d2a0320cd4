/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least privilege: drops the capabilities that no plugin declares. */
#pragma once

#include <glib.h>

/*
 * Drops every capability but those named ("CAP_SYS_PTRACE"), for good: from the
 * permitted, effective, inheritable, ambient and bounding sets.  None comes back,
 * by an exec (no_new_privs) or by being user 0 (locked securebits).
 * CAP_DAC_OVERRIDE alone stays permitted, for capabilities_become_user().
 * Call while no thread has been started that is to work without them.
 */
gboolean capabilities_drop(const GPtrArray *names, GError **error);

/* Leaves the calling thread CAP_SYS_NICE, if it has it, and nothing else.  A change of
 * the user id leaves it that. */
void capabilities_keep_scheduling(void);

/* Clears the effective capabilities while the process only waits.  Returns what
 * capabilities_resume() takes to restore them. */
gpointer capabilities_suspend(void);
/* Leaves errno as it is. */
void capabilities_resume(gpointer before);

/* What the calling thread opens, makes or removes from now on, it does with the rights
 * of the user who runs ctprof: root has all of them, also those that are otherwise not
 * in effect; another user has none that a set-user-ID bit or a file's capabilities
 * gave.  Returns what capabilities_resume() takes. */
gpointer capabilities_become_user(void);
