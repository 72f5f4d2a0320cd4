/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU time of ctprof's own processes in a window.  These processes are in no group, but the
 * host's time includes theirs.
 */
#pragma once

#include <glib.h>

#include "frame/moment.h"

typedef struct own Own;

Own *own_new(void);
void own_free(Own *own);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Own, own_free)

/* Takes row i of a side, a thread or an exit record, if it is of one of these processes (gint32;
 * NULL: none) or of one that they started.  FALSE: it is not.  Children of the first process do not
 * count as ctprof's: it also started the command. */
gboolean own_take(Own *own, const GArray *pids, guint side, const Registry *registry,
		  const struct ctprof_rows *rows, guint64 i);
/* Whether the thread belongs to one of the processes, or to a child of the first; pids[0] may be 0:
 * there are none. */
gboolean own_has(const gint32 pids[2], const RosterEntry *thread);
/* Takes these threads of a moment, living and ended. */
void own_add_moment(Own *own, guint side, const gint32 pids[2], const Moment *moment);
/* Returns ns.  A thread that ended without a record adds nothing, and one whose record is not final
 * adds only a part. */
guint64 own_time(const Own *own);
