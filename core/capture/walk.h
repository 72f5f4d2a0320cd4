/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Yields every thread of a root, ordered by (tgid, tid). */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "ctprof/plugin.h"

typedef struct walk Walk;

/*
 * pids: gint32 process ids, or NULL for all.  only_leaders: of each process its
 * leader alone, be it a zombie.  Errors: the process directory cannot be read or
 * shows no process; one of pids is no living process.
 */
Walk *walk_new(const Root *root, const GArray *pids, gboolean only_leaders, GError **error);
/* The same for another sample: one of pids may have ended, but not all. */
Walk *walk_new_again(const Root *root, const GArray *pids, gboolean only_leaders, GError **error);

/* A thread that a source has listed. */
typedef struct walk_thread {
	gint32 tgid, tid;
} WalkThread;

/* A walk over these threads, ordered by (tgid, tid), which must stay. */
Walk *walk_new_listed(const Root *root, const GArray *threads);
void walk_free(Walk *walk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Walk, walk_free)

/* From now on processes that do not answer are told from others (scout.h).  After that
 * no right may be given up: its threads would keep it. */
void walk_send_scout(Walk *walk);

/*
 * The next threads, at most max; 0 at the end.  A process is split only when
 * it alone has more than max threads.  Each target's task_fd is opened in the
 * calling thread's descriptor table; targets of one process share it, and the
 * caller closes it.  Callers take turns (external lock).  A process that does
 * not answer comes by itself, as its leader without a task_fd: nothing of it is to be read.
 */
gsize walk_next(Walk *walk, struct ctprof_target *targets, gsize max);

/* The positive errno that ended the walk before its end; 0: none. */
int walk_failure(const Walk *walk);
/* How many threads there are to come, at most enough: more are not counted. */
guint64 walk_count_threads(const Walk *walk, guint64 enough);
/* Processes whose threads may not be listed (hidepid=1). */
guint walk_refused(const Walk *walk);
/* Whether process 1 lives and is not shown (hidepid=2): nor are others, in number unknown. */
gboolean walk_is_partial(const Walk *walk);
guint walk_processes(const Walk *walk);      /* processes found at the start */
guint walk_processes_done(const Walk *walk); /* of them, handed out or gone */
