/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current threads, as listed by a source that knows all of them, and which of them have not
 * changed since the previous sample. */
#pragma once

#include <glib.h>

#include "cgroupset.h"
#include "handoff.h"
#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct listed {
	GArray *threads;   /* WalkThread, by (tgid, tid): to be read */
	GArray *same;      /* WalkThread, in the source's order: need not be read */
	guint64 processes; /* number of leaders in both */
} Listed;

/* Has a source list the threads; FALSE: no source can.  may_skip: rows that cannot have changed
 * need not be read.  pids: gint32, the processes to list; NULL: all. */
gboolean listed_make(Listed *listed, const GPtrArray *plugins, const Registry *registry,
		     const GArray *pids, gboolean may_skip);
/* Returns the number of threads that need not be read. */
guint64 listed_same(const Listed *listed);
/* Hands on those threads, and notes that they are in the same cgroups as before. */
gboolean listed_hand_on(const Listed *listed, const Handoff *handoff, CgroupSet *cgroups,
			GError **error);
/* Frees the lists; an empty Listed is all zero. */
void listed_clear(Listed *listed);
