/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of threads, or exit records, stored compactly: each row as its differences from the first
 * one.
 */
#pragma once

#include <glib.h>

#include "row/registry.h"

typedef struct roster Roster;

/* For rows of that class.  slots: the slots that are kept, by index; NULL: all wanted ones.
 * entries: maps keep only the entries of these keys; NULL: all.  registry may be freed after the
 * last row. */
Roster *roster_new(const Registry *registry, enum row_class row, const gboolean *slots,
		   const char *const *entries);
typedef struct roster_entry RosterEntry;
/* Returns a view of the selected threads of a roster; selects NULL: all.  The roster must outlive
 * the view. */
Roster *roster_view(const Roster *whole,
		    gboolean (*selects)(gconstpointer data, const RosterEntry *entry),
		    gconstpointer data);
void roster_free(Roster *roster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Roster, roster_free)

void roster_add(Roster *roster, const struct ctprof_rows *rows, guint64 i);

/* The identity of a thread. */
struct roster_entry {
	gint32 tgid, tid;
	guint64 start; /* tick; 0: unknown */
	gint32 ppid;   /* 0: unknown */
	guint32 shape; /* private to the roster, as is data */
	const guint8 *data;
};

/* Orders the entries by tgid, tid and start. */
void roster_sort(Roster *roster);
guint roster_length(const Roster *roster);
const RosterEntry *roster_entry(const Roster *roster, guint at);
/* Returns, in a sorted roster, the index after all entries with that ID that started at or before a
 * tick. */
guint roster_search(const Roster *roster, gint32 tgid, gint32 tid, guint64 start);
/* Returns the last process with that PID that started at or before a tick; NULL: there is none. */
const RosterEntry *roster_process_at(const Roster *roster, gint32 pid, guint64 start);
/* Returns the last process with that PID; NULL: there is none. */
const RosterEntry *roster_process(const Roster *roster, gint32 pid);
/* Whether any row has a value of the metric with that index. */
gboolean roster_has(const Roster *roster, guint32 index);

/* Walks through two sorted rosters at once.  A thread in both makes a pair; NULL: that roster does
 * not have it. */
typedef struct roster_walk {
	const Roster *rosters[2];
	const RosterEntry *pair[2];
	guint at[2];
} RosterWalk;

/* Moves to the next pair; FALSE: there are no more. */
gboolean roster_walk_next(RosterWalk *walk);

/* A buffer for one row, to read a thread into or to fill in by hand. */
typedef struct roster_row {
	struct ctprof_rows rows;
	struct ctprof_target target;
	guint64 *values; /* by index, as are states */
	guint8 *states;
} RosterRow;

void roster_row_init(RosterRow *row, const Roster *roster);
void roster_row_clear(RosterRow *row);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RosterRow, roster_row_clear)
/* Reads a thread; overwrites the row.  Values are valid as long as the roster. */
void roster_read(const Roster *roster, const RosterEntry *entry, RosterRow *row);
/* Reads only the texts, in the same way. */
void roster_read_texts(const Roster *roster, const RosterEntry *entry, RosterRow *row);
