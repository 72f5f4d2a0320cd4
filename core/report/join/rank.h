/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --sort-by: the order of groups by some of their figures. */
#pragma once

#include <glib.h>

#include "report/fold/figure.h"
#include "report/view.h"

typedef struct sort_figure {
	const Figure *figure;
	gboolean ascending;
} SortFigure;

/* Gives each group its rank: by the change of the figures (show: by their
 * values), one after the other; a group that has none of it comes last. */
void rank_groups(GPtrArray *groups, const GArray *order, const Layout *const layouts[SIDES],
		 const View *view);

/* Ranks by name, for tables of processes and of cgroups. */
typedef GHashTable Ranks;

/* axis says what the groups' names are. */
Ranks *ranks_new(const GPtrArray *groups, const Axis *axis, Store *store);
/* The best rank of a group with these names; cgroup or name may be NULL.
 * Behind all others when there is none. */
gdouble ranks_find(Ranks *ranks, const char *cgroup, const char *name);
