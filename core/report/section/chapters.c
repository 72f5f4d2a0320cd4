/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chapters.h"

#include <math.h>
#include <string.h>

#include "ctprof/numbers.h"

#define WALL "wall_ns"
#define NS_PER_S 1e9
/* Maximum pools that a title names. */
#define MOST_PAYERS 3

static const struct {
	const char *name, *heading;
} chapters[N_CHAPTERS] = {
	[CHAPTER_COMMAND] = {"runs-command", "Gained or lost: the command"},
	[CHAPTER_PAID] = {"runs-paid", "Who paid: pools that became worse"},
	[CHAPTER_EVENTS] = {"runs-events", "Events of the scheduler"},
	[CHAPTER_MIGRATIONS] = {"runs-migrations", "Migrations and wakeups"},
	[CHAPTER_DOMAINS] = {"runs-domains", "Balancing of domains"},
	[CHAPTER_TURNS] = {"runs-turns", "Turns on the CPUs"},
	[CHAPTER_REST] = {"runs", "Change or noise"},
};

/* The chapters of metrics, by the beginning of the metric's name; the first match counts. */
static const struct topic {
	const char *prefix;
	Chapter chapter;
	gboolean of_host;
} topics[] = {
	{"sched_ext.", CHAPTER_EVENTS, TRUE},
	{"schedstat.pulled.", CHAPTER_MIGRATIONS, TRUE},
	{"schedstat.pushed.", CHAPTER_MIGRATIONS, TRUE},
	{"schedstat.wake", CHAPTER_MIGRATIONS, TRUE},
	{"schedstat.balance.", CHAPTER_DOMAINS, TRUE},
	{"schedstat.", CHAPTER_TURNS, TRUE},
	{"nr_migrations", CHAPTER_MIGRATIONS, FALSE},
	{"nr_forced_migrations", CHAPTER_MIGRATIONS, FALSE},
	{"nr_failed_migrations", CHAPTER_MIGRATIONS, FALSE},
	{"nr_wakeups", CHAPTER_MIGRATIONS, FALSE},
	{"timeslices", CHAPTER_TURNS, FALSE},
	{"avg_slice_ns", CHAPTER_TURNS, FALSE},
	{"avg_turn_wait_ns", CHAPTER_TURNS, FALSE},
	{"run_delay", CHAPTER_TURNS, FALSE},
	{"slice_length", CHAPTER_TURNS, FALSE},
};

/* Returns NULL if the metric is not about scheduling. */
static const struct topic *find_topic(const char *metric, gboolean of_host)
{
	for (guint i = 0; i < G_N_ELEMENTS(topics); i++)
		if (topics[i].of_host == of_host && g_str_has_prefix(metric, topics[i].prefix))
			return &topics[i];
	return NULL;
}

gboolean chapters_take(const char *metric)
{
	return find_topic(metric, TRUE) != NULL;
}

gboolean chapters_differ(const GPtrArray *settings)
{
	static const char *const of_scheduler[] = {"sched_ext.state", "sched_ext.ops", NULL};

	for (guint i = 0; i < settings->len; i++)
		if (g_strv_contains(of_scheduler,
				    ((const RunsSetting *)settings->pdata[i])->key.metric))
			return TRUE;
	return FALSE;
}

static Chapter chapter_of(const RunsRow *row)
{
	gboolean of_host = row->key.family >= FAMILY_HOST;

	if (row->key.family == FAMILY_COMMAND)
		return CHAPTER_COMMAND;
	if (!of_host && row->cell.flags & CTPROF_CELL_WORSE)
		return CHAPTER_PAID;
	const struct topic *topic = find_topic(row->field.name, of_host);
	return topic ? topic->chapter : CHAPTER_REST;
}

/* ---- who paid ---- */

/* Returns the length of a run of side B, by which rates are converted to amounts. */
static gdouble seconds_of(const GPtrArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		if (row->key.family == FAMILY_COMMAND && strcmp(row->field.name, WALL) == 0)
			return row->cell.value[1].real / NS_PER_S;
	}
	return 1;
}

static gdouble cost_in_run(const RunsRow *row, gdouble seconds)
{
	return runs_cost(row) * (row->is_rate ? seconds : 1);
}

/* The rows of a pool that became worse, and the highest of their costs. */
typedef struct payer {
	const RunsRow *row;
	gdouble cost, of_pool;
} Payer;

static gboolean is_of_one_pool(const RunsRow *a, const RunsRow *b)
{
	return memcmp(a->key.names, b->key.names, sizeof a->key.names) == 0;
}

static gint compare_payers(gconstpointer a, gconstpointer b)
{
	const Payer *x = a, *y = b;

	if (x->of_pool < y->of_pool || x->of_pool > y->of_pool)
		return x->of_pool > y->of_pool ? -1 : 1;
	for (guint i = 0; i < KEY_NAMES; i++) {
		gint order = g_strcmp0(x->row->key.names[i], y->row->key.names[i]);

		if (order != 0)
			return order;
	}
	return (x->cost < y->cost) - (x->cost > y->cost);
}

static void sort_payers(GPtrArray *list, gdouble seconds)
{
	g_autoptr(GArray) payers = g_array_new(FALSE, FALSE, sizeof(Payer));

	for (guint i = 0; i < list->len; i++) {
		Payer payer = {.row = g_ptr_array_index(list, i)};

		payer.cost = cost_in_run(payer.row, seconds);
		for (guint j = 0; j < list->len; j++)
			if (is_of_one_pool(payer.row, g_ptr_array_index(list, j)))
				payer.of_pool =
					MAX(payer.of_pool,
					    cost_in_run(g_ptr_array_index(list, j), seconds));
		g_array_append_val(payers, payer);
	}
	g_array_sort(payers, compare_payers);
	for (guint i = 0; i < list->len; i++)
		list->pdata[i] = (gpointer)(uintptr_t)g_array_index(payers, Payer, i).row;
}

/* ---- chapters ---- */

GPtrArray *chapters_list(const Runs *runs, const GPtrArray *rows, Chapter chapter)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < rows->len; i++) {
		gpointer row = g_ptr_array_index(rows, i);

		if ((runs->of_schedulers ? chapter_of(row) : CHAPTER_REST) == chapter)
			g_ptr_array_add(list, row);
	}
	if (chapter == CHAPTER_PAID)
		sort_payers(list, seconds_of(rows));
	return list;
}

Table *chapters_add(const Draft *draft, Chapter chapter)
{
	const char *heading = draft->view->compare ? chapters[chapter].heading : "Runs";

	return draft_long(draft, chapters[chapter].name, heading, draft->plan->axis->header);
}

/* ---- titles ---- */

static const char *say_verdict(const RunsRow *row)
{
	if (row->cell.flags & CTPROF_CELL_WORSE)
		return "the command lost";
	if (row->cell.flags & CTPROF_CELL_BETTER)
		return "the command gained";
	if (row->runs.verdict == CTPROF_VERDICT_CHANGED)
		return "the command changed by less than its gate";
	if (row->runs.verdict == CTPROF_VERDICT_FEW)
		return "too few runs to know whether the command gained or lost";
	return "the command neither gained nor lost beyond chance";
}

static void title_command(const Draft *draft, const RunsRow *row)
{
	char numbers[3][CTPROF_SHORT_ROOM];

	for (guint side = 0; side < SIDES; side++)
		ctprof_number_short(row->field.ladder, row->cell.value[side].real, numbers[side]);
	ctprof_number_short(row->field.ladder, row->cell.delta, numbers[2]);
	g_ptr_array_add(draft->titles, g_strdup_printf("%s: %s %s → %s, %s%s", say_verdict(row),
						       row->field.name, numbers[0], numbers[1],
						       row->cell.delta > 0 ? "+" : "", numbers[2]));
}

/* Appends the names of the first pools of the list, each once. */
static void append_payers(GString *text, const GPtrArray *paid)
{
	guint n = 0;

	for (guint i = 0; i < paid->len; i++) {
		const RunsRow *row = g_ptr_array_index(paid, i);

		if ((i > 0 && is_of_one_pool(row, g_ptr_array_index(paid, i - 1))) ||
		    n++ >= MOST_PAYERS)
			continue;
		g_autofree char *name = g_strjoin(" ", row->key.names[0], row->key.names[1],
						  row->key.names[2], NULL);
		g_string_append_printf(text, "%s%s", n > 1 ? ", " : "", name);
	}
	if (n > MOST_PAYERS)
		g_string_append_printf(text, " and %u more", n - MOST_PAYERS);
}

static void title_payers(const Draft *draft, const GPtrArray *rows)
{
	const AnalysisOptions *options = draft->plan->options;
	const Runs *runs = options->runs;
	g_autoptr(GPtrArray) paid = chapters_list(runs, rows, CHAPTER_PAID);
	g_autoptr(GString) text = g_string_new("who paid: ");

	if (paid->len > 0)
		append_payers(text, paid);
	else if (draft->view->match || draft->plan->metrics->len > 0)
		return; /* others may have paid */
	else if (runs_least_p(runs->n[0], runs->n[1]) >= options->alpha)
		g_string_append(text, "too few runs to know");
	else
		g_string_append(text, "no pool became worse beyond chance");
	g_ptr_array_add(draft->titles, g_strdup(text->str));
}

void chapters_title(const Draft *draft, const GPtrArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		if (row->key.family == FAMILY_COMMAND && strcmp(row->field.name, WALL) == 0 &&
		    row->runs.flags & CTPROF_RUNS_HAS_TEST)
			title_command(draft, row);
	}
	title_payers(draft, rows);
}
