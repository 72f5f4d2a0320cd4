/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of threads that ended in a window: to which thread they belong, and how much
 * CPU time each one represents.
 *
 * Some have the final CPU time.  Others are written before the thread is done and its time
 * is updated, and hold only a small part of what a short process used.  The exact amount is
 * what the process that waited for it was charged with, cutime and cstime.  So that is the
 * sum, and records only divide it, in proportion to their own time, among all whose nearest
 * living ancestor was charged.
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

/* Where a side's rows have the CPU time. */
typedef struct cpu_slots {
	gint run, user, system, children_user, children_system, process_user, process_system;
} CpuSlots;

CpuSlots cpu_slots_of(const Layout *layout);
/* FALSE: not in the row. */
gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);

typedef struct exits Exits;

/* Rosters must be sorted; began as for window_fold(). */
Exits *exits_new(Side sides[SIDES], Intake *intake, guint64 began);
void exits_free(Exits *exits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Exits, exits_free)

/* Call this first, for every thread of both sides: its entry on each side, or
 * NULL. */
void exits_note(Exits *exits, const RosterEntry *const pair[SIDES]);
/* Call this next: divides the sums. */
void exits_divide(Exits *exits);

/* The record of the end of a thread that only the baseline has; NULL: none. */
const RosterEntry *exits_find(const Exits *exits, const RosterEntry *thread);
/* Iterates over the records of threads that neither side has, from *at = 0; NULL:
 * no more.  ret_is_born: it started in the window. */
const RosterEntry *exits_next(const Exits *exits, guint *at, gboolean *ret_is_born);
/* The names of such a thread, as far as its process is known. */
void exits_names(Exits *exits, const RosterEntry *record, RecordKey *ret_key);
/* In a run: whether the process is of the command, as far as its parents are known. */
gboolean exits_is_of_command(const Exits *exits, gint32 pid);
/* Whether the CPU time of a record is its own and not a share. */
gboolean exits_is_exact(const Exits *exits, const RosterEntry *record);
/* The CPU time that a record represents. */
CpuTime exits_share(const Exits *exits, const RosterEntry *record);
/* The CPU time of all ended threads, with or without records. */
guint64 exits_total(const Exits *exits);
