/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/texts.h"
#include "frame/percentile.h"
#include "report/name/glob.h"

#define RENAME_MIN_TYPES 10
#define RENAME_MIN_JACCARD 0.90

/* Kinds of metric that can be the size of an object. */
static const guint32 sizes[] = {
	CTPROF_COUNTER, CTPROF_LEVEL, CTPROF_PEAK, CTPROF_LOW, CTPROF_GAUGE,
};

const char *const cpu_metrics[] = {
	"run_time_ns",
	"utime_clock_ticks",
	"stime_clock_ticks",
	"cutime_clock_ticks",
	"cstime_clock_ticks",
	"process_utime_clock_ticks",
	"process_stime_clock_ticks",
	NULL,
};

static void need_inputs(GHashTable *needed, const Formula *formula)
{
	for (guint i = 0; i < formula_n_inputs(formula); i++)
		g_hash_table_add(needed, g_strdup(formula->inputs[i]));
}

static void need(GHashTable *needed, const char *name)
{
	const Quantity *derived = quantity_derived(name);

	g_hash_table_add(needed, percentile_metric(name));
	if (derived)
		need_inputs(needed, &derived->formulas[0]);
}

static void need_costs(GHashTable *needed)
{
	const Quantity *quantity;

	for (guint i = 0; (quantity = quantity_of_cost(i)); i++)
		for (guint k = 0; k < QUANTITY_FORMULAS; k++)
			need_inputs(needed, &quantity->formulas[k]);
}

/* Whether a condition applies to every metric that has a polarity. */
static gboolean plan_judges_all(const Plan *plan)
{
	for (guint i = 0; i < plan->conditions->len; i++)
		if (g_array_index(plan->conditions, Condition, i).is_worse)
			return plan->metrics->len == 0;
	return FALSE;
}

/* Lists the metrics that options name, and the inputs of derived metrics to be shown. */
static GHashTable *list_needed(const Plan *plan)
{
	GHashTable *needed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < plan->metrics->len; i++)
		need(needed, g_ptr_array_index(plan->metrics, i));
	for (guint i = 0; i < plan->sort_keys->len; i++)
		need(needed, g_array_index(plan->sort_keys, SortKey, i).name);
	for (guint i = 0; i < plan->conditions->len; i++)
		if (g_array_index(plan->conditions, Condition, i).metric)
			need(needed, g_array_index(plan->conditions, Condition, i).metric);
	for (guint i = 0; plan_judges_all(plan) && quantities[i].name; i++)
		if (quantities[i].polarity != CTPROF_POLARITY_NEUTRAL)
			need(needed, quantities[i].name);
	if (plan->options->may_be_window)
		for (guint i = 0; cpu_metrics[i]; i++)
			need(needed, cpu_metrics[i]);
	for (guint i = 0; sections[i]; i++)
		for (const char *const *name = sections[i]->metrics;
		     name && *name &&
		     (plan_has_section_at(plan, sections[i]) ||
		      (plan->wants_digest && sections[i]->flags & SECTION_TOLD_IN_DIGEST));
		     name++)
			need(needed, *name);
	if (plan->wants_digest)
		need_costs(needed);
	for (const Quantity *quantity = quantities; quantity->name && plan->metrics->len == 0;
	     quantity++)
		if (quantity_is_derived(quantity) && !(quantity->flags & CTPROF_METRIC_QUIET) &&
		    (plan->options->runs || plan_has_section(plan, quantity->section)))
			need(needed, quantity->name);
	return needed;
}

static gboolean parse_pids(Plan *plan, const char *const *pids, GError **error)
{
	if (!pids || !pids[0])
		return TRUE;
	plan->pids = g_hash_table_new(NULL, NULL);
	for (; *pids; pids++) {
		guint64 pid;

		if (!g_ascii_string_to_unsigned(*pids, 10, 1, G_MAXINT32, &pid, NULL))
			return error_set_usage(error, "--pid '%s': expected a process ID", *pids);
		g_hash_table_add(plan->pids, GINT_TO_POINTER((gint)pid));
	}
	return TRUE;
}

static gboolean parse_filter(Plan *plan, const char *filter, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (!filter || !*filter)
		return TRUE;
	/* Names are bytes, and need not be UTF-8. */
	plan->view.match = g_regex_new(filter, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, &cause);
	plan->view.ret_matched = &plan->is_matched;
	return plan->view.match ||
	       error_set_usage(error, "--filter '%s': %s", filter, cause->message);
}

static gboolean check_globs(char *const *globs, GError **error)
{
	for (; globs && *globs; globs++)
		if (!glob_check(*globs, error))
			return FALSE;
	return TRUE;
}

static gboolean check_conditions(const Plan *plan, GError **error)
{
	for (guint i = 0; i < plan->conditions->len; i++) {
		const Condition *condition = &g_array_index(plan->conditions, Condition, i);

		if (condition->finding && !specs_check_finding("fail-on", condition->finding,
							       plan->options->runs != NULL, error))
			return FALSE;
		if (condition_is_of_runs(condition) && !plan->options->runs)
			return error_set_usage(error,
					       "--fail-on '%s': p and q need several runs per side "
					       "(stat --repeat N --versus CMD, compare A… -- B…)",
					       condition->text);
	}
	return TRUE;
}

static gboolean parse_lists(Plan *plan, const AnalysisOptions *options, GError **error)
{
	gboolean compare = options->compare;
	gdouble *min_deltas = plan->view.filter.min_deltas;

	return (plan->sort_keys = specs_parse_sort(options->sort_by, error)) &&
	       (plan->columns = specs_parse_columns(options->columns, options->display_format,
						    compare, error)) &&
	       specs_parse_sections(options->sections, compare, &plan->sections, &plan->objects,
				    error) &&
	       (plan->metrics = specs_parse_metrics(options->metrics, error)) &&
	       specs_parse_min_delta(options->min_delta, min_deltas, error) &&
	       (plan->conditions = condition_parse(options->fail_on, error)) &&
	       check_conditions(plan, error) &&
	       (!options->explain ||
		specs_check_finding("explain", options->explain, options->runs != NULL, error));
}

/* ctprof memory has one section, and its own order. */
static gboolean take_view(Plan *plan, GError **error)
{
	const Section *view = plan->options->view;
	const char *wanted = plan->options->sort;

	plan->sections = section_bit(view);
	g_clear_pointer(&plan->objects, g_ptr_array_unref);
	plan->objects = g_ptr_array_new_with_free_func(g_free);
	if (!wanted)
		return TRUE;
	Nearest nearest = {.typed = wanted};
	for (; view->orders[plan->order]; plan->order++) {
		if (strcmp(view->orders[plan->order], wanted) == 0)
			return TRUE;
		nearest_try(&nearest, view->orders[plan->order]);
	}
	g_autofree char *known = g_strjoinv(", ", (char **)(uintptr_t)view->orders);
	g_autofree char *hint = nearest_hint(&nearest, "");
	return error_set_usage(error, "--sort '%s': the view %s has %s%s", wanted, view->name,
			       known, hint);
}

/* Selects only the sections of the first screen or, if metrics but no sections are named, all
 * others. */
static void take_digest(Plan *plan)
{
	const AnalysisOptions *options = plan->options;
	guint32 digest = 0;

	for (guint i = 0; sections[i]; i++)
		if (sections[i]->flags & SECTION_OF_DIGEST)
			digest |= section_bit(sections[i]);
	if (options->digest) {
		plan->sections = digest;
		g_clear_pointer(&plan->objects, g_ptr_array_unref);
		plan->objects = g_ptr_array_new_with_free_func(g_free);
	} else if (!options->sections && plan->metrics->len > 0) {
		plan->sections &= ~digest;
	}
}

static char *list_groups(const Plan *plan)
{
	GString *groups = g_string_new(NULL);

	for (guint i = 0; sections[i]; i++) {
		if (!sections[i]->groups || !(plan->sections & section_bit(sections[i])))
			continue;
		g_string_append_printf(groups, "%s%s", groups->len > 0 ? "," : "",
				       sections[i]->groups);
		if (sections[i]->optional)
			g_string_append_printf(groups, ",%s", sections[i]->optional);
	}
	return g_string_free(groups, FALSE);
}

/* The most important first, as a terminal may not have room for the last
 * ones. */
static void take_runs_columns(Plan *plan)
{
	static const guint32 of_two[] = {
		CTPROF_COLUMN_VERDICT,  CTPROF_COLUMN_GROUP,          CTPROF_COLUMN_METRIC,
		CTPROF_COLUMN_BASELINE, CTPROF_COLUMN_CANDIDATE,      CTPROF_COLUMN_PCT,
		CTPROF_COLUMN_Q,        CTPROF_COLUMN_RUNS,           CTPROF_COLUMN_DELTA,
		CTPROF_COLUMN_INTERVAL, CTPROF_COLUMN_BASELINE_RANGE, CTPROF_COLUMN_CANDIDATE_RANGE,
		CTPROF_COLUMN_P,
	};
	static const guint32 of_one[] = {
		CTPROF_COLUMN_GROUP,          CTPROF_COLUMN_METRIC, CTPROF_COLUMN_VALUE,
		CTPROF_COLUMN_BASELINE_RANGE, CTPROF_COLUMN_RUNS,
	};

	g_array_set_size(plan->columns, 0);
	if (plan->options->compare)
		g_array_append_vals(plan->columns, of_two, G_N_ELEMENTS(of_two));
	else
		g_array_append_vals(plan->columns, of_one, G_N_ELEMENTS(of_one));
}

static gboolean wants_digest(const Plan *plan)
{
	for (guint i = 0; sections[i]; i++)
		if (sections[i]->flags & SECTION_OF_DIGEST &&
		    plan->sections & section_bit(sections[i]))
			return TRUE;
	for (guint i = 0; i < plan->conditions->len; i++)
		if (g_array_index(plan->conditions, Condition, i).finding)
			return TRUE;
	return FALSE;
}

gboolean plan_init(Plan *plan, const AnalysisOptions *options, GError **error)
{
	const guint32 sort_column = CTPROF_COLUMN_SORT;

	*plan = (Plan){.options = options, .axis = axis_of(options->group_by)};
	plan->rule = options->no_thread_normalize ? NAME_LITERAL : plan->axis->rule;
	plan->view.compare = options->compare;
	plan->view.limit = options->limit;
	plan->view.filter.changed = options->changed;
	plan->view.filter.min_pct = options->min_pct;
	plan->rename = (RenameRules){RENAME_MIN_TYPES, RENAME_MIN_JACCARD};
	if (options->rename_min_types > 0)
		plan->rename =
			(RenameRules){options->rename_min_types, options->rename_min_jaccard};
	if (axis_has(plan->axis, LABEL_LAYER) && !options->layers)
		return error_set_usage(error, "--group-by layer: expected --layers FILE");
	if (!parse_lists(plan, options, error) || !check_globs(options->flatten, error) ||
	    !parse_filter(plan, options->filter, error) || !parse_pids(plan, options->pids, error))
		return FALSE;
	if (options->runs)
		take_runs_columns(plan);
	if (plan->sort_keys->len > 0)
		g_array_append_val(plan->columns, sort_column);
	take_digest(plan);
	if (options->categories && !options->view)
		plan->sections |= section_bit(section_find(SECTION_CATEGORIES, FALSE));
	if (options->view && !take_view(plan, error))
		return FALSE;
	plan->wants_digest = wants_digest(plan);
	plan->needed = list_needed(plan);
	plan->groups = list_groups(plan);
	return TRUE;
}

void plan_clear(Plan *plan)
{
	g_clear_pointer(&plan->view.match, g_regex_unref);
	g_clear_pointer(&plan->columns, g_array_unref);
	g_clear_pointer(&plan->sort_keys, g_array_unref);
	g_clear_pointer(&plan->metrics, g_ptr_array_unref);
	g_clear_pointer(&plan->objects, g_ptr_array_unref);
	g_clear_pointer(&plan->groups, g_free);
	g_clear_pointer(&plan->conditions, g_array_unref);
	g_clear_pointer(&plan->needed, g_hash_table_unref);
	g_clear_pointer(&plan->pids, g_hash_table_unref);
}

static gboolean fits(const Plan *plan, const Section *section)
{
	return !(section->flags & SECTION_OF_CGROUPS) || plan->options->group_by == GROUP_BY_CGROUP;
}

gboolean plan_has_section(const Plan *plan, const char *name)
{
	return plan_has_section_at(plan, section_find(name, FALSE));
}

GPtrArray *plan_list_misfits(const Plan *plan)
{
	GPtrArray *names = g_ptr_array_new();

	if (!plan->options->sections || !plan->options->sections[0])
		return names;
	for (guint i = 0; sections[i]; i++)
		if ((plan->sections & section_bit(sections[i])) && !fits(plan, sections[i]))
			g_ptr_array_add(names, (gpointer)(uintptr_t)sections[i]->name);
	return names;
}

/* Chooses folds for the costs of groups; no section shows these metrics as such. */
static const Fold *choose_for_cost(const struct ctprof_metric *def)
{
	static const struct {
		const char *name;
		guint32 kind, unit;
		const Fold *fold;
	} folds[] = {
		{"smaps_rollup_kib", CTPROF_MAP, CTPROF_UNIT_KIB, &fold_pss},
		{"cgroup", CTPROF_LABEL, CTPROF_UNIT_TEXT, &fold_commonest},
		{"cgroup_v1", CTPROF_MAP, CTPROF_UNIT_TEXT, &fold_v1_path},
		{"ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, &fold_number_label},
	};

	for (guint i = 0; i < G_N_ELEMENTS(folds); i++)
		if (strcmp(def->name, folds[i].name) == 0 && def->kind == folds[i].kind &&
		    def->unit == folds[i].unit)
			return folds[i].fold;
	return NULL;
}

/* Whether a condition on all metrics with a polarity includes this one, whatever sections show. */
static gboolean is_judged(const Plan *plan, const struct ctprof_metric *def)
{
	return plan_judges_all(plan) && def->polarity != CTPROF_POLARITY_NEUTRAL &&
	       !(def->flags & CTPROF_METRIC_QUIET);
}

const Fold *plan_choose(gconstpointer data, const Metric *metric)
{
	const Plan *plan = data;
	const struct ctprof_metric *def = &metric->def;
	gboolean delay = strcmp(def->group, "delay") == 0;

	if (def->kind == CTPROF_LABEL || def->kind == CTPROF_MAP)
		return plan->wants_digest || g_hash_table_contains(plan->needed, def->name)
			       ? choose_for_cost(def)
			       : NULL;
	if (g_hash_table_contains(plan->needed, def->name) || is_judged(plan, def) ||
	    (plan->wants_digest && def->kind == CTPROF_HISTOGRAM) ||
	    (plan->metrics->len == 0 && !(def->flags & CTPROF_METRIC_QUIET) &&
	     (plan->options->runs ||
	      plan_has_section(plan, delay ? SECTION_DELAY : SECTION_PRIMARY))))
		return fold_find(def->kind, def->unit);
	return NULL;
}

static gboolean has_text(const GPtrArray *texts, const char *text)
{
	return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)texts, text, g_str_equal,
						NULL);
}

gboolean plan_needs_group(const Plan *plan, const char *group)
{
	static const char *const of_digest[] = {LOCK_GROUP, MATRIX_GROUP, DISK_GROUP, TMPFS_GROUP,
						NULL};

	return texts_list_has(plan->groups, group) ||
	       (plan->wants_digest && g_strv_contains(of_digest, group));
}

/* The CPU times of exit records, in the kernel's finest unit, and the metrics of threads. */
const Fold *plan_choose_exit(gconstpointer data, const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;

	if (strcmp(def->name, CPU_EXIT_USER) == 0 || strcmp(def->name, CPU_EXIT_SYSTEM) == 0 ||
	    strcmp(def->name, CPU_EXIT_FINAL) == 0)
		return fold_find(def->kind, def->unit);
	return plan_choose(data, metric);
}

gboolean plan_has_section_at(const Plan *plan, const Section *section)
{
	return (plan->sections & section_bit(section)) && fits(plan, section);
}

gboolean plan_shows_host(const Plan *plan, const Measure *measure)
{
	return plan->objects || !(measure->flags & CTPROF_METRIC_QUIET);
}

gboolean plan_has_objects(const Plan *plan, const struct ctprof_metric *def)
{
	return plan->objects ? has_text(plan->objects, def->group)
			     : !(def->flags & CTPROF_METRIC_QUIET);
}

gboolean plan_folds_object(const Plan *plan, const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
		if (sizes[i] == def->kind)
			return g_hash_table_contains(plan->needed, def->name) ||
			       is_judged(plan, def) ||
			       (plan->metrics->len == 0 && plan_has_objects(plan, def));
	return FALSE;
}

const Fold *plan_choose_object(gconstpointer data, const Metric *metric)
{
	return plan_folds_object(data, metric) ? fold_find(metric->def.kind, metric->def.unit)
					       : NULL;
}

gboolean plan_names(const Plan *plan, const char *metric)
{
	return plan->metrics->len == 0 || has_text(plan->metrics, metric);
}

gboolean plan_shows(const Plan *plan, const char *metric, guint32 flags)
{
	g_autofree char *histogram = percentile_metric(metric);

	return plan->metrics->len == 0
		       ? !(flags & CTPROF_METRIC_QUIET)
		       : has_text(plan->metrics, metric) || has_text(plan->metrics, histogram);
}
