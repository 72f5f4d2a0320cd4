/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit records of a window: the thread that each one belongs to, and the CPU time it represents.
 *
 * Some records have the final CPU time.  Others are written before the thread is done and its time
 * is updated, and hold only a small part of what a short process used.  The exact amount is what
 * the process that waited for it was charged with, cutime and cstime.  So that charge is the sum;
 * the records of processes whose nearest living ancestor was charged only divide it among
 * themselves, in proportion to their own time.
 */
#pragma once

#include <glib.h>

#include "intake.h"

#define CPU_TICK_NS G_GUINT64_CONSTANT(10000000)

/* CPU time in ns. */
typedef struct cpu_time {
	guint64 run; /* as counted by the scheduler */
	guint64 user, system;
} CpuTime;

/* The slots of CPU times in the rows of a side. */
typedef struct cpu_slots {
	gint run, user, system, children_user, children_system, process_user, process_system;
} CpuSlots;

CpuSlots cpu_slots_of(const Layout *layout);
/* FALSE: the row has no CPU time. */
gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);

typedef struct exits Exits;

/* The rosters must be sorted; began is as for window_fold(). */
Exits *exits_new(Side sides[SIDES], Intake *intake, guint64 began);
void exits_free(Exits *exits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Exits, exits_free)

/* Call this first, for every thread of either side.  pair: its entry on each side, or NULL. */
void exits_note(Exits *exits, const RosterEntry *const pair[SIDES]);
/* Call this next: divides the charges among the records. */
void exits_divide(Exits *exits);

/* Returns the exit record of a thread that only the baseline has; NULL: there is none. */
const RosterEntry *exits_find(const Exits *exits, const RosterEntry *thread);
/* Iterates over the records of threads that neither side has, from *at = 0; NULL: no more.
 * ret_is_born: the thread started in the window. */
const RosterEntry *exits_next(const Exits *exits, guint *at, gboolean *ret_is_born);
/* Makes the names of such a thread, as far as its process is known. */
void exits_names(Exits *exits, const RosterEntry *record, RecordKey *ret_key);
/* In a run: whether the process belongs to the command, as far as its ancestors are known. */
gboolean exits_is_of_command(const Exits *exits, gint32 pid);
/* Whether the CPU time of a record is its own final time and not a share. */
gboolean exits_is_exact(const Exits *exits, const RosterEntry *record);
/* Returns the CPU time that a record represents. */
CpuTime exits_share(const Exits *exits, const RosterEntry *record);
/* Returns the run time of all threads that ended, with or without records. */
guint64 exits_total(const Exits *exits);
