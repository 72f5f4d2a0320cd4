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

enum { CATEGORY, PROCESSES, PSS, SWAP, TOTAL, EXACT, APPROXIMATE, MISSING, N_PLACES };

/* A process is exact (PSS and swap known), approximate (only PSS known), or missing (not even
 * that, so it is in no sum). */
static const Place places[N_PLACES] = {
	[CATEGORY] = {TEXT_FIELD("category", "CATEGORY"), PLACE_NAME, PLACE_TITLE | PLACE_SAME,
		      NULL},
	[PROCESSES] = {COUNT_FIELD("processes", "PROCS"), NULL, PLACE_SUMMED, NULL},
	[PSS] = {BYTES_FIELD("pss", "PSS"), "pss_bytes", PLACE_SUMMED, "Pss"},
	[SWAP] = {BYTES_FIELD("pss_swap", "SWAPPSS"), "swap_pss_bytes", PLACE_SUMMED, "SwapPss"},
	[TOTAL] = {BYTES_FIELD("pss_total", "TOTAL"), NULL, 0, NULL},
	[EXACT] = {COUNT_FIELD("exact", "EXACT"), NULL, PLACE_SUMMED, NULL},
	[APPROXIMATE] = {COUNT_FIELD("approximate", "APPROX"), NULL, PLACE_SUMMED, NULL},
	[MISSING] = {COUNT_FIELD("missing", "MISSING"), NULL, PLACE_SUMMED, NULL},
};

/* The fields to sort by; NULL: the order of the category table. */
static const char *const fields_of_orders[] = {
	NULL, "pss", "pss_swap", "pss_total", "processes", "category",
};
static const char *const orders[] = {"table", "pss", "swap", "total", "processes", "name", NULL};

typedef struct folding {
	const Draft *draft;
	Listing processes;
	Listing lines;                 /* sums of the categories that are shown */
	Categories *categories, *none; /* none is used if no table is given */
	RowSet *sets;                  /* by category */
	Tally tally;
	gboolean has_swap[SIDES]; /* some process has swap */
	guint64 n_pssless[SIDES];
	GString *pssless[SIDES]; /* PIDs of the first NAMED_PIDS processes */
} Folding;

static void folding_clear(Folding *self)
{
	for (guint i = 0; i < categories_count(self->categories); i++)
		row_set_clear(&self->sets[i]);
	g_clear_pointer(&self->none, categories_free);
	g_clear_pointer(&self->sets, g_free);
	listing_clear(&self->processes);
	listing_clear(&self->lines);
	for (guint side = 0; side < SIDES; side++)
		g_string_free(self->pssless[side], TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Folding, folding_clear)

/* ---- a process's values ---- */

static const char *command_of(const Rows *rows, const Pair *row, guint side)
{
	const char *command = row_text_of(rows, row, side, "cmdline");

	if (!command)
		command = row_text_of(rows, row, side, "pcomm");
	return command ? command : "";
}

/* Kernel threads and zombies have no memory. */
static gboolean has_memory(const Rows *rows, const Pair *row, guint side)
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
	/* Older files have an empty map in place of an absent one. */
	return rollup ? rollup->len > 0 : !row_is_inapplicable(rows, row, side, ROLLUP);
}

/* Returns the metric's value or, if it is absent, the rollup's, in bytes. */
static struct ctprof_value amount_of(const Rows *rows, const Pair *row, guint side,
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

static enum reading reading_at(const Rows *rows, const Pair *row, guint side)
{
	if (!has_memory(rows, row, side))
		return READ_NONE;
	if (amount_of(rows, row, side, "pss_bytes", "Pss").type == CTPROF_VALUE_ABSENT)
		return READ_MISSING;
	return amount_of(rows, row, side, "swap_pss_bytes", "SwapPss").type == CTPROF_VALUE_ABSENT
		       ? READ_APPROXIMATE
		       : READ_EXACT;
}

static struct ctprof_value value_of_process(const Listing *listing, const Pair *row, guint side,
					    const Place *place)
{
	const Rows *rows = &listing->rows;
	enum reading reading = reading_at(rows, row, side);

	if (reading == READ_NONE)
		return (struct ctprof_value){.why = CTPROF_ABSENT_INAPPLICABLE};
	if (!place->metric)
		return value_of_number(place == &places[PROCESSES] ||
				       place - &places[EXACT] == reading - READ_EXACT);
	if (reading == READ_MISSING)
		place = &places[PSS];
	struct ctprof_value value = amount_of(rows, row, side, place->metric, place->stand_in);
	if (place == &places[SWAP])
		value.number =
			fold_add_saturated(value.number, swap_share_of(rows->draft, row, side));
	return value;
}

/* ---- sums ---- */

static void name_pssless(Folding *self, const Pair *row, guint side)
{
	GString *pids = self->pssless[side];
	guint64 n = self->n_pssless[side]++;

	if (n < NAMED_PIDS)
		g_string_append_printf(pids, "%s%d", n ? ", " : "", row->key.tid);
	else if (n == NAMED_PIDS)
		g_string_append(pids, ", …");
}

/* A process may be in different categories on the two sides. */
static void add_row(Folding *self, const Pair *row)
{
	const Rows *rows = &self->processes.rows;
	enum reading worst = READ_NONE;
	RowSet *set = NULL;

	for (guint side = 0; side < SIDES; side++) {
		enum reading reading = reading_at(rows, row, side);

		if (reading == READ_NONE)
			continue;
		worst = MAX(worst, reading);
		set = &self->sets[categories_find(self->categories, command_of(rows, row, side))];
		row_set_add(set, &self->processes, row, side);
		struct ctprof_value swap = amount_of(rows, row, side, "swap_bytes", "Swap");
		self->has_swap[side] |= swap.type == CTPROF_VALUE_NUMBER && swap.number > 0;
		if (reading == READ_MISSING)
			name_pssless(self, row, side);
	}
	if (set && rows_match(self->draft, row_name(&set->pair)))
		self->tally.n[worst]++;
}

/* A category with processes on only one side is 0 on the other. */
static struct ctprof_value value_of_line(const Listing *listing, const Pair *row, guint side,
					 const Place *place)
{
	struct ctprof_value pss = row_set_value(listing, row, side, &places[PSS]);
	struct ctprof_value swap = row_set_value(listing, row, side, &places[SWAP]);

	if (place != &places[TOTAL])
		return row_set_value(listing, row, side, place);
	swap.number = fold_add_saturated(swap.number, pss.number);
	return swap;
}

/* Keeps the categories that have a process and match --filter. */
static void list_sets(Folding *self)
{
	for (guint i = 0; i < categories_count(self->categories); i++) {
		RowSet *set = &self->sets[i];

		if (row_set_value(&self->lines, &set->pair, 0, &places[PROCESSES]).number +
				    row_set_value(&self->lines, &set->pair, 1, &places[PROCESSES])
					    .number >
			    0 &&
		    rows_match(self->draft, row_name(&set->pair)))
			g_ptr_array_add(self->lines.rows.list, set);
	}
}

static void fold_rows(Folding *self)
{
	const Listing processes = {
		.places = places, .n_places = N_PLACES, .value = value_of_process};
	const Draft *draft = self->draft;
	Categories *given = draft->plan->options->categories;

	self->none = categories_new();
	self->categories = given ? given : self->none;
	self->processes = listing_of(draft, &processes, NULL);
	self->lines = self->processes;
	self->lines.value = value_of_line;
	self->lines.rows.list = g_ptr_array_new();
	for (guint side = 0; side < SIDES; side++)
		self->pssless[side] = g_string_new(NULL);
	self->sets = g_new(RowSet, categories_count(self->categories));
	for (guint i = 0; i < categories_count(self->categories); i++)
		row_set_init(&self->sets[i], &self->lines,
			     store_text(draft->store, categories_name(self->categories, i)));
	for (guint i = 0; i < self->processes.rows.list->len; i++)
		add_row(self, self->processes.rows.list->pdata[i]);
	list_sets(self);
}

/* ---- what the sums do not include ---- */

static void put_side_notes(const Folding *self, guint side, Table *table)
{
	const char *whose = !self->draft->view->compare ? "" : side ? "Candidate: " : "Baseline: ";
	guint64 n = self->n_pssless[side], n_unreadable = 0;

	if (n > 0)
		table_note(table,
			   "%sNo PSS of %" G_GUINT64_FORMAT
			   " process%s (pid %s): counted as missing, not in any "
			   "sum.",
			   whose, n, n == 1 ? "" : "es", self->pssless[side]->str);
	if (self->has_swap[side] && !swap_shares_are_known(self->draft, side))
		table_note(
			table,
			"%sSums exclude swapped-out shared memory: capture with --memory=shared.",
			whose);
	(void)swap_number(self->draft, side, "swap_unreadable", &n_unreadable);
	if (n_unreadable > 0 && swap_is_shared(self->draft, side))
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
	Listing *lines = &folding.lines;
	const char *order = fields_of_orders[draft->plan->order];
	g_auto(RowSet) total;

	fold_rows(&folding);
	row_set_init(&total, lines, "total");
	if (order)
		listing_sort(lines, order);
	listing_begin(lines, section->name, section->heading);
	for (guint i = 0; i < lines->rows.list->len; i++) {
		const RowSet *set = g_ptr_array_index(lines->rows.list, i);

		row_set_merge(&total, lines, set);
		if (table_has_room(lines->table, draft->view->limit))
			listing_put(lines, &set->pair, 0);
	}
	listing_line(lines, &total.pair, CTPROF_LINE_TOTAL, 0);
	table_note_coverage(lines->table, "processes", &folding.tally);
	put_notes(&folding, lines->table);
}

/* ---- the artifact -------------------------------------------------------------- */

/* Writes the artifact of the last side only. */
static void write_artifact(const Draft *draft)
{
	guint side = draft_n_sides(draft) - 1;
	g_auto(Rows) rows = rows_of(draft, NULL);

	for (guint i = 0; i < rows.list->len; i++) {
		const Pair *row = g_ptr_array_index(rows.list, i);
		const GArray *rollup = row_map(&rows, row, side, ROLLUP);

		if (rollup && rollup->len > 0)
			artifact_add(draft->artifact, command_of(&rows, row, side), row->key.tid,
				     swap_share_of(draft, row, side), rollup);
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
