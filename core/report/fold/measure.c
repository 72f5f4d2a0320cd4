/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "measure.h"

#include <string.h>

#include "frame/units.h"

void measures_init(Measures *measures, Store *store)
{
	measures->store = store;
	measures->list = g_ptr_array_new_with_free_func(g_free);
	measures->by_name = g_hash_table_new(g_str_hash, g_str_equal);
}

void measures_clear(Measures *measures)
{
	g_clear_pointer(&measures->by_name, g_hash_table_unref);
	g_clear_pointer(&measures->list, g_ptr_array_unref);
}

const Measure *measures_find(const Measures *measures, const char *name)
{
	return g_hash_table_lookup(measures->by_name, name);
}

static gint compare_rank(gconstpointer a, gconstpointer b)
{
	const Measure *x = *(const Measure *const *)a, *y = *(const Measure *const *)b;
	guint32 p = x->rank - 1, q = y->rank - 1; /* 0 sorts last */

	return p != q ? (p > q) - (p < q) : (x->index > y->index) - (x->index < y->index);
}

GPtrArray *measures_ranked(const Measures *measures)
{
	GPtrArray *ranked = g_ptr_array_copy(measures->list, NULL, NULL);

	g_ptr_array_set_free_func(ranked, NULL);
	g_ptr_array_sort(ranked, compare_rank);
	return ranked;
}

static struct ctprof_report_field field_of(Store *store, const struct ctprof_metric *def,
					   gboolean is_folded)
{
	const char *name = store_text(store, def->name);

	return (struct ctprof_report_field){
		.struct_size = sizeof(struct ctprof_report_field),
		.ladder = ladder_of(def->kind, def->unit),
		/* A level, not a counter: the number of rows can fall. */
		.kind = is_folded ? def->kind : CTPROF_LEVEL,
		.name = name,
		.header = name,
		.unit = unit_word(def->unit),
		.tags = store_take(store, registry_tags(def)),
		.polarity = def->polarity,
		.gate_percent = def->gate_percent,
		.gate = def->unit == CTPROF_UNIT_KIB ? def->gate * KIB : def->gate,
	};
}

/* Returns the measure of that metric; NULL: the name belongs to a different one. */
static const Measure *take_measure(Measures *measures, const Metric *metric, const Fold *fold)
{
	const struct ctprof_metric *def = &metric->def;
	Measure *measure = g_hash_table_lookup(measures->by_name, def->name);

	if (measure)
		return measure->kind == def->kind && measure->unit == def->unit ? measure : NULL;
	measure = g_new0(Measure, 1);
	*measure = (Measure){
		.field = field_of(measures->store, def, fold != NULL),
		.group = store_text(measures->store, def->group),
		.fold = fold,
		.kind = def->kind,
		.unit = def->unit,
		.flags = def->flags,
		.rank = def->rank,
		.index = measures->list->len,
		.delay = strcmp(def->group, "delay") == 0,
		.of_process = def->scope == CTPROF_SCOPE_PROCESS || def->scope == CTPROF_SCOPE_MM,
	};
	g_ptr_array_add(measures->list, measure);
	g_hash_table_insert(measures->by_name, (gpointer)(uintptr_t)measure->field.name, measure);
	return measure;
}

static void layout_bind(Layout *layout, const Measure *measure, const Metric *metric)
{
	Binding binding = {measure, metric->index, layout->n_cells};

	if (!measure->fold)
		return;
	g_array_append_val(layout->bindings, binding);
	layout->n_cells += measure->fold->n_cells;
	if (layout->by_index->len <= measure->index)
		g_array_set_size(layout->by_index, measure->index + 1);
	g_array_index(layout->by_index, guint, measure->index) = layout->bindings->len;
}

void layout_init(Layout *layout, Measures *measures, const Registry *registry, enum row_class row,
		 MeasureChoice choose, gconstpointer data, GPtrArray *ret_clashes)
{
	g_autoptr(GPtrArray) metrics = registry_list(registry);

	layout->bindings = g_array_new(FALSE, FALSE, sizeof(Binding));
	layout->by_index = g_array_new(FALSE, TRUE, sizeof(guint));
	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		/* Sources of a live capture declare more metrics than are wanted. */
		if (metric->row != row || !(metric->wanted || metric->slot == 0))
			continue;
		/* Slot 0, the number of threads, is not in any row. */
		const Fold *fold = metric->slot ? choose(data, metric) : NULL;
		if (metric->slot && !fold)
			continue;
		const Measure *measure = take_measure(measures, metric, fold);
		if (measure)
			layout_bind(layout, measure, metric);
		else
			g_ptr_array_add(ret_clashes, g_strdup(metric->def.name));
	}
	layout->n_words = (layout->bindings->len + 7) / 8;
}

void layout_clear(Layout *layout)
{
	g_clear_pointer(&layout->bindings, g_array_unref);
	g_clear_pointer(&layout->by_index, g_array_unref);
}

gint layout_find(const Layout *layout, const Measure *measure)
{
	if (!layout->by_index || measure->index >= layout->by_index->len)
		return -1;
	return (gint)g_array_index(layout->by_index, guint, measure->index) - 1;
}

gint layout_slot(const Layout *layout, const char *name)
{
	for (guint i = 0; i < layout->bindings->len; i++) {
		const Binding *binding = &g_array_index(layout->bindings, Binding, i);

		if (strcmp(binding->measure->field.name, name) == 0)
			return (gint)binding->slot;
	}
	return -1;
}
