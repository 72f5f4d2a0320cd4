/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "draft.h"

#include <string.h>

#include "frame/units.h"

guint draft_n_sides(const Draft *draft)
{
	return draft->view->compare ? SIDES : 1;
}

const Measure *draft_measure(const Draft *draft, enum intake_table table, const char *name)
{
	return measures_find(&draft->intake->measures[table], name);
}

gboolean draft_has(const Draft *draft, enum intake_table table, guint side, const char *metric)
{
	const Measure *measure = draft_measure(draft, table, metric);

	return measure && layout_find(&draft->sides[side].layouts[table], measure) >= 0;
}

GPtrArray *draft_pairs(const Draft *draft, enum intake_table table, GHashTable *pairs)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint side = 0; side < draft_n_sides(draft); side++) {
		const RecordSet *set = &draft->sides[side].sets[table];
		g_autoptr(GPtrArray) records = record_set_arrived(set);

		for (guint i = 0; i < records->len; i++) {
			Record *record = g_ptr_array_index(records, i);
			Pair *pair = pairs_take(pairs, &record->key);

			if (!pair->sides[0] && !pair->sides[1])
				g_ptr_array_add(list, pair);
			pair->sides[side] = record;
		}
	}
	return list;
}

struct ctprof_value draft_value(const Draft *draft, enum intake_table table,
				Record *const sides[SIDES], guint side, const char *metric)
{
	const Measure *measure = draft_measure(draft, table, metric);
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	if (measure)
		record_value(sides[side], measure, &value);
	return value;
}

void draft_figure(const Draft *draft, const Figure *figure, const Group *group,
		  struct ctprof_value ret_values[SIDES])
{
	figure_values(figure, group, draft->view->window, ret_values);
}

gboolean draft_ask_host(const Draft *draft, const Formula *formula, struct ctprof_value *ret_value)
{
	const Measure *inputs[QUANTITY_INPUTS] = {NULL};
	Span span = {.side = draft_n_sides(draft) - 1, .grown = draft->window != NULL};
	gboolean counts = FALSE;

	formula_bind(formula, &draft->intake->measures[TABLE_HOST], inputs);
	for (guint i = 0; i < formula_n_inputs(formula); i++)
		counts = counts || (inputs[i] && inputs[i]->kind == CTPROF_COUNTER);
	formula_value(formula, inputs, draft->host, &span, ret_value);
	return counts;
}

Table *draft_long(const Draft *draft, const char *name, const char *heading,
		  const char *names_header)
{
	return tables_add(draft->tables, name, heading, names_header,
			  CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG);
}

Table *draft_wide(const Draft *draft, const char *name, const char *heading,
		  const char *names_header)
{
	return tables_add(draft->tables, name, heading, names_header, CTPROF_SECTION_METRICS);
}

struct ctprof_cell *draft_metric(const Draft *draft, Table *table, const char *const *names,
				 guint n_names, const struct ctprof_report_field *field,
				 const struct ctprof_value values[SIDES])
{
	struct ctprof_cell *cell =
		table_metric(table, names, n_names, table_take_field(table, field));

	view_cell(draft->view, values, field, cell);
	return cell;
}

typedef struct weighed {
	const Group *group;
	gdouble weight;
} Weighed;

static gint compare_weights(gconstpointer a, gconstpointer b)
{
	const Weighed *x = a, *y = b;

	if (x->weight < y->weight || x->weight > y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->group->place < y->group->place ? -1 : x->group->place > y->group->place;
}

GPtrArray *draft_heaviest(const Draft *draft,
			  gdouble (*weigh)(const Draft *draft, const Group *group,
					   gconstpointer data),
			  gconstpointer data)
{
	g_autoptr(GArray) weighed = g_array_new(FALSE, FALSE, sizeof(Weighed));
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);

		if (!view_matches(draft->view, group->names, group->n_names))
			continue;
		const Weighed one = {group, weigh(draft, group, data)};
		if (one.weight >= 0)
			g_array_append_val(weighed, one);
	}
	g_array_sort(weighed, compare_weights);
	for (guint i = 0; i < weighed->len; i++)
		g_ptr_array_add(list,
				(gpointer)(uintptr_t)g_array_index(weighed, Weighed, i).group);
	return list;
}

struct ctprof_cell *draft_group_part(Table *table, const Group *group, const char *part)
{
	const char *names[CTPROF_LINE_NAMES] = {NULL};

	memcpy(names, group->names, group->n_names * sizeof *names);
	names[group->n_names] = part;
	struct ctprof_cell *cells = table_named_line(table, names, group->n_names + 1);
	for (guint side = 0; side < SIDES; side++)
		table_last(table)->threads[side] = record_count(group->sides[side]);
	return cells;
}

void draft_put_same(const Draft *draft, struct ctprof_cell *cell, struct ctprof_value value)
{
	cell->value[0] = value;
	if (!draft->view->compare)
		return;
	cell->value[1] = value;
	cell->flags = CTPROF_CELL_SAME;
}

struct ctprof_report_field draft_key_field(const MapWalk *walk, gboolean bytes)
{
	return (struct ctprof_report_field){
		.struct_size = sizeof(struct ctprof_report_field),
		.ladder = bytes ? CTPROF_LADDER_BYTES : CTPROF_LADDER_UNITLESS,
		.kind = bytes ? CTPROF_LEVEL : CTPROF_COUNTER,
		.name = walk->key,
		.header = walk->key,
		.unit = unit_word(bytes ? CTPROF_UNIT_BYTES : CTPROF_UNIT_NONE),
		.tags = "",
		.polarity = walk->polarity,
	};
}

void draft_key(const Draft *draft, Table *table, const char *const *names, guint n_names,
	       const MapWalk *walk, gboolean bytes)
{
	const struct ctprof_report_field field = draft_key_field(walk, bytes);
	const struct ctprof_cell *cell =
		draft_metric(draft, table, names, n_names, &field, walk->values);

	if ((cell->flags & CTPROF_CELL_SAME) || !view_passes(draft->view, cell, &field))
		table_drop_last(table);
}

void draft_close(const Draft *draft, Table *table)
{
	table_cut(table, draft->view->limit);
	if (table->lines->len == 0)
		tables_drop(draft->tables);
}
