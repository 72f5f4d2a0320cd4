/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The costs of a group of threads: the quantities of the first screen.  In a window, they are what
 * was counted in it; otherwise averages over the mean lifetime of the group's threads.
 */
#pragma once

#include "report/draft/draft.h"

/* REAL, or ABSENT with the reason: a quarter of a struct ctprof_value, as each thread may have a
 * line of its own. */
typedef struct cost_value {
	gdouble real;
	guint32 n, missing;
	guint32 type;
	guint16 flags, why;
} CostValue;

typedef struct costs {
	CostValue of[MOST_COSTS];
} Costs;

/* The metrics from which the costs of a report are computed. */
typedef struct cost_inputs {
	const Draft *draft;
	const Measure *inputs[MOST_COSTS][QUANTITY_FORMULAS][QUANTITY_INPUTS];
} CostInputs;

void cost_inputs_init(CostInputs *cost_inputs, const Draft *draft);
struct ctprof_value cost_as_value(const CostValue *cost);
/* Whether the costs of several pools may be added; ratios may not. */
gboolean cost_adds_up(guint cost);
/* Whether it is a level at a moment, and not counted between two moments. */
gboolean cost_is_held(guint cost);
/* Computes the costs of a group on one side; in a window, levels are of that side and counts of the
 * window.  held_only: only the levels. */
void costs_of_group(const CostInputs *cost_inputs, const Group *group, guint side,
		    gboolean held_only, Costs *ret_costs);
/* Adds those costs of a pool to a sum that may be added. */
void costs_add(Costs *sum, const Costs *part);
/* Makes the time in user mode and in the kernel add up to the CPU time. */
void costs_split_cpu(Costs *costs);
