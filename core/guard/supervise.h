/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plugins run in a process that may be lost.  When one crashes in it, ends it
 * or does not return, what it left behind is removed and the work is done again
 * without that plugin.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* What is to be done; the result is an exit status. */
typedef int (*SuperviseStep)(gpointer data);

/* How long a plugin may be without progress in one call; 0: for ever. */
void supervise_set_limit(guint64 limit_ms);

/*
 * Runs step in a process of its own, again and again until no plugin brings it
 * down, and gives its exit status; ret_pid (NULL: unasked) is the last one's.
 * When a signal ended it and no plugin is to blame, that signal is noted as
 * come (crash.h), and the status is EXIT_FAILED.
 */
int supervise_run(SuperviseStep step, gpointer data, pid_t *ret_pid);

/* What became of a plugin in an earlier run, "crashed with SIGSEGV in its open
 * function"; NULL: nothing. */
const char *supervise_lost(const char *plugin);
/* Whether no earlier run has said so yet; a quiet one (ui.h) has not. */
gboolean supervise_lost_news(const char *plugin);
/* What an exit status becomes when plugins were lost. */
int supervise_status(int status);
