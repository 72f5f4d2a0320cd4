/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verdicts.h"

#include <math.h>
#include <string.h>

#include "chapters.h"
#include "report/draft/judge.h"
#include "report/join/runs.h"

/* With at least this many runs, more of them change little. */
#define ENOUGH_RUNS 8
#define MOST_SETTINGS 2
/* Lines of a report besides titles and rows: a blank line, the heading, the header, the number of
 * omitted rows, outliers, four other notes, and the prompt. */
#define AROUND_ROWS (4 + MOST_OUTLIERS + 4 + 1)
#define LEAST_ROWS 3
#define CHAPTER_ROWS 9
#define MOST_OUTLIERS 2
/* An outlier is larger than all others by this factor, or smaller by it. */
#define OUTLIER 2.0
#define LEAST_RUNS_OF_OUTLIER 4

static const char *const side_names[SIDES] = {"A", "B"};

static gboolean is_paired(const RunsRow *row)
{
	return (row->runs.flags & CTPROF_RUNS_HAS_TEST) != 0;
}

/* ---- the table ---- */

static gboolean is_shown(const Draft *draft, const RunsRow *row)
{
	const ChangeFilter *filter = &draft->view->filter;

	if (row->hidden)
		return FALSE;
	if (row->runs.n_runs[1] == 0)
		return row->runs.n[0] > 0;
	/* Possibly only one of the two schedulers counts events. */
	if (!is_paired(row))
		return row->key.family == FAMILY_SCHEDULER && !filter->changed;
	if (filter->changed && row->runs.verdict != CTPROF_VERDICT_CHANGED)
		return FALSE;
	return change_passes(&row->cell, row->field.ladder, filter);
}

/* Returns the number of rows of a table that fit the terminal, if the report must, beside the
 * titles and what is around the table.  A report in chapters is longer, but each shows its worst
 * rows. */
static guint limit_of(const Draft *draft)
{
	guint height = draft->plan->options->height;
	guint around = draft->titles->len + AROUND_ROWS;

	if (height == 0)
		return draft->view->limit;
	return draft->plan->options->runs->of_schedulers
		       ? CHAPTER_ROWS
		       : MAX(height, around + LEAST_ROWS) - around;
}

static void put_lines(const Draft *draft, Table *table, const GPtrArray *rows, guint limit)
{
	for (guint i = 0; i < rows->len; i++) {
		RunsRow *row = g_ptr_array_index(rows, i);
		struct ctprof_report_field field = row->field;

		if (!is_shown(draft, row) || !table_has_room(table, limit))
			continue;
		row->is_drawn = TRUE;
		field.flags |= CTPROF_FIELD_SHORT;
		*table_metric(table, row->key.names, row->key.n_names,
			      table_take_field(table, &field)) = row->cell;
	}
}

/* ---- groups of one side ---- */

/* Returns the joined names of a key; a row may be passed, too, as it begins with its key. */
static char *join_names(const RunsKey *key)
{
	return g_strjoin(" ", key->names[0], key->names[1], key->names[2], NULL);
}

static void list_only(const Draft *draft, const GPtrArray *rows)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < rows->len; i++)
		if (is_paired(g_ptr_array_index(rows, i)))
			g_hash_table_add(known, join_names(g_ptr_array_index(rows, i)));
	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);
		const struct ctprof_report_line line =
			table_names(row->key.names, row->key.n_names);

		if (row->runs.n_runs[1] == 0 || !g_hash_table_add(known, join_names(&row->key)))
			continue;
		g_array_append_val(draft->orphans[row->runs.n[0] > 0 ? 0 : 1], line);
	}
}

/* ---- titles and notes ---- */

static void add_settings(const Draft *draft, const GPtrArray *settings)
{
	for (guint i = 0; i < settings->len; i++) {
		const RunsSetting *setting = g_ptr_array_index(settings, i);
		g_autofree char *names = join_names(&setting->key);
		char *text = g_strdup_printf(VERDICTS_SETUP "%s of %s: %s in A, %s in B",
					     setting->key.metric, names, setting->texts[0],
					     setting->texts[1]);

		g_ptr_array_add(draft->warnings, text);
		if (i < MOST_SETTINGS)
			g_ptr_array_add(draft->titles, g_strdup(text));
	}
	if (settings->len > MOST_SETTINGS)
		g_ptr_array_add(draft->titles,
				g_strdup_printf("setup differs in %u more settings (--format json "
						"lists all)",
						settings->len - MOST_SETTINGS));
}

static void add_titles(const Draft *draft)
{
	const Runs *runs = draft->plan->options->runs;

	for (guint side = 0; side < SIDES; side++)
		if (runs->n[side] > 0)
			g_ptr_array_add(draft->titles,
					g_strdup_printf("%s  %u runs: %s", side_names[side],
							runs->n[side],
							draft->plan->options->files[side]));
}

/* Counts the tested rows with that verdict. */
static guint count(const GPtrArray *rows, guint32 verdict)
{
	guint n = 0;

	for (guint i = 0; i < rows->len; i++) {
		const struct ctprof_runs *result =
			&((const RunsRow *)g_ptr_array_index(rows, i))->runs;

		n += result->verdict == verdict && result->flags & CTPROF_RUNS_HAS_Q;
	}
	return n;
}

/* Notes what this number of runs can detect. */
static void note_power(const Draft *draft, Table *table, guint n_tested)
{
	const Runs *runs = draft->plan->options->runs;
	gdouble alpha = draft->plan->options->alpha;
	gdouble least = runs_least_p(runs->n[0], runs->n[1]);
	guint n_needed = (guint)ceil(least / alpha * n_tested - 1e-9);
	g_autofree char *sides = g_strdup_printf("%u+%u runs", runs->n[0], runs->n[1]);

	if (least >= alpha)
		table_note(
			table,
			"%s: too few (the smallest possible p is %.2g); 8 runs or more are advised",
			sides, least);
	else if (MIN(runs->n[0], runs->n[1]) < ENOUGH_RUNS && n_tested > 0)
		table_note(
			table,
			"%s: %u row%s (%.0f %%) or more must change at once to be seen; 8 runs or more are advised",
			sides, MAX(n_needed, 1), n_needed > 1 ? "s" : "", least / alpha * 100);
	else if (n_tested > 0)
		table_note(table, "%s: a change of %u %s can be seen", sides, MAX(n_needed, 1),
			   n_needed > 1 ? "rows at once" : "row");
}

static void note_verdicts(const Draft *draft, Table *table, const GPtrArray *rows, guint n_tested)
{
	table_note(table, "%u of %u rows tested changed (q < %g); %u need more runs (?)",
		   count(rows, CTPROF_VERDICT_CHANGED), n_tested, draft->plan->options->alpha,
		   count(rows, CTPROF_VERDICT_FEW));
	note_power(draft, table, n_tested);
	if (draft->orphans[0]->len + draft->orphans[1]->len > 0)
		table_note(table, "%u groups only in A, %u only in B (--format json lists them)",
			   draft->orphans[0]->len, draft->orphans[1]->len);
}

/* Returns the ratio of an outlier's value to the others; 0: the run is not an outlier. */
static gdouble outlier_of(const RunsRow *row, guint side, guint run)
{
	const struct ctprof_runs *result = &row->runs;
	gdouble value = result->values[side][run], low = INFINITY, high = -INFINITY;

	for (guint i = 0; i < result->n_runs[side]; i++) {
		gdouble other = result->values[side][i];

		if (i == run || isnan(other))
			continue;
		low = MIN(low, other);
		high = MAX(high, other);
	}
	if (isnan(value) || result->n[side] < LEAST_RUNS_OF_OUTLIER || !(low > 0))
		return 0;
	return value >= OUTLIER * high || value * OUTLIER <= low ? value / ((low + high) / 2) : 0;
}

static guint note_row_outliers(Table *table, const RunsRow *row, GHashTable *named)
{
	guint n = 0;

	for (guint side = 0; side < SIDES; side++) {
		for (guint run = 0; run < row->runs.n_runs[side]; run++) {
			gdouble times = outlier_of(row, side, run);
			g_autofree char *names = join_names(&row->key);

			if (times <= 0 ||
			    !g_hash_table_add(named, GUINT_TO_POINTER(run * SIDES + side + 1)))
				continue;
			table_note(table, "run %u of %s is %.2g times the others in %s of %s",
				   run + 1, side_names[side], times, row->field.name, names);
			n++;
		}
	}
	return n;
}

/* Notes each run once, for the first line in which it is an outlier. */
static void note_outliers(Table *table, const GPtrArray *rows)
{
	g_autoptr(GHashTable) named = g_hash_table_new(NULL, NULL);
	guint n = 0;

	for (guint i = 0; i < rows->len && n < MOST_OUTLIERS; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		if (row->is_drawn)
			n += note_row_outliers(table, row, named);
	}
}

/* ---- --fail-on ---- */

static void judge_row(const Draft *draft, Verdict *verdict, const RunsRow *row)
{
	const Condition *condition = verdict->condition;

	if (condition->is_worse && row->field.polarity == CTPROF_POLARITY_NEUTRAL)
		return;
	verdict->n_met++;
	if (!is_paired(row) || !verdict_counts(draft, verdict, row->partial))
		return;
	struct ctprof_cell change = row->cell;
	condition_take_value(condition, &change);
	if (condition_allows(condition, &row->runs) &&
	    (!condition->is_worse || row->runs.verdict == CTPROF_VERDICT_CHANGED))
		verdict_take(draft, verdict, row->key.names, row->key.n_names, &row->field, &change,
			     &row->runs);
}

static void judge(const Draft *draft, const GPtrArray *rows, const Condition *condition)
{
	Verdict verdict = {.condition = condition};

	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		if (!condition->metric || strcmp(row->field.name, condition->metric) == 0)
			judge_row(draft, &verdict, row);
	}
	verdict_finish(&verdict, draft);
}

/* Adds the tables of all chapters that have rows; returns the last one, which is always there. */
static Table *put_chapters(const Draft *draft, const GPtrArray *rows, guint limit)
{
	const Runs *runs = draft->plan->options->runs;
	Table *table = NULL;

	for (guint chapter = 0; chapter < N_CHAPTERS; chapter++) {
		g_autoptr(GPtrArray) own = chapters_list(runs, rows, chapter);

		table = chapters_add(draft, chapter);
		put_lines(draft, table, own, limit);
		if (table->lines->len == 0 && chapter != CHAPTER_REST)
			tables_drop(draft->tables);
	}
	return table;
}

void verdicts_draft(const Draft *draft)
{
	const AnalysisOptions *options = draft->plan->options;
	guint n_tested;
	g_autoptr(GPtrArray) settings = runs_list_settings(options->runs, options->alpha);

	options->runs->of_schedulers =
		draft->view->compare && (options->runs->of_schedulers || chapters_differ(settings));
	g_autoptr(GPtrArray) rows =
		runs_test(options->runs, draft->view->match, options->alpha, &n_tested);
	add_titles(draft);
	if (options->runs->of_schedulers)
		chapters_title(draft, rows);
	add_settings(draft, settings);
	Table *table = put_chapters(draft, rows, limit_of(draft));
	list_only(draft, rows);
	note_outliers(table, rows);
	if (draft->view->compare)
		note_verdicts(draft, table, rows, n_tested);
	for (guint i = 0; draft->view->compare && i < draft->plan->conditions->len; i++)
		judge(draft, rows, &g_array_index(draft->plan->conditions, Condition, i));
}
