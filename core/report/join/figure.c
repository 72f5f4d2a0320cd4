/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "figure.h"

#include <string.h>

#include "report/fold/units.h"

struct ctprof_report_field figure_field(const Measure *measure, const char *name)
{
	return (struct ctprof_report_field){
		.struct_size = sizeof(struct ctprof_report_field),
		.ladder = ladder_of(measure->kind, measure->unit),
		/* The number of rows can fall. */
		.kind = measure->fold ? measure->kind : CTPROF_LEVEL,
		.name = name,
		.header = name,
		.unit = unit_word(measure->unit),
		.tags = measure->tags,
	};
}

static void add_measure(GArray *figures, const Measure *measure)
{
	Figure figure = {
		.field = figure_field(measure, measure->name),
		.section = measure->delay ? SECTION_DELAY : SECTION_PRIMARY,
		.measure = measure,
		.nominal = measure->kind == CTPROF_CATEGORY,
	};

	g_array_append_val(figures, figure);
}

static void add_derived(GArray *figures, const struct derived *derived, const Measures *measures)
{
	gboolean ratio = derived_is_share(derived);
	Figure figure = {
		.field = {.struct_size = sizeof figure.field,
			  .ladder = ratio ? CTPROF_LADDER_RATIO
					  : ladder_of(CTPROF_GAUGE, derived->unit),
			  .kind = derived->kind,
			  .name = derived->name,
			  .header = derived->name,
			  .unit = ratio ? "ratio" : unit_word(derived->unit),
			  .tags = ""},
		.section = derived->section,
		.derived = derived,
	};

	for (guint i = 0; i < DERIVED_MAX_INPUTS && derived->inputs[i]; i++)
		figure.inputs[i] = measures_find(measures, derived->inputs[i]);
	g_array_append_val(figures, figure);
}

GArray *figures_plain(const Measures *measures)
{
	GArray *figures = g_array_new(FALSE, FALSE, sizeof(Figure));
	g_autoptr(GPtrArray) ranked = measures_ranked(measures);

	for (guint i = 0; i < ranked->len; i++) {
		const Measure *measure = g_ptr_array_index(ranked, i);

		if (measure->kind != CTPROF_LABEL && measure->kind != CTPROF_MAP)
			add_measure(figures, measure);
	}
	return figures;
}

GArray *figures_new(const Measures *measures)
{
	GArray *figures = figures_plain(measures);

	for (const struct derived *derived = derived_metrics; derived->name; derived++)
		add_derived(figures, derived, measures);
	return figures;
}

guint32 figure_flags(const Figure *figure)
{
	return figure->measure ? figure->measure->flags : figure->derived->flags;
}

gboolean figure_grows(const Figure *figure)
{
	return figure->derived ? !derived_is_ratio(figure->derived)
			       : figure->field.kind == CTPROF_COUNTER;
}

const Figure *figures_find(const GArray *figures, const char *name)
{
	for (guint i = 0; i < figures->len; i++)
		if (strcmp(g_array_index(figures, Figure, i).field.name, name) == 0)
			return &g_array_index(figures, Figure, i);
	return NULL;
}

void figure_cover(struct ctprof_value *value, const struct ctprof_value *input)
{
	value->flags |= input->flags;
	if (value->n > 0 && input->missing <= value->missing)
		return;
	value->n = input->n;
	value->missing = input->missing;
	value->why = input->why;
}

/* Makes an input the growth since the other side. */
static void subtract(struct ctprof_value *input, const struct ctprof_value *before)
{
	if (before->type != CTPROF_VALUE_NUMBER || input->type != CTPROF_VALUE_NUMBER ||
	    before->number > input->number)
		input->type = CTPROF_VALUE_ABSENT;
	else
		input->number -= before->number;
}

void figure_input(const Measure *measure, const Group *group, const Layout *const layouts[SIDES],
		  guint side, gboolean grown, struct ctprof_value *ret_value)
{
	struct ctprof_value before;

	*ret_value = (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	if (!measure)
		return;
	record_value(group->sides[side], layouts[side], measure, ret_value);
	if (!grown || measure->kind != CTPROF_COUNTER)
		return;
	record_value(group->sides[!side], layouts[!side], measure, &before);
	subtract(ret_value, &before);
}

/* ABSENT unless every input is present; as complete as the least complete
 * one. */
static void derive(const Figure *figure, const Group *group, const Layout *const layouts[SIDES],
		   guint side, gboolean grown, struct ctprof_value *ret_value)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_REAL};
	guint64 inputs[DERIVED_MAX_INPUTS] = {0};
	gboolean is_there = TRUE;

	for (guint i = 0; i < DERIVED_MAX_INPUTS && figure->derived->inputs[i]; i++) {
		struct ctprof_value input;

		figure_input(figure->inputs[i], group, layouts, side, grown, &input);
		is_there = is_there && input.type == CTPROF_VALUE_NUMBER;
		inputs[i] = input.number;
		figure_cover(&value, &input);
	}
	if (!is_there || !figure->derived->compute(inputs, &value.real))
		value = (struct ctprof_value){
			.n = value.n, .missing = value.missing, .why = value.why};
	*ret_value = value;
}

void figure_values(const Figure *figure, const Group *group, const Layout *const layouts[SIDES],
		   gboolean window, struct ctprof_value ret_values[SIDES])
{
	gboolean grown = window && figure->derived && derived_is_ratio(figure->derived);

	for (guint side = 0; side < SIDES; side++)
		if (figure->derived)
			derive(figure, group, layouts, side, grown && side == 1, &ret_values[side]);
		else
			record_value(group->sides[side], layouts[side], figure->measure,
				     &ret_values[side]);
}
