/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "figure.h"

#include <string.h>

#include "frame/units.h"

static void add_measure(GArray *figures, const Measure *measure)
{
	Figure figure = {
		.field = measure->field,
		.section = measure->delay ? SECTION_DELAY : SECTION_PRIMARY,
		.measure = measure,
		.nominal = measure->kind == CTPROF_CATEGORY,
	};

	g_array_append_val(figures, figure);
}

/* Adds the number of values and the percentiles. */
static void add_histogram(GArray *figures, const Measures *measures, const Measure *measure)
{
	Figure figure = {
		.field = measure->field,
		.section = SECTION_PRIMARY,
		.measure = measure,
	};
	guint32 ladder = figure.field.ladder;
	const char *unit = figure.field.unit;

	figure.field.ladder = CTPROF_LADDER_UNITLESS;
	figure.field.unit = unit_word(CTPROF_UNIT_NONE);
	g_array_append_val(figures, figure);
	figure.field.ladder = ladder;
	figure.field.unit = unit;
	for (const Percentile *one = percentiles; one->suffix; one++) {
		figure.percentile = one;
		figure.field.name = figure.field.header = store_take(
			measures->store, g_strconcat(measure->field.name, one->suffix, NULL));
		g_array_append_val(figures, figure);
	}
}

static void add_derived(GArray *figures, const Quantity *derived, const Measures *measures)
{
	Figure figure = {
		.field = {.struct_size = sizeof figure.field,
			  .ladder = quantity_ladder(derived),
			  .kind = derived->kind,
			  .name = derived->name,
			  .header = derived->name,
			  .unit = quantity_unit(derived),
			  .tags = "",
			  .polarity = derived->polarity},
		.section = derived->section,
		.derived = derived,
	};

	formula_bind(&derived->formulas[0], measures, figure.inputs);
	g_array_append_val(figures, figure);
}

GArray *figures_plain(const Measures *measures)
{
	GArray *figures = g_array_new(FALSE, FALSE, sizeof(Figure));
	g_autoptr(GPtrArray) ranked = measures_ranked(measures);

	for (guint i = 0; i < ranked->len; i++) {
		const Measure *measure = g_ptr_array_index(ranked, i);

		if (measure->kind == CTPROF_HISTOGRAM)
			add_histogram(figures, measures, measure);
		else if (measure->kind != CTPROF_LABEL && measure->kind != CTPROF_MAP)
			add_measure(figures, measure);
	}
	return figures;
}

GArray *figures_new(const Measures *measures)
{
	GArray *figures = figures_plain(measures);

	for (const Quantity *quantity = quantities; quantity->name; quantity++)
		if (quantity_is_derived(quantity))
			add_derived(figures, quantity, measures);
	return figures;
}

guint32 figure_flags(const Figure *figure)
{
	guint32 quiet = figure->percentile && figure->percentile->quiet ? CTPROF_METRIC_QUIET : 0;

	return figure->measure ? figure->measure->flags | quiet : figure->derived->flags;
}

gboolean figure_grows(const Figure *figure)
{
	return figure->derived ? !quantity_is_ratio(figure->derived)
			       : figure->field.kind == CTPROF_COUNTER;
}

const Figure *figures_find(const GArray *figures, const char *name)
{
	for (guint i = 0; i < figures->len; i++)
		if (strcmp(g_array_index(figures, Figure, i).field.name, name) == 0)
			return &g_array_index(figures, Figure, i);
	return NULL;
}

/* ---- formulas ---- */

void formula_bind(const Formula *formula, const Measures *measures,
		  const Measure *ret_inputs[QUANTITY_INPUTS])
{
	for (guint i = 0; i < formula_n_inputs(formula); i++)
		ret_inputs[i] = measures_find(measures, formula->inputs[i]);
}

/* Takes over an input's coverage if it is the least complete so far. */
static void cover(struct ctprof_value *value, const struct ctprof_value *input)
{
	value->flags |= input->flags;
	if (value->n > 0 && input->missing <= value->missing)
		return;
	value->n = input->n;
	value->missing = input->missing;
	value->why = input->why;
}

static void take_input(const Measure *measure, Record *const sides[SIDES], const Span *span,
		       struct ctprof_value *ret_value)
{
	guint side = span->side;
	struct ctprof_value before;

	*ret_value = (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	if (!measure)
		return;
	record_value(sides[side], measure, ret_value);
	if (!span->grown || measure->kind != CTPROF_COUNTER)
		return;
	record_value(sides[!side], measure, &before);
	*ret_value = value_growth(measure->kind, &before, ret_value, FALSE);
}

/* Counts the threads in the state that the formula names. */
static gboolean count_state(const Formula *formula, const Measure *measure, const Record *record,
			    struct ctprof_value *value)
{
	struct ctprof_value mode = {.type = CTPROF_VALUE_ABSENT};

	if (measure)
		record_value(record, measure, &mode);
	cover(value, &mode);
	if (mode.type != CTPROF_VALUE_MODE)
		return FALSE;
	g_autoptr(GArray) states = record_modes(record, measure);
	for (guint i = 0; states && i < states->len; i++)
		if (strcmp(g_array_index(states, MapItem, i).key, formula->inputs[1]) == 0)
			value->real = (gdouble)g_array_index(states, MapItem, i).number;
	return TRUE;
}

static gboolean combine(const Formula *formula, const Measure *const inputs[QUANTITY_INPUTS],
			Record *const sides[SIDES], const Span *span, struct ctprof_value *value)
{
	guint64 numbers[QUANTITY_INPUTS] = {0};
	gboolean is_there = TRUE;

	for (guint i = 0; i < formula_n_inputs(formula); i++) {
		struct ctprof_value input;

		take_input(inputs[i], sides, span, &input);
		is_there = is_there && input.type == CTPROF_VALUE_NUMBER;
		numbers[i] = input.number;
		cover(value, &input);
	}
	return is_there && formula_compute(formula, numbers, &value->real);
}

void formula_value(const Formula *formula, const Measure *const inputs[QUANTITY_INPUTS],
		   Record *const sides[SIDES], const Span *span, struct ctprof_value *ret_value)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_REAL};
	gboolean is_there = formula->form == FORM_STATE
				    ? count_state(formula, inputs[0], sides[span->side], &value)
				    : combine(formula, inputs, sides, span, &value);

	if (!is_there)
		value = (struct ctprof_value){
			.n = value.n, .missing = value.missing, .why = value.why};
	*ret_value = value;
}

const Histogram *figure_histogram(const Figure *figure, const Group *group, guint side)
{
	return figure->measure && !figure->percentile
		       ? record_histogram(group->sides[side], figure->measure)
		       : NULL;
}

void figure_values(const Figure *figure, const Group *group, gboolean window,
		   struct ctprof_value ret_values[SIDES])
{
	gboolean grown = window && figure->derived && quantity_is_ratio(figure->derived);

	for (guint side = 0; side < SIDES; side++) {
		const Span span = {side, grown && side == 1};
		const Histogram *histogram =
			figure->percentile ? record_histogram(group->sides[side], figure->measure)
					   : NULL;

		if (figure->derived)
			formula_value(&figure->derived->formulas[0], figure->inputs, group->sides,
				      &span, &ret_values[side]);
		else
			record_value(group->sides[side], figure->measure, &ret_values[side]);
		/* A percentile has the coverage of the whole histogram. */
		if (histogram)
			percentile_value(figure->percentile, histogram, &ret_values[side]);
	}
}
