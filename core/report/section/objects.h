/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: rows a source names, a section for each slot group.  An object is
 * folded by its name.  Only in a group whose first category is a kind of object
 * ("memfd", "file") names are instances of something: there the category comes
 * before the name and the name becomes its pattern.  Elsewhere
 * ("meminfo.Active(anon)", "zram1_stored") a name is a fixed word.
 */
#pragma once

#include <glib.h>

#include "report/plan.h"

typedef struct object_group {
	const char *name; /* of the store */
	gboolean folded;  /* a metric of it is: its rows count */
	gboolean shown;   /* as a section */
	gboolean sorted;  /* its objects are of kinds: show has the biggest first */
} ObjectGroup;

/* A side's view of the groups: where the first category of each is in a row, or
 * -1; one for each group. */
typedef GArray ObjectCategories;

/* Joins the groups of a side's registry to groups (ObjectGroup, by rank and as
 * met); plan says what of them is wanted. */
void objects_bind(GArray *groups, ObjectCategories *categories, const Plan *plan, Store *store,
		  const Registry *registry);
/* A USAGE_ERROR when --sections names what is a group of neither side. */
gboolean objects_check(const GArray *groups, const Plan *plan, GError **error);
/* The key of row i: the group, and what the object is folded under. */
gboolean objects_make_key(const GArray *groups, const ObjectCategories *categories,
			  gboolean literal, Store *store, const struct ctprof_rows *rows, guint64 i,
			  RecordKey *ret_key);

/* A section for each group that is shown. */
void objects_draft(const Draft *draft);
