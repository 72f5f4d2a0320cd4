/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about cgroups, under --group-by cgroup. */
#pragma once

#include <glib.h>

#include "report/draft.h"
#include "report/join/pair.h"
#include "report/join/rank.h"
#include "report/name/axis.h"
#include "report/view.h"

/* Which metrics of a cgroup are folded, and how those of cgroups of one name
 * become one; a MeasureChoice. */
const Fold *cgroups_choose(gconstpointer data, const Metric *metric, Measure *measure);

typedef struct cgroups {
	RecordSet *sides[SIDES]; /* keyed by path */
	const Measures *measures;
	Namer *namer;
	Ranks *ranks; /* NULL: by name */
} Cgroups;

/* set: bits by enum section_id. */
void cgroups_draft(const Cgroups *cgroups, const View *view, guint32 set, Draft *draft);
