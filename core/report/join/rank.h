/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --sort: the order of groups by some of their figures. */
#pragma once

#include <glib.h>

#include "figure.h"
#include "view.h"

typedef struct sort_figure {
	const Figure *figure;
	gboolean ascending;
} SortFigure;

/* Sets the rank of each group by the changes of the figures (show: their
 * values), in order; groups without any come last. */
void rank_groups(GPtrArray *groups, const GArray *order, const View *view);

/* Ranks by name, for the tables of processes and of cgroups. */
typedef GHashTable Ranks;

/* axis defines the groups' names. */
Ranks *ranks_new(const GPtrArray *groups, const Axis *axis, Store *store);
/* Returns the best rank of a group with these names; cgroup or name may be NULL.  Without such a
 * group, returns a rank after all others. */
gdouble ranks_find(Ranks *ranks, const char *cgroup, const char *name);
