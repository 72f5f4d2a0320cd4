/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the threads of each group spent a window.  Running, waiting for a CPU and the delays are sums
 * that the kernel counts; only the rest of a thread's sleep is divided, in proportion to the
 * instants at which it was seen in each state.  So the states of a thread add up to its time.
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
	STATE_SLEEPING,  /* if nothing was sampled; the states after this one are sampled */
	STATE_THROTTLED, /* a part of the wait for a CPU; the next states are parts of the sleep */
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
/* The metrics of threads that are needed, NULL-terminated. */
extern const char *const state_metrics[];

typedef struct state_times {
	gdouble ns[N_STATE_TIMES];
	/* Runnable time that the kernel has not counted yet, because the wait goes on; negative:
	 * time that it counted although the wait began before the window. */
	gdouble uncounted;
	gdouble sampled;  /* the part of ns that was divided by samples */
	gdouble instants; /* instants at which a thread was seen asleep: the maximum of any thread
			   * in the group */
	gdouble looks;    /* instants, asleep or not */
	guint64 threads, left_out; /* left_out: threads that lived for an unknown time */
	guint64 uncounted_disk;    /* threads whose block I/O is in their other sleep: the kernel
				    * does not count it */
} StateTimes;

/* A thread in the window. */
typedef struct state_thread {
	RosterRow *rows; /* SIDES of them, joined: the differences of their sums are the window's */
	const RosterRow *ended; /* the exit record; NULL: none */
	const RosterEntry *entry;
	gboolean was_there, is_there; /* at the beginning, and at the end */
} StateThread;

typedef struct states States;

/* began is as for window_fold(). */
States *states_new(const Side sides[SIDES], guint64 began);
void states_free(States *states);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(States, states_free)

void states_add(States *states, const Record *group, const StateThread *thread);
/* Returns NULL if no thread of the group was added. */
const StateTimes *states_find(const States *states, const Record *group);
/* Returns the number of instants in the window at which threads were sampled. */
guint64 states_instants(const States *states);
