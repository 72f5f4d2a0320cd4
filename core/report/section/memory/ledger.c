/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the host's RAM went: what the kernel counts, and the rest. */
#include <string.h>

#include "footprint.h"
#include "listing.h"

enum { NAME, BYTES, SHARE };

static const Place places[] = {
	[NAME] = {TABLE_FIELD("name", "NAME", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_TREE),
		  PLACE_NAME, PLACE_TITLE, NULL},
	[BYTES] = {BYTES_FIELD("bytes", "SIZE"), "ledger_bytes", PLACE_SUMMED, NULL},
	[SHARE] = {SHARE_FIELD("ram_percent", "% OF RAM"), NULL, 0, NULL},
};

/* A part's rows are named "PART.NAME".  The summary comes before the details,
 * which are long. */
static const struct part {
	const char *name, *heading;
	gboolean of_ram;   /* its sizes are parts of the RAM */
	const char *whole; /* the row whose parts the others are; NULL: none */
} parts[] = {
	{"physical", "Where RAM went", TRUE, "allocated"},
	{"shmem", "Users of shared memory and tmpfs", TRUE, "total"},
	{"swap", "Swap", FALSE, NULL},
	{"nvidia", "NVIDIA", TRUE, NULL},
	{"meminfo", "What the kernel counts", TRUE, NULL},
};

/* Returns the row's name in the part; NULL: it is not in it. */
static const char *name_in(const struct part *part, const Pair *row)
{
	const char *name = row_name(row);
	gsize len = strlen(part->name);

	return strncmp(name, part->name, len) == 0 && name[len] == '.' ? name + len + 1 : NULL;
}

/* The data for a listing's values. */
struct ledger {
	const struct part *part;
	guint64 ram[SIDES];
};

static struct ctprof_value ledger_value(const Listing *listing, const Pair *row, guint side,
					const Place *place)
{
	const struct ledger *ledger = listing->data;
	const char *name = name_in(ledger->part, row);
	guint64 is_estimate = 0;

	if (place == &places[NAME])
		return value_of_text(name);
	struct ctprof_value value = row_value(&listing->rows, row, side, places[BYTES].metric);
	(void)row_number(&listing->rows, row, side, "ledger_estimate", &is_estimate);
	if (is_estimate && value.type == CTPROF_VALUE_NUMBER)
		value.flags |= CTPROF_VALUE_PARTIAL;
	if (place != &places[SHARE])
		return value;
	/* Address space is not memory. */
	return value_of_share(&value, ledger->part->of_ram && strcmp(name, "VmallocTotal") != 0
					      ? ledger->ram[side]
					      : 0);
}

static gboolean is_picked(const Rows *rows, const Pair *row, gpointer data)
{
	const struct ledger *ledger = data;

	return name_in(ledger->part, row) && rows_match(rows->draft, row_name(row));
}

/* The whole comes before its parts in every order. */
static void sort_rows(Listing *listing, const char *order)
{
	const struct ledger *ledger = listing->data;
	GPtrArray *list = listing->rows.list;

	if (strcmp(order, "kernel") != 0)
		listing_sort(listing, strcmp(order, "size") == 0 ? "bytes" : order);
	for (guint i = 0; i < list->len; i++)
		if (g_strcmp0(name_in(ledger->part, list->pdata[i]), ledger->part->whole) == 0) {
			g_ptr_array_insert(list, 0, g_ptr_array_steal_index(list, i));
			return;
		}
}

/* Hides the line just added from people if it is 0; returns the number of lines hidden.  n_lines:
 * number of lines before it. */
static guint hide_nothing(const Draft *draft, Table *table, guint n_lines)
{
	if (draft->plan->options->wide || table->lines->len == n_lines)
		return 0;
	const struct ctprof_cell *cell =
		&((const struct ctprof_cell *)table->cells->pdata[n_lines])[BYTES];
	for (guint side = 0; side < draft_n_sides(draft); side++)
		if (cell->value[side].type != CTPROF_VALUE_NUMBER || cell->value[side].number > 0)
			return 0;
	table_last(table)->flags |= CTPROF_LINE_HIDDEN;
	return 1;
}

static const Listing part_of_ledger = {
	.group = MEMORY_LEDGER_GROUP,
	.keep = is_picked,
	.places = places,
	.n_places = G_N_ELEMENTS(places),
	.value = ledger_value,
};

static void draft_part(const Draft *draft, struct ledger *ledger, const char *order)
{
	const struct part *part = ledger->part;
	g_auto(Listing) listing = listing_of(draft, &part_of_ledger, ledger);
	const GPtrArray *list = listing.rows.list;
	guint n_lines = 0, n_hidden = 0;

	if (list->len == 0)
		return;
	sort_rows(&listing, order);
	listing_begin(&listing, part->name, part->heading);
	table_hide(listing.table, SHARE, !part->of_ram);
	for (guint i = 0; i < list->len; i++) {
		const Pair *row = g_ptr_array_index(list, i);

		listing_put(&listing, row,
			    part->whole && strcmp(name_in(part, row), part->whole) != 0);
		n_hidden += hide_nothing(draft, listing.table, n_lines);
		n_lines = listing.table->lines->len;
	}
	listing_note_coverage(&listing, "values");
	if (n_hidden > 0)
		table_note(listing.table, "%u line%s of 0B not shown (--wide shows all)", n_hidden,
			   n_hidden == 1 ? "" : "s");
	if (listing.table->lines->len == 0)
		tables_drop(draft->tables);
}

/* ---- other ways to count the same memory ------------------------------------- */

enum {
	LENS_NAME,
	LENS_BYTES,
	LENS_SHARE,
	LENS_EXACT,
	LENS_APPROXIMATE,
	LENS_MISSING,
	N_LENS_FIELDS,
};

static const struct ctprof_report_field lens_fields[N_LENS_FIELDS] = {
	[LENS_NAME] = TEXT_FIELD("name", "NAME"),
	[LENS_BYTES] = BYTES_FIELD("bytes", "SIZE"),
	[LENS_SHARE] = SHARE_FIELD("ram_percent", "% OF RAM"),
	[LENS_EXACT] = COUNT_FIELD("exact", "EXACT"),
	[LENS_APPROXIMATE] = COUNT_FIELD("approximate", "APPROX"),
	[LENS_MISSING] = COUNT_FIELD("missing", "MISSING"),
};

/* Each row is a total of its own, with its own coverage. */
struct lens {
	const char *group, *metric, *name; /* group NULL: processes */
};

/* The fields' values on one side. */
static void sum_lens(const Rows *rows, const struct lens *lens, guint side, guint64 ram,
		     struct ctprof_value ret_fields[N_LENS_FIELDS])
{
	Amount amount = {0};
	Tally tally = {{0}};

	for (guint i = 0; i < rows->list->len; i++) {
		const Pair *row = g_ptr_array_index(rows->list, i);
		struct ctprof_value value = row_value(rows, row, side, lens->metric);

		if (!row->sides[side] ||
		    (!lens->group && footprint_reading(rows, row, side) == READ_NONE))
			continue;
		tally_add(&tally, &value, 1);
		amount_add(&amount, &value);
	}
	ret_fields[LENS_NAME] = value_of_text(lens->name);
	ret_fields[LENS_BYTES] = amount_value(&amount, TRUE);
	ret_fields[LENS_SHARE] = value_of_share(&ret_fields[LENS_BYTES], ram);
	for (guint i = READ_EXACT; i <= READ_MISSING; i++)
		ret_fields[LENS_EXACT + i - READ_EXACT] = value_of_number(tally.n[i]);
}

static void put_lens(const Rows *rows, const struct lens *lens, const struct ledger *ledger,
		     Table *table)
{
	struct ctprof_value fields[SIDES][N_LENS_FIELDS];
	struct ctprof_cell *cells = table_line(table, 0, 0);

	for (guint side = 0; side < SIDES; side++)
		sum_lens(rows, lens, side, ledger->ram[side], fields[side]);
	for (guint i = 0; i < N_LENS_FIELDS; i++)
		rows_put(rows->draft, table, cells, i,
			 (const struct ctprof_value[]){fields[0][i], fields[1][i]});
	if (!view_passes(rows->draft->view, &cells[LENS_BYTES], &lens_fields[LENS_BYTES]))
		table_drop_last(table);
}

/* Whether the memory that processes share was measured. */
static gboolean has_shares(const Draft *draft)
{
	guint64 number;

	return ledger_number(draft, draft_n_sides(draft) - 1, "shmem.memfd", &number);
}

static void draft_lenses(const Draft *draft, const struct ledger *ledger)
{
	static const struct lens lenses[] = {
		{NULL, "pss_bytes", "processes (PSS)"},
		{TMPFS_GROUP, "tmpfs_used_bytes", "tmpfs (used, RAM and swap)"},
		{MEMORY_SYSV_GROUP, "sysv_rss_bytes", "SysV segments (RSS)"},
	};
	g_auto(Rows) processes = rows_of(draft, NULL);
	Table *table = tables_add(draft->tables, "lenses", "The same memory, by user", NULL, 0);

	table_add_fields(table, lens_fields, N_LENS_FIELDS);
	for (guint i = 0; i < G_N_ELEMENTS(lenses); i++) {
		g_auto(Rows) rows = rows_of(draft, lenses[i].group);

		if (rows_are_captured(&rows, lenses[i].metric))
			put_lens(&rows, &lenses[i], ledger, table);
	}
	if (!rows_are_captured(&processes, "pss_bytes"))
		table_note(table, "Not read here: PSS of processes ('ctprof memory processes')");
	if (!has_shares(draft))
		table_note(table, "Not read here: memfd and anonymous shared memory ('ctprof "
				  "memory shared')");
	if (table->lines->len == 0)
		tables_drop(draft->tables);
	else if (table->lines->len > 1)
		table_note(table,
			   "These overlap; do not add them up: mapped parts of tmpfs and of SysV "
			   "segments are also in the PSS of processes.");
}

static void draft_ledger(const Draft *draft, const Section *section)
{
	struct ledger ledger = {.ram = 0};

	for (guint side = 0; side < draft_n_sides(draft); side++)
		(void)ledger_number(draft, side, "meminfo.MemTotal", &ledger.ram[side]);
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		ledger.part = &parts[i];
		draft_part(draft, &ledger, section->orders[draft->plan->order]);
	}
	draft_lenses(draft, &ledger);
}

const Section view_ledger = {
	.name = "ledger",
	.heading = "Where RAM went",
	.help = "Where the host's RAM went",
	.flags = SECTION_VIEW | SECTION_OF_HOST,
	.draft = draft_ledger,
	.orders = (const char *const[]){"kernel", "size", "name", NULL},
	.groups = MEMORY_LEDGER_GROUP "," TMPFS_GROUP "," MEMORY_SYSV_GROUP,
	.optional = MEMORY_GROUP,
	.needs = "ledger_bytes",
	.what = "memory ledger",
	.capture = "--memory",
};
