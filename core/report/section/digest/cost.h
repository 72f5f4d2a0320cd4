/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a group of threads: the quantities of the first screen.  In a window, from what was
 * counted in it; otherwise over the life of its threads, taking their average length.
 */
#pragma once

#include "report/draft/draft.h"

/* REAL, or ABSENT with the reason of what it lacks. */
typedef struct costs {
	struct ctprof_value of[MOST_COSTS];
} Costs;

/* The metrics that the costs of a report are made of. */
typedef struct costing {
	const Draft *draft;
	const Measure *inputs[MOST_COSTS][QUANTITY_FORMULAS][QUANTITY_INPUTS];
} Costing;

void costing_init(Costing *costing, const Draft *draft);
/* Whether costs of several pools add up to one: ratios do not. */
gboolean cost_adds_up(guint cost);
/* Whether it is of a moment, and not what was counted since another. */
gboolean cost_is_held(guint cost);
/* The cost of one side of a group; in a window, of the newer side.  held_only: only costs of a
 * moment. */
void costs_of_group(const Costing *costing, const Group *group, guint side, gboolean held_only,
		    Costs *ret_costs);
/* Adds the costs of another pool to a sum: those that add up. */
void costs_add(Costs *sum, const Costs *part);
/* Makes the time in user mode and in the kernel add up to the CPU time. */
void costs_split_cpu(Costs *costs);
