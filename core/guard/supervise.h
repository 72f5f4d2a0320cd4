/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs plugins in a child process.  When a plugin crashes, ends the process or
 * does not return, partial output is removed and the work is done again without
 * that plugin.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* The work; returns an exit status.  An error that it sets is printed, and has a status of
 * its own. */
typedef int (*SuperviseStep)(gpointer data, GError **error);

/* How long a plugin may make no progress in one call; 0: no limit. */
extern guint64 supervise_limit_ms;
/* The child stops first when the terminal says so (SIGTSTP), and this process after it: for a
 * child that has the terminal to give back. */
extern gboolean supervise_follows_stops;
/* This process has a command for a child while it supervises: no process that loses its parent
 * meanwhile is ended, since it may be one of the command's. */
extern gboolean supervise_has_workload;
/* How long the child may take to end after a signal: it has something to write. */
extern guint supervise_time_to_end_ms;

/*
 * Runs step in a child process, repeatedly until no plugin brings it down, and
 * returns its exit status; ret_pid (may be NULL) is set to the last process.  If
 * a signal ended it and no plugin is to blame, that signal is noted (crash.h),
 * and the status is EXIT_FAILED.
 */
int supervise_run(SuperviseStep step, gconstpointer data, pid_t *ret_pid);

/* Why a plugin was dropped in an earlier run, "crashed with SIGSEGV in its open
 * function"; NULL: it was not. */
const char *supervise_lost(const char *plugin);
/* Whether no earlier run has said so yet; a quiet one (ui.h) has not. */
gboolean supervise_lost_news(const char *plugin);
/* How many were dropped. */
guint supervise_n_lost(void);
/* The exit status to use when plugins were dropped. */
int supervise_status(int status);
