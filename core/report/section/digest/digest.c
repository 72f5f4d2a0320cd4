/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "digest.h"

#include <math.h>
#include <string.h>

#include "blame.h"
#include "report/match/members.h"
#include "report/name/unit.h"
#include "throttling.h"

/* The number of findings shown as sentences. */
#define MOST_SENTENCES 6

gdouble digest_own(const Digest *digest)
{
	return isnan(digest->host.own) ? 0 : digest->host.own;
}

gboolean digest_is_whole(const Digest *digest)
{
	const Plan *plan = digest->draft->plan;

	return plan->options->is_whole_host && !plan->pids;
}

gboolean digest_has_exits(const Digest *digest)
{
	const WindowResult *window = digest->draft->window;

	return window && window->counts.flags & CTPROF_WINDOW_HAS_EXITS &&
	       !(window->counts.flags & CTPROF_WINDOW_LOST_EXITS);
}

gdouble digest_growth(const Digest *digest, const CostLine *line, enum cost cost)
{
	const CostValue *before = &line->costs[0].of[cost];
	const CostValue *now = &line->costs[digest->newest].of[cost];
	gdouble growth = now->real - before->real;

	if (digest->seconds <= 0 || before->type != CTPROF_VALUE_REAL ||
	    now->type != CTPROF_VALUE_REAL || !(before->real > 0) || before->n != now->n ||
	    (line->n_born > 0 && line->n_gone > 0))
		return NAN;
	/* An equal count may still be of other processes if not all of them could be read. */
	(void)members_total(digest->draft->window->members, line->group->sides[1], cost, &growth);
	return growth;
}

/* ---- pools ---- */

static const char *name_of(const Draft *draft, const Group *group)
{
	if (group->n_names == 1)
		return group->names[0];
	return store_take(draft->store,
			  g_strjoin(" ", group->names[0], group->names[1],
				    group->n_names > 2 ? group->names[2] : NULL, NULL));
}

/* Adds the part of waits within the window that the kernel has not counted, or takes off what it
 * counted too much, and limits costs that are counted in threads to 0 and the number of threads:
 * sums are rounded, and the two samples may have read a thread at slightly different moments. */
static void settle_counts(const Digest *digest, CostLine *line, guint side)
{
	static const enum cost counted[] = {COST_CPU, COST_WAITING};
	gdouble most = (gdouble)(line->threads[side] + line->n_gone);
	const StateTimes *times = states_find(digest->draft->window->states, line->group->sides[1]);

	if (times && digest->seconds > 0)
		line->costs[side].of[COST_WAITING].real += times->uncounted / 1e9 / digest->seconds;
	for (guint i = 0; most > 0 && i < G_N_ELEMENTS(counted); i++) {
		CostValue *value = &line->costs[side].of[counted[i]];

		if (value->type == CTPROF_VALUE_REAL)
			value->real = CLAMP(value->real, 0, most);
	}
}

static void add_line(Digest *digest, const Group *group)
{
	const Draft *draft = digest->draft;
	CostLine line = {.group = group, .name = name_of(draft, group)};

	for (guint side = 0; side < SIDES; side++) {
		line.threads[side] = record_count(group->sides[side]);
		if (side == digest->newest || digest->has_sides)
			costs_of_group(&digest->cost_inputs, group, side, FALSE, &line.costs[side]);
	}
	if (draft->window) {
		line.n_born = group->sides[0] ? group->sides[0]->n_ghosts : 0;
		line.n_gone = group->sides[1] ? group->sides[1]->n_ghosts : 0;
		line.n_short = group->sides[1] ? group->sides[1]->n_short : 0;
		line.short_cpu =
			group->sides[1] && digest->seconds > 0
				? (gdouble)group->sides[1]->short_ns / 1e9 / digest->seconds
				: 0;
		/* Memory at the beginning of the window is kept on the other side. */
		costs_of_group(&digest->cost_inputs, group, 0, TRUE, &line.costs[0]);
		settle_counts(digest, &line, digest->newest);
	}
	for (guint side = 0; side < SIDES; side++)
		costs_split_cpu(&line.costs[side]);
	/* Most pools are in one cgroup; otherwise the most common one is named. */
	line.cgroup =
		draft_value(draft, TABLE_THREADS, group->sides, digest->newest, "cgroup").text;
	if (!line.cgroup && draft->view->compare)
		line.cgroup = draft_value(draft, TABLE_THREADS, group->sides, 0, "cgroup").text;
	line.unit = line.cgroup ? store_take(draft->store, unit_of_cgroup(line.cgroup)) : NULL;
	/* In the cgroup v1 hierarchy with quotas, threads may be in another cgroup. */
	const char *v1_path =
		draft_value(draft, TABLE_THREADS, group->sides, digest->newest, "cgroup_v1").text;
	line.cgroup = v1_path && *v1_path ? v1_path : line.cgroup;
	g_array_append_val(digest->lines, line);
}

/* A pool that the filter excludes may still use the most CPU. */
static void note_hidden(Digest *digest, const Group *group)
{
	Costs costs;

	costs_of_group(&digest->cost_inputs, group, digest->newest, FALSE, &costs);
	if (costs.of[COST_CPU].type == CTPROF_VALUE_REAL)
		digest->most_cpu = MAX(digest->most_cpu, costs.of[COST_CPU].real);
}

static void add_groups(Digest *digest, const GPtrArray *groups)
{
	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);

		if (view_matches(digest->draft->view, group->names, group->n_names))
			add_line(digest, group);
		else
			note_hidden(digest, group);
	}
}

/* Returns the larger cost of both sides: a pool that is gone had a cost, too. */
static gdouble weight_of(const CostLine *line, enum cost cost)
{
	return MAX(digest_cost(line, 0, cost), digest_cost(line, 1, cost));
}

static gint compare_lines(gconstpointer a, gconstpointer b, gpointer data)
{
	static const enum cost order[] = {COST_CPU, COST_WAITING, COST_PSS};
	const CostLine *x = a, *y = b;
	const Draft *draft = data;

	if (draft->sort)
		return (x->group->rank > y->group->rank) - (x->group->rank < y->group->rank);
	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		gdouble p = weight_of(x, order[i]), q = weight_of(y, order[i]);

		if (p < q || p > q)
			return p < q ? 1 : -1;
	}
	return strcmp(x->name, y->name);
}

static void add_up(Digest *digest)
{
	for (guint l = 0; l < digest->lines->len; l++)
		for (guint side = 0; side < SIDES; side++)
			digest->threads[side] += digest_line(digest, l)->threads[side];
	for (guint l = 0; l < digest->lines->len; l++) {
		const CostLine *line = digest_line(digest, l);

		costs_add(&digest->total, &line->costs[digest->newest]);
		digest->most_cpu =
			MAX(digest->most_cpu, digest_cost(line, digest->newest, COST_CPU));
	}
	costs_split_cpu(&digest->total);
}

static void finding_clear(gpointer data)
{
	sentence_free(((Subject *)data)->sentence);
}

Digest *digest_new(const Draft *draft)
{
	Digest *digest = g_new0(Digest, 1);
	guint limit = draft->plan->options->limit;

	digest->draft = draft;
	cost_inputs_init(&digest->cost_inputs, draft);
	digest->newest = draft->view->compare ? 1 : 0;
	digest->has_sides = draft->view->compare && !draft->window;
	digest->seconds = draft->window ? draft->window->counts.seconds : 0;
	digest->lines = g_array_new(FALSE, FALSE, sizeof(CostLine));
	digest->findings = g_array_new(FALSE, FALSE, sizeof(Subject));
	g_array_set_clear_func(digest->findings, finding_clear);
	digest->met = g_array_new(FALSE, FALSE, sizeof(Subject));
	digest->titles = g_ptr_array_new_with_free_func((GDestroyNotify)sentence_free);
	digest->footers = g_ptr_array_new_with_free_func((GDestroyNotify)sentence_free);
	digest->tables = tables_new();
	add_groups(digest, draft->groups);
	for (guint side = 0; digest->has_sides && side < SIDES; side++)
		add_groups(digest, draft->only[side]);
	g_array_sort_with_data(digest->lines, compare_lines, (gpointer)(uintptr_t)draft);
	add_up(digest);
	host_state_read(digest);
	disk_read_upper(digest);
	digest->limits = throttling_list(draft);
	digest->blames = blames_new(draft);
	findings_find(digest);
	if (draft->plan->options->collects)
		digest_note(digest, draft->plan->options->collects);
	digest_add_titles(digest);
	digest_add_footers(digest);
	digest->host_lines = host_state_lines(digest);
	digest->n_findings = draft->plan->options->digest
				     ? MIN(digest->findings->len, MOST_SENTENCES)
				     : digest->findings->len;
	digest->n_pools = limit > 0 ? MIN(limit, digest->lines->len) : digest->lines->len;
	return digest;
}

void digest_free(Digest *digest)
{
	g_array_unref(digest->lines);
	g_array_unref(digest->findings);
	g_array_unref(digest->met);
	g_array_unref(digest->limits);
	g_hash_table_unref(digest->blames);
	g_ptr_array_unref(digest->titles);
	g_ptr_array_unref(digest->footers);
	g_ptr_array_unref(digest->host_lines);
	g_ptr_array_unref(digest->tables);
	g_free(digest);
}

/* ---- in the report ---- */

static const Table *note(const Digest *digest, const GPtrArray *sentences)
{
	Table *table = tables_add(digest->tables, "", "", NULL, 0);

	for (guint i = 0; i < sentences->len; i++)
		table_note_sentence(table, "", g_ptr_array_index(sentences, i));
	return table;
}

/* Only the sink knows how many pools fit; the sum of the others is computed here. */
static const struct ctprof_report_section *fold(const struct ctprof_report *report, guint64 i,
						guint64 n_pools)
{
	const struct ctprof_report_section *section = &report->sections[i];
	Digest *digest = (Digest *)(uintptr_t)report->handle;

	return strcmp(section->name, SECTION_POOLS) == 0 && n_pools < digest->n_pools
		       ? digest_fold_pools(digest, n_pools)
		       : section;
}

void digest_put(Digest *digest, struct ctprof_report *report)
{
	const AnalysisOptions *options = digest->draft->plan->options;

	const Table *titles = note(digest, digest->titles);

	report->n_titles = titles->notes->len;
	report->titles = (const char *const *)titles->notes->pdata;
	report->title_sentences = (const void *)titles->sentences->pdata;
	if (options->digest) {
		const Table *footers = note(digest, digest->footers);

		report->n_footers = footers->notes->len;
		report->footers = (const char *const *)footers->notes->pdata;
		report->footer_sentences = (const void *)footers->sentences->pdata;
	}
	report->handle = digest;
	/* If the user set the number of lines, the sink must not reduce it. */
	report->fold = options->has_limit ? NULL : fold;
}
