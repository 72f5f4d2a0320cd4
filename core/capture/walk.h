/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Yields every thread of a root, ordered by (tgid, tid). */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "ctprof/plugin.h"

typedef struct walk Walk;

/*
 * pids: gint32 process IDs, or NULL for all.  only_leaders: only the leader of each
 * process, even if it is a zombie.  Errors: the process directory cannot be read or
 * shows no process; one of pids is not a living process.
 */
Walk *walk_new(const Root *root, const GArray *pids, gboolean only_leaders, GError **error);
/* Begins the walk of another sample: some of pids may have ended, but not all. */
Walk *walk_new_again(const Root *root, const GArray *pids, gboolean only_leaders, GError **error);

/* A thread that a source has listed. */
typedef struct walk_thread {
	gint32 tgid, tid;
} WalkThread;

/*
 * Has a walk that has not begun (NULL: a new one, which is returned) yield these threads
 * (WalkThread), ordered by (tgid, tid); borrowed until walk_free().  If the list has no thread
 * of a process, its threads are read from the root: the source may not see that process.
 */
Walk *walk_adopt(Walk *walk, const Root *root, const GArray *threads);
void walk_free(Walk *walk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Walk, walk_free)

/* From now on the walk detects processes that do not answer (hangcheck.h).  Drop privileges
 * before this call: the hangcheck's threads would keep them. */
void walk_start_hangcheck(Walk *walk);

/*
 * Returns the number of the next threads, at most max; 0 at the end.  A process is split
 * only if it alone has more than max threads.  Each target's task_fd is opened in
 * the calling thread's descriptor table; targets of one process share it, and the
 * caller closes it.  Callers take turns (external lock).  A process that does not
 * answer is returned alone, as its leader with task_fd -1: it must not be read.
 */
gsize walk_next(Walk *walk, struct ctprof_target *targets, gsize max);

/* Returns the positive errno that ended the walk early; 0: none. */
int walk_failure(const Walk *walk);
/* Returns the number of threads to be walked, or enough if there are at least that many. */
guint64 walk_count_threads(const Walk *walk, guint64 enough);
/* Returns the number of processes whose threads may not be listed (hidepid=1). */
guint walk_refused(const Walk *walk);
/* Whether process 1 lives but is not shown (hidepid=2): an unknown number of others is hidden. */
gboolean walk_is_partial(const Walk *walk);
guint walk_processes(const Walk *walk);      /* number of processes found at the start */
guint walk_processes_done(const Walk *walk); /* how many of these were returned or are gone */
