/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repetitions of a command, or of two in turn: ABBA BAAB..., so that a host that
 * becomes slower or faster does not make them differ.
 */
#pragma once

#include <glib.h>

#include "run-set.h"
#include "scheduler.h"

typedef struct repeat {
	guint64 n;        /* runs of each side */
	guint64 warmup;   /* unmeasured runs of each side before these */
	char *set;        /* the directory to keep them in; NULL: not kept */
	char *versus;     /* the other command, as a shell splits it; NULL: none */
	char *under;      /* the other side: the same command with this scheduler; NULL: none */
	gboolean replace; /* of the host's scheduler */
	guint64 seed;     /* not 0: the order within each pair is random */
	char **command;   /* borrowed */
	char **other;     /* of versus; of command, with under */
	Root *root;
	Scheduler *scheduler;
	char *directory;     /* of the captures; NULL: they have no names */
	GPtrArray *sides[2]; /* SavedRun *: completed runs */
	GRand *rand;
} Repeat;

/* Runs command, between two captures in the files of run unless that is NULL, and fills in
 * the rest of run; returns an exit status. */
typedef int (*RepeatOnce)(gpointer data, char **command, SavedRun *run);

/* Whether the options go together. */
gboolean repeat_check(const Repeat *repeat, GError **error);
/* Checks the user's input, and creates the directories. */
gboolean repeat_begin(Repeat *repeat, char **command, GError **error);
/* Does all runs, or those before an interrupt or a failure; returns the exit
 * status. */
int repeat_do(Repeat *repeat, RepeatOnce once, gpointer data);
/* Writes the list of a set's runs. */
gboolean repeat_keep(const Repeat *repeat, GError **error);
/* Removes runs that are not kept. */
void repeat_clear(Repeat *repeat);
/* The name of a side; the caller frees it. */
char *repeat_label(const Repeat *repeat, guint side);
/* The highest exit status of the commands of all runs that count. */
int repeat_status(const Repeat *repeat);
