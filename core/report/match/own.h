/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU time of ctprof's own processes in a window.  They are in no group, but what they
 * used is part of the host's.
 */
#pragma once

#include <glib.h>

#include "frame/moment.h"

typedef struct own Own;

Own *own_new(void);
void own_free(Own *own);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Own, own_free)

/* Takes row i of a side, of a thread or of the end of one. */
void own_add(Own *own, guint side, const Registry *registry, const struct ctprof_rows *rows,
	     guint64 i);
/* Whether the thread is of one of the processes, or of a child of the first; 0: no process. */
gboolean own_has(const gint32 pids[2], const RosterEntry *thread);
/* Takes such threads of a moment, living and ended. */
void own_add_moment(Own *own, guint side, const gint32 pids[2], const Moment *moment);
/* In ns.  The time since the window began is not known for a thread that ended without a record,
 * and known in part if its record is not final. */
guint64 own_time(const Own *own);
