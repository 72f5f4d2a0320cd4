/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: rows that a source names, with a section for each slot group.  Objects are folded by
 * name.  Names are instances only in a group whose first category is a kind of object ("memfd",
 * "file"): there the category precedes the name, and the name becomes its pattern.  In other groups
 * ("meminfo.Active(anon)", "zram1_stored") a name is a fixed word.
 */
#pragma once

#include <glib.h>

#include "report/plan/plan.h"

/* The names in an object's key. */
enum { OBJECT_GROUP, OBJECT_NAME };

typedef struct object_group {
	const char *name; /* in the store */
	gboolean folded;  /* a metric of the group is folded, so its rows count */
	gboolean shown;   /* as a section */
	gboolean sorted;  /* its objects have kinds: show lists the largest first */
} ObjectGroup;

/* For each group, the index of its first category in a side's rows, or -1. */
typedef GArray ObjectCategories;

/* Adds the groups of a side's registry to groups (ObjectGroup, by rank, then in
 * order of appearance); plan says which are wanted. */
void objects_bind(GArray *groups, ObjectCategories *categories, const Plan *plan, Store *store,
		  const Registry *registry);
/* Returns a USAGE_ERROR if --sections names a group that neither side has. */
gboolean objects_check(const GArray *groups, const Plan *plan, GError **error);
/* Makes the key of row i: the group, and the name under which the object is folded. */
gboolean objects_make_key(const GArray *groups, const ObjectCategories *categories,
			  gboolean literal, Store *store, const struct ctprof_rows *rows, guint64 i,
			  RecordKey *ret_key);
