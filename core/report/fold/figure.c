/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "figure.h"

#include <string.h>

#include "units.h"

static void add_measure(GArray *figures, const Measure *measure)
{
	Figure figure = {
		.name = measure->name,
		.unit = unit_word(measure->unit),
		.tags = measure->tags,
		.ladder = ladder_of(measure->kind, measure->unit),
		.section = measure->delay ? SECTION_DELAY : SECTION_PRIMARY,
		.measure = measure,
		/* How many rows there are does not only grow. */
		.kind = measure->fold ? measure->kind : CTPROF_LEVEL,
		.nominal = measure->kind == CTPROF_CATEGORY,
	};

	g_array_append_val(figures, figure);
}

static void add_derived(GArray *figures, const struct derived *derived, const Measures *measures)
{
	gboolean ratio = derived->unit == CTPROF_UNIT_NONE;
	Figure figure = {
		.name = derived->name,
		.unit = ratio ? "ratio" : unit_word(derived->unit),
		.tags = "",
		.ladder = ratio ? CTPROF_LADDER_RATIO : ladder_of(CTPROF_GAUGE, derived->unit),
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

	for (guint i = 0; i < ranked->len; i++)
		add_measure(figures, g_ptr_array_index(ranked, i));
	return figures;
}

GArray *figures_new(const Measures *measures)
{
	GArray *figures = figures_plain(measures);

	for (const struct derived *derived = derived_metrics; derived->name; derived++)
		add_derived(figures, derived, measures);
	return figures;
}

const Figure *figures_find(const GArray *figures, const char *name)
{
	for (guint i = 0; i < figures->len; i++)
		if (strcmp(g_array_index(figures, Figure, i).name, name) == 0)
			return &g_array_index(figures, Figure, i);
	return NULL;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *figures_list(const GArray *figures)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < figures->len; i++)
		g_ptr_array_add(names, (gpointer)(uintptr_t)g_array_index(figures, Figure, i).name);
	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	return g_strjoinv(", ", (char **)names->pdata);
}

/* ABSENT unless every input is there. */
static void derive(const Figure *figure, const Record *record, const Layout *layout,
		   struct ctprof_value *ret_value)
{
	guint64 inputs[DERIVED_MAX_INPUTS] = {0};

	*ret_value = (struct ctprof_value){.struct_size = sizeof *ret_value};
	for (guint i = 0; i < DERIVED_MAX_INPUTS && figure->derived->inputs[i]; i++) {
		struct ctprof_value input;

		if (!figure->inputs[i])
			return;
		record_value(record, layout, figure->inputs[i], &input);
		if (input.type != CTPROF_VALUE_NUMBER)
			return;
		inputs[i] = input.number;
	}
	if (figure->derived->compute(inputs, &ret_value->real))
		ret_value->type = CTPROF_VALUE_REAL;
}

void figure_value(const Figure *figure, const Group *group, guint side, const Layout *layout,
		  struct ctprof_value *ret_value)
{
	if (figure->derived)
		derive(figure, group->sides[side], layout, ret_value);
	else
		record_value(group->sides[side], layout, figure->measure, ret_value);
}
