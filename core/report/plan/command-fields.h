/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that wait4() reports for the command of ctprof stat, as values of a run. */
#pragma once

#include "options.h"
#include "report/join/runs.h"

void command_collect(const RunPlace *place, const CommandFacts *facts);
/* The field of such a value; NULL: unknown name. */
const struct ctprof_report_field *command_field_find(const char *name);
