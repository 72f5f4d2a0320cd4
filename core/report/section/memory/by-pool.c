/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first screen: the host's memory, and pools of processes by their memory. */
#include <string.h>

#include "footprint.h"
#include "listing.h"
#include "overview.h"
#include "report/name/namekey.h"
#include "report/name/unit.h"

#define SECONDS_A_MINUTE 60

enum { POOL, PROCESSES, PSS, RSS, USS, SHARED, SWAP, CHANGE, UNIT, SHARE, BEFORE, N_FIELDS };

#define OF_SHARED "" /* memory shared with others: computed, not a metric */

/* Amounts are sums over processes; the other fields describe the line as a whole. */
static const Place places[N_FIELDS] = {
	[POOL] = {SUBJECT_FIELD("pool", "POOL"), PLACE_NAME, PLACE_TITLE | PLACE_SAME, NULL},
	[PROCESSES] = {COUNT_FIELD("processes", "PROCS"), NULL, PLACE_SUMMED | PLACE_SAME, NULL},
	[PSS] = {ROLE_FIELD("pss", "PSS", "bytes", CTPROF_LADDER_BYTES, CTPROF_FIELD_SHORT, MEMORY),
		 "pss_bytes", PLACE_SUMMED | PLACE_SAME, NULL},
	[RSS] = {SHORT_BYTES("rss", "RSS"), "rss_bytes", PLACE_SUMMED | PLACE_SAME, NULL},
	[USS] = {SHORT_BYTES("uss", "USS"), "uss_bytes", PLACE_SUMMED | PLACE_SAME, NULL},
	[SHARED] = {SHORT_BYTES("shared", "SHARED"), OF_SHARED, PLACE_SUMMED | PLACE_SAME, NULL},
	[SWAP] = {SHORT_BYTES("swap", "SWAP"), "swap_pss_bytes", PLACE_SUMMED | PLACE_SAME, NULL},
	[CHANGE] = {SHORT_BYTES("pss_change", "Δ/min"), NULL, PLACE_SAME, NULL},
	[UNIT] = {TEXT_FIELD("unit", "UNIT"), NULL, PLACE_SAME, NULL},
	[SHARE] = {SHARE_FIELD("ram_percent", "% RAM"), NULL, PLACE_SAME, NULL},
	[BEFORE] = {SHORT_BYTES("pss_before", "BEFORE"), NULL, PLACE_SAME, NULL},
};

typedef struct sum {
	RowSet set;
	GHashTable *units; /* name -> number of processes; NULL: for a sum of pools */
} Sum;

/* The data of the table. */
typedef struct pooling {
	const Draft *draft;
	Listing processes; /* rows to be summed up */
	Listing lines;     /* the pools' sums */
	NameKeys *names;
	GHashTable *units;   /* cgroup -> its unit */
	GHashTable *by_name; /* Sum, by name */
	Sum own;
	Tally tally;
	guint64 ram;
} Pooling;

static void sum_free(gpointer data)
{
	Sum *sum = data;

	g_hash_table_unref(sum->units);
	row_set_clear(&sum->set);
	g_free(sum);
}

static void pooling_clear(Pooling *self)
{
	listing_clear(&self->processes);
	listing_clear(&self->lines);
	row_set_clear(&self->own.set);
	g_clear_pointer(&self->names, name_keys_free);
	g_clear_pointer(&self->units, g_hash_table_unref);
	g_clear_pointer(&self->by_name, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pooling, pooling_clear)

/* ---- the pool of a process ---- */

static const char *text_or_none(const Rows *rows, const Pair *row, const char *metric)
{
	const char *text = row_text(rows, row, metric);

	return text ? text : "-";
}

static const char *unit_of_row(Pooling *self, const Pair *row)
{
	const char *cgroup = text_or_none(&self->processes.rows, row, "cgroup");
	const char *unit = g_hash_table_lookup(self->units, cgroup);

	if (!unit) {
		unit = store_take(self->draft->store, unit_of_cgroup(cgroup));
		g_hash_table_insert(self->units, (gpointer)(uintptr_t)cgroup,
				    (gpointer)(uintptr_t)unit);
	}
	return unit;
}

static const char *pool_of(Pooling *self, const Pair *row)
{
	const Rows *rows = &self->processes.rows;

	switch (self->draft->plan->options->pool_by) {
	case POOL_BY_UNIT:
		return unit_of_row(self, row);
	case POOL_BY_CGROUP:
		return text_or_none(rows, row, "cgroup");
	case POOL_BY_USER:
		return text_or_none(rows, row, "user");
	default:
		return name_keys_get(self->names, text_or_none(rows, row, "pcomm"));
	}
}

/* Whether the process is ctprof's own, while it reads this host. */
static gboolean is_own(const Pooling *self, const Pair *row)
{
	const gint32 *own = self->draft->plan->options->own;

	return row->key.tid == own[0] || row->key.tid == own[1];
}

static Sum *sum_of(Pooling *self, const Pair *row)
{
	const char *name = pool_of(self, row);
	Sum *sum = g_hash_table_lookup(self->by_name, name);

	if (sum || is_own(self, row))
		return is_own(self, row) ? &self->own : sum;
	sum = g_new0(Sum, 1);
	row_set_init(&sum->set, &self->lines, name);
	sum->units = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_insert(self->by_name, (gpointer)(uintptr_t)name, sum);
	g_ptr_array_add(self->lines.rows.list, sum);
	return sum;
}

/* ---- sums ---- */

/* Returns its part of memory shared with others.  Huge pages count in USS, but not in PSS. */
static struct ctprof_value shared_of(const Rows *rows, const Pair *row, guint side)
{
	struct ctprof_value pss = footprint_value(rows, row, side, places[PSS].metric, NULL);
	struct ctprof_value uss = footprint_value(rows, row, side, places[USS].metric, NULL);

	if (pss.type != CTPROF_VALUE_NUMBER || uss.type != CTPROF_VALUE_NUMBER)
		return pss.type == CTPROF_VALUE_NUMBER ? uss : pss;
	return value_of_number(pss.number - MIN(pss.number, uss.number));
}

static struct ctprof_value value_of_process(const Listing *listing, const Pair *row, guint side,
					    const Place *place)
{
	const Rows *rows = &listing->rows;

	if (place == &places[SHARED])
		return shared_of(rows, row, side);
	if (place->metric)
		return footprint_value(rows, row, side, place->metric, NULL);
	if (footprint_reading(rows, row, side) == READ_NONE)
		return (struct ctprof_value){.why = CTPROF_ABSENT_INAPPLICABLE};
	return value_of_number(1);
}

static void add_row(Pooling *self, const Pair *row)
{
	enum reading worst = footprint_worst_reading(&self->processes.rows, row);
	Sum *sum;

	if (worst == READ_NONE || !rows_match(self->draft, pool_of(self, row)))
		return;
	sum = sum_of(self, row);
	self->tally.n[worst]++;
	for (guint side = 0; side < draft_n_sides(self->draft); side++)
		row_set_add(&sum->set, &self->processes, row, side);
	if (sum->units) {
		const char *unit = unit_of_row(self, row);
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(sum->units, unit));

		g_hash_table_insert(sum->units, (gpointer)(uintptr_t)unit, GUINT_TO_POINTER(n + 1));
	}
}

/* ---- values ---- */

/* Returns the growth of PSS: per minute if the time between the captures is known. */
static struct ctprof_value change_of(const Listing *listing, const Pair *sum)
{
	const Draft *draft = listing->rows.draft;
	gdouble seconds = draft->plan->options->elapsed_s;
	struct ctprof_value before = row_set_value(listing, sum, 0, &places[PSS]),
			    after = row_set_value(listing, sum, 1, &places[PSS]);

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

/* Returns the unit of most of its processes; of equally common ones, the first by name. */
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

/* Returns the value on the newest side; BEFORE and CHANGE also read the older one. */
static struct ctprof_value value_of_line(const Listing *listing, const Pair *row, guint side,
					 const Place *place)
{
	const Pooling *self = listing->data;
	guint newest = draft_n_sides(self->draft) - 1;
	struct ctprof_value value;

	(void)side;
	switch (place - places) {
	case CHANGE:
		return change_of(listing, row);
	case UNIT:
		return value_of_text(unit_of_sum((const void *)row));
	case SHARE:
		value = row_set_value(listing, row, newest, &places[PSS]);
		return value_of_share(&value, self->ram);
	case BEFORE:
		return newest > 0 ? row_set_value(listing, row, 0, &places[PSS])
				  : (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	default:
		return row_set_value(listing, row, newest, place);
	}
}

/* ---- the table ---- */

static void fold_rows(Pooling *self, const Draft *draft)
{
	const Listing processes = {
		.places = places, .n_places = N_FIELDS, .value = value_of_process};
	GPtrArray *list;

	self->draft = draft;
	self->ram = ledger_ram(draft);
	self->processes = listing_of(draft, &processes, NULL);
	self->lines = self->processes;
	self->lines.value = value_of_line;
	self->lines.data = self;
	self->lines.rows.list = g_ptr_array_new();
	row_set_init(&self->own.set, &self->lines, "ctprof itself");
	self->names = name_keys_new(NAME_PEERS, draft->store);
	self->units = g_hash_table_new(g_str_hash, g_str_equal);
	self->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, sum_free);
	list = self->processes.rows.list;
	for (guint i = 0; i < list->len; i++)
		name_keys_add(self->names,
			      text_or_none(&self->processes.rows, list->pdata[i], "pcomm"));
	for (guint i = 0; i < list->len; i++)
		add_row(self, list->pdata[i]);
}

static guint64 count_own(const Pooling *self)
{
	return row_set_value(&self->lines, &self->own.set.pair, 0, &places[PROCESSES]).number;
}

static void put_sum(const Pooling *self, guint32 role, const RowSet *set)
{
	listing_line(&self->lines, &set->pair, role == CTPROF_ROLE_POOL ? 0 : CTPROF_LINE_TOTAL, 0);
	table_last(self->lines.table)->role = role;
}

/* Hides columns that are empty, or the same in all lines. */
static void hide_idle(const Pooling *self)
{
	static const guint8 hidden[] = {USS, SHARED, SWAP, CHANGE, UNIT};
	const AnalysisOptions *options = self->draft->plan->options;

	for (guint i = 0; i < G_N_ELEMENTS(hidden); i++)
		listing_hide_idle(&self->lines, &places[hidden[i]]);
	if (options->pool_by == POOL_BY_UNIT || options->pool_by == POOL_BY_CGROUP)
		table_hide(self->lines.table, UNIT, TRUE);
	table_hide(self->lines.table, BEFORE, TRUE);
}

/* Adds the pools, one line for the remaining ones, one for ctprof itself, and the total. */
static void put_lines(const Pooling *self)
{
	const GPtrArray *list = self->lines.rows.list;
	guint limit = self->draft->view->limit > 0 ? self->draft->view->limit : list->len;
	Sum rest = {.units = NULL}, total = {.units = NULL};

	row_set_init(&rest.set, &self->lines, NULL);
	row_set_init(&total.set, &self->lines, "total");
	for (guint i = 0; i < list->len; i++) {
		const RowSet *set = g_ptr_array_index(list, i);

		if (i < limit)
			put_sum(self, CTPROF_ROLE_POOL, set);
		else
			row_set_merge(&rest.set, &self->lines, set);
		row_set_merge(&total.set, &self->lines, set);
	}
	if (list->len > limit) {
		rest.set.pair.key.names[ROW_NAME] = store_take(
			self->draft->store, g_strdup_printf("%u more", list->len - limit));
		put_sum(self, CTPROF_ROLE_REST, &rest.set);
	}
	if (count_own(self) > 0)
		put_sum(self, CTPROF_ROLE_OWN, &self->own.set);
	row_set_merge(&total.set, &self->lines, &self->own.set);
	put_sum(self, CTPROF_ROLE_TOTAL, &total.set);
	row_set_clear(&rest.set);
	row_set_clear(&total.set);
}

/* Notes how much ctprof distorts what it reads: as one more user of shared pages, it lowers the PSS
 * of the others. */
static void note_own(const Pooling *self)
{
	const struct ctprof_value shared =
		row_set_value(&self->lines, &self->own.set.pair, 0, &places[SHARED]);
	g_autofree char *much = overview_number(shared.number, 1u << 20, 1);

	if (count_own(self) > 0 && shared.type == CTPROF_VALUE_NUMBER)
		table_note(self->lines.table,
			   "without ctprof the PSS of others would be up to %s MiB higher", much);
}

static void draft_screen(const Draft *draft, const Section *section)
{
	static const guint by[] = {PSS, USS, SHARED, SWAP, CHANGE, PROCESSES, POOL};
	g_auto(Pooling) self = {.draft = draft};
	guint field = by[draft->plan->order];

	overview_draft(draft);
	fold_rows(&self, draft);
	/* For example, if the user can read few processes other than ctprof's own. */
	gboolean lacks_pss =
		self.tally.n[READ_EXACT] < self.tally.n[READ_APPROXIMATE] + count_own(&self);
	listing_sort(&self.lines, places[field == PSS && lacks_pss ? RSS : field].field.name);
	listing_begin(&self.lines, section->name, section->heading);
	Table *table = self.lines.table;
	table->section.flags |= CTPROF_SECTION_BARE;
	if (draft->plan->options->elapsed_s <= 0)
		table_field(table, CHANGE)->header = "Δ";
	put_lines(&self);
	hide_idle(&self);
	table_hide(table, RSS, !lacks_pss);
	if (lacks_pss)
		table_note(table, "by RSS, which counts a shared page in each process: most "
				  "PSS cannot be read");
	table_note_coverage(table, "processes", &self.tally);
	note_own(&self);
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
