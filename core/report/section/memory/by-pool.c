/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first screen: the host's memory, and pools of processes by their memory. */
#include <string.h>

#include "footprint.h"
#include "listing.h"
#include "overview.h"
#include "report/fold/fold.h"
#include "report/name/namekey.h"
#include "report/name/unit.h"

#define SECONDS_A_MINUTE 60

enum { POOL, PROCESSES, PSS, RSS, USS, SHARED, SWAP, CHANGE, UNIT, SHARE, BEFORE, N_FIELDS };

#define SHORT_BYTES(id, head, flags)                                                               \
	TABLE_FIELD(id, head, "bytes", CTPROF_LADDER_BYTES, CTPROF_FIELD_SHORT | (flags))

static const struct ctprof_report_field fields[N_FIELDS] = {
	[POOL] = SUBJECT_FIELD("pool", "POOL"),
	[PROCESSES] = COUNT_FIELD("processes", "PROCS"),
	[PSS] = ROLE_FIELD("pss", "PSS", "bytes", CTPROF_LADDER_BYTES, CTPROF_FIELD_SHORT, MEMORY),
	[RSS] = SHORT_BYTES("rss", "RSS", 0),
	[USS] = SHORT_BYTES("uss", "USS", 0),
	[SHARED] = SHORT_BYTES("shared", "SHARED", 0),
	[SWAP] = SHORT_BYTES("swap", "SWAP", 0),
	[CHANGE] = SHORT_BYTES("pss_change", "Δ/min", 0),
	[UNIT] = TEXT_FIELD("unit", "UNIT"),
	[SHARE] = SHARE_FIELD("ram_percent", "% RAM"),
	[BEFORE] = SHORT_BYTES("pss_before", "BEFORE", CTPROF_FIELD_HIDDEN),
};

/* What is summed up for each side. */
enum measured { OF_PSS, OF_RSS, OF_USS, OF_SHARED, OF_SWAP, N_MEASURED };

typedef struct sum {
	SumRow row;
	GHashTable *units; /* name -> number of processes; NULL: for a sum of pools */
} Sum;

/* The data of the table. */
typedef struct pooling {
	const Draft *draft;
	Rows rows;
	NameKeys *names;
	GHashTable *units;   /* cgroup -> its unit */
	GHashTable *by_name; /* Sum, by name */
	Sum own, rest, total;
	Tally tally;
	guint64 ram;
} Pooling;

static void sum_free(gpointer data)
{
	Sum *sum = data;

	g_hash_table_unref(sum->units);
	g_free(sum);
}

static void pooling_clear(Pooling *self)
{
	rows_clear(&self->rows);
	g_clear_pointer(&self->names, name_keys_free);
	g_clear_pointer(&self->units, g_hash_table_unref);
	g_clear_pointer(&self->by_name, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pooling, pooling_clear)

/* ---- which pool ---- */

static const char *text_or_none(const Rows *rows, const Pool *row, const char *metric)
{
	const char *text = row_text(rows, row, metric);

	return text ? text : "-";
}

static const char *unit_of_row(Pooling *self, const Pool *row)
{
	const char *cgroup = text_or_none(&self->rows, row, "cgroup");
	const char *unit = g_hash_table_lookup(self->units, cgroup);

	if (!unit) {
		unit = store_take(self->draft->store, unit_of(cgroup));
		g_hash_table_insert(self->units, (gpointer)(uintptr_t)cgroup,
				    (gpointer)(uintptr_t)unit);
	}
	return unit;
}

static const char *pool_of(Pooling *self, const Pool *row)
{
	switch (self->draft->plan->options->pool_by) {
	case POOL_BY_UNIT:
		return unit_of_row(self, row);
	case POOL_BY_CGROUP:
		return text_or_none(&self->rows, row, "cgroup");
	case POOL_BY_USER:
		return text_or_none(&self->rows, row, "user");
	default:
		return name_keys_get(self->names, text_or_none(&self->rows, row, "pcomm"));
	}
}

/* Whether the process is ctprof's own, while it reads this host. */
static gboolean is_own(const Pooling *self, const Pool *row)
{
	const gint32 *own = self->draft->plan->options->own;

	return row->key.tid == own[0] || row->key.tid == own[1];
}

static Sum *sum_of(Pooling *self, const Pool *row)
{
	const char *name = pool_of(self, row);
	Sum *sum = g_hash_table_lookup(self->by_name, name);

	if (sum || is_own(self, row))
		return is_own(self, row) ? &self->own : sum;
	sum = g_new0(Sum, 1);
	sum_row_init(&sum->row, name);
	sum->units = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_insert(self->by_name, (gpointer)(uintptr_t)name, sum);
	return sum;
}

/* ---- sums ---- */

/* Its share of the memory it shares with others.  Huge pages are only in USS. */
static struct ctprof_value shared_of(const struct ctprof_value *pss, const struct ctprof_value *uss)
{
	const struct ctprof_value *absent = pss->type == CTPROF_VALUE_NUMBER ? uss : pss;

	if (absent->type != CTPROF_VALUE_NUMBER)
		return *absent;
	return value_of_number(pss->number - MIN(pss->number, uss->number));
}

static void add_side(const Pooling *self, const Pool *row, guint side, SumRow *sum)
{
	static const char *const metrics[N_MEASURED] = {
		[OF_PSS] = "pss_bytes",
		[OF_RSS] = "rss_bytes",
		[OF_USS] = "uss_bytes",
		[OF_SWAP] = "swap_pss_bytes",
	};
	struct ctprof_value values[N_MEASURED];

	for (guint i = 0; i < N_MEASURED; i++)
		if (metrics[i])
			values[i] = footprint_value(&self->rows, row, side, metrics[i], NULL, NULL);
	values[OF_SHARED] = shared_of(&values[OF_PSS], &values[OF_USS]);
	sum_row_add(sum, side, reading_of(&self->rows, row, side), values, N_MEASURED);
}

static void add_row(Pooling *self, const Pool *row)
{
	enum reading worst = reading_of_sides(&self->rows, row);
	Sum *sum;

	if (worst == READ_NONE || !rows_match(self->draft, pool_of(self, row)))
		return;
	sum = sum_of(self, row);
	self->tally.n[worst]++;
	for (guint side = 0; side < draft_n_sides(self->draft); side++)
		if (reading_of(&self->rows, row, side) != READ_NONE)
			add_side(self, row, side, &sum->row);
	if (sum->units) {
		const char *unit = unit_of_row(self, row);
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(sum->units, unit));

		g_hash_table_insert(sum->units, (gpointer)(uintptr_t)unit, GUINT_TO_POINTER(n + 1));
	}
}

static void fold_rows(Pooling *self)
{
	const GPtrArray *list;

	self->rows = rows_of(self->draft, NULL);
	self->ram = ledger_ram(self->draft);
	sum_row_init(&self->own.row, "ctprof itself");
	sum_row_init(&self->rest.row, NULL);
	sum_row_init(&self->total.row, "total");
	self->names = name_keys_new(NAME_PEERS, self->draft->store);
	self->units = g_hash_table_new(g_str_hash, g_str_equal);
	self->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, sum_free);
	list = self->rows.list;
	for (guint i = 0; i < list->len; i++)
		name_keys_add(self->names, text_or_none(&self->rows, list->pdata[i], "pcomm"));
	for (guint i = 0; i < list->len; i++)
		add_row(self, list->pdata[i]);
}

/* ---- values ---- */

static struct ctprof_value amount_of(const Draft *draft, const Sum *sum, guint side,
				     enum measured what)
{
	return amount_value(&sum->row.sums[what].sides[side], draft->view->compare);
}

/* The growth of PSS: per minute if the time between the captures is known. */
static struct ctprof_value change_of(const Draft *draft, const Sum *sum)
{
	gdouble seconds = draft->plan->options->elapsed_s;
	struct ctprof_value before = amount_of(draft, sum, 0, OF_PSS),
			    after = amount_of(draft, sum, 1, OF_PSS);

	if (!draft->view->compare)
		return (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	if (before.type != CTPROF_VALUE_NUMBER || after.type != CTPROF_VALUE_NUMBER)
		return before.type != CTPROF_VALUE_NUMBER ? before : after;
	const struct ctprof_value grown = value_growth(CTPROF_LEVEL, &before, &after, FALSE);
	gdouble change;
	(void)value_to_number(&grown, &change);
	return (struct ctprof_value){
		.type = CTPROF_VALUE_REAL,
		.flags = grown.flags & CTPROF_VALUE_PARTIAL,
		.real = seconds > 0 ? change / seconds * SECONDS_A_MINUTE : change,
	};
}

/* The most common unit of its processes; of several, the first by name. */
static const char *unit_of_sum(const Sum *sum)
{
	const char *best = NULL;
	guint most = 0;
	GHashTableIter iter;
	gpointer unit, n;

	if (!sum->units)
		return NULL;
	g_hash_table_iter_init(&iter, sum->units);
	while (g_hash_table_iter_next(&iter, &unit, &n))
		if (GPOINTER_TO_UINT(n) > most ||
		    (GPOINTER_TO_UINT(n) == most && strcmp(unit, best) < 0)) {
			best = unit;
			most = GPOINTER_TO_UINT(n);
		}
	return best;
}

/* The value on the newest side, except for fields of the one before. */
static struct ctprof_value value_of(const Pooling *self, const Sum *sum, guint field)
{
	static const enum measured measured[N_FIELDS] = {[PSS] = OF_PSS,
							 [RSS] = OF_RSS,
							 [USS] = OF_USS,
							 [SHARED] = OF_SHARED,
							 [SWAP] = OF_SWAP};
	const Draft *draft = self->draft;
	guint newest = draft_n_sides(draft) - 1;
	struct ctprof_value value;

	switch (field) {
	case POOL:
		return value_of_text(row_name(&sum->row.pool));
	case PROCESSES:
		return value_of_number(sum_row_count(&sum->row, newest));
	case CHANGE:
		return change_of(draft, sum);
	case UNIT:
		return value_of_text(unit_of_sum(sum));
	case SHARE:
		value = amount_of(draft, sum, newest, OF_PSS);
		return value_of_share(&value, self->ram);
	case BEFORE:
		return newest > 0 ? amount_of(draft, sum, 0, OF_PSS)
				  : (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	default:
		return amount_of(draft, sum, newest, measured[field]);
	}
}

/* ---- the table ---- */

struct order {
	const Pooling *pooling;
	guint field;
};

static gdouble magnitude(const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_REAL)
		return ABS(value->real);
	return value->type == CTPROF_VALUE_NUMBER ? (gdouble)value->number : -1;
}

static gint compare_sums(gconstpointer a, gconstpointer b, gpointer data)
{
	const Sum *x = *(const Sum *const *)a, *y = *(const Sum *const *)b;
	const struct order *by = data;
	struct ctprof_value p = value_of(by->pooling, x, by->field);
	struct ctprof_value q = value_of(by->pooling, y, by->field);
	gdouble m = magnitude(&p), n = magnitude(&q);

	return m != n ? (m < n) - (m > n) : strcmp(row_name(&x->row.pool), row_name(&y->row.pool));
}

static void put_sum(const Pooling *self, Table *table, guint32 role, const Sum *sum)
{
	struct ctprof_cell *cells =
		table_role_line(table, role == CTPROF_ROLE_POOL ? 0 : CTPROF_LINE_TOTAL, role);

	for (guint i = 0; i < N_FIELDS; i++) {
		const struct ctprof_value value = value_of(self, sum, i);

		rows_put_same(self->draft, table, cells, i, &value);
	}
}

static gboolean is_nothing(const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_TEXT)
		return strcmp(value->text, "-") == 0;
	return value->type == CTPROF_VALUE_ABSENT ||
	       (value->type == CTPROF_VALUE_NUMBER && value->number == 0);
}

/* Hides columns that are empty, or the same in all lines. */
static void hide_idle(const Pooling *self, Table *table, const GPtrArray *sums)
{
	static const guint8 hidden[] = {USS, SHARED, SWAP, CHANGE, UNIT};
	const AnalysisOptions *options = self->draft->plan->options;

	for (guint i = 0; i < G_N_ELEMENTS(hidden); i++) {
		gboolean is_idle = !options->wide;

		for (guint s = 0; is_idle && s < sums->len; s++) {
			struct ctprof_value value = value_of(self, sums->pdata[s], hidden[i]);

			is_idle = is_nothing(&value);
		}
		table_hide(table, hidden[i], is_idle);
	}
	if (options->pool_by == POOL_BY_UNIT || options->pool_by == POOL_BY_CGROUP)
		table_hide(table, UNIT, TRUE);
}

static GPtrArray *list_sums(Pooling *self, guint field)
{
	struct order by = {self, field};
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter iter;
	gpointer sum;

	g_hash_table_iter_init(&iter, self->by_name);
	while (g_hash_table_iter_next(&iter, NULL, &sum))
		g_ptr_array_add(list, sum);
	g_ptr_array_sort_with_data(list, compare_sums, &by);
	return list;
}

/* Adds the pools, the remaining ones as one line, and the total. */
static void put_lines(Pooling *self, Table *table, const GPtrArray *sums)
{
	guint limit = self->draft->view->limit > 0 ? self->draft->view->limit : sums->len;

	for (guint i = 0; i < sums->len; i++) {
		const Sum *sum = g_ptr_array_index(sums, i);

		if (i < limit)
			put_sum(self, table, CTPROF_ROLE_POOL, sum);
		else
			sum_row_merge(&self->rest.row, &sum->row);
		sum_row_merge(&self->total.row, &sum->row);
	}
	if (sums->len > limit) {
		self->rest.row.pool.key.names[ROW_NAME] = store_take(
			self->draft->store, g_strdup_printf("%u more", sums->len - limit));
		put_sum(self, table, CTPROF_ROLE_REST, &self->rest);
	}
	if (sum_row_count(&self->own.row, 0) > 0)
		put_sum(self, table, CTPROF_ROLE_OWN, &self->own);
	sum_row_merge(&self->total.row, &self->own.row);
	put_sum(self, table, CTPROF_ROLE_TOTAL, &self->total);
}

/* Notes by how much ctprof changes what it reads: it adds users to the pages that it
 * shares. */
static void note_own(const Pooling *self, Table *table)
{
	struct ctprof_value shared = amount_of(self->draft, &self->own, 0, OF_SHARED);

	g_autofree char *much = overview_number(shared.number, 1u << 20, 1);

	if (sum_row_count(&self->own.row, 0) > 0 && shared.type == CTPROF_VALUE_NUMBER)
		table_note(table, "without ctprof the PSS of others would be up to %s MiB more",
			   much);
}

static void draft_screen(const Draft *draft, const Section *section)
{
	static const guint by[] = {PSS, USS, SHARED, SWAP, CHANGE, PROCESSES, POOL};
	g_auto(Pooling) self = {.draft = draft};

	overview_draft(draft);
	fold_rows(&self);
	/* As for a user who may read few processes but those of ctprof. */
	gboolean lacks_pss = self.tally.n[READ_EXACT] <
			     self.tally.n[READ_APPROXIMATE] + sum_row_count(&self.own.row, 0);
	guint field = by[draft->plan->order];
	g_autoptr(GPtrArray) sums = list_sums(&self, field == PSS && lacks_pss ? RSS : field);
	Table *table = tables_add(draft->tables, section->name, section->heading, NULL,
				  CTPROF_SECTION_BARE);
	table_add_fields(table, fields, N_FIELDS);
	if (draft->plan->options->elapsed_s <= 0)
		table_field(table, CHANGE)->header = "Δ";
	put_lines(&self, table, sums);
	hide_idle(&self, table, sums);
	table_hide(table, RSS, !lacks_pss);
	if (lacks_pss)
		table_note(table, "by RSS, which counts a shared page in each process: most "
				  "PSS cannot be read");
	table_cover(table, "processes", &self.tally);
	note_own(&self, table);
	table_note(
		table,
		"more: memory ledger|processes|shared|areas|tmpfs   --group-by unit|cgroup|user   -n 0");
}

const Section view_pools = {
	.name = "pools",
	.heading = "Memory by pool of processes",
	.help = "The host's RAM, and pools of processes by PSS",
	.flags = SECTION_VIEW,
	.draft = draft_screen,
	.orders = (const char *const[]){"pss", "uss", "shared", "swap", "change", "processes",
					"name", NULL},
	.groups = MEMORY_GROUP "," MEMORY_LEDGER_GROUP,
	.needs = "memory_state",
	.what = "memory of processes",
	.capture = "--memory",
};
