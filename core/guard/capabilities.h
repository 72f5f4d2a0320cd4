/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least privilege: what no plugin declared is given up before any opens. */
#pragma once

#include <glib.h>

/*
 * Drops every capability but those named ("CAP_SYS_PTRACE"), for good: from the
 * permitted, effective, inheritable, ambient and bounding sets.
 * CAP_DAC_OVERRIDE alone stays permitted, for capabilities_write_anywhere().
 * Call while the process has one thread.
 */
gboolean capabilities_drop(const GPtrArray *names, GError **error);

/* Makes no capability effective while the process only waits; returns what
 * capabilities_wake() takes, and makes effective again. */
gpointer capabilities_rest(void);
void capabilities_wake(gpointer rested);

/* Lets the calling thread write into directories of other users, as root may;
 * FALSE takes it back.  Nothing happens without the capability. */
void capabilities_write_anywhere(gboolean allowed);
