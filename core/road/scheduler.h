/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A BPF scheduler (sched_ext) that runs during one run of a command, and is verified by what the
 * kernel reports.  A process of its own, the keeper, starts the scheduler, and ends it and
 * everything that it started when ctprof ends, however that happens.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "base/root.h"

typedef struct scheduler Scheduler;

/* line: the program and its arguments, as a shell splits them; root: borrowed.  Fails if a
 * scheduler is already running, unless replace is set. */
Scheduler *scheduler_new(const Root *root, const char *line, gboolean replace, GError **error);
/* Ends the scheduler if it still runs. */
void scheduler_free(Scheduler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scheduler, scheduler_free)

/* Call before a run.  with: starts the scheduler, and waits until the kernel uses it.  Fails if the
 * host's scheduler is not the one that scheduler_new() found. */
gboolean scheduler_enter(Scheduler *self, gboolean with, GError **error);
/* Call after a run, even if scheduler_enter() failed: ends the scheduler.  Fails if the scheduler
 * was not the same during the whole run, or if the host's own is not as before. */
gboolean scheduler_leave(Scheduler *self, GError **error);
/* Returns the keeper; 0: it does not run. */
pid_t scheduler_keeper(const Scheduler *self);
