/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs plugins in a child process.  When a plugin crashes, ends the process or
 * does not return, partial output is removed and the work is done again without
 * that plugin.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* The work; returns an exit status.  If it sets an error, that is printed, and determines the
 * status instead. */
typedef int (*SuperviseStep)(gpointer data, GError **error);

/* How long, in ms, a plugin may make no progress in one call; 0: no limit. */
extern guint64 supervise_limit_ms;
/* On SIGTSTP the child stops first, and this process after it: for a child that has to give back
 * the terminal. */
extern gboolean supervise_follows_stops;
/* This process also has the user's command as a child: orphaned processes are not ended, since
 * they may belong to the command. */
extern gboolean supervise_has_workload;
/* How long, in ms, the child may take to end after a signal, to finish its output. */
extern guint supervise_time_to_end_ms;

/*
 * Runs step in a child process, repeatedly until no plugin brings it down, and
 * returns its exit status; *ret_pid (may be NULL) is set to the PID of the last child.
 * If a signal ended that child and no plugin is to blame, the signal is noted (crash.h),
 * and the status is EXIT_FAILED.
 */
int supervise_run(SuperviseStep step, gconstpointer data, pid_t *ret_pid);

/* Returns why a plugin was dropped in an earlier run, "crashed with SIGSEGV in its open
 * function"; NULL: it was not dropped. */
const char *supervise_lost(const char *plugin);
/* Whether that has not been reported by an earlier run; a quiet run (ui.h) reports nothing. */
gboolean supervise_lost_news(const char *plugin);
/* Returns the number of plugins dropped. */
guint supervise_n_lost(void);
/* Returns the exit status to use instead of status if plugins were dropped. */
int supervise_status(int status);
