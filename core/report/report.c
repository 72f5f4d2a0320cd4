/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include <string.h>

#include "base/error.h"
#include "collect.h"
#include "report/draft/judge.h"
#include "report/match/window.h"
#include "report/plan/command-fields.h"
#include "report/section/choices.h"
#include "report/section/digest/digest.h"
#include "report/section/digest/why.h"
#include "report/section/verdicts.h"

struct analysis {
	Plan plan;
	Intake intake;
	Side sides[SIDES];
	Namer namer; /* for runs: a copy of their options */
	Draft draft; /* the input of sections and findings: most of the members below */
	Digest *digest;
	GHashTable *threads; /* TIDs of the watched group */
	gboolean is_of_runs; /* the runs own the store and the names */

	/* The data that the report borrows. */
	GArray *order; /* SortFigure */
	Groups groups;
	WindowResult window;
	Renames renames;
	GArray *sections; /* struct ctprof_report_section */
	struct ctprof_report report;
};

static void warn_of_misfits(Analysis *analysis)
{
	g_autoptr(GPtrArray) misfits = plan_list_misfits(&analysis->plan);

	for (guint i = 0; i < misfits->len; i++) {
		g_autofree char *text = g_strdup_printf(
			"section '%s' requires --group-by cgroup; omitted under --group-by %s",
			(const char *)g_ptr_array_index(misfits, i), analysis->plan.axis->word);

		analysis_warn(analysis, text);
	}
}

Analysis *analysis_new(const AnalysisOptions *options, GError **error)
{
	g_autoptr(Analysis) analysis = g_new0(Analysis, 1);
	Plan *plan = &analysis->plan;
	Intake *intake = &analysis->intake;

	analysis->draft = (Draft){
		.plan = plan,
		.view = &plan->view,
		.store = options->runs ? options->runs->store : store_new(),
		.intake = intake,
		.sides = analysis->sides,
		.differences = g_ptr_array_new_with_free_func(g_free),
		.warnings = g_ptr_array_new_with_free_func(g_free),
		.renames = &analysis->renames,
		.tables = tables_new(),
		.artifact = g_string_new(NULL),
		.titles = g_ptr_array_new_with_free_func(g_free),
		.hits = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_hit)),
		.unjudged = g_string_new(NULL),
	};
	analysis->threads = g_hash_table_new(NULL, NULL);
	analysis->is_of_runs = options->runs != NULL;
	intake_init(intake, plan, analysis->draft.store);
	for (guint side = 0; side < SIDES; side++) {
		side_init(&analysis->sides[side], intake, side);
		analysis->draft.orphans[side] =
			g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_line));
	}
	renames_init(&analysis->renames);
	if (!plan_init(plan, options, error))
		return NULL;
	intake->literal_processes = options->no_thread_normalize || plan->axis->by_thread;
	intake->one_by_one = options->compare && options->may_be_window;
	if (options->runs)
		runs_set_names(options->runs, plan->axis, plan->rule, options->flatten,
			       !options->no_cgroup_normalize);
	intake->names = options->runs ? options->runs->namer.names
				      : name_keys_new(plan->rule, analysis->draft.store);
	warn_of_misfits(analysis);
	return g_steal_pointer(&analysis);
}

void analysis_free(Analysis *analysis)
{
	for (guint side = 0; side < SIDES; side++) {
		g_array_unref(analysis->draft.orphans[side]);
		side_clear(&analysis->sides[side]);
	}
	g_clear_pointer(&analysis->sections, g_array_unref);
	g_ptr_array_unref(analysis->draft.tables);
	renames_clear(&analysis->renames);
	groups_clear(&analysis->groups);
	g_clear_pointer(&analysis->window.states, states_free);
	g_clear_pointer(&analysis->window.members, members_free);
	g_clear_pointer(&analysis->order, g_array_unref);
	g_clear_pointer(&analysis->draft.figures, g_array_unref);
	g_clear_pointer(&analysis->draft.object_figures, g_array_unref);
	g_array_unref(analysis->draft.hits);
	g_string_free(analysis->draft.unjudged, TRUE);
	g_clear_pointer(&analysis->digest, digest_free);
	g_ptr_array_unref(analysis->draft.differences);
	g_ptr_array_unref(analysis->draft.warnings);
	g_ptr_array_unref(analysis->draft.titles);
	g_string_free(analysis->draft.artifact, TRUE);
	g_hash_table_unref(analysis->threads);
	if (analysis->is_of_runs)
		analysis->intake.names = NULL;
	else
		g_clear_pointer(&analysis->namer.cgroups, cgroup_keys_free);
	intake_clear(&analysis->intake);
	plan_clear(&analysis->plan);
	if (!analysis->is_of_runs)
		store_free(analysis->draft.store);
	g_free(analysis);
}

void analysis_warn(Analysis *analysis, const char *text)
{
	g_ptr_array_add(analysis->draft.warnings, g_strdup(text));
}

void analysis_add_difference(Analysis *analysis, const char *text)
{
	g_ptr_array_add(analysis->draft.differences, g_strdup(text));
	analysis_warn(analysis, text);
}

/* Call once all sides' metrics are known; later calls do nothing.  registry: that of a side. */
static gboolean resolve_names(Analysis *analysis, const Registry *registry, GError **error)
{
	const Intake *intake = &analysis->intake;

	if (analysis->order)
		return TRUE;
	if (!objects_check(intake->objects, &analysis->plan, error))
		return FALSE;
	g_clear_pointer(&analysis->draft.figures, g_array_unref);
	g_clear_pointer(&analysis->draft.object_figures, g_array_unref);
	analysis->draft.figures = figures_new(&intake->measures[TABLE_THREADS]);
	analysis->draft.object_figures = figures_plain(&intake->measures[TABLE_OBJECTS]);
	g_autoptr(GArray) others = judge_figures(intake);
	const PlanNames names = {analysis->draft.figures, analysis->draft.object_figures, others,
				 registry};
	analysis->order = plan_resolve(&analysis->plan, &names, error);
	return analysis->order != NULL;
}

/* Checks that the side has the labels to group by, which not every capture has. */
static gboolean check_axis(const Analysis *analysis, const Side *side, GError **error)
{
	const Axis *axis = analysis->plan.axis;
	enum label label = axis->labels[0];

	if (!label_capture(label) || side->labels[label] >= 0 || side->uid >= 0)
		return TRUE;
	return error_set_failed(error, "--group-by %s: not captured in %s: capture with %s",
				axis->word, analysis->plan.options->files[side - analysis->sides],
				label_capture(label));
}

gboolean analysis_bind(Analysis *analysis, guint index, const Registry *registry, GError **error)
{
	Side *side = &analysis->sides[index];
	g_autoptr(GPtrArray) clashes = g_ptr_array_new_with_free_func(g_free);

	if (side->registry)
		return TRUE;
	side_bind(side, registry, clashes);
	if (!check_axis(analysis, side, error))
		return FALSE;
	for (guint i = 0; i < clashes->len; i++) {
		g_autofree char *text = g_strdup_printf(
			"metric '%s' is left out: its kind or unit differs in the candidate",
			(const char *)g_ptr_array_index(clashes, i));

		analysis_warn(analysis, text);
	}
	for (guint i = 0; i < draft_n_sides(&analysis->draft); i++)
		if (!analysis->sides[i].registry)
			return TRUE;
	return resolve_names(analysis, registry, error);
}

gboolean analysis_add(Analysis *analysis, guint index, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error)
{
	g_return_val_if_fail(index < draft_n_sides(&analysis->draft), FALSE);
	Side *side = &analysis->sides[index];

	if (!analysis_bind(analysis, index, registry, error))
		return FALSE;
	g_return_val_if_fail(side->registry == registry, FALSE);
	side_add(side, rows);
	return TRUE;
}

gboolean analysis_add_moment(Analysis *analysis, guint index, const Moment *moment, GError **error)
{
	if (!analysis_bind(analysis, index, moment_registry(moment), error))
		return FALSE;
	side_add_moment(&analysis->sides[index], moment);
	own_add_moment(analysis->intake.own, index, analysis->plan.options->own, moment);
	return TRUE;
}

gboolean analysis_needs_for_digest(const Metric *metric)
{
	gboolean is_cost = why_needs(metric->def.name);

	switch (metric->row) {
	case ROW_HOST:
		return !(metric->def.flags & CTPROF_METRIC_ON_DEMAND);
	case ROW_CGROUP:
		return cgroups_serve_digest(metric);
	case ROW_EXIT: /* living threads: their labels are in the group identity */
		return metric->def.kind == CTPROF_LABEL || is_cost;
	case ROW_OBJECT:
		return strcmp(metric->def.group, DISK_GROUP) == 0;
	default:
		return metric->row == ROW_THREAD && is_cost &&
		       !(metric->def.flags & CTPROF_METRIC_ON_DEMAND);
	}
}

/* ---- groups ---- */

static void add_names(Analysis *analysis, Namer *namer, enum intake_table table)
{
	for (guint side = 0; side < draft_n_sides(&analysis->draft); side++) {
		GHashTableIter iter;
		gpointer record;

		g_hash_table_iter_init(&iter, analysis->sides[side].sets[table].by_key);
		while (g_hash_table_iter_next(&iter, NULL, &record)) {
			const RecordKey *key = &((const Record *)record)->key;

			if (table == TABLE_CGROUPS)
				cgroup_keys_add(namer->cgroups, key->names[0]);
			else
				namer_add(namer, key);
		}
	}
}

/* Folds the kept threads into records, after all names have been added. */
static void fold_threads(Analysis *analysis, Namer *namer)
{
	const AnalysisOptions *options = analysis->plan.options;

	if (axis_has(namer->axis, LABEL_CGROUP))
		add_names(analysis, namer, TABLE_CGROUPS);
	if (options->is_window && analysis->sides[0].roster && analysis->sides[1].roster) {
		window_fold(analysis->sides, namer, options->began, &analysis->window);
		analysis->window.counts.seconds = options->elapsed_s;
		analysis->window.own_ns = own_time(analysis->intake.own);
		namer->is_done = TRUE;
		return;
	}
	for (guint side = 0; side < draft_n_sides(&analysis->draft); side++)
		if (analysis->sides[side].roster)
			side_fold_roster(&analysis->sides[side]);
	add_names(analysis, namer, TABLE_THREADS);
}

static void build_groups(Analysis *analysis, Namer *namer)
{
	RecordSet *sets[SIDES];
	const Plan *plan = &analysis->plan;
	guint newest = draft_n_sides(&analysis->draft) - 1; /* the side whose ages are shown */

	for (guint side = 0; side < SIDES; side++)
		sets[side] = &analysis->sides[side].sets[TABLE_THREADS];
	fold_threads(analysis, namer);
	groups_build(&analysis->groups, sets, plan->options->compare, namer);
	if (plan->options->group_by == GROUP_BY_ALL && plan->options->compare && !namer->is_done)
		renames_find(&analysis->renames, &analysis->groups, &plan->rename,
			     analysis->draft.store);
	groups_set_age(&analysis->groups, newest,
		       MAX(plan->options->captures[newest].now, analysis->sides[newest].newest));
}

/* ---- the sections ---- */

static gint compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
	const Section *x = *(const Section *const *)a, *y = *(const Section *const *)b;
	guint by = *(const guint *)data;

	return (x->place[by] > y->place[by]) - (x->place[by] < y->place[by]);
}

/* Lists the wanted sections, in the order of the report. */
static GPtrArray *list_sections(const Plan *plan)
{
	GPtrArray *list = g_ptr_array_new();
	guint by = plan->options->compare ? 1 : 0;

	for (guint i = 0; sections[i]; i++)
		if (plan_has_section_at(plan, sections[i]))
			g_ptr_array_add(list, (gpointer)(uintptr_t)sections[i]);
	g_ptr_array_sort_with_data(list, compare_places, &by);
	return list;
}

static gboolean has_any(const Draft *draft, guint side, const char *metrics)
{
	g_auto(GStrv) names = g_strsplit(metrics, ",", -1);

	for (guint i = 0; names[i]; i++)
		if (draft_has(draft, TABLE_SINGLE_OBJECTS, side, names[i]) ||
		    draft_has(draft, TABLE_PROCESSES, side, names[i]))
			return TRUE;
	return FALSE;
}

/* Checks that the captures have what the view needs. */
static gboolean check_needs(const Draft *draft, GError **error)
{
	const AnalysisOptions *options = draft->plan->options;
	const Section *view = options->view;

	for (guint side = 0; view && view->needs && side < draft_n_sides(draft); side++) {
		if (!has_any(draft, side, view->needs))
			return error_set_failed(error, "%s has no %s: capture with %s",
						options->files[side], view->what, view->capture);
		if (view->check && !view->check(draft, side, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean draft_sections(Analysis *analysis, GError **error)
{
	Draft *draft = &analysis->draft;
	g_autoptr(GHashTable) cgroup_pairs = pairs_new();
	g_autoptr(GHashTable) process_pairs = pairs_new();
	g_autoptr(GHashTable) object_pairs = pairs_new();
	g_autoptr(GPtrArray) wanted = list_sections(draft->plan);
	g_autoptr(GHashTable) ranks =
		draft->sort ? ranks_new(draft->groups, draft->plan->axis, draft->store) : NULL;

	draft->ranks = ranks;
	g_autoptr(GPtrArray) processes = draft_pairs(draft, TABLE_PROCESSES, process_pairs);
	g_autoptr(GPtrArray) single_objects =
		draft_pairs(draft, TABLE_SINGLE_OBJECTS, object_pairs);
	draft->processes = processes;
	draft->single_objects = single_objects;
	if (!check_needs(draft, error))
		return FALSE;
	if (draft->plan->wants_digest)
		draft->digest = analysis->digest = digest_new(draft);
	g_autoptr(GPtrArray) cgroups = cgroups_list(draft, cgroup_pairs);
	draft->cgroups = cgroups;
	for (guint i = 0; i < wanted->len; i++) {
		const Section *section = g_ptr_array_index(wanted, i);

		section->draft(draft, section);
	}
	objects_draft(draft);
	return judge_conditions(draft, error);
}

/* ---- the report ---- */

static void list_orphans(Analysis *analysis, guint side)
{
	const GPtrArray *groups = analysis->groups.only[side];

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		struct ctprof_report_line orphan = table_names(group->names, group->n_names);

		if (!view_matches(&analysis->plan.view, group->names, group->n_names))
			continue;
		orphan.threads[side] = record_count(group->sides[side]);
		g_array_append_val(analysis->draft.orphans[side], orphan);
	}
}

static void write_report(Analysis *analysis)
{
	const AnalysisOptions *options = analysis->plan.options;
	struct ctprof_report *report = &analysis->report;
	guint32 flags = CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS;

	if (!options->columns)
		tables_drop_verdicts(analysis->sections, analysis->plan.columns);
	*report = (struct ctprof_report){
		.struct_size = sizeof *report,
		.flags = flags | (options->compare ? CTPROF_REPORT_COMPARE : 0),
		.group_by = options->view ? NULL : analysis->plan.axis->word,
		.files = {options->files[0], options->files[1]},
		.n_warnings = analysis->draft.warnings->len,
		.warnings = (const char *const *)analysis->draft.warnings->pdata,
		.n_columns = analysis->plan.columns->len,
		.columns = (const void *)analysis->plan.columns->data,
		.n_sections = analysis->sections->len,
		.sections = (const void *)analysis->sections->data,
		.n_renames = analysis->renames.pairs->len,
		.renames = (const void *)analysis->renames.pairs->data,
		.realtime_ns = {options->captures[0].realtime_ns, options->captures[1].realtime_ns},
	};
	for (guint side = 0; side < SIDES; side++) {
		report->n_only[side] = analysis->draft.orphans[side]->len;
		report->only[side] = (const void *)analysis->draft.orphans[side]->data;
	}
	if (analysis->window.counts.struct_size > 0)
		report->window = &analysis->window.counts;
	if (analysis->digest)
		digest_put(analysis->digest, report);
	report->n_hits = analysis->draft.hits->len;
	report->hits = (const void *)analysis->draft.hits->data;
	report->command = options->view ? "memory" : options->compare ? "compare" : "show";
	if (analysis->order->len > 0) {
		const SortFigure *first = &g_array_index(analysis->order, SortFigure, 0);

		report->sort_header = first->figure->field.name;
		report->sort_ladder = first->figure->field.ladder;
	}
}

/* Call after all rows have been added. */
static gboolean form_groups(Analysis *analysis, GError **error)
{
	const AnalysisOptions *options = analysis->plan.options;
	Namer *namer = &analysis->namer;
	const RecordKey host = {.start = 0};
	Draft *draft = &analysis->draft;

	if (!resolve_names(analysis, NULL, error))
		return FALSE;
	*namer = options->runs ? options->runs->namer
			       : (Namer){
					 .axis = analysis->plan.axis,
					 .store = draft->store,
					 .cgroups = cgroup_keys_new(options->flatten,
								    !options->no_cgroup_normalize),
					 .names = analysis->intake.names,
					 .watched = options->watched,
					 .threads = analysis->threads,
				 };
	if (options->rate && options->elapsed_s > 0)
		analysis->plan.view.seconds = options->elapsed_s;
	analysis->plan.view.window = options->is_window;
	build_groups(analysis, namer);
	draft->namer = namer;
	draft->groups = analysis->groups.joined;
	for (guint side = 0; side < SIDES; side++) {
		draft->only[side] = analysis->groups.only[side];
		draft->host[side] = record_set_find(&draft->sides[side].sets[TABLE_HOST], &host);
	}
	if (analysis->window.counts.struct_size > 0)
		draft->window = &analysis->window;
	if (analysis->order->len > 0)
		draft->sort = g_array_index(analysis->order, SortFigure, 0).figure;
	return TRUE;
}

gboolean analysis_collect(Analysis *analysis, guint side, guint run, const CommandFacts *facts,
			  GError **error)
{
	const RunPlace place = {analysis->plan.options->runs, side, run};

	if (!form_groups(analysis, error))
		return FALSE;
	g_autoptr(GHashTable) pairs = pairs_new();
	g_autoptr(GPtrArray) cgroups = cgroups_list(&analysis->draft, pairs);
	analysis->draft.cgroups = cgroups;
	collect_run(&analysis->draft, &place);
	if (facts)
		command_collect(&place, facts);
	return TRUE;
}

const struct ctprof_report *analysis_judge_runs(Analysis *analysis)
{
	analysis->order = g_array_new(FALSE, FALSE, sizeof(SortFigure));
	verdicts_draft(&analysis->draft);
	analysis->sections = tables_finish(analysis->draft.tables);
	write_report(analysis);
	analysis->report.flags |= CTPROF_REPORT_RUNS;
	analysis->report.n_titles = analysis->draft.titles->len;
	analysis->report.titles = (const char *const *)analysis->draft.titles->pdata;
	return &analysis->report;
}

gboolean analysis_each_group(Analysis *analysis, const GroupTaker *taker, GError **error)
{
	return form_groups(analysis, error) && each_group(&analysis->draft, taker, error);
}

const struct ctprof_report *analysis_finish(Analysis *analysis, GError **error)
{
	if (!form_groups(analysis, error))
		return NULL;
	if (analysis->order->len > 0)
		rank_groups(analysis->groups.joined, analysis->order, &analysis->plan.view);
	for (guint side = 0; side < SIDES; side++)
		list_orphans(analysis, side);
	if (!draft_sections(analysis, error))
		return NULL;
	/* The digest is done with these. */
	analysis->draft.ranks = NULL;
	analysis->draft.cgroups = analysis->draft.processes = analysis->draft.single_objects = NULL;
	analysis->sections = tables_finish(analysis->draft.tables);
	write_report(analysis);
	return &analysis->report;
}

GHashTable *analysis_threads(const Analysis *analysis)
{
	return analysis->threads;
}

gboolean analysis_failed(const Analysis *analysis)
{
	return analysis->draft.hits->len > 0;
}

const char *analysis_unjudged(const Analysis *analysis)
{
	return analysis->draft.unjudged->len > 0 ? analysis->draft.unjudged->str : NULL;
}

char *analysis_artifact(const Analysis *analysis)
{
	return g_strdup(analysis->draft.artifact->str);
}
