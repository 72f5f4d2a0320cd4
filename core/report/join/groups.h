/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of both sides joined into groups. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "pair.h"
#include "report/name/axis.h"

typedef struct group {
	const char *names[KEY_NAMES];
	guint n_names;
	gboolean of_command;     /* the command of a run or its descendants */
	guint place;             /* position in the bytewise order of the names */
	Record *sides[SIDES];    /* NULL: not on that side */
	const char *renamed;     /* the candidate's cgroup, if paired as renamed */
	gdouble age;             /* mean age of its threads, in s; negative: unknown */
	gdouble rank;            /* position by --sort, ascending from 0 */
	struct ctprof_cell sort; /* the first sort metric, without a change */
} Group;

/* Owned groups, ordered bytewise. */
typedef struct groups {
	GPtrArray *joined;      /* both sides; show: side 0 */
	GPtrArray *only[SIDES]; /* compare: one side */
} Groups;

/* Merges the records of a side that have the same key.  of_cgroups: skips a cgroup below another
 * with the same key, whose counts include it. */
void groups_add_pairs(Pairs *pairs, const RecordSet *set, guint side, Namer *namer,
		      gboolean of_cgroups);
/* Pools each side, and joins the sides.  compare FALSE: only side 0. */
void groups_build(Groups *ret_groups, RecordSet *const sides[SIDES], gboolean compare,
		  Namer *namer);
void groups_clear(Groups *groups);

/* Sorts the lists again after groups have moved between them, and sets the places. */
void groups_order(Groups *groups);
/* Sets the age of the groups' threads at a tick.  side: the one whose start ticks are used. */
void groups_set_age(Groups *groups, guint side, guint64 now);
