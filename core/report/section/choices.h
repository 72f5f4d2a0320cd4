/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions by which sections choose rows; other sections and the report use them, too. */
#pragma once

#include "report/draft/judge.h"

/* Chooses all metrics of the host, labels too; a MeasureChoice. */
const Fold *host_choose(gconstpointer data, const Metric *metric);
/* Chooses which metrics of a cgroup are folded, and how those of cgroups of the same name become
 * one; a MeasureChoice. */
const Fold *cgroups_choose(gconstpointer data, const Metric *metric);
/* Whether the first screen uses the metric. */
gboolean cgroups_serve_digest(const Metric *metric);
/* Whether the metric is a pressure of the host or of a cgroup. */
gboolean pressure_is_metric(const Metric *metric);

/* Lists both sides' cgroups (Pair *) whose names match --filter, in display order; pairs owns them,
 * the caller unrefs both. */
GPtrArray *cgroups_list(const Draft *draft, GHashTable *pairs);
/* Drafts a section for each group of objects that is shown. */
void objects_draft(const Draft *draft);
