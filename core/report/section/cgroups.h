/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about cgroups, under --group-by cgroup. */
#pragma once

#include "report/fold/measure.h"
#include "sections.h"

/* Which metrics of a cgroup are folded, and how those of cgroups of one name
 * become one; a MeasureChoice. */
const Fold *cgroups_choose(gconstpointer data, const Metric *metric, Measure *measure);
/* Both sides' cgroups (Pool *) whose names are shown, in order; pools owns them,
 * the caller unrefs both. */
GPtrArray *cgroups_list(const Draft *draft, GHashTable *pools);
