/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A BPF scheduler (sched_ext) that runs for one run of a command, and is verified by what the
 * kernel says of it.  A process of its own keeps it, and ends it with all that it started when
 * ctprof ends, however that happens.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "base/root.h"

typedef struct scheduler Scheduler;

/* line: the program and its arguments, as a shell splits them; root: borrowed.  Fails if a
 * scheduler runs already, unless replace. */
Scheduler *scheduler_new(const Root *root, const char *line, gboolean replace, GError **error);
/* Ends what still runs. */
void scheduler_free(Scheduler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scheduler, scheduler_free)

/* Before a run; with: starts the scheduler, and waits until the kernel has it.  Fails if the
 * host's scheduler is not that of scheduler_new(). */
gboolean scheduler_enter(Scheduler *self, gboolean with, GError **error);
/* After a run, also one that could not be entered: ends the scheduler.  Fails if it was not the
 * same all the time, or if the host's own one is not as before. */
gboolean scheduler_leave(Scheduler *self, GError **error);
/* The process that keeps it; 0: it does not run. */
pid_t scheduler_keeper(const Scheduler *self);
