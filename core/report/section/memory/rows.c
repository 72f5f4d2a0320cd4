/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rows.h"

#include <string.h>

/* Metrics of processes that tables of rows show, besides those of their groups. */
static const char *const process_metrics[] = {
	"pcomm", "ppid", "state", "nr_threads", "smaps_rollup_kib", "smaps_state", "cgroup", "user",
};

/* The fold for a single row's value, of any kind. */
static const Fold *choose(const struct ctprof_metric *def)
{
	return def->kind == CTPROF_LABEL ? fold_label(def->unit) : fold_find(def->kind, def->unit);
}

const Fold *rows_choose_process(gconstpointer data, const Metric *metric)
{
	const Plan *plan = data;

	if (!plan->groups[0])
		return NULL;
	if (plan_needs_group(plan, metric->def.group))
		return choose(&metric->def);
	for (guint i = 0; i < G_N_ELEMENTS(process_metrics); i++)
		if (strcmp(process_metrics[i], metric->def.name) == 0)
			return choose(&metric->def);
	return NULL;
}

const Fold *rows_choose_object(gconstpointer data, const Metric *metric)
{
	return plan_needs_group(data, metric->def.group) ? choose(&metric->def) : NULL;
}

Rows rows_of(const Draft *draft, const char *group)
{
	const GPtrArray *all = group ? draft->single_objects : draft->processes;
	Rows rows = {draft, group ? TABLE_SINGLE_OBJECTS : TABLE_PROCESSES, g_ptr_array_new()};

	for (guint i = 0; i < all->len; i++) {
		Pair *row = g_ptr_array_index(all, i);

		if (!group || strcmp(row->key.names[ROW_GROUP], group) == 0)
			g_ptr_array_add(rows.list, row);
	}
	return rows;
}

void rows_clear(Rows *rows)
{
	g_clear_pointer(&rows->list, g_ptr_array_unref);
}

guint row_side(const Pair *row)
{
	return row->sides[1] ? 1 : 0;
}

const char *row_name(const Pair *row)
{
	return row->key.names[ROW_NAME];
}

void rows_keep(Rows *rows, gboolean (*keep)(const Rows *rows, const Pair *row, gpointer data),
	       gpointer data)
{
	GPtrArray *list = rows->list;
	guint n = 0;

	for (guint i = 0; i < list->len; i++)
		if (keep(rows, list->pdata[i], data))
			list->pdata[n++] = list->pdata[i];
	g_ptr_array_set_size(list, (gint)n);
}

gboolean rows_are_captured(const Rows *rows, const char *metric)
{
	for (guint side = 0; side < draft_n_sides(rows->draft); side++)
		if (draft_has(rows->draft, rows->table, side, metric))
			return TRUE;
	return FALSE;
}

/* ---- values ---- */

struct ctprof_value row_value(const Rows *rows, const Pair *row, guint side, const char *metric)
{
	struct ctprof_value value = draft_value(rows->draft, rows->table, row->sides, side, metric);

	if (!row->sides[side])
		value.why = CTPROF_ABSENT_INAPPLICABLE;
	/* For a single row, a mode is just a text. */
	if (value.type == CTPROF_VALUE_MODE)
		value.type = CTPROF_VALUE_TEXT;
	return value;
}

static gboolean take_number(const struct ctprof_value *value, guint64 *ret_number)
{
	if (!value_is_size(value))
		return FALSE;
	*ret_number = value->type == CTPROF_VALUE_UNLIMITED ? G_MAXUINT64 : value->number;
	return TRUE;
}

gboolean row_number(const Rows *rows, const Pair *row, guint side, const char *metric,
		    guint64 *ret_number)
{
	const struct ctprof_value value = row_value(rows, row, side, metric);

	return take_number(&value, ret_number);
}

gboolean object_number(const Draft *draft, guint side, const char *group, const char *name,
		       const char *metric, guint64 *ret_number)
{
	const RecordKey key = {.names = {[ROW_GROUP] = store_text(draft->store, group),
					 [ROW_NAME] = store_text(draft->store, name)}};
	Record *sides[SIDES] = {NULL};

	sides[side] = record_set_find(&draft->sides[side].sets[TABLE_SINGLE_OBJECTS], &key);
	const struct ctprof_value value =
		draft_value(draft, TABLE_SINGLE_OBJECTS, sides, side, metric);
	return take_number(&value, ret_number);
}

const char *row_text_of(const Rows *rows, const Pair *row, guint side, const char *metric)
{
	struct ctprof_value value = row_value(rows, row, side, metric);

	return value.type == CTPROF_VALUE_TEXT ? value.text : NULL;
}

const char *row_text(const Rows *rows, const Pair *row, const char *metric)
{
	return row_text_of(rows, row, row_side(row), metric);
}

gboolean row_is_inapplicable(const Rows *rows, const Pair *row, guint side, const char *metric)
{
	Coverage coverage;

	if (!row->sides[side] || !draft_has(rows->draft, rows->table, side, metric))
		return FALSE;
	record_map(row->sides[side], draft_measure(rows->draft, rows->table, metric), &coverage);
	return coverage.n == 0 && coverage.missing == 0;
}

const GArray *row_map(const Rows *rows, const Pair *row, guint side, const char *metric)
{
	const Measure *measure = draft_measure(rows->draft, rows->table, metric);

	if (!measure || measure->kind != CTPROF_MAP)
		return NULL;
	return record_map(row->sides[side], measure, NULL);
}

/* ---- numbers of both sides ---- */

void sums_add(const Draft *draft, Sums *sums, const struct ctprof_value values[SIDES])
{
	for (guint side = 0; side < draft_n_sides(draft); side++)
		amount_add(&sums->sides[side], &values[side]);
}

void sums_merge(Sums *sums, const Sums *part)
{
	for (guint side = 0; side < SIDES; side++)
		amount_merge(&sums->sides[side], &part->sides[side]);
}

void sums_values(const Draft *draft, const Sums *sums, gboolean zero,
		 struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		ret_values[side] = side < draft_n_sides(draft)
					   ? amount_value(&sums->sides[side], zero)
					   : (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
}

/* The row exists but has no value, so the change is unknown. */
static gboolean is_refused(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_ABSENT && value->missing > 0;
}

/* Returns the size of a value; below 0: it has none. */
static gdouble size_of(const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_UNLIMITED)
		return G_MAXDOUBLE;
	return value->type == CTPROF_VALUE_REAL     ? ABS(value->real)
	       : value->type == CTPROF_VALUE_NUMBER ? (gdouble)value->number
						    : -1;
}

/* The weight of a line: its value; in compare, the size of its change. */
static gdouble weight_of(const Draft *draft, const struct ctprof_value values[SIDES])
{
	guint64 a = values[0].number, b = values[1].number;

	if (!draft->view->compare)
		return size_of(&values[0]);
	if (!value_is_size(&values[0]) && !value_is_size(&values[1]))
		return -1;
	return is_refused(&values[0]) || is_refused(&values[1]) ? 0
								: (gdouble)(MAX(a, b) - MIN(a, b));
}

static gint compare_numbers(gdouble a, gdouble b)
{
	return (a < b) - (a > b);
}

gint rows_compare_values(const Draft *draft, const struct ctprof_value a[SIDES],
			 const struct ctprof_value b[SIDES])
{
	gint order = compare_numbers(weight_of(draft, a), weight_of(draft, b));

	return order != 0 || !draft->view->compare
		       ? order
		       : compare_numbers(size_of(&a[1]), size_of(&b[1]));
}

gboolean rows_pass(const Draft *draft, const Pair *row, const struct ctprof_report_field *field,
		   const struct ctprof_value values[SIDES])
{
	struct ctprof_value filled[SIDES];
	struct ctprof_cell cell;

	for (guint side = 0; side < SIDES; side++)
		filled[side] = row->sides[side] || values[!side].type != CTPROF_VALUE_NUMBER
				       ? values[side]
				       : value_of_number(0);
	view_cell(draft->view, filled, field, &cell);
	return view_passes(draft->view, &cell, field);
}

/* ---- cells ---- */

void rows_put(const Draft *draft, Table *table, struct ctprof_cell *cells, guint field,
	      const struct ctprof_value values[SIDES])
{
	view_cell(draft->view, values, table_field(table, field), &cells[field]);
}

gboolean rows_match(const Draft *draft, const char *text)
{
	return view_matches(draft->view, &text, 1);
}
