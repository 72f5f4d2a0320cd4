/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes by category, and the artifact of ChromeOS's tests. */
#include <string.h>

#include "artifact.h"
#include "footprint.h"
#include "frame/units.h"
#include "report/fold/fold.h"

#define ROLLUP "smaps_rollup_kib"
#define NAMED_PIDS 8

enum {
	FIELD_CATEGORY,
	FIELD_PROCESSES,
	FIELD_PSS,
	FIELD_PSS_SWAP,
	FIELD_PSS_TOTAL,
	FIELD_EXACT,
	FIELD_APPROXIMATE,
	FIELD_MISSING,
	N_FIELDS
};

static const struct ctprof_report_field fields[N_FIELDS] = {
	[FIELD_CATEGORY] = TEXT_FIELD("category", "CATEGORY"),
	[FIELD_PROCESSES] = COUNT_FIELD("processes", "PROCS"),
	[FIELD_PSS] = BYTES_FIELD("pss", "PSS"),
	[FIELD_PSS_SWAP] = BYTES_FIELD("pss_swap", "SWAPPSS"),
	[FIELD_PSS_TOTAL] = BYTES_FIELD("pss_total", "TOTAL"),
	[FIELD_EXACT] = COUNT_FIELD("exact", "EXACT"),
	[FIELD_APPROXIMATE] = COUNT_FIELD("approximate", "APPROX"),
	[FIELD_MISSING] = COUNT_FIELD("missing", "MISSING"),
};

/* The sort field; FIELD_CATEGORY: by name. */
#define AS_LISTED N_FIELDS

static const guint fields_of_orders[] = {
	AS_LISTED, FIELD_PSS, FIELD_PSS_SWAP, FIELD_PSS_TOTAL, FIELD_PROCESSES, FIELD_CATEGORY,
};
static const char *const orders[] = {"table", "pss", "swap", "total", "processes", "name", NULL};

/* The processes of a category.  A process is exact (PSS and swap known),
 * approximate (only PSS known), or missing (not even that, so it is in no
 * sum). */
typedef struct sum {
	const char *name;
	Tally sides[SIDES];
	Sums pss, swap;
	Tally tally; /* by the worst of both sides */
} Sum;

typedef struct folding {
	const Draft *draft;
	Rows rows;
	SwapShares shares;
	Categories *categories, *none; /* none is used if no table is given */
	Sum *sums;                     /* by category */
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

static enum reading add_side(Folding *self, const Pool *row, guint side, Sum *sum)
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
	amount_add(&sum->pss.sides[side], &pss);
	amount_add(&sum->swap.sides[side], reading == READ_MISSING ? &pss : &swap_pss);
	sum->sides[side].n[reading]++;
	return reading;
}

static void add_row(Folding *self, const Pool *row)
{
	enum reading worst = READ_NONE;
	Sum *sum = NULL;

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
	self->sums = g_new0(Sum, categories_count(self->categories));
	for (guint i = 0; i < categories_count(self->categories); i++)
		self->sums[i].name =
			store_text(self->draft->store, categories_name(self->categories, i));
	for (guint i = 0; i < self->rows.list->len; i++)
		add_row(self, g_ptr_array_index(self->rows.list, i));
}

static void add_sum(Sum *total, const Sum *sum)
{
	for (guint i = 0; i < N_READINGS; i++) {
		total->tally.n[i] += sum->tally.n[i];
		for (guint side = 0; side < SIDES; side++)
			total->sides[side].n[i] += sum->sides[side].n[i];
	}
	sums_merge(&total->pss, &sum->pss);
	sums_merge(&total->swap, &sum->swap);
}

/* ---- the table ---- */

static guint64 count_of(const Sum *sum, guint field, guint side)
{
	const guint64 *n = sum->sides[side].n;

	return field >= FIELD_EXACT ? n[READ_EXACT + field - FIELD_EXACT]
				    : n[READ_EXACT] + n[READ_APPROXIMATE] + n[READ_MISSING];
}

/* A category with processes on only one side is 0 on the other. */
static void sum_values(const Draft *draft, const Sum *sum, guint field,
		       struct ctprof_value ret_values[SIDES])
{
	gboolean zero = draft->view->compare;
	Sums total = sum->swap;

	for (guint side = 0; side < SIDES; side++) {
		total.sides[side].number =
			fold_add_saturated(total.sides[side].number, sum->pss.sides[side].number);
		ret_values[side] = value_of_number(count_of(sum, field, side));
	}
	if (field == FIELD_CATEGORY)
		ret_values[0] = ret_values[1] = value_of_text(sum->name);
	else if (field == FIELD_PSS)
		sums_values(draft, &sum->pss, zero, ret_values);
	else if (field == FIELD_PSS_SWAP)
		sums_values(draft, &sum->swap, zero, ret_values);
	else if (field == FIELD_PSS_TOTAL)
		sums_values(draft, &total, zero, ret_values);
}

/* Adds the line; FALSE if the filters for changes hide all its numbers. */
static gboolean put_sum(const Draft *draft, Table *table, guint32 flags, const Sum *sum)
{
	struct ctprof_cell *cells = table_line(table, flags, 0);
	gboolean passes = FALSE;

	for (guint field = 0; field < N_FIELDS; field++) {
		struct ctprof_value values[SIDES];

		sum_values(draft, sum, field, values);
		rows_put(draft, table, cells, field, values);
		if (field != FIELD_CATEGORY)
			passes |= view_passes(draft->view, &cells[field], &fields[field]);
	}
	return passes;
}

static gint compare_sums(gconstpointer a, gconstpointer b, gpointer data)
{
	const Sum *const *x = a, *const *y = b;
	const Draft *draft = data;
	guint field = fields_of_orders[draft->plan->order];
	struct ctprof_value p[SIDES], q[SIDES];

	sum_values(draft, *x, field, p);
	sum_values(draft, *y, field, q);
	gint order = field == FIELD_CATEGORY ? 0 : rows_compare_values(draft, p, q);
	return order != 0 ? order : strcmp((*x)->name, (*y)->name);
}

/* The categories that have a process and match --filter. */
static GPtrArray *list_sums(const Folding *self)
{
	const Draft *draft = self->draft;
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < categories_count(self->categories); i++) {
		Sum *sum = &self->sums[i];
		guint64 n = count_of(sum, FIELD_PROCESSES, 0) + count_of(sum, FIELD_PROCESSES, 1);

		if (n > 0 && rows_match(draft, sum->name))
			g_ptr_array_add(list, sum);
	}
	if (fields_of_orders[draft->plan->order] != AS_LISTED)
		g_ptr_array_sort_with_data(list, compare_sums, (gpointer)(uintptr_t)draft);
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
	Sum total = {.name = "total"};

	fold_rows(&folding);
	g_autoptr(GPtrArray) sums = list_sums(&folding);
	Table *table = tables_add(draft->tables, section->name, section->heading, NULL, 0);
	table_add_fields(table, fields, N_FIELDS);
	for (guint i = 0; i < sums->len; i++) {
		const Sum *sum = g_ptr_array_index(sums, i);

		add_sum(&total, sum);
		if (!table_has_room(table, draft->view->limit))
			continue;
		if (!put_sum(draft, table, 0, sum))
			table_drop_last(table);
	}
	put_sum(draft, table, CTPROF_LINE_TOTAL, &total);
	table_cover(table, "processes", &total.tally);
	put_notes(&folding, table);
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
