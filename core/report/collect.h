/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects the values of one run, a window or totals, from its groups. */
#pragma once

#include "draft.h"
#include "join/runs.h"

/* Keeps the values of all metrics that the plan shows: of groups, the host and, if
 * grouped by them, cgroups.  orphans: the groups of the only side of a run that is
 * not a window. */
void collect_run(const Draft *draft, const RunPlace *place);
/* Those of the command, as wait4() reports them. */
void collect_command(const RunPlace *place, const CommandFacts *facts);
/* The field of such a value; NULL: unknown name. */
const struct ctprof_report_field *collect_command_field(const char *name);
