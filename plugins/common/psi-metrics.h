/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The 32 pressure metrics, declared by the psi plugin for the host and by the cgroup plugin for
 * every cgroup.  PSI_METRICS(scope, group) are the rows of a table: PSI_VALUES for each of the
 * PSI_RESOURCES, in the order in which psi_parse_pressure() returns the values.
 */
#pragma once

#include "ctprof/plugin.h"
#include "descriptor.h"
#include "psi-parse.h"

#define PSI_RESOURCES 4 /* cpu, memory, io, irq */
#define PSI_N_METRICS (PSI_RESOURCES * PSI_VALUES)

#define PSI_METRIC_(scope, group, gates_, kind, unit, name, help)                                  \
	METRIC_ROW(kind, unit, scope, "psi." name, group, help,                                    \
		   "pressure file, " name ": psi_show()", .gates = gates_, WORSE)

#define PSI_HALF_(scope, group, gates, res, half, who)                                             \
	PSI_METRIC_(scope, group, gates, GAUGE, CENTIPERCENT, res "." half ".avg10",               \
		    "share of the last 10 s with " who " stalled on " res),                        \
		PSI_METRIC_(scope, group, gates, GAUGE, CENTIPERCENT, res "." half ".avg60",       \
			    "share of the last 60 s with " who " stalled on " res),                \
		PSI_METRIC_(scope, group, gates, GAUGE, CENTIPERCENT, res "." half ".avg300",      \
			    "share of the last 300 s with " who " stalled on " res),               \
		PSI_METRIC_(scope, group, gates, COUNTER, US, res "." half ".total_usec",          \
			    "time with " who " stalled on " res)

#define PSI_RESOURCE_(scope, group, gates, res)                                                    \
	PSI_HALF_(scope, group, gates, res, "some", "some thread"),                                \
		PSI_HALF_(scope, group, gates, res, "full", "all runnable threads")

#define PSI_METRICS(scope, group)                                                                  \
	PSI_RESOURCE_(scope, group, "PSI", "cpu"), PSI_RESOURCE_(scope, group, "PSI", "memory"),   \
		PSI_RESOURCE_(scope, group, "PSI", "io"),                                          \
		PSI_RESOURCE_(scope, group, "PSI IRQ_TIME_ACCOUNTING", "irq")
