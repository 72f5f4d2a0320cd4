/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repetitions of a command, or of two in turn: ABBA BAAB..., so that a host that becomes slower or
 * faster does not make the two differ.
 */
#pragma once

#include <glib.h>

#include "marks.h"
#include "run-set.h"
#include "scheduler.h"

typedef struct repeat {
	guint64 n;        /* runs of each side */
	guint64 warmup;   /* unmeasured runs of each side before these */
	char *set;        /* the directory to keep the runs in; NULL: not kept */
	char *versus;     /* the other command, as a shell splits it; NULL: none */
	char *under;      /* a scheduler: the other side runs the command with it; NULL: none */
	gboolean replace; /* replaces the host's scheduler */
	guint64 seed;     /* not 0: the order within each pair is random */
	char **command;   /* borrowed */
	char **other;     /* the words of versus or, with under, of command */
	Root *root;
	Scheduler *scheduler;
	char *directory;     /* files for the captures; NULL: their files have no names */
	GPtrArray *sides[2]; /* SavedRun *: completed runs */
	GRand *rand;
	guint64 mark_fd; /* a descriptor to read marks from; G_MAXUINT64: none */
	MarkInputs mark_inputs;
	Marks marks;      /* of the run */
	guint64 began_ns; /* CLOCK_REALTIME when its command was started */
} Repeat;

#define REPEAT_INIT                                                                                \
	{                                                                                          \
		.mark_fd = G_MAXUINT64, .mark_inputs = { -1, -1 }                                  \
	}

/* Runs command and returns an exit status.  Unless run is NULL, makes two captures around the
 * command, into the files of run, and fills in the rest of run. */
typedef int (*RepeatOnce)(gpointer data, char **command, SavedRun *run);

/* Checks whether the options go together. */
gboolean repeat_check(const Repeat *repeat, GError **error);
/* Checks the user's input, and creates the directories. */
gboolean repeat_begin(Repeat *repeat, char **command, GError **error);
/* Does all runs, or those before an interrupt or a failure; returns the exit status. */
int repeat_do(Repeat *repeat, RepeatOnce once, gpointer data);
/* Call when the command of a run is started: marks are counted from then on. */
void repeat_note_start(Repeat *repeat);
/* Takes the marks that have arrived.  Returns those of the run, in the form of CommandFacts; the
 * caller frees. */
char **repeat_take_marks(Repeat *repeat);
/* Writes the list of a set's runs. */
gboolean repeat_keep(const Repeat *repeat, GError **error);
/* Removes runs that are not kept. */
void repeat_clear(Repeat *repeat);
/* Returns the name of a side; the caller frees it. */
char *repeat_label(const Repeat *repeat, guint side);
/* Returns the highest exit status among the commands of all runs that count. */
int repeat_status(const Repeat *repeat);
