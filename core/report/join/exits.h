/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of threads that ended in a window: whose they are, and how much CPU
 * each of them stands for.
 *
 * A record is written before the thread is done and before its time is brought up
 * to date: it holds a small part of what a short process used.  What is exact is
 * what the process that waited for it has been charged with, cutime and cstime.  So
 * that is the sum, and records only divide it: by their own time, among all whose
 * nearest living ancestor it is.
 */
#pragma once

#include <glib.h>

#include "report/fold/intake.h"

/* What is known of the CPU time of threads: names of metrics, NULL after the last. */
extern const char *const cpu_metrics[];
/* The first of them are of the thread itself. */
enum { CPU_RUN, CPU_USER, CPU_SYSTEM, CPU_CHILDREN_USER, CPU_CHILDREN_SYSTEM };
/* The same of records, finer. */
#define CPU_EXIT_USER "utime_us"
#define CPU_EXIT_SYSTEM "stime_us"
#define CPU_TICK_NS G_GUINT64_CONSTANT(10000000)

/* CPU time in ns. */
typedef struct cpu_time {
	guint64 run; /* as the scheduler has it */
	guint64 user, system;
} CpuTime;

/* Where a side's rows have the CPU time. */
typedef struct cpu_slots {
	gint run, user, system, children_user, children_system;
} CpuSlots;

CpuSlots cpu_slots_of(const Layout *layout);
/* FALSE: the row does not have it. */
gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);

typedef struct exits Exits;

/* Rosters must be sorted; began as for window_fold(). */
Exits *exits_new(const Side sides[SIDES], const Intake *intake, guint64 began);
void exits_free(Exits *exits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Exits, exits_free)

/* First every thread of both sides is shown to it: what each side has of it, NULL
 * where that is nothing. */
void exits_note(Exits *exits, const RosterEntry *const pair[SIDES]);
/* Then the sums are divided. */
void exits_divide(Exits *exits);

/* The record of a thread's end that only the baseline has; NULL: there is none. */
const RosterEntry *exits_find(const Exits *exits, const RosterEntry *thread);
/* The records of threads that neither side has, one after the other from *at = 0;
 * NULL: no more.  ret_is_born: it began in the window. */
const RosterEntry *exits_next(const Exits *exits, guint *at, gboolean *ret_is_born);
/* What such a thread was called: as far as its process is known. */
void exits_names(const Exits *exits, const RosterEntry *record, const char *ret_names[KEY_NAMES]);
/* The CPU time a record stands for. */
CpuTime exits_share(const Exits *exits, const RosterEntry *record);
/* That of all threads that ended, whether there are records or not. */
guint64 exits_total(const Exits *exits);
