/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a group of threads costs, in units people think in: CPUs, threads that
 * wait, time a turn, bytes a second.  In a window by what was counted in it, else
 * over the life of its threads, as long as that is on average.
 */
#pragma once

#include "report/draft/draft.h"

enum cost {
	COST_CPU,
	COST_USER,
	COST_SYSTEM,
	COST_WAITING,
	COST_TURN,
	COST_RUNNABLE,
	COST_BLOCKED,
	COST_SWITCHES,
	COST_READ,
	COST_WRITE,
	COST_PSS,
	/* The rest of where its threads' time went is for machines. */
	COST_DISK_WAIT,
	COST_SWAP_WAIT,
	COST_RECLAIM,
	COST_COMPACTION,
	COST_THRASHING,
	/* The table of pools has those before, in that order; only findings speak of these. */
	N_COST_COLUMNS,
	COST_HEAP = N_COST_COLUMNS,
	COST_FAULTS,
	COST_WAKEUPS,
	N_COSTS
};

/* The metrics costs are made of, by name; NULL after the last. */
extern const char *const cost_metrics[];
/* Whether it is one of them that the cost is made of. */
gboolean cost_is_made_of(enum cost cost, const char *metric);

/* A metric it is made of; NULL: none is known here. */
const Measure *cost_measure(const Draft *draft, enum cost cost);
/* As the table of pools has it. */
const struct ctprof_report_field *cost_field(enum cost cost);
/* Whether costs of several pools add up to one: ratios do not. */
gboolean cost_adds_up(enum cost cost);

/* REAL, or ABSENT with the reason of what it lacks. */
typedef struct costs {
	struct ctprof_value of[N_COSTS];
} Costs;

/* What a side of a group costs; of a window the newer side.  held_only: not what was counted
 * since the other side. */
void costs_of_group(const Draft *draft, const Group *group, guint side, gboolean held_only,
		    Costs *ret_costs);
/* The commonest cgroup of its threads: a MODE, or ABSENT. */
struct ctprof_value cost_cgroup(const Draft *draft, const Group *group, guint side);
