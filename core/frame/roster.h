/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of threads, or of the ends of threads, stored compactly: a row as its differences
 * from the first row.
 */
#pragma once

#include <glib.h>

#include "row/registry.h"

typedef struct roster Roster;

/* For rows of that class.  slots: those that are kept, by index; NULL: all wanted ones.
 * entries: of maps only the entries of these keys are kept; NULL: all.  registry may be freed
 * after the last row. */
Roster *roster_new(const Registry *registry, enum row_class row, const gboolean *slots,
		   const char *const *entries);
typedef struct roster_entry RosterEntry;
/* Those threads of a roster that are selected; selects NULL: all.  The roster must outlive
 * it. */
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
	guint32 shape; /* for the roster, as is data */
	const guint8 *data;
};

/* Orders the entries by tgid, tid and start. */
void roster_sort(Roster *roster);
guint roster_length(const Roster *roster);
const RosterEntry *roster_entry(const Roster *roster, guint at);
/* In a sorted roster, the index after all entries with that ID that started at or
 * before a tick. */
guint roster_search(const Roster *roster, gint32 tgid, gint32 tid, guint64 start);
/* The last process with that PID; NULL: none. */
const RosterEntry *roster_process(const Roster *roster, gint32 pid);
/* Whether any row has a value of the metric of that index. */
gboolean roster_has(const Roster *roster, guint32 index);

/* Goes through two sorted rosters at once.  The same thread in both makes a pair; NULL: one
 * has it not. */
typedef struct roster_walk {
	const Roster *rosters[2];
	const RosterEntry *pair[2];
	guint at[2];
} RosterWalk;

/* The next pair; FALSE: there are no more. */
gboolean roster_walk_next(RosterWalk *walk);

/* A buffer for one row, to read a thread into or to make one up. */
typedef struct roster_row {
	struct ctprof_rows rows;
	struct ctprof_target target;
	guint64 *values; /* by index, as are states */
	guint8 *states;
} RosterRow;

void roster_row_init(RosterRow *row, const Roster *roster);
void roster_row_clear(RosterRow *row);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RosterRow, roster_row_clear)
/* Reads a thread, which overwrites the row.  Values live as long as the roster. */
void roster_read(const Roster *roster, const RosterEntry *entry, RosterRow *row);
/* The same of its texts alone. */
void roster_read_texts(const Roster *roster, const RosterEntry *entry, RosterRow *row);
