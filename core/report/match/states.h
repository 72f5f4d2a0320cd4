/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the threads of each group spent a window.  Running, waiting for a CPU and the delays are the
 * kernel's sums; only the rest of a thread's sleep is divided, in proportion to the instants at
 * which it was seen in each state.  So the states of a thread add up to its time.
 */
#pragma once

#include <glib.h>

#include "intake.h"

enum state_time {
	STATE_USER,
	STATE_SYSTEM,
	STATE_RUNNABLE,
	STATE_DISK,
	STATE_SWAP,
	STATE_RECLAIM,
	STATE_SLEEPING, /* where nothing was sampled; from here on what is sampled */
	STATE_LOCK,
	STATE_SOCKET,
	STATE_PIPE,
	STATE_TIMER,
	STATE_IDLE,
	STATE_CHILD,
	STATE_FILE,
	STATE_FAULT,
	STATE_STOPPED,
	STATE_OTHER,
	STATE_UNKNOWN,
	N_STATE_TIMES
};

extern const char *const state_words[N_STATE_TIMES];
/* The metrics of threads that this needs, up to a NULL. */
extern const char *const state_metrics[];

typedef struct state_times {
	gdouble ns[N_STATE_TIMES];
	/* Runnable time that the kernel has not counted yet, because the wait goes on; below 0:
	 * time that it counted although the wait began before the window. */
	gdouble uncounted;
	gdouble sampled;  /* part of their sum that was divided by samples, in ns */
	gdouble instants; /* at which a thread of the group was asleep: of the one with the most */
	guint64 threads, left_out; /* the latter lived for an unknown time */
} StateTimes;

/* A thread in the window. */
typedef struct state_thread {
	RosterRow *rows; /* SIDES of them, joined: the differences of sums are the window's */
	const RosterRow *ended; /* the record of its end; NULL: none */
	const RosterEntry *entry;
	gboolean was_there, is_there; /* at the beginning, and at the end */
} StateThread;

typedef struct states States;

/* began: as for window_fold(). */
States *states_new(const Side sides[SIDES], const Intake *intake, guint64 began);
void states_free(States *states);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(States, states_free)

void states_add(States *states, const Record *group, const StateThread *thread);
/* NULL: no thread of it. */
const StateTimes *states_of(const States *states, const Record *group);
/* At which threads were looked at in the window. */
guint64 states_instants(const States *states);
