/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include "plan.h"
#include "report/fold/intake.h"
#include "report/section/category-rows.h"
#include "report/section/cgroups.h"
#include "report/section/hosts.h"
#include "report/section/smaps.h"
#include "report/section/threads.h"

struct analysis {
	Plan plan;
	Store *store;
	Intake intake;
	Side sides[SIDES];
	Categories *no_categories; /* stands in for a table that is not given */
	CategoryIntake categories[SIDES];
	GPtrArray *warnings;
	gboolean failed; /* --fail-on holds */

	/* What the report is made of, and borrows from. */
	GArray *figures;
	GArray *object_figures;
	GArray *order; /* SortFigure */
	Groups groups;
	Renames renames;
	Draft draft;
	GArray *only[SIDES]; /* struct ctprof_report_orphan */
	struct ctprof_report report;
};

static guint n_sides(const Analysis *analysis)
{
	return analysis->plan.options->compare ? SIDES : 1;
}

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

static gboolean has_categories(const Analysis *analysis)
{
	return plan_has_section(&analysis->plan, SECTION_CATEGORIES);
}

static void init_categories(Analysis *analysis)
{
	const AnalysisOptions *options = analysis->plan.options;

	if (!has_categories(analysis))
		return;
	analysis->no_categories = categories_new();
	for (guint side = 0; side < SIDES; side++) {
		CategoryIntake *intake = &analysis->categories[side];

		category_intake_init(intake, options->categories ? options->categories
								 : analysis->no_categories);
		intake->share = options->swap_share;
	}
}

Analysis *analysis_new(const AnalysisOptions *options, GError **error)
{
	g_autoptr(Analysis) analysis = g_new0(Analysis, 1);
	Plan *plan = &analysis->plan;
	Intake *intake = &analysis->intake;

	analysis->store = store_new();
	analysis->warnings = g_ptr_array_new_with_free_func(g_free);
	intake_init(intake, analysis->store);
	for (guint side = 0; side < SIDES; side++)
		side_init(&analysis->sides[side]);
	renames_init(&analysis->renames);
	draft_init(&analysis->draft);
	if (!plan_init(plan, options, error))
		return NULL;
	intake->axis = plan->axis;
	intake->literal_processes = options->no_thread_normalize || plan->axis->by_thread;
	intake->pids = plan->pids;
	intake->plan = plan;
	init_categories(analysis);
	warn_of_misfits(analysis);
	return g_steal_pointer(&analysis);
}

void analysis_free(Analysis *analysis)
{
	for (guint side = 0; side < SIDES; side++) {
		g_clear_pointer(&analysis->only[side], g_array_unref);
		side_clear(&analysis->sides[side]);
		category_intake_clear(&analysis->categories[side]);
	}
	g_clear_pointer(&analysis->no_categories, categories_free);
	draft_clear(&analysis->draft);
	renames_clear(&analysis->renames);
	groups_clear(&analysis->groups);
	g_clear_pointer(&analysis->order, g_array_unref);
	g_clear_pointer(&analysis->figures, g_array_unref);
	g_clear_pointer(&analysis->object_figures, g_array_unref);
	g_ptr_array_unref(analysis->warnings);
	intake_clear(&analysis->intake);
	plan_clear(&analysis->plan);
	store_free(analysis->store);
	g_free(analysis);
}

void analysis_warn(Analysis *analysis, const char *text)
{
	g_ptr_array_add(analysis->warnings, g_strdup(text));
}

/* Once every side's metrics are known; later calls do nothing. */
static gboolean resolve_names(Analysis *analysis, GError **error)
{
	const Intake *intake = &analysis->intake;

	if (analysis->order)
		return TRUE;
	if (!objects_check(intake->objects, &analysis->plan, error))
		return FALSE;
	g_clear_pointer(&analysis->figures, g_array_unref);
	g_clear_pointer(&analysis->object_figures, g_array_unref);
	analysis->figures = figures_new(&intake->measures[TABLE_THREADS]);
	analysis->object_figures = figures_plain(&intake->measures[TABLE_OBJECTS]);
	analysis->order =
		plan_resolve(&analysis->plan, analysis->figures, analysis->object_figures, error);
	return analysis->order != NULL;
}

static gboolean bind(Analysis *analysis, Side *side, const Registry *registry, GError **error)
{
	g_autoptr(GPtrArray) clashes = g_ptr_array_new_with_free_func(g_free);

	side_bind(side, &analysis->intake, registry, clashes);
	category_intake_bind(&analysis->categories[side - analysis->sides], registry);
	for (guint i = 0; i < clashes->len; i++) {
		g_autofree char *text = g_strdup_printf(
			"metric '%s' is of another kind or unit on the two sides: the "
			"candidate's is left out",
			(const char *)g_ptr_array_index(clashes, i));

		analysis_warn(analysis, text);
	}
	for (guint i = 0; i < n_sides(analysis); i++)
		if (!analysis->sides[i].registry)
			return TRUE;
	return resolve_names(analysis, error);
}

gboolean analysis_add(Analysis *analysis, guint index, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error)
{
	g_return_val_if_fail(index < n_sides(analysis), FALSE);
	Side *side = &analysis->sides[index];

	if (!side->registry && !bind(analysis, side, registry, error))
		return FALSE;
	g_return_val_if_fail(side->registry == registry, FALSE);
	side_add(side, &analysis->intake, rows);
	if (has_categories(analysis))
		for (guint64 i = 0; i < rows->n; i++)
			if (!intake_leaves_out(&analysis->intake, rows, i))
				category_intake_add(&analysis->categories[index], rows, i);
	return TRUE;
}

/* ---- the report ---- */

static void add_names(Analysis *analysis, Namer *namer, enum table table)
{
	for (guint side = 0; side < n_sides(analysis); side++) {
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

static void build_groups(Analysis *analysis, Namer *namer)
{
	RecordSet *sets[SIDES];
	const Plan *plan = &analysis->plan;
	guint newest = n_sides(analysis) - 1; /* the side whose ages count */

	for (guint side = 0; side < SIDES; side++)
		sets[side] = &analysis->sides[side].sets[TABLE_THREADS];
	add_names(analysis, namer, TABLE_THREADS);
	add_names(analysis, namer, TABLE_CGROUPS);
	groups_build(&analysis->groups, sets, plan->options->compare, namer);
	if (plan->options->group_by == GROUP_BY_ALL && plan->options->compare)
		renames_find(&analysis->renames, &analysis->groups,
			     &analysis->sides[1].layouts[TABLE_THREADS], &plan->rename,
			     analysis->store);
	groups_set_uptime(&analysis->groups, newest, analysis->sides[newest].newest);
}

static Tables tables_of(const Analysis *analysis)
{
	gboolean sorted = analysis->order->len > 0;

	return (Tables){
		.plan = &analysis->plan,
		.groups = analysis->groups.joined,
		.figures = analysis->figures,
		.layouts = {&analysis->sides[0].layouts[TABLE_THREADS],
			    &analysis->sides[1].layouts[TABLE_THREADS]},
		.sort = sorted ? g_array_index(analysis->order, SortFigure, 0).figure : NULL,
	};
}

/* What the sections other than those of figures are made from. */
typedef struct materials {
	Smaps smaps;
	Cgroups cgroups;
	Hosts hosts;
	Objects objects;
} Materials;

static void find_materials(Analysis *analysis, Namer *namer, Ranks *ranks, Materials *ret_materials)
{
	const Measures *measures = analysis->intake.measures;
	const GPtrArray *maps = measures[TABLE_SMAPS].list;
	const RecordKey host = {.start = 0};
	Materials materials = {
		.smaps = {.namer = namer, .renames = &analysis->renames, .ranks = ranks},
		.cgroups = {.measures = &measures[TABLE_CGROUPS], .namer = namer, .ranks = ranks},
		.hosts = {.measures = &measures[TABLE_HOST], .store = analysis->store},
		.objects = {.plan = &analysis->plan,
			    .groups = analysis->intake.objects,
			    .figures = analysis->object_figures},
	};

	for (guint i = 0; i < maps->len; i++) {
		const Measure *measure = g_ptr_array_index(maps, i);

		if (measure->fold)
			materials.smaps.measure = measure;
	}
	for (guint i = 0; i < SIDES; i++) {
		Side *side = &analysis->sides[i];

		materials.smaps.sides[i] = &side->sets[TABLE_SMAPS];
		materials.cgroups.sides[i] = &side->sets[TABLE_CGROUPS];
		materials.hosts.sides[i] = record_set_find(&side->sets[TABLE_HOST], &host);
		materials.hosts.layouts[i] = &side->layouts[TABLE_HOST];
		materials.objects.sides[i] = &side->sets[TABLE_OBJECTS];
	}
	*ret_materials = materials;
}

static void draft_smaps(const Analysis *analysis, const Materials *materials, Draft *draft)
{
	if (plan_has_section(&analysis->plan, SECTION_SMAPS))
		smaps_draft(&materials->smaps, &analysis->plan.view, draft);
}

static void draft_cgroups(const Analysis *analysis, const Materials *materials, Draft *draft)
{
	if (analysis->plan.options->group_by == GROUP_BY_CGROUP)
		cgroups_draft(&materials->cgroups, &analysis->plan.view, analysis->plan.sections,
			      draft);
}

static void draft_sections(Analysis *analysis, Namer *namer)
{
	const Plan *plan = &analysis->plan;
	Draft *draft = &analysis->draft;
	Tables tables = tables_of(analysis);
	g_autoptr(GHashTable) ranks =
		tables.sort ? ranks_new(analysis->groups.joined, plan->axis, analysis->store)
			    : NULL;
	Materials materials;

	find_materials(analysis, namer, ranks, &materials);
	tables_draft_primary(&tables, draft);
	tables_draft_derived(&tables, draft);
	if (plan->options->compare)
		draft_smaps(analysis, &materials, draft);
	if (has_categories(analysis))
		category_rows_draft(analysis->categories, &plan->view, draft);
	draft_cgroups(analysis, &materials, draft);
	if (plan_has_section(plan, SECTION_HOST_PRESSURE))
		hosts_draft_pressure(&materials.hosts, &plan->view, draft);
	if (!plan->options->compare)
		draft_smaps(analysis, &materials, draft);
	if (plan_has_section(plan, SECTION_SCHED_EXT))
		hosts_draft_sched_ext(&materials.hosts, &plan->view, draft);
	if (plan_has_section(plan, SECTION_HOST))
		hosts_draft_host(&materials.hosts, &plan->view, draft);
	objects_draft(&materials.objects, draft);
	analysis->failed = plan->options->compare &&
			   (tables_hold(&tables) || objects_hold(&materials.objects));
}

/* What the categories' sums lack. */
static void warn_of_gaps(Analysis *analysis)
{
	const Categories *categories = analysis->plan.options->categories;

	if (!has_categories(analysis))
		return;
	g_autofree char *complaint = categories ? categories_complaint(categories) : NULL;
	if (complaint)
		analysis_warn(analysis, complaint);
	for (guint side = 0; side < n_sides(analysis); side++) {
		g_autoptr(GPtrArray) gaps = category_intake_list_gaps(&analysis->categories[side]);

		for (guint i = 0; i < gaps->len; i++) {
			g_autofree char *text =
				g_strdup_printf("%s%s",
						n_sides(analysis) == 1 ? ""
						: side                 ? "candidate: "
								       : "baseline: ",
						(const char *)g_ptr_array_index(gaps, i));

			analysis_warn(analysis, text);
		}
	}
}

static void list_orphans(Analysis *analysis, guint side)
{
	const GPtrArray *groups = analysis->groups.only[side];

	analysis->only[side] = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_orphan));
	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		struct ctprof_report_orphan orphan = {
			.struct_size = sizeof orphan,
			.n_group = group->n_names,
			.threads = group->sides[side]->n,
		};

		if (!view_matches(&analysis->plan.view, group->names, group->n_names))
			continue;
		for (guint n = 0; n < group->n_names; n++)
			orphan.group[n] = group->names[n];
		g_array_append_val(analysis->only[side], orphan);
	}
}

static void write_report(Analysis *analysis)
{
	const AnalysisOptions *options = analysis->plan.options;
	struct ctprof_report *report = &analysis->report;
	guint32 flags = CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS;

	*report = (struct ctprof_report){
		.struct_size = sizeof *report,
		.flags = flags | (options->compare ? CTPROF_REPORT_COMPARE : 0),
		.group_by = analysis->plan.axis->word,
		.files = {options->files[0], options->files[1]},
		.n_warnings = analysis->warnings->len,
		.warnings = (const char *const *)analysis->warnings->pdata,
		.n_columns = analysis->plan.columns->len,
		.columns = (const void *)analysis->plan.columns->data,
		.n_sections = analysis->draft.sections->len,
		.sections = (const void *)analysis->draft.sections->data,
		.n_renames = analysis->renames.pairs->len,
		.renames = (const void *)analysis->renames.pairs->data,
	};
	for (guint side = 0; side < SIDES; side++) {
		report->n_only[side] = analysis->only[side]->len;
		report->only[side] = (const void *)analysis->only[side]->data;
	}
	if (analysis->order->len > 0)
		report->sort_header = g_array_index(analysis->order, SortFigure, 0).figure->name;
}

const struct ctprof_report *analysis_finish(Analysis *analysis, GError **error)
{
	const AnalysisOptions *options = analysis->plan.options;
	Namer namer = {.axis = analysis->plan.axis, .store = analysis->store};
	const Layout *layouts[SIDES];

	if (!resolve_names(analysis, error))
		return NULL;
	if (options->rate && options->elapsed_s > 0)
		analysis->plan.view.seconds = options->elapsed_s;
	g_autoptr(CgroupKeys) cgroups =
		cgroup_keys_new(options->flatten, !options->no_cgroup_normalize);
	g_autoptr(NameKeys) names = name_keys_new(analysis->plan.rule, analysis->store);
	namer.cgroups = cgroups;
	namer.names = names;
	build_groups(analysis, &namer);
	for (guint side = 0; side < SIDES; side++)
		layouts[side] = &analysis->sides[side].layouts[TABLE_THREADS];
	if (analysis->order->len > 0)
		rank_groups(analysis->groups.joined, analysis->order, layouts, options->compare);
	draft_sections(analysis, &namer);
	for (guint side = 0; side < SIDES; side++)
		list_orphans(analysis, side);
	warn_of_gaps(analysis);
	write_report(analysis);
	return &analysis->report;
}

gboolean analysis_failed(const Analysis *analysis)
{
	return analysis->failed;
}
