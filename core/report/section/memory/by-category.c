/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes by category, and the artifact of ChromeOS's tests. */
#include <string.h>

#include "artifact.h"
#include "footprint.h"
#include "frame/units.h"
#include "listing.h"
#include "report/fold/fold.h"

#define ROLLUP "smaps_rollup_kib"
#define NAMED_PIDS 8

enum { CATEGORY, PROCESSES, PSS, SWAP, TOTAL, EXACT, APPROXIMATE, MISSING };

static const Place places[] = {
	[CATEGORY] = {TEXT_FIELD("category", "CATEGORY"), PLACE_NAME, PLACE_TITLE | PLACE_SAME,
		      NULL},
	[PROCESSES] = {COUNT_FIELD("processes", "PROCS"), NULL, 0, NULL},
	[PSS] = {BYTES_FIELD("pss", "PSS"), NULL, 0, NULL},
	[SWAP] = {BYTES_FIELD("pss_swap", "SWAPPSS"), NULL, 0, NULL},
	[TOTAL] = {BYTES_FIELD("pss_total", "TOTAL"), NULL, 0, NULL},
	[EXACT] = {COUNT_FIELD("exact", "EXACT"), NULL, 0, NULL},
	[APPROXIMATE] = {COUNT_FIELD("approximate", "APPROX"), NULL, 0, NULL},
	[MISSING] = {COUNT_FIELD("missing", "MISSING"), NULL, 0, NULL},
};

/* The fields to sort by; NULL: as they are listed. */
static const char *const fields_of_orders[] = {
	NULL, "pss", "pss_swap", "pss_total", "processes", "category",
};
static const char *const orders[] = {"table", "pss", "swap", "total", "processes", "name", NULL};

/* What is summed up.  A process is exact (PSS and swap known), approximate (only PSS known),
 * or missing (not even that, so it is in no sum). */
enum { OF_PSS, OF_SWAP, N_SUMMED };

typedef struct folding {
	const Draft *draft;
	Rows rows;
	SwapShares shares;
	Categories *categories, *none; /* none is used if no table is given */
	SumRow *sums;                  /* by category */
	gboolean has_swap[SIDES];      /* some process has swap */
	guint64 n_pssless[SIDES];
	GString *pssless[SIDES]; /* pids of the first of them */
} Folding;

static void folding_clear(Folding *self)
{
	g_clear_pointer(&self->none, categories_free);
	g_clear_pointer(&self->sums, g_free);
	swap_shares_clear(&self->shares);
	rows_clear(&self->rows);
	for (guint side = 0; side < SIDES; side++)
		if (self->pssless[side])
			g_string_free(self->pssless[side], TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Folding, folding_clear)

/* ---- a process's values ---- */

static const char *command_of(const Rows *rows, const Pool *row, guint side)
{
	const char *command = row_text_of(rows, row, side, "cmdline");

	if (!command)
		command = row_text_of(rows, row, side, "pcomm");
	return command ? command : "";
}

/* Kernel threads and zombies have no memory. */
static gboolean has_memory(const Rows *rows, const Pool *row, guint side)
{
	const char *state = row_text_of(rows, row, side, "memory_state");
	const GArray *rollup = row_map(rows, row, side, ROLLUP);

	if (!row->sides[side])
		return FALSE;
	if (!state)
		state = row_text_of(rows, row, side, "smaps_state");
	if (state)
		return strcmp(state, "not-applicable") != 0;
	if (row_value(rows, row, side, "pss_bytes").type == CTPROF_VALUE_NUMBER)
		return TRUE;
	/* Older files have an empty map instead. */
	return rollup ? rollup->len > 0 : !row_is_inapplicable(rows, row, side, ROLLUP);
}

/* In bytes: the metric, or the rollup's value. */
static struct ctprof_value amount_of(const Rows *rows, const Pool *row, guint side,
				     const char *metric, const char *key)
{
	struct ctprof_value value = row_value(rows, row, side, metric);
	const GArray *rollup = row_map(rows, row, side, ROLLUP);

	if (value.type == CTPROF_VALUE_NUMBER)
		return value;
	for (guint i = 0; rollup && i < rollup->len; i++) {
		const MapItem *item = &g_array_index(rollup, MapItem, i);

		if (strcmp(item->key, key) == 0)
			return value_of_number(fold_multiply_saturated(item->number, KIB));
	}
	return (struct ctprof_value){.why = value.why};
}

/* ---- sums ---- */

static void name_pssless(Folding *self, const Pool *row, guint side)
{
	GString *pids = self->pssless[side];
	guint64 n = self->n_pssless[side]++;

	if (n < NAMED_PIDS)
		g_string_append_printf(pids, "%s%d", n ? ", " : "", row->key.tid);
	else if (n == NAMED_PIDS)
		g_string_append(pids, ", …");
}

static enum reading add_side(Folding *self, const Pool *row, guint side, SumRow *sum)
{
	const Rows *rows = &self->rows;
	struct ctprof_value pss = amount_of(rows, row, side, "pss_bytes", "Pss");
	struct ctprof_value swap_pss = amount_of(rows, row, side, "swap_pss_bytes", "SwapPss");
	struct ctprof_value swap = amount_of(rows, row, side, "swap_bytes", "Swap");
	enum reading reading = READ_EXACT;

	self->has_swap[side] |= swap.type == CTPROF_VALUE_NUMBER && swap.number > 0;
	if (pss.type == CTPROF_VALUE_ABSENT)
		reading = READ_MISSING;
	else if (swap_pss.type == CTPROF_VALUE_ABSENT)
		reading = READ_APPROXIMATE;
	if (reading == READ_MISSING)
		name_pssless(self, row, side);
	swap_pss.number =
		fold_add_saturated(swap_pss.number, swap_share_of(&self->shares, row, side));
	const struct ctprof_value values[N_SUMMED] = {
		[OF_PSS] = pss, [OF_SWAP] = reading == READ_MISSING ? pss : swap_pss};
	sum_row_add(sum, side, reading, values, N_SUMMED);
	return reading;
}

static void add_row(Folding *self, const Pool *row)
{
	enum reading worst = READ_NONE;
	SumRow *sum = NULL;

	for (guint side = 0; side < SIDES; side++) {
		if (!has_memory(&self->rows, row, side))
			continue;
		sum = &self->sums[categories_find(self->categories,
						  command_of(&self->rows, row, side))];
		enum reading reading = add_side(self, row, side, sum);
		worst = MAX(worst, reading);
	}
	if (sum)
		sum->tally.n[worst]++;
}

static void fold_rows(Folding *self)
{
	Categories *given = self->draft->plan->options->categories;

	self->none = categories_new();
	self->categories = given ? given : self->none;
	self->rows = rows_of(self->draft, NULL);
	swap_shares_init(&self->shares, self->draft);
	for (guint side = 0; side < SIDES; side++)
		self->pssless[side] = g_string_new(NULL);
	self->sums = g_new(SumRow, categories_count(self->categories));
	for (guint i = 0; i < categories_count(self->categories); i++)
		sum_row_init(&self->sums[i],
			     store_text(self->draft->store, categories_name(self->categories, i)));
	for (guint i = 0; i < self->rows.list->len; i++)
		add_row(self, g_ptr_array_index(self->rows.list, i));
}

/* ---- the table ---- */

/* A category with processes on only one side is 0 on the other. */
static struct ctprof_value value_of(const Listing *listing, const Pool *row, guint side,
				    const Place *place)
{
	const SumRow *sum = (const void *)row;
	gboolean zero = listing->rows.draft->view->compare;
	const Amount *pss = &sum->sums[OF_PSS].sides[side];
	Amount swap = sum->sums[OF_SWAP].sides[side];

	switch (place - places) {
	case CATEGORY:
		return value_of_text(row_name(row));
	case PROCESSES:
		return value_of_number(sum_row_count(sum, side));
	case PSS:
		return amount_value(pss, zero);
	case TOTAL:
		swap.number = fold_add_saturated(swap.number, pss->number);
		return amount_value(&swap, zero);
	case SWAP:
		return amount_value(&swap, zero);
	default:
		return value_of_number(sum->sides[side].n[READ_EXACT + place - &places[EXACT]]);
	}
}

/* The categories that have a process and match --filter. */
static GPtrArray *list_rows(const Folding *self)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < categories_count(self->categories); i++) {
		SumRow *sum = &self->sums[i];

		if (sum_row_count(sum, 0) + sum_row_count(sum, 1) > 0 &&
		    rows_match(self->draft, row_name(&sum->pool)))
			g_ptr_array_add(list, sum);
	}
	return list;
}

/* ---- what the sums lack ---- */

static void put_side_notes(const Folding *self, guint side, Table *table)
{
	const char *whose = !self->draft->view->compare ? "" : side ? "Candidate: " : "Baseline: ";
	guint64 n = self->n_pssless[side], n_unreadable = self->shares.n_unreadable[side];

	if (n > 0)
		table_note(table,
			   "%sNo PSS of %" G_GUINT64_FORMAT
			   " process%s (pid %s): counted as missing, not in any "
			   "sum.",
			   whose, n, n == 1 ? "" : "es", self->pssless[side]->str);
	if (self->has_swap[side] && !self->shares.is_known[side])
		table_note(
			table,
			"%sSums exclude swapped-out shared memory: capture with --memory=shared.",
			whose);
	/* If nothing is swapped out, no process has a share. */
	if (n_unreadable > 0 && g_hash_table_size(self->shares.by_pid[side]) > 0)
		table_note(table,
			   "%sThe mappings of %" G_GUINT64_FORMAT
			   " process%s could not be read: the shares of shared swap may be too "
			   "large.",
			   whose, n_unreadable, n_unreadable == 1 ? "" : "es");
}

static void put_notes(const Folding *self, Table *table)
{
	g_autofree char *complaint = categories_complaint(self->categories);

	if (complaint)
		table_note(table, "%s", complaint);
	for (guint side = 0; side < draft_n_sides(self->draft); side++)
		put_side_notes(self, side, table);
}

static void draft_categories(const Draft *draft, const Section *section)
{
	g_auto(Folding) folding = {.draft = draft};
	const char *order = fields_of_orders[draft->plan->order];
	SumRow total;

	fold_rows(&folding);
	sum_row_init(&total, "total");
	g_autoptr(GPtrArray) list = list_rows(&folding);
	Listing listing = {
		.rows = {draft, folding.rows.table, list},
		.places = places,
		.n_places = G_N_ELEMENTS(places),
		.value = value_of,
	};
	if (order)
		listing_sort(&listing, order);
	listing_begin(&listing, section->name, section->heading);
	for (guint i = 0; i < list->len; i++) {
		const SumRow *sum = g_ptr_array_index(list, i);

		sum_row_merge(&total, sum);
		if (table_has_room(listing.table, draft->view->limit))
			listing_put(&listing, &sum->pool, 0);
	}
	listing_line(&listing, &total.pool, CTPROF_LINE_TOTAL, 0);
	table_cover(listing.table, "processes", &total.tally);
	put_notes(&folding, listing.table);
}

/* ---- the artifact -------------------------------------------------------------- */

/* Only for the last side. */
static void write_artifact(const Draft *draft)
{
	guint side = draft_n_sides(draft) - 1;
	g_auto(Rows) rows = rows_of(draft, NULL);
	g_auto(SwapShares) shares = {.n_unreadable = {0}};

	swap_shares_init(&shares, draft);
	for (guint i = 0; i < rows.list->len; i++) {
		const Pool *row = g_ptr_array_index(rows.list, i);
		const GArray *rollup = row_map(&rows, row, side, ROLLUP);

		if (rollup && rollup->len > 0)
			artifact_add(draft->artifact, command_of(&rows, row, side), row->key.tid,
				     swap_share_of(&shares, row, side), rollup);
	}
	artifact_end(draft->artifact);
}

static void draft_view(const Draft *draft, const Section *section)
{
	draft_categories(draft, section);
	write_artifact(draft);
}

#define GROUPS MEMORY_GROUP ",smaps," MEMORY_SWAP_GROUP

const Section section_categories = {
	.name = SECTION_CATEGORIES,
	.heading = "Memory by category",
	.help = "PSS and swap of processes by category: see --categories",
	.flags = SECTION_NAMED,
	.place = {5, 5},
	.draft = draft_categories,
	.groups = GROUPS,
	.optional = MEMORY_LEDGER_GROUP,
};

const Section view_categories = {
	.name = "categories",
	.heading = "Memory by category",
	.help = "PSS and swap of processes by category",
	.flags = SECTION_VIEW,
	.draft = draft_view,
	.orders = orders,
	.groups = GROUPS,
	.optional = MEMORY_LEDGER_GROUP,
	.needs = "memory_state," ROLLUP,
	.what = "memory of processes",
	.capture = "--memory=processes",
};
