/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The window between two captures of one boot.  Threads are matched one by one, by tgid, tid and
 * start.  For a counter, the records of both sides then hold the values of the same threads before
 * and after, so that their difference is what was counted in between, and never negative.  A thread
 * that started in between had 0 before; one that ended without a record counts as missing.  A peak
 * is present only if it rose in between.  Everything else is as in each capture.  A thread is in
 * the group of its last name.
 */
#pragma once

#include <glib.h>

#include "exits.h"
#include "intake.h"
#include "members.h"
#include "states.h"

typedef struct window_result {
	struct ctprof_report_window counts;
	gboolean has_cpu;   /* the CPU time of threads is known */
	guint64 threads_ns; /* CPU time of the candidate's threads */
	guint64 ended_ns;   /* of the threads that ended */
	/* The processes that were charged with most of ended_ns. */
	ChargedParent parents[EXITS_PARENTS];
	guint64 short_ns;   /* of those that also started in the window, as far as recorded */
	guint64 own_ns;     /* of ctprof itself, as far as its threads are known */
	guint64 exact_ns;   /* part of ended_ns in groups, from final run times */
	States *states;     /* how groups spent their time; owned by the caller */
	Members *members;   /* the main threads of groups; NULL: not needed; owned by the caller */
	guint64 divided_ns; /* part of ended_ns in groups, as shares of what parents were charged */
} WindowResult;

/* Fills both sides' records of threads from their rosters, under the keys of groups, and all of
 * ret_result except the seconds and own_ns.  began: the start tick of a thread that begins with the
 * window. */
void window_fold(Side sides[SIDES], Namer *namer, guint64 began, WindowResult *ret_result);
