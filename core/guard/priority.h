/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedules a capture above the load while it reads.  On a host with more runnable
 * threads than CPUs, the capture would otherwise be spread over many of their time
 * slices.  A raised thread never runs for longer than a normal slice (4 ms) at a time:
 * under SCHED_DEADLINE the kernel enforces that, under SCHED_RR a thread of ctprof.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

enum priority_choice {
	PRIORITY_AUTO, /* if the host is overloaded: rr, or else deadline */
	PRIORITY_DEADLINE,
	PRIORITY_RR,
	PRIORITY_NONE,
};

/* The user's choice: enum priority_choice. */
extern gint priority_choice;

typedef struct priority Priority;

/*
 * Raises every thread of this process, including later ones, such as those that plugins
 * start to read with.  Call it while the process has one thread and its capabilities.
 * n_threads: how many may run at the same time.  Returns NULL if nothing is raised,
 * with a warning if the user asked for a policy that was refused (without
 * CAP_SYS_NICE).
 */
Priority *priority_begin(guint n_threads);
/* Between samples (pause) only light threads stay raised under SCHED_RR: pacing the others costs
 * time.  priority may be NULL. */
void priority_pause(Priority *priority, gboolean pause);
/* lend: from now on, a child is scheduled like the threads.  FALSE: it no longer is; call this
 * before the child is reaped. */
void priority_lend(pid_t child, gboolean lend);
/* Notes that the calling thread never runs for long, and that the load must not delay it. */
void priority_note_light(void);
/* Lowers the calling thread's priority; the others have ended, or end with the process. */
void priority_end(Priority *priority);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Priority, priority_end)
