/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling above the load while a capture reads: on a host with more runnable
 * threads than CPUs it would otherwise be smeared over many rounds of theirs.  What
 * is raised never runs for longer than a normal slice (4 ms) at a time: under
 * SCHED_DEADLINE the kernel sees to that, under SCHED_RR a thread of our own.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

enum priority_choice {
	PRIORITY_AUTO, /* rr, else deadline, when the host is overloaded */
	PRIORITY_DEADLINE,
	PRIORITY_RR,
	PRIORITY_NONE,
};

/* What the user asked for: enum priority_choice. */
extern gint priority_choice;

typedef struct priority Priority;

/*
 * Raises every thread of this process, also those that come later: what plugins start
 * to read with waits for no one else then.  Call while the process has one thread and
 * its capabilities.  n_threads: that may run at the same time.  NULL: nothing is
 * raised; without CAP_SYS_NICE, with a warning if it was asked for by name.
 */
Priority *priority_begin(guint n_threads);
/* Between samples nothing is raised, but for threads that are light: it costs time to see to
 * it that they do not run for long.  priority may be NULL. */
void priority_pause(Priority *priority, gboolean pause);
/* A child is scheduled as the threads are (lend), or was; it is not reaped before. */
void priority_lend(pid_t child, gboolean lend);
/* The calling thread never runs for long, and must not wait for the load. */
void priority_note_light(void);
/* Lowers the calling thread; the others have ended, or end with the process. */
void priority_end(Priority *priority);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Priority, priority_end)
