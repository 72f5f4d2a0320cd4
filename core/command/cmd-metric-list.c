/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/ui.h"
#include "cmd.h"
#include "frame/quantity.h"
#include "report/plan/sections.h"

/* The search pattern; NULL: list everything. */
static GRegex *pattern;

/* Whether one of the texts (the last is NULL) matches the pattern. */
static gboolean matches_pattern(const char *text, ...)
{
	gboolean found = !pattern;
	va_list ap;

	va_start(ap, text);
	for (; text && !found; text = va_arg(ap, const char *))
		found = g_regex_match(pattern, text, 0, NULL);
	va_end(ap);
	return found;
}

/* Whether one of the aliases matches. */
static gboolean alias_matches(const Quantity *quantity)
{
	for (guint i = 0; i < QUANTITY_ALIASES && quantity->aliases[i]; i++)
		if (matches_pattern(quantity->aliases[i], NULL))
			return TRUE;
	return FALSE;
}

static gboolean metric_matches(const struct ctprof_metric *def)
{
	const Quantity *quantity = quantity_find(def->name);

	return matches_pattern(def->name, def->help, def->group, NULL) ||
	       (quantity && alias_matches(quantity));
}

static gboolean derived_matches(const Quantity *quantity)
{
	return quantity_is_derived(quantity) &&
	       (matches_pattern(quantity->name, quantity->help, NULL) || alias_matches(quantity));
}

static gboolean section_matches(const Section *section)
{
	return !(section->flags & SECTION_VIEW) &&
	       matches_pattern(section->name, section->heading, section->help, NULL);
}

static GStrv list_gates(const Metric *metric)
{
	return g_strsplit(metric->def.gates ? metric->def.gates : "", " ", -1);
}

/* Adds the gates of the listed metrics, without repetitions. */
static void add_gates(GPtrArray *cells, const GPtrArray *list)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < list->len; i++) {
		g_auto(GStrv) gates = list_gates(g_ptr_array_index(list, i));

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
	g_autoptr(GPtrArray) cells = ui_new_cells();

	puts("\n## Tag legend");
	ui_add_cells(cells, "[cfs-only]", "counted by the fair scheduling class only", NULL);
	ui_add_cells(cells, "[non-ext]", "not counted for threads under sched_ext", NULL);
	ui_add_cells(cells, "[fair-policy]",
		     "fair policies only (SCHED_OTHER, SCHED_BATCH, SCHED_IDLE)", NULL);
	add_gates(cells, list);
	ui_print_cells(cells, 2);
}

/* Prints a table whose first row is a header; nothing if there are no other
 * rows. */
static void print_table(const char *heading, const GPtrArray *cells, guint n_columns)
{
	static gboolean follows;

	if (cells->len <= n_columns)
		return;
	printf("%s## %s\n", follows ? "\n" : "", heading);
	ui_print_cells(cells, n_columns);
	follows = TRUE;
}

static void print_sections(void)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	ui_add_cells(cells, "section", "heading", "description", NULL);
	for (guint i = 0; sections[i]; i++)
		if (section_matches(sections[i]))
			ui_add_cells(cells, sections[i]->name, sections[i]->heading,
				     sections[i]->help, NULL);
	print_table("Sections", cells, 3);
}

static void print_aliases(void)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	ui_add_cells(cells, "alias", "metric", NULL);
	for (const Quantity *quantity = quantities; quantity->name; quantity++)
		for (guint i = 0; i < QUANTITY_ALIASES && quantity->aliases[i]; i++)
			if (matches_pattern(quantity->aliases[i], quantity->name, NULL))
				ui_add_cells(cells, quantity->aliases[i], quantity->name, NULL);
	print_table("Aliases", cells, 2);
}

static void print_metrics(const GPtrArray *list)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	ui_add_cells(cells, "metric", "kind", "unit", "scope", "group", "tags", "description",
		     NULL);
	for (guint i = 0; i < list->len; i++) {
		const struct ctprof_metric *def =
			&((const Metric *)g_ptr_array_index(list, i))->def;
		if (!metric_matches(def))
			continue;
		g_autofree char *tags = registry_tags(def);
		g_autofree char *help = ui_escape(def->help, -1);

		ui_add_cells(cells, def->name, registry_kind_word(def->kind),
			     registry_unit_word(def->unit), registry_scope_word(def->scope),
			     def->group, tags, help, NULL);
	}
	print_table("Metrics", cells, 7);
}

static void print_derived(void)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	ui_add_cells(cells, "metric", "unit", "inputs", "description", NULL);
	for (const Quantity *derived = quantities; derived->name; derived++) {
		const Formula *formula = &derived->formulas[0];

		if (!derived_matches(derived))
			continue;
		g_autoptr(GString) inputs = g_string_new(formula->inputs[0]);

		for (guint i = 1; i < formula_n_inputs(formula); i++)
			g_string_append_printf(inputs, ", %s", formula->inputs[i]);
		ui_add_cells(cells, derived->name, quantity_unit(derived), inputs->str,
			     derived->help, NULL);
	}
	print_table("Derived metrics", cells, 4);
}

static void print_text(const GPtrArray *list)
{
	print_metrics(list);
	print_derived();
	print_aliases();
	print_sections();
	if (!pattern)
		print_legend(list);
}

static void add_metric(JsonBuilder *builder, const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;
	g_auto(GStrv) gates = list_gates(metric);

	json_builder_begin_object(builder);
	json_add_texts(builder, "name", def->name, "kind", registry_kind_word(def->kind), "unit",
		       registry_unit_word(def->unit), "scope", registry_scope_word(def->scope),
		       "group", def->group, "tag", def->tag, NULL);
	json_add_list(builder, "gates", (const char *const *)gates, g_strv_length(gates));
	json_add_bool(builder, "on_demand", (def->flags & CTPROF_METRIC_ON_DEMAND) != 0);
	json_add_texts(builder, "description", def->help, "origin", def->origin, NULL);
	json_add_list(builder, "plugins", (const char *const *)metric->providers->pdata,
		      metric->providers->len);
	json_builder_end_object(builder);
}

static void add_section(JsonBuilder *builder, const Section *section)
{
	json_builder_begin_object(builder);
	json_add_texts(builder, "name", section->name, "heading", section->heading, "description",
		       section->help, NULL);
	json_builder_end_object(builder);
}

static void add_aliases(JsonBuilder *builder, const Quantity *quantity)
{
	for (guint i = 0; i < QUANTITY_ALIASES && quantity->aliases[i]; i++) {
		if (!matches_pattern(quantity->aliases[i], quantity->name, NULL))
			continue;
		json_builder_begin_object(builder);
		json_add_texts(builder, "name", quantity->aliases[i], "metric", quantity->name,
			       NULL);
		json_builder_end_object(builder);
	}
}

static void add_derived(JsonBuilder *builder, const Quantity *derived)
{
	const Formula *formula = &derived->formulas[0];

	json_builder_begin_object(builder);
	json_add_texts(builder, "name", derived->name, "unit", quantity_unit(derived), NULL);
	json_add_list(builder, "inputs", formula->inputs, formula_n_inputs(formula));
	json_add_texts(builder, "description", derived->help, NULL);
	json_builder_end_object(builder);
}

static void print_json(const GPtrArray *list)
{
	g_autoptr(JsonBuilder) builder = json_begin();

	json_begin_list(builder, "metrics");
	for (guint i = 0; i < list->len; i++)
		if (metric_matches(&((const Metric *)g_ptr_array_index(list, i))->def))
			add_metric(builder, g_ptr_array_index(list, i));
	json_builder_end_array(builder);
	json_begin_list(builder, "sections");
	for (guint i = 0; sections[i]; i++)
		if (section_matches(sections[i]))
			add_section(builder, sections[i]);
	json_builder_end_array(builder);
	json_begin_list(builder, "aliases");
	for (const Quantity *quantity = quantities; quantity->name; quantity++)
		add_aliases(builder, quantity);
	json_builder_end_array(builder);
	json_begin_list(builder, "derived");
	for (const Quantity *quantity = quantities; quantity->name; quantity++)
		if (derived_matches(quantity))
			add_derived(builder, quantity);
	json_builder_end_array(builder);
	json_print_document(builder);
}

static gboolean parse_pattern(const char *text, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (text)
		pattern = g_regex_new(text, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, &cause);
	return !cause || error_set_usage(error, "'%s': %s", text, cause->message);
}

static gboolean is_found(const GPtrArray *list)
{
	gboolean found = FALSE;

	for (guint i = 0; i < list->len && !found; i++)
		found = metric_matches(&((const Metric *)g_ptr_array_index(list, i))->def);
	for (guint i = 0; sections[i] && !found; i++)
		found = section_matches(sections[i]);
	for (const Quantity *quantity = quantities; quantity->name && !found; quantity++)
		found = derived_matches(quantity);
	return found;
}

static int fail_search(const char *text, const GPtrArray *list)
{
	Nearest nearest = {.typed = text};

	for (guint i = 0; i < list->len; i++)
		nearest_try(&nearest, ((const Metric *)g_ptr_array_index(list, i))->def.name);
	for (guint i = 0; i < list->len; i++)
		nearest_try(&nearest, ((const Metric *)g_ptr_array_index(list, i))->def.group);
	g_autofree char *hint = nearest_hint(&nearest, "");
	ui_error("nothing matches '%s'%s (see 'ctprof metric-list')", text, hint);
	return EXIT_FAILED;
}

static int cmd_metric_list_run(Globals *globals, char **arguments, GError **error)
{
	g_autoptr(Session) session = NULL;

	if ((arguments[0] && !cmd_no_arguments(arguments + 1, error)) ||
	    !parse_pattern(arguments[0], error) || !(session = session_new(globals, NULL, error)))
		return EXIT_FAILED;
	g_autoptr(GPtrArray) list = registry_list(session->registry);
	if (!is_found(list))
		return fail_search(arguments[0], list);
	if (cmd_json)
		print_json(list);
	else
		print_text(list);
	return cmd_printed();
}

const Command cmd_metric_list = {
	.name = "metric-list",
	.arguments = "[PATTERN]",
	.summary = "List every metric: kind, unit, scope, group, meaning",
	.help = "PATTERN is a regular expression; it is searched for in names, groups and\n"
		"descriptions, ignoring case.\n"
		"\n"
		"Examples:\n"
		"  ctprof metric-list delay\n"
		"  ctprof metric-list run_time_ns\n"
		"  ctprof metric-list --format json | jq -r '.metrics[].name'",
	.shared = {cmd_format_options},
	.arguments_from = FROM_METRICS,
	.run = cmd_metric_list_run,
};
