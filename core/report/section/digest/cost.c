/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cost.h"

#define USER_HZ 100
/* The minimum age for averages: those of a thread that has just started mean nothing. */
#define LEAST_AGE_S 1

void cost_inputs_init(CostInputs *cost_inputs, const Draft *draft)
{
	const Measures *measures = &draft->intake->measures[TABLE_THREADS];
	const Quantity *quantity;

	cost_inputs->draft = draft;
	for (guint i = 0; (quantity = quantity_of_cost(i)); i++)
		for (guint k = 0; k < QUANTITY_FORMULAS; k++)
			formula_bind(&quantity->formulas[k], measures, cost_inputs->inputs[i][k]);
}

struct ctprof_value cost_as_value(const CostValue *cost)
{
	return (struct ctprof_value){.type = cost->type,
				     .flags = cost->flags,
				     .real = cost->real,
				     .n = cost->n,
				     .missing = cost->missing,
				     .why = cost->why};
}

gboolean cost_adds_up(guint cost)
{
	return !quantity_is_ratio(quantity_of_cost(cost));
}

gboolean cost_is_held(guint cost)
{
	return cost_adds_up(cost) && quantity_of_cost(cost)->kind != CTPROF_COUNTER;
}

/* Returns the seconds during which a group's counters have counted; 0: unknown. */
static gdouble seconds_of(const Draft *draft, const Group *group, guint side)
{
	const Record *record = group->sides[side];
	guint64 now = MAX(draft->plan->options->captures[side].now, draft->sides[side].newest);

	if (draft->window)
		return draft->window->counts.seconds;
	if (!record || record->n_starts == 0)
		return 0;
	gdouble start = (gdouble)record->starts / (gdouble)record->n_starts;
	return MAX(((gdouble)now - start) / USER_HZ, LEAST_AGE_S);
}

/* Converts a value to the unit of its column. */
static void convert(const Quantity *quantity, const Formula *formula, gdouble seconds,
		    struct ctprof_value *value)
{
	if (value->type != CTPROF_VALUE_REAL)
		return;
	if (quantity->kind == CTPROF_COUNTER && seconds <= 0)
		*value = (struct ctprof_value){
			.n = value->n, .missing = value->missing, .why = value->why};
	else if (quantity->kind == CTPROF_COUNTER)
		value->real = formula_convert(formula, value->real / seconds);
	else
		value->real = formula_convert(formula, MAX(value->real, 0));
}

void costs_of_group(const CostInputs *cost_inputs, const Group *group, guint side,
		    gboolean held_only, Costs *ret_costs)
{
	const Draft *draft = cost_inputs->draft;
	Span span = {.side = side};
	gdouble seconds = seconds_of(draft, group, side);
	const Quantity *quantity;

	*ret_costs = (Costs){{{.type = CTPROF_VALUE_ABSENT}}};
	for (guint i = 0; (quantity = quantity_of_cost(i)); i++) {
		CostValue *cost = &ret_costs->of[i];

		/* Levels are read on one side; only counters have a growth since the other. */
		span.grown = draft->window && !cost_is_held(i);
		if (held_only && !cost_is_held(i))
			continue;
		for (guint k = 0; k < QUANTITY_FORMULAS && cost->type == CTPROF_VALUE_ABSENT &&
				  quantity->formulas[k].form != FORM_NONE;
		     k++) {
			const Formula *formula = &quantity->formulas[k];
			struct ctprof_value made;

			formula_value(formula, cost_inputs->inputs[i][k], group->sides, &span,
				      &made);
			convert(quantity, formula, seconds, &made);
			/* If no formula gives a value, the reason of the first that has one is
			 * kept. */
			if (made.type != CTPROF_VALUE_ABSENT || cost->missing == 0)
				*cost = (CostValue){.real = made.real,
						    .n = (guint32)made.n,
						    .missing = (guint32)made.missing,
						    .type = made.type,
						    .flags = (guint16)made.flags,
						    .why = (guint16)made.why};
		}
	}
}

void costs_add(Costs *sum, const Costs *part)
{
	for (guint i = 0; quantity_of_cost(i); i++) {
		CostValue *total = &sum->of[i];
		const CostValue *cost = &part->of[i];

		if (!cost_adds_up(i))
			continue;
		total->flags |= cost->flags;
		total->missing += cost->missing;
		/* Other reasons take precedence over VANISHED: some threads have ended. */
		if (!total->why || total->why == CTPROF_ABSENT_VANISHED)
			total->why = cost->why ? cost->why : total->why;
		if (cost->type != CTPROF_VALUE_REAL)
			continue;
		total->type = CTPROF_VALUE_REAL;
		total->real += cost->real;
	}
}

/* Like the kernel's cputime_adjust(): ticks only give the proportion in which the CPU time is
 * divided.  Without any tick the proportion is unknown. */
void costs_split_cpu(Costs *costs)
{
	const CostValue *cpu = &costs->of[COST_CPU];
	CostValue *user = &costs->of[COST_USER], *system = &costs->of[COST_SYSTEM];
	gdouble sum = user->real + system->real;

	if (cpu->type != CTPROF_VALUE_REAL || user->type != CTPROF_VALUE_REAL ||
	    system->type != CTPROF_VALUE_REAL)
		return;
	if (sum > 0) {
		user->real = cpu->real * (user->real / sum);
		system->real = cpu->real - user->real;
	} else if (cpu->real > 0) {
		user->type = system->type = CTPROF_VALUE_ABSENT;
	}
}
