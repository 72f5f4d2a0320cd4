/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The single threads of a capture, stored compactly until they can be matched
 * with those of the other capture: a row as its differences from the first row.
 */
#pragma once

#include <glib.h>

#include "measure.h"
#include "record.h"

typedef struct roster Roster;

/* layout and store must outlive it. */
Roster *roster_new(const Layout *layout, Store *store);
void roster_free(Roster *roster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Roster, roster_free)

/* Adds the values of row i that the layout binds; key: its names, in the store,
 * and its start tick. */
void roster_add(Roster *roster, const RecordKey *key, gint32 ppid, const struct ctprof_rows *rows,
		guint64 i);

/* The identity of a thread. */
typedef struct roster_entry {
	gint32 tgid, tid;
	guint64 start; /* tick; 0: unknown */
	gint32 ppid;   /* 0: unknown */
	guint32 shape; /* for the roster, as is data */
	const guint8 *data;
} RosterEntry;

/* Orders the entries by tgid, tid and start. */
void roster_sort(Roster *roster);
gint roster_entry_compare(const RosterEntry *a, const RosterEntry *b);
guint roster_length(const Roster *roster);
const RosterEntry *roster_entry(const Roster *roster, guint at);
/* In a sorted roster, the index after all entries with that ID that started at or
 * before a tick. */
guint roster_search(const Roster *roster, gint32 tgid, gint32 tid, guint64 start);
/* The last process with that PID; NULL: none. */
const RosterEntry *roster_process(const Roster *roster, gint32 pid);
void roster_names(const Roster *roster, const RosterEntry *entry, const char *ret_names[KEY_NAMES]);

/* A buffer for one row, to read a thread into or to make one up. */
typedef struct roster_row {
	struct ctprof_rows rows;
	struct ctprof_target target;
	guint64 *values; /* by slot, as are states */
	guint8 *states;
	const char *names[KEY_NAMES];
} RosterRow;

void roster_row_init(RosterRow *row, const Layout *layout);
void roster_row_clear(RosterRow *row);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RosterRow, roster_row_clear)
/* Reads a thread, which overwrites the row. */
void roster_read(const Roster *roster, const RosterEntry *entry, RosterRow *row);
