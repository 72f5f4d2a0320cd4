/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section of the first screen that ranks pools of threads by their cost. */
#include <math.h>

#include "digest.h"
#include "report/section/timeshares.h"

/* Fields before and between the costs. */
enum { POOL, THREADS, COUNT, BORN, GONE, USR_SYS, HISTORY, STATES, UNIT, GROWTH, N_TEXTS };

static const struct ctprof_report_field texts[N_TEXTS] = {
	[POOL] = SUBJECT_FIELD("pool", "POOL"),
	[THREADS] = TABLE_FIELD("threads_text", "THREADS", "text", CTPROF_LADDER_NONE,
				CTPROF_FIELD_SHORT),
	[COUNT] =
		TABLE_FIELD("threads", "THREADS", "none", CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN),
	[BORN] = TABLE_FIELD("born", "BORN", "none", CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN),
	[GONE] = TABLE_FIELD("gone", "GONE", "none", CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN),
	[USR_SYS] =
		TABLE_FIELD("usr_sys", "usr/sys", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_SHORT),
	/* In a recording: the pool's CPU, window by window. */
	[HISTORY] = TABLE_FIELD("cpu_history", "HISTORY", "text", CTPROF_LADDER_NONE,
				CTPROF_FIELD_SHORT),
	[STATES] = TEXT_FIELD("states", "STATES"),
	/* These two are shown if a line has a value for them. */
	[UNIT] = TABLE_FIELD("unit", "UNIT", "text", CTPROF_LADDER_NONE,
			     CTPROF_FIELD_CUT | CTPROF_FIELD_HIDDEN),
	/* The last one: a narrow terminal drops it first. */
	[GROWTH] = TABLE_FIELD("growth", "GROWTH", "bytes", CTPROF_LADDER_BYTES,
			       CTPROF_FIELD_SHORT | CTPROF_FIELD_HIDDEN),
};

#define MOST_PERCENTILES 4

/* A table that is being made, and the indexes of its fields. */
typedef struct making {
	const Digest *digest;
	Table *table;
	guint n_pools; /* number of pools with a line of their own */
	guint texts[N_TEXTS];
	guint costs[MOST_COSTS];
	const Figure *percentiles[MOST_PERCENTILES];
	guint n_percentiles, first_percentile;
} Making;

static const Series *past_of(const Making *making)
{
	return making->digest->draft->plan->options->past;
}

static const struct ctprof_report_field *field_of(guint cost)
{
	return &quantity_of_cost(cost)->column;
}

/* Returns the first cost, from this one on, that has a column; MOST_COSTS: none. */
static guint column_from(guint cost)
{
	for (; quantity_of_cost(cost); cost++)
		if (field_of(cost)->header)
			return cost;
	return MOST_COSTS;
}

static gboolean has_states(const Making *making)
{
	const WindowResult *window = making->digest->draft->window;

	return window && states_instants(window->states) > 0;
}

/* Adds the percentiles of the histogram that was captured, or of the first of several.  They are
 * hidden until a pool has one: ctprof top captures it now and then. */
static void add_percentiles(Making *making)
{
	const GArray *figures = making->digest->draft->figures;

	for (guint i = 0; i < figures->len && making->n_percentiles < MOST_PERCENTILES; i++) {
		const Figure *figure = &g_array_index(figures, Figure, i);
		guint n = making->n_percentiles;

		if (!figure->percentile || figure->percentile->quiet ||
		    (n > 0 && making->percentiles[0]->measure != figure->measure))
			continue;
		guint field = table_take_field(making->table, &figure->field);
		table_hide(making->table, field, TRUE);
		making->first_percentile = n > 0 ? making->first_percentile : field;
		making->percentiles[making->n_percentiles++] = figure;
	}
}

static void add_fields(Making *making)
{
	for (guint i = 0; i <= GONE; i++)
		making->texts[i] = table_take_field(making->table, &texts[i]);
	for (guint i = column_from(0); i < MOST_COSTS; i = column_from(i + 1)) {
		making->costs[i] = table_take_field(making->table, field_of(i));
		if (i != COST_CPU)
			continue;
		making->texts[USR_SYS] = table_take_field(making->table, &texts[USR_SYS]);
		if (past_of(making))
			making->texts[HISTORY] = table_take_field(making->table, &texts[HISTORY]);
		/* Read on demand only: a narrow terminal drops the columns after them instead. */
		if (has_states(making))
			making->texts[STATES] = table_take_field(making->table, &texts[STATES]);
		add_percentiles(making);
	}
	making->texts[UNIT] = table_take_field(making->table, &texts[UNIT]);
	making->texts[GROWTH] = table_take_field(making->table, &texts[GROWTH]);
}

static void put(const Making *making, struct ctprof_cell *cells, guint text,
		struct ctprof_value value)
{
	draft_put_same(making->digest->draft, &cells[making->texts[text]], value);
}

static void put_text(const Making *making, struct ctprof_cell *cells, guint text, char *owned)
{
	put(making, cells, text,
	    value_of_text(owned ? store_take(making->digest->draft->store, owned) : NULL));
}

static void put_cost(const Making *making, struct ctprof_cell *cells, guint cost,
		     const CostLine *line)
{
	const Digest *digest = making->digest;
	struct ctprof_cell *cell = &cells[making->costs[cost]];

	if (!digest->has_sides || !line->group) {
		draft_put_same(digest->draft, cell,
			       cost_as_value(&line->costs[digest->newest].of[cost]));
		return;
	}
	const struct ctprof_value sides[SIDES] = {cost_as_value(&line->costs[0].of[cost]),
						  cost_as_value(&line->costs[1].of[cost])};
	view_cell(digest->draft->view, sides, field_of(cost), cell);
}

static char *threads_text(const CostLine *line, guint newest)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT, line->threads[newest]);
	if (line->n_born > 0)
		g_string_append_printf(text, " +%" G_GUINT64_FORMAT, line->n_born);
	if (line->n_gone > 0)
		g_string_append_printf(text, " -%" G_GUINT64_FORMAT, line->n_gone);
	return g_string_free(text, FALSE);
}

/* Returns the percentages of CPU time in user mode and in the kernel, "60/40"; NULL: none. */
static char *modes_text(const CostLine *line, guint side)
{
	gdouble user = digest_cost(line, side, COST_USER);
	gdouble system = digest_cost(line, side, COST_SYSTEM);

	if (user + system <= 0)
		return NULL;
	gint share = (gint)(user / (user + system) * 100 + 0.5);
	return g_strdup_printf("%d/%d", share, 100 - share);
}

static void put_percentiles(const Making *making, struct ctprof_cell *cells, const Group *group)
{
	const Digest *digest = making->digest;

	for (guint i = 0; i < making->n_percentiles; i++) {
		const Figure *figure = making->percentiles[i];
		struct ctprof_cell *cell = &cells[making->first_percentile + i];
		struct ctprof_value sides[SIDES];

		draft_figure(digest->draft, figure, group, sides);
		if (sides[0].type != CTPROF_VALUE_ABSENT || sides[1].type != CTPROF_VALUE_ABSENT)
			table_hide(making->table, making->first_percentile + i, FALSE);
		if (digest->has_sides)
			view_cell(digest->draft->view, sides, &figure->field, cell);
		else
			draft_put_same(digest->draft, cell, sides[digest->newest]);
	}
}

/* Sets the fields that lines of sums do not have. */
static void put_pool(const Making *making, struct ctprof_cell *cells, const CostLine *line)
{
	const Digest *digest = making->digest;

	put(making, cells, BORN, value_of_number(line->n_born));
	put(making, cells, GONE, value_of_number(line->n_gone));
	put_text(making, cells, USR_SYS, modes_text(line, digest->newest));
	if (past_of(making))
		put_text(making, cells, HISTORY,
			 series_draw(past_of(making), line->name, "cpu", 0));
	if (has_states(making))
		put_text(making, cells, STATES, timeshares_text(digest->draft, line->group));
	put_percentiles(making, cells, line->group);
	put(making, cells, UNIT, value_of_text(line->unit));
	/* A thread in the root cgroup has no unit. */
	if (line->unit && strcmp(line->unit, "-") != 0)
		table_hide(making->table, making->texts[UNIT], FALSE);
	gdouble growth = digest_growth(digest, line, COST_PSS);
	if (isnan(growth))
		return;
	put(making, cells, GROWTH, value_of_real(growth));
	if (fabs(growth) > 0)
		table_hide(making->table, making->texts[GROWTH], FALSE);
}

/* Amounts used over lives of different lengths do not add up. */
static gboolean is_total(const Digest *digest, guint cost)
{
	return cost_adds_up(cost) && (digest->seconds > 0 || cost_is_held(cost));
}

/* A line without a group is a sum of others. */
static void put_line(const Making *making, guint32 role, const CostLine *line)
{
	const Digest *digest = making->digest;
	struct ctprof_cell *cells =
		table_role_line(making->table, line->group ? 0 : CTPROF_LINE_TOTAL, role);

	put(making, cells, POOL, value_of_text(line->name));
	if (line->group)
		put_pool(making, cells, line);
	for (guint i = column_from(0); i < MOST_COSTS; i = column_from(i + 1))
		if (line->group || is_total(digest, i))
			put_cost(making, cells, i, line);
	if (!line->group && line->threads[digest->newest] == 0)
		return;
	put_text(making, cells, THREADS, threads_text(line, digest->newest));
	put(making, cells, COUNT, value_of_number(line->threads[digest->newest]));
}

/* ---- remainder and total ---- */

static void put_more(const Making *making)
{
	const Digest *digest = making->digest;
	guint n = digest->lines->len - making->n_pools, newest = digest->newest;
	CostLine sum = {.threads = {0}};

	if (n == 0)
		return;
	sum.name = store_take(digest->draft->store, g_strdup_printf("%u more", n));
	for (guint i = making->n_pools; i < digest->lines->len; i++) {
		sum.threads[newest] += digest_line(digest, i)->threads[newest];
		costs_add(&sum.costs[newest], &digest_line(digest, i)->costs[newest]);
	}
	costs_split_cpu(&sum.costs[newest]);
	put_line(making, CTPROF_ROLE_REST, &sum);
}

/* Returns the host's busy CPUs that no pool accounts for: threads that ended without a record, and
 * interrupts.  NAN: not known, or only some of the host's threads are in the report. */
static gdouble rest_of(const Digest *digest)
{
	const AnalysisOptions *options = digest->draft->plan->options;
	const CostValue *cpu = &digest->total.of[COST_CPU];

	if (!options->is_whole_host || digest->draft->view->match || digest->draft->plan->pids ||
	    options->tids || isnan(digest->host.busy) || cpu->type != CTPROF_VALUE_REAL)
		return NAN;
	return MAX(digest->host.busy - cpu->real - digest_own(digest), 0);
}

static void put_rest(const Making *making, guint32 role, const char *name, gdouble rest)
{
	CostLine line = {.name = name};

	line.costs[making->digest->newest].of[COST_CPU] =
		(CostValue){.type = CTPROF_VALUE_REAL, .real = rest};
	put_line(making, role, &line);
}

static void put_total(const Making *making, gdouble rest)
{
	const Digest *digest = making->digest;
	guint newest = digest->newest;
	CostLine line = {.name = "total"};

	line.threads[newest] = digest->threads[newest];
	line.costs[newest] = digest->total;
	if (!isnan(rest))
		line.costs[newest].of[COST_CPU].real = digest->host.busy;
	put_line(making, CTPROF_ROLE_TOTAL, &line);
}

/* Hides columns that are 0 in every line from people. */
static void hide_empty(const Making *making)
{
	for (guint i = column_from(0); i < MOST_COSTS; i = column_from(i + 1)) {
		guint field = making->costs[i];
		gboolean is_empty = TRUE;

		for (guint l = 0; l < making->table->lines->len && is_empty; l++) {
			const struct ctprof_cell *cell = &((struct ctprof_cell *)g_ptr_array_index(
				making->table->cells, l))[field];

			is_empty = !(cell->value[0].real > 0) && !(cell->value[1].real > 0);
		}
		if (is_empty)
			table_hide(making->table, field, TRUE);
		if (is_empty && i == COST_CPU)
			table_hide(making->table, making->texts[USR_SYS], TRUE);
	}
	/* In a window, what happened in it matters, not the states at its end. */
	for (guint i = 0; i < 2 && making->digest->seconds > 0; i++)
		table_hide(making->table, making->costs[i ? COST_BLOCKED : COST_RUNNABLE], TRUE);
}

static Table *draft_into(const Digest *digest, Tables *tables, const Section *section, guint n)
{
	Making making = {
		.digest = digest,
		.table = tables_add(tables, section->name, section->heading, NULL,
				    CTPROF_SECTION_BARE),
		.n_pools = n,
	};
	gdouble rest = rest_of(digest);

	add_fields(&making);
	for (guint i = 0; i < n; i++)
		put_line(&making, CTPROF_ROLE_POOL, digest_line(digest, i));
	put_more(&making);
	if (!isnan(rest) && digest_own(digest) > 0)
		put_rest(&making, CTPROF_ROLE_OWN, "ctprof", digest_own(digest));
	if (rest > 0)
		put_rest(&making, CTPROF_ROLE_EXITED,
			 digest->host.is_of_ticks ? "exited, irq" : "exited", rest);
	put_total(&making, rest);
	making.table->section.n_cut = digest->lines->len - n;
	hide_empty(&making);
	return making.table;
}

static void draft_pools_section(const Draft *draft, const Section *section)
{
	draft_into(draft->digest, draft->tables, section, draft->digest->n_pools);
}

const Section section_pools = {
	.name = SECTION_POOLS,
	.heading = "Pools",
	.help = "pools of threads by what they cost: the first screen",
	.flags = SECTION_OF_DIGEST,
	.place = {-1, -1},
	.draft = draft_pools_section,
};

const struct ctprof_report_section *digest_fold_pools(Digest *digest, guint64 n)
{
	return table_finish(
		draft_into(digest, digest->tables, &section_pools, (guint)MIN(n, digest->n_pools)));
}
