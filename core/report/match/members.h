/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread and the process of each group that did most of what its threads did in a window, by
 * cost.  Amounts are in the units of the metrics, KiB in bytes.
 */
#pragma once

#include <glib.h>

#include "frame/quantity.h"
#include "states.h"

typedef struct member {
	const char *name; /* of the thread, or of the first thread of the process */
	gint32 tgid, tid; /* tid 0: a process of several threads */
	gdouble amount;
} Member;

typedef struct members Members;

/* if members is NULL, the other functions do nothing. */
Members *members_new(const Side sides[SIDES], const Intake *intake);
void members_free(Members *members);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Members, members_free)

/* Threads of one process must follow each other.  name: what stands for it if its row has no
 * name. */
void members_add(Members *members, const Record *group, const StateThread *thread,
		 const char *name);
/* The thread, or else the process, that has at least that share of what the group's threads
 * have.  FALSE: none, or the group is one thread, or one process without such a thread. */
gboolean members_leader(const Members *members, const Record *group, enum cost cost, gdouble least,
			Member *ret_leader, gdouble *ret_share);
/* The total of all its threads; for a level, its growth in the threads that were there at both
 * ends.  FALSE: not known. */
gboolean members_total(const Members *members, const Record *group, enum cost cost,
		       gdouble *ret_total);
