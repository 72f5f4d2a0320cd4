/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects the values of one run, a window or totals, from its groups. */
#pragma once

#include "join/runs.h"
#include "report/draft/draft.h"

/* Keeps the values of all metrics that the plan shows: of groups, the host and, if
 * grouped by them, cgroups. */
void collect_run(const Draft *draft, const RunPlace *place);
