/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "category-rows.h"

#include "report/fold/fold.h"

/* An amount of those processes of which it is known; FALSE: of none. */
typedef gboolean (*Amount)(const CategorySum *sum, guint64 *ret_amount);

static gboolean pss_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = sum->pss;
	return sum->processes == 0 || sum->missing < sum->processes;
}

static gboolean swap_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = sum->pss_swap;
	return sum->processes == 0 || sum->exact > 0;
}

static gboolean total_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = fold_add_saturated(sum->pss, sum->pss_swap);
	return sum->processes == 0 || sum->exact > 0;
}

static gboolean processes_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = sum->processes;
	return TRUE;
}

static gboolean approximate_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = sum->approximate;
	return TRUE;
}

static gboolean missing_of(const CategorySum *sum, guint64 *ret_amount)
{
	*ret_amount = sum->missing;
	return TRUE;
}

static const struct amount {
	const char *metric, *unit;
	guint32 ladder;
	gboolean of_gaps; /* no row where there is none */
	Amount amount;
} amounts[] = {
	{"pss", "bytes", CTPROF_LADDER_BYTES, FALSE, pss_of},
	{"pss_swap", "bytes", CTPROF_LADDER_BYTES, FALSE, swap_of},
	{"pss_total", "bytes", CTPROF_LADDER_BYTES, FALSE, total_of},
	{"processes", "none", CTPROF_LADDER_UNITLESS, FALSE, processes_of},
	{"approximate", "none", CTPROF_LADDER_UNITLESS, TRUE, approximate_of},
	{"missing", "none", CTPROF_LADDER_UNITLESS, TRUE, missing_of},
};

static void add_row(const struct amount *amount, const CategorySum *const sums[SIDES],
		    const View *view, GArray *rows)
{
	Told told = {
		.metric = amount->metric,
		.unit = amount->unit,
		.ladder = amount->ladder,
		.kind = CTPROF_LEVEL,
	};
	struct ctprof_value values[SIDES] = {{.struct_size = sizeof values[0]},
					     {.struct_size = sizeof values[1]}};
	struct ctprof_report_row row;
	guint64 most = 0;

	for (guint side = 0; side < SIDES; side++) {
		if (!sums[side] || !amount->amount(sums[side], &values[side].number))
			continue;
		values[side].type = CTPROF_VALUE_NUMBER;
		most = MAX(most, values[side].number);
	}
	if (amount->of_gaps && most == 0)
		return;
	view_fill_row(view, &sums[0]->name, 1, &told, values, &row);
	if (view_passes(view, &row))
		g_array_append_val(rows, row);
}

/* A category is known by the table: without processes its sums are 0. */
void category_rows_draft(const CategoryIntake sides[SIDES], const View *view, Draft *draft)
{
	g_autoptr(GArray) rows = draft_rows_new();
	g_autoptr(GArray) baseline = category_intake_fold(&sides[0]);
	g_autoptr(GArray) candidate = view->compare ? category_intake_fold(&sides[1]) : NULL;

	for (guint i = 0; i < baseline->len; i++) {
		const CategorySum *sums[SIDES] = {&g_array_index(baseline, CategorySum, i)};

		if (candidate)
			sums[1] = &g_array_index(candidate, CategorySum, i);
		if ((sums[0]->processes == 0 && !(sums[1] && sums[1]->processes > 0)) ||
		    !view_matches(view, &sums[0]->name, 1))
			continue;
		for (guint a = 0; a < G_N_ELEMENTS(amounts); a++)
			add_row(&amounts[a], sums, view, rows);
	}
	guint64 n_cut = draft_cut(rows, CTPROF_LAYOUT_LONG, view->limit);
	draft_add(draft, SECTION_CATEGORIES, NULL, CTPROF_LAYOUT_LONG, "category",
		  g_steal_pointer(&rows), n_cut);
}
