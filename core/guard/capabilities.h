/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least privilege: drops the capabilities that no plugin declares. */
#pragma once

#include <glib.h>

/*
 * Drops every capability but those named ("CAP_SYS_PTRACE"), for good: from the
 * permitted, effective, inheritable, ambient and bounding sets.
 * CAP_DAC_OVERRIDE alone stays permitted, for capabilities_write_anywhere().
 * Call while the process has one thread.
 */
gboolean capabilities_drop(const GPtrArray *names, GError **error);

/* Clears the effective capabilities while the process only waits.  Returns what
 * capabilities_resume() takes to restore them. */
gpointer capabilities_suspend(void);
void capabilities_resume(gpointer suspended);

/* Lets the calling thread write to directories of other users, as root may;
 * FALSE undoes it.  Without the capability it does nothing. */
void capabilities_write_anywhere(gboolean allowed);
