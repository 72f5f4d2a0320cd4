/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit records of a window: the thread that each one belongs to, and the CPU time it represents.
 *
 * Some records have the final CPU time.  Others are written before the thread is done and its time
 * is updated, and hold only a small part of what a short process used. The exact amount is what the
 * process that waited for it was charged with, cutime and cstime.  So that charge is the sum; it is
 * divided among the records of the processes whose nearest living ancestor was charged, in
 * proportion to their own time.
 */
#pragma once

#include <glib.h>

#include "cpu-time.h"
#include "intake.h"

#define EXITS_PARENTS 3

/* A living process, and the part of its ended descendants' CPU time in the window that it was
 * charged with. */
typedef struct charged_parent {
	const char *name; /* owned by the store; NULL: no more */
	gint32 pid;
	guint64 ns;
} ChargedParent;

typedef struct exits Exits;

/* The rosters must be sorted; began is as for window_fold(). */
Exits *exits_new(Side sides[SIDES], guint64 began);
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
/* In a run: whether the thread is known to belong to the command, from its ancestors. */
gboolean exits_is_of_command(const Exits *exits, const RosterEntry *thread);
/* Whether the CPU time of a record is its own final time and not a share. */
gboolean exits_is_exact(const Exits *exits, const RosterEntry *record);
/* Returns the CPU time that a record represents. */
CpuTime exits_share(const Exits *exits, const RosterEntry *record);
/* Returns the run time of all threads that ended, with or without records.  ret_parents: the
 * processes that were charged with most of it. */
guint64 exits_total(Exits *exits, ChargedParent ret_parents[EXITS_PARENTS]);
