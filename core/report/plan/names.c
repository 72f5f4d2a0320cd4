/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of metrics that users type: the figure that each one means, or why it means none. */
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "command-fields.h"
#include "plan.h"
#include "report/join/rank.h"

/* Where to find metrics that are not of groups of threads, or not amounts: the first row that
 * matches applies. */
static const struct use {
	enum row_class row;
	const char *prefix, *instead;
} uses[] = {
	{ROW_THREAD, "smaps_rollup_kib", "--sections smaps-rollup"},
	{ROW_THREAD, "", "--group-by or --filter"},
	{ROW_EXIT, "", "--sections cpu-account"},
	{ROW_CGROUP, "memory.stat", "--group-by cgroup --sections memory-stat"},
	{ROW_CGROUP, "memory.events", "--group-by cgroup --sections memory-events"},
	{ROW_CGROUP, "", "--group-by cgroup --sections cgroup-stats,cgroup-limits,pressure"},
	{ROW_OBJECT, "", "--sections with the name of its group, or 'ctprof memory'"},
	{ROW_HOST, "", "--sections host-metrics,host-pressure,sched-ext"},
	{ROW_CAPTURE, "", "'zstdcat FILE | jq .capture'"},
};

/* Fields of the first screen that are not amounts of a pool. */
static const struct field_use {
	const char *name, *instead;
} field_uses[] = {
	{"pool", "--group-by or --filter"},
	{"unit", "--group-by unit"},
	{"born", "threads"},
	{"gone", "threads"},
	{"threads_text", "threads"},
	{"usr_sys", "usr,sys"},
	{"cpu_history", "cpu"},
};

static gboolean fail_known(const char *option, const char *name, const char *what,
			   const char *instead, GError **error)
{
	return error_set_usage(error, "--%s: '%s' is %s, which --%s does not take (use %s)", option,
			       name, what, option, instead);
}

static gboolean fail_metric(const char *option, const Metric *metric, GError **error)
{
	const struct ctprof_metric *def = &metric->def;
	const struct use *use = uses;
	g_autofree char *what = g_strdup_printf("a %s of scope %s", registry_kind_word(def->kind),
						registry_scope_word(def->scope));

	while (use->row != metric->row || !g_str_has_prefix(def->name, use->prefix))
		use++;
	return fail_known(option, def->name, what, use->instead, error);
}

/* Sets the error for a name of the first screen, and returns TRUE; FALSE: it is not one. */
static gboolean is_of_screen(const char *option, const char *name, GError **error)
{
	for (const Quantity *quantity = host_quantities; quantity->name; quantity++) {
		const char *metric = quantity->formulas[0].inputs[0];
		g_autofree char *instead =
			metric ? g_strdup_printf("--sections host-metrics, or --fail-on with %s",
						 metric)
			       : g_strdup("--sections cpu-account");

		if (strcmp(quantity->name, name) == 0)
			return !fail_known(option, name, "of the host, on the first screen",
					   instead, error);
	}
	for (guint i = 0; i < G_N_ELEMENTS(field_uses); i++)
		if (strcmp(field_uses[i].name, name) == 0)
			return !fail_known(option, name, "a field of the first screen",
					   field_uses[i].instead, error);
	return FALSE;
}

static void suggest(Nearest *nearest, const GPtrArray *metrics)
{
	for (guint i = 0; i < metrics->len; i++)
		nearest_try(nearest, ((const Metric *)g_ptr_array_index(metrics, i))->def.name);
	for (const Quantity *quantity = quantities; quantity->name; quantity++) {
		if (quantity_is_derived(quantity))
			nearest_try(nearest, quantity->name);
		for (guint i = 0; i < QUANTITY_ALIASES && quantity->aliases[i]; i++)
			nearest_try(nearest, quantity->aliases[i]);
	}
}

/* Sets the error for a name without a figure: a metric that has none, or an unknown name. */
static void fail_name(const Registry *registry, const char *option, const char *name,
		      GError **error)
{
	g_autoptr(GPtrArray) metrics = registry ? registry_list(registry) : g_ptr_array_new();
	Nearest nearest = {.typed = name};

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (strcmp(metric->def.name, name) == 0) {
			fail_metric(option, metric, error);
			return;
		}
	}
	if (is_of_screen(option, name, error))
		return;
	suggest(&nearest, metrics);
	g_autofree char *hint = nearest_hint(&nearest, "");
	if (quantity_find(name))
		error_set_usage(error,
				"--%s: the snapshots have no %s (see 'ctprof metric-list %s')",
				option, name, name);
	else if (g_ascii_isupper(name[0]) && !hint[0])
		error_set_usage(error,
				"--%s: unknown metric '%s' (keys of smaps_rollup: use --sections "
				"smaps-rollup, or --fail-on)",
				option, name);
	else
		error_set_usage(error,
				"--%s: unknown metric '%s'%s (see 'ctprof metric-list': the "
				"snapshots do not have it)",
				option, name, hint);
}

static const Figure *resolve(const PlanNames *names, const char *option, const char *name,
			     GError **error)
{
	const Figure *figure = figures_find(names->figures, name);

	if (!figure)
		fail_name(names->registry, option, name, error);
	return figure;
}

/* Resolves a name to a figure with a numeric value. */
static const Figure *resolve_size(const PlanNames *names, const char *option, const char *name,
				  GError **error)
{
	const Figure *figure = resolve(names, option, name, error);

	if (!figure || !figure->nominal)
		return figure;
	error_set_usage(error, "--%s: '%s' is categorical: it has no numeric value (use -m %s)",
			option, name, name);
	return NULL;
}

static gboolean check_condition(const Plan *plan, const Condition *condition,
				const PlanNames *names, GError **error)
{
	const struct ctprof_report_field *own = NULL;
	const Figure *figure;

	if (!condition->metric || condition->finding)
		return TRUE;
	if (plan->options->runs)
		own = command_field_find(condition->metric);
	if (own)
		return condition_check(condition, own->ladder, error);
	/* A key of smaps_rollup; its keys are not known in advance. */
	if (g_ascii_isupper(condition->metric[0]))
		return condition_check(condition, CTPROF_LADDER_BYTES, error);
	figure = figures_find(names->objects, condition->metric);
	if (!figure && !figures_find(names->figures, condition->metric))
		figure = figures_find(names->others, condition->metric);
	if (!figure)
		figure = resolve_size(names, "fail-on", condition->metric, error);
	return figure && condition_check(condition, figure->field.ladder, error);
}

/* Reports of runs have metrics of the command, of the host and of cgroups in
 * one table. */
static gboolean is_of_runs(const Plan *plan, const PlanNames *names, const char *metric)
{
	return plan->options->runs &&
	       (command_field_find(metric) || figures_find(names->others, metric));
}

static gboolean check_names(const Plan *plan, const PlanNames *names, GError **error)
{
	for (guint i = 0; i < plan->metrics->len; i++) {
		const char *name = g_ptr_array_index(plan->metrics, i);

		if (!figures_find(names->objects, name) && !is_of_runs(plan, names, name) &&
		    !resolve(names, "metrics", name, error))
			return FALSE;
	}
	for (guint i = 0; i < plan->conditions->len; i++)
		if (!check_condition(plan, &g_array_index(plan->conditions, Condition, i), names,
				     error))
			return FALSE;
	return TRUE;
}

GArray *plan_resolve(const Plan *plan, const PlanNames *names, GError **error)
{
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(SortFigure));

	for (guint i = 0; i < plan->sort_keys->len; i++) {
		const SortKey *key = &g_array_index(plan->sort_keys, SortKey, i);
		SortFigure sort = {resolve_size(names, "sort", key->name, error), key->ascending};

		if (!sort.figure)
			return NULL;
		g_array_append_val(order, sort);
	}
	return check_names(plan, names, error) ? g_steal_pointer(&order) : NULL;
}
