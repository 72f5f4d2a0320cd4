/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge.h"

#include "base/error.h"
#include "row/absence.h"

static const enum intake_table tables[] = {TABLE_CGROUPS, TABLE_HOST};

static gboolean is_met(const Condition *condition, const struct ctprof_report_field *field,
		       const struct ctprof_cell *change)
{
	if (condition->is_worse)
		return change_judge(field, change) == CTPROF_CELL_WORSE;
	return !condition->metric || condition_holds(condition, field->ladder, change);
}

gboolean verdict_counts(const Draft *draft, Verdict *verdict, gboolean partial)
{
	gboolean counts = !partial || draft->plan->options->fail_on_partial;

	if (counts)
		verdict->n_judged++;
	else
		verdict->n_partial++;
	return counts;
}

void verdict_take(const Draft *draft, const Verdict *verdict, const char *const *names,
		  guint n_names, const struct ctprof_report_field *field,
		  const struct ctprof_cell *change, const struct ctprof_runs *runs)
{
	const Condition *condition = verdict->condition;
	gboolean in_percent = !condition->delta && (change->flags & CTPROF_CELL_HAS_PCT);

	if (!is_met(condition, field, change))
		return;
	struct ctprof_report_hit hit = {
		.struct_size = sizeof hit,
		.n_names = n_names,
		.condition = condition->text,
		.metric = field->name,
		.unit = in_percent ? "percent" : field->unit,
		.value = in_percent ? change->pct : change->delta,
		.limit = condition->metric ? condition_limit(condition, field->ladder) : 0,
		.runs = runs,
	};
	for (guint i = 0; i < n_names; i++)
		hit.names[i] = names[i];
	g_array_append_val(draft->hits, hit);
}

void judge_line(const Draft *draft, Verdict *verdict, const char *const *names, guint n_names,
		const struct ctprof_value values[SIDES], const struct ctprof_report_field *field)
{
	gboolean is_partial = (values[0].flags | values[1].flags) & CTPROF_VALUE_PARTIAL;
	struct ctprof_cell change;

	verdict->n_met++;
	view_change(draft->view, values, field, &change);
	condition_take_value(verdict->condition, &change);
	if (!(change.flags & CTPROF_CELL_HAS_DELTA)) {
		coverage_add(&verdict->lacking, values[0].why ? values[0].why : values[1].why, 1);
		return;
	}
	change.flags &= ~CTPROF_CELL_PARTIAL;
	if (verdict_counts(draft, verdict, is_partial))
		verdict_take(draft, verdict, names, n_names, field, &change, NULL);
}

static void judge_groups(const Draft *draft, Verdict *verdict)
{
	const Figure *figure = figures_find(draft->figures, verdict->metric);

	for (guint i = 0; figure && i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);
		struct ctprof_value values[SIDES];

		if (!view_matches(draft->view, group->names, group->n_names))
			continue;
		draft_figure(draft, figure, group, values);
		judge_line(draft, verdict, group->names, group->n_names, values, &figure->field);
	}
}

/* Judges objects, cgroups, or the host, to which --filter does not apply. */
static void judge_pairs(const Draft *draft, Verdict *verdict, enum intake_table table,
			const GPtrArray *pairs)
{
	const Measure *measure = draft_measure(draft, table, verdict->metric);

	if (!measure || !measure->fold || !measure->fold->value)
		return;
	for (guint i = 0; i < pairs->len; i++) {
		const Pair *pair = g_ptr_array_index(pairs, i);
		const char *name =
			table == TABLE_HOST
				? "host"
				: pair->key.names[table == TABLE_OBJECTS ? OBJECT_NAME : 0];
		struct ctprof_value values[SIDES];

		if (table != TABLE_HOST && !view_matches(draft->view, &name, 1))
			continue;
		pair_values(pair->sides, measure, values);
		judge_line(draft, verdict, &name, 1, values, &measure->field);
	}
}

static void judge_all(const Draft *draft, Verdict *verdict)
{
	g_autoptr(GHashTable) by_key = pairs_new();
	g_autoptr(GPtrArray) objects = draft_pairs(draft, TABLE_OBJECTS, by_key);
	g_autoptr(GPtrArray) hosts = g_ptr_array_new();
	Pair host = {.sides = {draft->host[0], draft->host[1]}};

	g_ptr_array_add(hosts, &host);
	judge_groups(draft, verdict);
	judge_pairs(draft, verdict, TABLE_OBJECTS, objects);
	smaps_judge(draft, verdict);
	judge_pairs(draft, verdict, TABLE_CGROUPS, draft->cgroups);
	judge_pairs(draft, verdict, TABLE_HOST, hosts);
}

static const char *word_of(const Coverage *lacking)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	coverage_apply(lacking, &value);
	return value.why ? absence_word(value.why) : "not captured";
}

/* Explains, in a sentence, why the condition could not be judged; NULL: it was judged. */
static char *explain(const Verdict *verdict, const Draft *draft)
{
	const Condition *condition = verdict->condition;
	const char *metric = condition->metric     ? condition->metric
			     : condition->is_worse ? "a metric whose increase is worse or better"
						   : "a metric";

	if (verdict->n_judged + verdict->n_partial > 0)
		return NULL;
	if (verdict->n_met > 0)
		return g_strdup_printf(
			"--fail-on '%s': nothing to judge: no group has %s on both sides (%s)",
			condition->text, metric, word_of(&verdict->lacking));
	if (draft->view->match)
		return g_strdup_printf("--fail-on '%s': nothing to judge: --filter matches no "
				       "group that has %s",
				       condition->text, metric);
	return g_strdup_printf(
		"--fail-on '%s': nothing to judge: nothing has %s with --group-by %s",
		condition->text, metric, draft->plan->axis->word);
}

void verdict_finish(const Verdict *verdict, const Draft *draft)
{
	g_autofree char *why = draft->unjudged->len == 0 ? explain(verdict, draft) : NULL;

	g_string_append(draft->unjudged, why ? why : "");
	if (verdict->n_partial > 0)
		g_ptr_array_add(draft->warnings,
				g_strdup_printf("--fail-on '%s': not judged for %" G_GUINT64_FORMAT
						" groups whose sums lack rows (~): "
						"--fail-on-partial judges them",
						verdict->condition->text, verdict->n_partial));
}

GArray *judge_figures(const Intake *intake)
{
	GArray *figures = g_array_new(FALSE, FALSE, sizeof(Figure));

	for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autoptr(GArray) some = figures_plain(&intake->measures[tables[i]]);

		g_array_append_vals(figures, some->data, some->len);
	}
	return figures;
}

/* A percentage of earlier counts would only show how young a thread is. */
static gboolean check_window(const Draft *draft, const Condition *condition, GError **error)
{
	if (condition->is_worse)
		return !draft->view->window ||
		       error_set_usage(error,
				       "--fail-on '%s': two captures of one boot have no baseline "
				       "to be worse than: compare runs (ctprof stat "
				       "--repeat), or use --totals",
				       condition->text);
	const Figure *figure = figures_find(draft->figures, condition->metric);
	if (condition->delta || !draft->view->window || !figure ||
	    figure->field.kind != CTPROF_COUNTER)
		return TRUE;
	return error_set_usage(error,
			       "--fail-on '%s': changes between two captures of one boot have no "
			       "percentage: use %s:delta, or --totals",
			       condition->text, condition->metric);
}

/* Judges each metric of threads, objects, cgroups and the host that has a polarity. */
static void judge_polar(const Draft *draft, Verdict *verdict)
{
	g_autoptr(GHashTable) judged = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GArray) others = judge_figures(draft->intake);
	const GArray *const lists[] = {draft->figures, draft->object_figures, others};

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		for (guint j = 0; j < lists[i]->len; j++) {
			const Figure *figure = &g_array_index(lists[i], Figure, j);

			verdict->metric = figure->field.name;
			if (figure->field.polarity != CTPROF_POLARITY_NEUTRAL &&
			    plan_shows(draft->plan, verdict->metric, figure_flags(figure)) &&
			    g_hash_table_add(judged, (gpointer)(uintptr_t)verdict->metric))
				judge_all(draft, verdict);
		}
}

gboolean judge_conditions(const Draft *draft, GError **error)
{
	const GArray *conditions = draft->plan->conditions;

	for (guint i = 0; draft->view->compare && i < conditions->len; i++) {
		const Condition *condition = &g_array_index(conditions, Condition, i);
		Verdict verdict = {.condition = condition, .metric = condition->metric};

		if (condition->finding) {
			findings_judge(draft, condition);
			continue;
		}
		if (!check_window(draft, condition, error))
			return FALSE;
		if (condition->is_worse)
			judge_polar(draft, &verdict);
		else
			judge_all(draft, &verdict);
		verdict_finish(&verdict, draft);
	}
	if (draft->view->match && !draft->plan->is_matched)
		g_ptr_array_add(draft->warnings, g_strdup_printf("--filter '%s': no name matches",
								 draft->plan->options->filter));
	return TRUE;
}
