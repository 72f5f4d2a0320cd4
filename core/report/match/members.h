/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For each group and cost, the thread and the process with the largest part of it in a window.
 * Amounts are in the units of the metrics, KiB in bytes; PSS is without pages of files.
 */
#pragma once

#include <glib.h>

#include "frame/quantity.h"
#include "states.h"

typedef struct member {
	const char *name; /* name of the thread, or of the first thread of the process */
	gint32 tgid, tid; /* tid 0: a process of several threads */
	gdouble amount;
} Member;

typedef struct members Members;

/* The growth of PSS beyond the peak before the window, if that was read. */
#define COST_RISEN N_NAMED_COSTS

/* If members is NULL, the other functions do nothing. */
Members *members_new(const Side sides[SIDES]);
void members_free(Members *members);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Members, members_free)

/* Threads of one process must be added one after the other.  name: used if the thread's row has no
 * name. */
void members_add(Members *members, const Record *group, const StateThread *thread,
		 const char *name);
/* Finds the thread, or else the process, that has at least the given share of the group's amount.
 * FALSE: there is none, or the group is one thread, or one process without such a thread. */
gboolean members_leader(const Members *members, const Record *group, guint cost, gdouble least,
			Member *ret_leader, gdouble *ret_share);
/* Computes the total of the group's threads; for a level, its growth in the threads that existed at
 * both ends.  FALSE: not known. */
gboolean members_total(const Members *members, const Record *group, guint cost, gdouble *ret_total);
