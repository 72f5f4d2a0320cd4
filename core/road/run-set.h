/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs in files: a snapshot (the totals of a fresh boot), two of one boot
 * (BEFORE,AFTER: a window), a recording (from its first sample to its last), or a set: a
 * directory of snapshots and recordings, or what stat --repeat keeps, where a file lists
 * the two snapshots of each run and the result of the command.
 */
#pragma once

#include <glib.h>

#include "report/plan/options.h"

typedef struct saved_run {
	char *before, *after; /* after NULL: totals of before */
	GArray *own;          /* gint32: ctprof's own processes, to exclude; NULL: none */
	CommandFacts facts;   /* wall_ns 0: unknown */
} SavedRun;

/* Returns an array that owns SavedRun *. */
GPtrArray *run_set_new(void);
/* Appends the runs that an argument names. */
gboolean run_set_take(GPtrArray *runs, const char *argument, GError **error);
/* Whether an argument is a set, so that it is compared as one. */
gboolean run_set_is_one(const char *argument);
/* Returns a label of these arguments, for people. */
char *run_set_label(char *const *arguments);

/* Writes the list of runs into their directory. */
gboolean run_set_write(const GPtrArray *runs, const char *directory, GError **error);
void saved_run_free(gpointer run);
/* Returns the exit status of the run's command, as a shell gives it. */
int run_set_status(const CommandFacts *result);
