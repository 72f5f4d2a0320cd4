/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/ui.h"
#include "cmd.h"
#include "report/fold/derived.h"
#include "report/section/sections.h"

static gboolean json;

static const Option options[] = {
	OPTION_FORMAT(&json),
	OPTION_END,
};

static const char *const classes[] = {
	"[cfs-only]",    "counted by the fair scheduling class only",
	"[non-ext]",     "not counted for threads under sched_ext",
	"[fair-policy]", "fair policies only (SCHED_OTHER, SCHED_BATCH, SCHED_IDLE)",
};

/* Rows of cells for ui_print_columns(), owned. */
static GPtrArray *new_cells(void)
{
	return g_ptr_array_new_with_free_func(g_free);
}

static void print_cells(const GPtrArray *cells, guint n_columns)
{
	ui_print_columns((const char *const *)cells->pdata, cells->len / n_columns, n_columns);
}

static void add_row(GPtrArray *cells, const char *const *row, guint n)
{
	for (guint i = 0; i < n; i++)
		g_ptr_array_add(cells, g_strdup(row[i]));
}

/* The gates some metric has, once each. */
static void add_gates(GPtrArray *cells, const GPtrArray *list)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);
		g_auto(GStrv) gates =
			g_strsplit(metric->def.gates ? metric->def.gates : "", " ", -1);

		for (guint g = 0; gates[g]; g++)
			if (g_hash_table_add(seen, g_strdup(gates[g]))) {
				g_ptr_array_add(cells, g_strdup_printf("[%s]", gates[g]));
				g_ptr_array_add(cells,
						g_strdup_printf("needs CONFIG_%s", gates[g]));
			}
	}
}

static void print_legend(const GPtrArray *list)
{
	g_autoptr(GPtrArray) cells = new_cells();

	puts("## Tag legend");
	add_row(cells, classes, G_N_ELEMENTS(classes));
	add_gates(cells, list);
	print_cells(cells, 2);
}

static void print_sections(void)
{
	static const char *const header[] = {"section", "heading", "description"};
	g_autoptr(GPtrArray) cells = new_cells();

	puts("\n## Sections");
	add_row(cells, header, G_N_ELEMENTS(header));
	for (guint i = 0; sections[i]; i++) {
		const Section *section = sections[i];

		if (section->flags & SECTION_VIEW)
			continue;
		const char *row[] = {section->name, section->heading, section->help};

		add_row(cells, row, G_N_ELEMENTS(row));
	}
	print_cells(cells, G_N_ELEMENTS(header));
}

static void print_metrics(const GPtrArray *list)
{
	static const char *const header[] = {"metric", "kind", "unit",       "scope",
					     "group",  "tags", "description"};
	g_autoptr(GPtrArray) cells = new_cells();

	puts("\n## Metrics");
	add_row(cells, header, G_N_ELEMENTS(header));
	for (guint i = 0; i < list->len; i++) {
		const struct ctprof_metric *def =
			&((const Metric *)g_ptr_array_index(list, i))->def;
		g_autofree char *tags = registry_tags(def);
		g_autofree char *help = ui_escape(def->help, -1);
		const char *row[] = {
			def->name,
			registry_kind_word(def->kind),
			registry_unit_word(def->unit),
			registry_scope_word(def->scope),
			def->group,
			tags,
			help,
		};

		add_row(cells, row, G_N_ELEMENTS(row));
	}
	print_cells(cells, G_N_ELEMENTS(header));
}

static const char *derived_unit(const struct derived *metric)
{
	return metric->unit == CTPROF_UNIT_NONE ? "ratio" : registry_unit_word(metric->unit);
}

static void print_derived(void)
{
	static const char *const header[] = {"metric", "unit", "inputs", "description"};
	g_autoptr(GPtrArray) cells = new_cells();

	puts("\n## Derived metrics");
	add_row(cells, header, G_N_ELEMENTS(header));
	for (const struct derived *metric = derived_metrics; metric->name; metric++) {
		g_autoptr(GString) inputs = g_string_new(metric->inputs[0]);

		for (guint i = 1; i < DERIVED_MAX_INPUTS && metric->inputs[i]; i++)
			g_string_append_printf(inputs, ", %s", metric->inputs[i]);
		const char *row[] = {metric->name, derived_unit(metric), inputs->str, metric->help};
		add_row(cells, row, G_N_ELEMENTS(row));
	}
	print_cells(cells, G_N_ELEMENTS(header));
}

static void print_text(const Registry *registry)
{
	g_autoptr(GPtrArray) list = registry_list(registry);

	print_legend(list);
	print_sections();
	print_metrics(list);
	print_derived();
}

static void add_strings(JsonBuilder *builder, const char *name, const char *const *strings)
{
	json_builder_set_member_name(builder, name);
	json_builder_begin_array(builder);
	for (guint i = 0; strings[i]; i++)
		json_builder_add_string_value(builder, strings[i]);
	json_builder_end_array(builder);
}

static void add_metric(JsonBuilder *builder, const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;

	json_builder_begin_object(builder);
	json_add_string(builder, "name", def->name);
	json_add_string(builder, "kind", registry_kind_word(def->kind));
	json_add_string(builder, "unit", registry_unit_word(def->unit));
	json_add_string(builder, "scope", registry_scope_word(def->scope));
	json_add_string(builder, "group", def->group);
	json_add_string(builder, "tag", def->tag);
	g_auto(GStrv) gates = g_strsplit(def->gates ? def->gates : "", " ", -1);
	add_strings(builder, "gates", (const char *const *)gates);
	json_builder_set_member_name(builder, "on_demand");
	json_builder_add_boolean_value(builder, (def->flags & CTPROF_METRIC_ON_DEMAND) != 0);
	json_add_string(builder, "description", def->help);
	json_add_string(builder, "origin", def->origin);
	json_builder_set_member_name(builder, "plugins");
	json_builder_begin_array(builder);
	for (guint i = 0; i < metric->providers->len; i++)
		json_builder_add_string_value(builder, g_ptr_array_index(metric->providers, i));
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

static void add_tables(JsonBuilder *builder)
{
	json_builder_set_member_name(builder, "sections");
	json_builder_begin_array(builder);
	for (guint i = 0; sections[i]; i++) {
		const Section *section = sections[i];

		if (section->flags & SECTION_VIEW)
			continue;
		json_builder_begin_object(builder);
		json_add_string(builder, "name", section->name);
		json_add_string(builder, "heading", section->heading);
		json_add_string(builder, "description", section->help);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_builder_set_member_name(builder, "derived");
	json_builder_begin_array(builder);
	for (const struct derived *metric = derived_metrics; metric->name; metric++) {
		const char *inputs[DERIVED_MAX_INPUTS + 1] = {NULL};

		memcpy(inputs, metric->inputs, sizeof metric->inputs);
		json_builder_begin_object(builder);
		json_add_string(builder, "name", metric->name);
		json_add_string(builder, "unit", derived_unit(metric));
		add_strings(builder, "inputs", inputs);
		json_add_string(builder, "description", metric->help);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void print_json(const Registry *registry)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(GPtrArray) list = registry_list(registry);

	json_builder_begin_object(builder);
	json_builder_set_member_name(builder, "metrics");
	json_builder_begin_array(builder);
	for (guint i = 0; i < list->len; i++)
		add_metric(builder, g_ptr_array_index(list, i));
	json_builder_end_array(builder);
	add_tables(builder);
	json_builder_end_object(builder);
	json_print(builder);
}

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Session) session = NULL;

	if (!cmd_no_arguments(arguments, &error) || !(session = session_new(globals, NULL, &error)))
		return cmd_fail(error);
	if (json)
		print_json(session->registry);
	else
		print_text(session->registry);
	return cmd_printed();
}

const Command cmd_metric_list = {
	.name = "metric-list",
	.arguments = "",
	.summary = "List every metric: kind, unit, scope, group, meaning",
	.help = "Examples:\n"
		"  ctprof metric-list | grep delay\n"
		"  ctprof metric-list --format json | jq -r '.metrics[].name'",
	.options = options,
	.run = run,
};
