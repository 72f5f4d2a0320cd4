/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runs.h"

#include <math.h>
#include <string.h>

#include "frame/series.h"
#include "report/stats/mannwhitney.h"
#include "report/stats/many.h"
#include "report/stats/shift.h"
#include "view.h"

/* ---- keys ---- */

static guint key_hash(gconstpointer data)
{
	const RunsKey *key = data;
	guint hash = g_direct_hash(key->metric);

	for (guint i = 0; i < KEY_NAMES; i++)
		hash = hash * 31 + g_direct_hash(key->names[i]);
	return hash;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const RunsKey *x = a, *y = b;

	return x->metric == y->metric && x->family == y->family &&
	       x->of_strangers == y->of_strangers && x->names[0] == y->names[0] &&
	       x->names[1] == y->names[1] && x->names[2] == y->names[2];
}

static void row_free(gpointer data)
{
	g_free(((RunsRow *)data)->values);
	g_free(data);
}

Runs *runs_new(const guint n[SIDES])
{
	Runs *runs = g_new0(Runs, 1);

	memcpy(runs->n, n, sizeof runs->n);
	runs->store = store_new();
	runs->rows = g_hash_table_new_full(key_hash, key_equal, row_free, NULL);
	runs->settings = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	return runs;
}

void runs_free(Runs *runs)
{
	g_hash_table_unref(runs->rows);
	g_hash_table_unref(runs->settings);
	g_clear_pointer(&runs->namer.names, name_keys_free);
	g_clear_pointer(&runs->namer.cgroups, cgroup_keys_free);
	store_free(runs->store);
	g_free(runs);
}

void runs_set_names(Runs *runs, const Axis *axis, NameRule rule, char *const *flatten,
		    gboolean normalise)
{
	if (runs->namer.axis)
		return;
	runs->namer = (Namer){
		.axis = axis,
		.cgroups = cgroup_keys_new(flatten, normalise),
		.names = name_keys_new(rule == NAME_PEERS ? NAME_PATTERN : rule, runs->store),
		.store = runs->store,
		.of_runs = TRUE,
	};
}

/* ---- the values of runs ---- */

static RunsRow *row_new(const Runs *runs, const RunsKey *key,
			const struct ctprof_report_field *field)
{
	RunsRow *row = g_new0(RunsRow, 1);
	guint n = runs->n[0] + runs->n[1];

	row->key = *key;
	row->field = *field;
	row->values = g_new(gdouble, MAX(n, 1));
	for (guint i = 0; i < n; i++)
		row->values[i] = NAN;
	return row;
}

RunsRow *runs_put(const RunPlace *place, const RunsKey *group,
		  const struct ctprof_report_field *field, gdouble value, gboolean partial)
{
	Runs *runs = place->runs;
	RunsKey key = *group;

	g_return_val_if_fail(place->side < SIDES && place->run < runs->n[place->side], NULL);
	key.metric = field->name;
	RunsRow *row = g_hash_table_lookup(runs->rows, &key);
	if (!row) {
		row = row_new(runs, &key, field);
		g_hash_table_add(runs->rows, row);
	}
	row->values[(place->side ? runs->n[0] : 0) + place->run] = value;
	row->partial |= partial;
	return row;
}

void runs_set(const RunPlace *place, const RunsKey *group, const char *metric, const char *text)
{
	RunsKey key = *group;

	key.metric = metric;
	key.of_strangers = FALSE;
	RunsSetting *setting = g_hash_table_lookup(place->runs->settings, &key);
	if (!setting) {
		setting = g_new0(RunsSetting, 1);
		setting->key = key;
		g_hash_table_add(place->runs->settings, setting);
	}
	const char **known = &setting->texts[place->side];
	*known = setting->n[place->side]++ == 0 || strcmp(*known, text) == 0 ? text : "";
}

/* ---- tests ---- */

gdouble runs_least_p(guint n, guint m)
{
	gdouble arrangements = 1;

	for (guint i = 1; i <= n; i++)
		arrangements *= (gdouble)(m + i) / i;
	return n > 0 && m > 0 ? MIN(1, 2 / arrangements) : 1;
}

static void measure_side(RunsRow *row, const Runs *runs, guint side)
{
	struct ctprof_runs *result = &row->runs;
	const gdouble *values = row->values + (side ? runs->n[0] : 0);
	Spread spread = spread_of(values, runs->n[side]);

	result->n_runs[side] = runs->n[side];
	result->values[side] = values;
	result->n[side] = spread.n;
	result->min[side] = spread.least;
	result->max[side] = spread.most;
	if (runs->n[side] > 0)
		row->cell.value[side] = (struct ctprof_value){
			.type = spread.n > 0 ? CTPROF_VALUE_REAL : CTPROF_VALUE_ABSENT,
			.flags = row->partial ? CTPROF_VALUE_PARTIAL : 0,
			.real = spread.n > 0 ? spread.median : 0,
		};
}

static void set_shift(RunsRow *row, gdouble shift)
{
	const struct ctprof_value *medians = row->cell.value;
	struct ctprof_cell change;

	/* Not the difference of the medians, but the median of the differences
	 * of all pairs. */
	change_between(&medians[0], &medians[1], row->field.ladder, &change);
	row->cell.flags |= CTPROF_CELL_HAS_DELTA | (change.flags & CTPROF_CELL_HAS_PCT);
	row->cell.delta = shift;
	if (change.flags & CTPROF_CELL_HAS_PCT)
		row->cell.pct = shift / fabs(medians[0].real) * 100;
	if (fabs(shift) <= 0 && row->runs.p >= 1)
		row->cell.flags |= CTPROF_CELL_SAME;
}

/* Computes what depends on this row alone; returns the smallest p of any arrangement of its
 * values. */
static gdouble test_row(RunsRow *row, const Runs *runs, gdouble alpha)
{
	struct ctprof_runs *result = &row->runs;
	g_autoptr(Sides) sides =
		sides_new(row->values, runs->n[0], row->values + runs->n[0], runs->n[1]);

	*result = (struct ctprof_runs){.struct_size = sizeof *result};
	row->cell = (struct ctprof_cell){
		.struct_size = sizeof row->cell,
		.flags = row->is_rate ? CTPROF_CELL_RATE : 0,
		.runs = result,
	};
	result->p = result->q = NAN;
	for (guint side = 0; side < SIDES; side++)
		measure_side(row, runs, side);
	if (!sides)
		return 1;
	MannWhitney test = mannwhitney_test(sides);
	Shift shift = shift_find(sides, alpha);
	result->p = test.p;
	set_shift(row, shift.shift);
	result->flags = CTPROF_RUNS_HAS_TEST;
	if (isfinite(shift.low) && isfinite(shift.high)) {
		result->flags |= CTPROF_RUNS_HAS_INTERVAL |
				 (shift.is_approximate ? CTPROF_RUNS_APPROXIMATE : 0);
		result->low = shift.low;
		result->high = shift.high;
		result->level = shift.level;
	}
	return test.least;
}

/* FEW: the values are as extreme as possible, and p is still not below alpha; more runs could
 * decide. */
static guint32 verdict_of(const RunsRow *row, gdouble least, gdouble alpha)
{
	const struct ctprof_runs *result = &row->runs;
	gdouble lowest = runs_least_p((guint)result->n[0], (guint)result->n[1]);

	if (!(result->flags & CTPROF_RUNS_HAS_TEST))
		return CTPROF_VERDICT_NONE;
	if (result->q < alpha)
		return CTPROF_VERDICT_CHANGED;
	if (lowest >= alpha || (result->flags & CTPROF_RUNS_HAS_Q && result->p <= least))
		return CTPROF_VERDICT_FEW;
	return CTPROF_VERDICT_SAME;
}

static gint compare_names(const char *const *a, const char *const *b)
{
	for (guint i = 0; i < KEY_NAMES; i++) {
		gint order = g_strcmp0(a[i], b[i]);

		if (order != 0)
			return order;
	}
	return 0;
}

static gint compare_rows_by_name(gconstpointer a, gconstpointer b)
{
	const RunsRow *x = *(const RunsRow *const *)a, *y = *(const RunsRow *const *)b;

	return compare_names(x->key.names, y->key.names);
}

/* Adjusts the p of a family's rows, which are sorted by name; returns the number of tested rows. */
static guint adjust(GPtrArray *rows, const gdouble *leasts, enum runs_family family, gdouble alpha)
{
	g_autofree gdouble *p = g_new(gdouble, (gsize)rows->len + 1);
	g_autofree gdouble *q = g_new(gdouble, (gsize)rows->len + 1);
	g_autofree guint *groups = g_new0(guint, (gsize)rows->len + 1);
	const RunsRow *last = NULL;

	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		p[i] = row->key.family == family ? row->runs.p : NAN;
		groups[i] =
			last ? groups[i - 1] + (compare_names(last->key.names, row->key.names) != 0)
			     : 0;
		last = row;
	}
	const ManyRows many = {.p = p, .least = leasts, .groups = groups, .n = rows->len};
	guint n = many_adjust_groups(&many, alpha, q);
	for (guint i = 0; i < rows->len; i++) {
		RunsRow *row = g_ptr_array_index(rows, i);

		if (row->key.family == family)
			row->runs.q = q[i];
	}
	return n;
}

/* Adjusts the families as well, each with the p of Simes' test that none of its rows changed:
 * otherwise, of sides that do not differ, one in twenty would have a changed row in each family. */
static void adjust_families(GPtrArray *rows, gdouble alpha)
{
	const gdouble least[N_FAMILIES] = {0};
	gdouble p[N_FAMILIES], q[N_FAMILIES];

	for (guint family = 0; family < N_FAMILIES; family++)
		p[family] = NAN;
	for (guint i = 0; i < rows->len; i++) {
		const RunsRow *row = g_ptr_array_index(rows, i);

		p[row->key.family] = fmin(p[row->key.family], row->runs.q);
	}
	many_adjust(p, least, N_FAMILIES, alpha, q);
	for (guint i = 0; i < rows->len; i++) {
		RunsRow *row = g_ptr_array_index(rows, i);

		if (!isnan(row->runs.q))
			row->runs.q = fmax(row->runs.q, q[row->key.family]);
	}
}

static void judge_row(RunsRow *row, gdouble least, gdouble alpha)
{
	row->runs.flags |= isnan(row->runs.q) ? 0 : CTPROF_RUNS_HAS_Q;
	row->runs.verdict = verdict_of(row, least, alpha);
	if (row->runs.verdict == CTPROF_VERDICT_CHANGED)
		row->cell.flags |= change_judge(&row->field, &row->cell);
}

/* ---- order ---- */

/* The order of the rows. */
enum {
	CLASS_CHANGED,
	CLASS_COMMAND,
	CLASS_STRANGERS_CHANGED,
	CLASS_TESTED,
	CLASS_HOST,
	CLASS_NOT_TESTED,
	CLASS_ONE_SIDE,
};

static guint class_of(const RunsRow *row)
{
	const struct ctprof_runs *result = &row->runs;
	gboolean has_sides = result->n_runs[1] > 0;

	if (result->verdict == CTPROF_VERDICT_CHANGED)
		return row->key.of_strangers ? CLASS_STRANGERS_CHANGED : CLASS_CHANGED;
	if (has_sides && (result->n[0] == 0 || result->n[1] == 0))
		return CLASS_ONE_SIDE;
	if (row->key.family == FAMILY_COMMAND)
		return CLASS_COMMAND;
	if (has_sides && !(result->flags & CTPROF_RUNS_HAS_Q))
		return CLASS_NOT_TESTED;
	return row->key.family >= FAMILY_HOST ? CLASS_HOST : CLASS_TESTED;
}

gdouble runs_cost(const RunsRow *row)
{
	const struct ctprof_cell *cell = &row->cell;
	const struct ctprof_value *one = &cell->value[cell->value[0].type == CTPROF_VALUE_ABSENT];
	const struct ctprof_cell change = {
		.flags = CTPROF_CELL_HAS_DELTA,
		.delta = cell->flags & CTPROF_CELL_HAS_DELTA ? cell->delta : one->real,
	};
	Standing standing;

	change_classify(&change, row->field.ladder, TRUE, &standing);
	return standing.points;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const RunsRow *x = *(const RunsRow *const *)a, *y = *(const RunsRow *const *)b;
	gdouble p = runs_cost(x), q = runs_cost(y);

	if (class_of(x) != class_of(y))
		return class_of(x) < class_of(y) ? -1 : 1;
	if (x->key.of_strangers != y->key.of_strangers)
		return x->key.of_strangers ? 1 : -1;
	if (p < q || p > q)
		return p > q ? -1 : 1;
	gint order = compare_names(x->key.names, y->key.names);
	return order ? order : strcmp(x->field.name, y->field.name);
}

static void show_names(const Runs *runs, RunsKey *key)
{
	for (guint i = 0; i < key->n_names; i++)
		key->names[i] = store_text(runs->store, namer_name(&runs->namer, i, key->names[i]));
}

GPtrArray *runs_test(Runs *runs, const GRegex *match, gdouble alpha, guint *ret_n_tested)
{
	GPtrArray *rows = g_ptr_array_new();
	GHashTableIter iter;
	gpointer row;

	g_hash_table_iter_init(&iter, runs->rows);
	while (g_hash_table_iter_next(&iter, &row, NULL)) {
		RunsRow *taken = row;

		if (taken->key.family == FAMILY_SCHEDULER && !runs->of_schedulers)
			continue;
		show_names(runs, &taken->key);
		if (view_names_match(match, taken->key.names, taken->key.n_names))
			g_ptr_array_add(rows, taken);
	}
	g_ptr_array_sort(rows, compare_rows_by_name);
	g_autofree gdouble *leasts = g_new(gdouble, (gsize)rows->len + 1);
	for (guint i = 0; i < rows->len; i++)
		leasts[i] = test_row(g_ptr_array_index(rows, i), runs, alpha);
	*ret_n_tested = 0;
	for (guint family = 0; family < N_FAMILIES; family++)
		*ret_n_tested += adjust(rows, leasts, family, alpha);
	adjust_families(rows, alpha);
	for (guint i = 0; i < rows->len; i++)
		judge_row(g_ptr_array_index(rows, i), leasts[i], alpha);
	g_ptr_array_sort(rows, compare_rows);
	return rows;
}

/* ---- settings ---- */

static gint compare_settings(gconstpointer a, gconstpointer b)
{
	const RunsSetting *x = *(const RunsSetting *const *)a;
	const RunsSetting *y = *(const RunsSetting *const *)b;
	gint order = compare_names(x->key.names, y->key.names);

	return order ? order : strcmp(x->key.metric, y->key.metric);
}

static gboolean differs(const RunsSetting *setting, const Runs *runs)
{
	return runs->n[1] > 0 && setting->n[0] == runs->n[0] && setting->n[1] == runs->n[1] &&
	       *setting->texts[0] && *setting->texts[1] &&
	       strcmp(setting->texts[0], setting->texts[1]) != 0;
}

GPtrArray *runs_list_settings(Runs *runs, gdouble alpha)
{
	GPtrArray *list = g_ptr_array_new();
	gboolean is_chance = runs_least_p(runs->n[0], runs->n[1]) >= alpha;
	GHashTableIter iter;
	gpointer data;

	g_hash_table_iter_init(&iter, runs->settings);
	while (g_hash_table_iter_next(&iter, &data, NULL)) {
		RunsSetting *setting = data;

		/* In two runs, a thread's last CPU is often the same by chance. */
		if (differs(setting, runs) && (setting->key.family == FAMILY_HOST || !is_chance))
			g_ptr_array_add(list, setting);
		show_names(runs, &setting->key);
	}
	g_ptr_array_sort(list, compare_settings);
	return list;
}
