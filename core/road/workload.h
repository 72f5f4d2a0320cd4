/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command that runs while it is recorded: one process starts it, another watches it. */
#pragma once

#include <glib.h>

typedef struct workload Workload;

/* Creates the command's process, which waits; if it is never started, it ends without running the
 * command. */
Workload *workload_new(char **command, GError **error);
/* Starts the command.  Call from any process forked after workload_new(). */
void workload_begin(Workload *workload);
/* Whether the command has ended; waits for at most timeout_ms. */
gboolean workload_has_ended(const Workload *workload, int timeout_ms);
/* Waits for the command's end; returns its exit status, as a shell does.  Call this in the process
 * that created the workload. */
int workload_wait(Workload *workload);
