/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that are known of the command of ctprof stat: those that wait4() reports for it and
 * its children, and those computed from them. */
#pragma once

#include "options.h"
#include "report/join/runs.h"

#define N_COMMAND_NUMBERS 9

typedef struct command_number {
	struct ctprof_report_field field; /* its field as a metric of runs */
	const char *heading;              /* heading of its column in the section command */
	gsize offset;                     /* offset of a guint64 in CommandFacts; 0: computed */
} CommandNumber;

extern const CommandNumber command_numbers[N_COMMAND_NUMBERS];

/* Returns the number, or ABSENT if it is not known. */
struct ctprof_value command_value(const CommandFacts *facts, const CommandNumber *number);

/* Collects them, and the lengths of the command's phases, as values of a run. */
void command_collect(const RunPlace *place, const CommandFacts *facts);
/* The field of such a value; NULL: unknown name. */
const struct ctprof_report_field *command_field_find(const char *name);
