/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command that runs while it is recorded: started by one process, watched by another. */
#pragma once

#include <glib.h>

typedef struct workload Workload;

/* Creates its process, which waits; if never started, it ends without running the
 * command. */
Workload *workload_new(char **command, GError **error);
/* Starts the command.  Call from any process forked after workload_new(). */
void workload_begin(Workload *workload);
/* Whether it has ended; waits for at most timeout_ms. */
gboolean workload_has_ended(const Workload *workload, int timeout_ms);
/* Waits for its end; returns its exit status, as a shell does.  Call in the
 * process that created it. */
int workload_wait(Workload *workload);
