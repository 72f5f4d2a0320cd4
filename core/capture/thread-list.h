/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current threads, as listed by a source that knows all of them, and which of them have not
 * changed since the previous sample. */
#pragma once

#include <glib.h>

#include "cgroupset.h"
#include "plugin/plugin.h"
#include "receiver.h"
#include "row/registry.h"

typedef struct list {
	GArray *threads;   /* WalkThread, by (tgid, tid): to be read */
	GArray *same;      /* WalkThread, in the source's order: need not be read */
	guint64 processes; /* number of leaders in both lists */
} ThreadList;

/* Has a source list the threads; FALSE: no source can.  may_skip: rows that cannot have changed
 * need not be read.  pids: gint32, the processes to list; NULL: all. */
gboolean thread_list_read(ThreadList *list, const GPtrArray *plugins, const Registry *registry,
			  const GArray *pids, gboolean may_skip);
/* Returns the number of threads that need not be read. */
guint64 thread_list_n_unchanged(const ThreadList *list);
/* Passes those threads on, and notes that they are in the same cgroups as before. */
gboolean thread_list_deliver(const ThreadList *list, const Receiver *receiver, CgroupSet *cgroups,
			     GError **error);
/* Frees the lists; an empty ThreadList is all zero. */
void thread_list_clear(ThreadList *list);
