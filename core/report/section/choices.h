/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How sections choose among rows; also used by each other and by the report. */
#pragma once

#include "report/draft/judge.h"

/* Everything of the host is kept, labels too; a MeasureChoice. */
const Fold *host_choose(gconstpointer data, const Metric *metric);
/* Chooses which metrics of a cgroup are folded, and how those of cgroups of the same name become
 * one; a MeasureChoice. */
const Fold *cgroups_choose(gconstpointer data, const Metric *metric);
/* Whether the first screen is made of it. */
gboolean cgroups_serve_digest(const Metric *metric);
/* Whether it is a pressure, of the host or of a cgroup. */
gboolean pressure_is_metric(const Metric *metric);

/* Both sides' cgroups (Pool *) whose names are shown, in order; pools owns them,
 * the caller unrefs both. */
GPtrArray *cgroups_list(const Draft *draft, GHashTable *pools);
/* A section for each group of objects that is shown. */
void objects_draft(const Draft *draft);
