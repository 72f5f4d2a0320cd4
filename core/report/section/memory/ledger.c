/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the host's RAM went: what the kernel counts, and what is left over. */
#include <string.h>

#include "memory-rows.h"
#include "memory-views.h"

enum { FIELD_NAME, FIELD_BYTES, FIELD_SHARE, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[FIELD_NAME] = TEXT_FIELD("name", "NAME"),
	[FIELD_BYTES] = BYTES_FIELD("bytes", "SIZE"),
	[FIELD_SHARE] = SHARE_FIELD("ram_percent", "% OF RAM"),
};

/* A part's rows are named "PART.NAME".  The answer comes before what it is made
 * of, which is long. */
static const struct part {
	const char *name, *heading;
	gboolean of_ram;   /* its sizes are parts of the RAM */
	const char *whole; /* the row whose parts the others are; NULL: none */
} parts[] = {
	{"physical", "Where RAM went", TRUE, "allocated"},
	{"shmem", "Who holds shared memory and tmpfs", TRUE, "total"},
	{"swap", "Swap", FALSE, NULL},
	{"nvidia", "NVIDIA", TRUE, NULL},
	{"meminfo", "What the kernel counts", TRUE, NULL},
};

static const struct part *find_part(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		if (g_str_has_prefix(name, parts[i].name) && name[strlen(parts[i].name)] == '.')
			return &parts[i];
	return NULL;
}

static const MemoryOrder orders[] = {
	{"kernel", MEMORY_AS_CAPTURED},
	{"size", LEDGER_BYTES},
	{"name", MEMORY_BY_NAME},
};

const char *memory_ledger_sort(guint i)
{
	return i < G_N_ELEMENTS(orders) ? orders[i].name : NULL;
}

guint64 memory_draft_ram(const MemoryDraft *draft)
{
	const GPtrArray *rows = draft->data->rows[MEMORY_LEDGER];
	guint64 bytes = 0;

	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (strcmp(row->name, "meminfo.MemTotal") == 0)
			(void)memory_row_number(row, LEDGER_BYTES, &bytes);
	}
	return bytes;
}

/* Addresses are no memory. */
static gboolean is_address_space(const char *name)
{
	return strcmp(name, "VmallocTotal") == 0;
}

static const char *name_in(const struct part *part, const MemoryRow *row)
{
	return row->name + strlen(part->name) + 1;
}

static gboolean is_whole(const struct part *part, const MemoryRow *row)
{
	return part->whole && strcmp(name_in(part, row), part->whole) == 0;
}

static Amount amount_of(const MemoryRow *row)
{
	Amount amount = memory_row_amount(row, LEDGER_BYTES);
	guint64 estimate = 0;

	(void)memory_row_number(row, LEDGER_ESTIMATE, &estimate);
	if (amount.type == CTPROF_VALUE_NUMBER && estimate)
		amount.type = CTPROF_VALUE_ESTIMATE;
	return amount;
}

static void put_row(MemoryTable *table, const struct part *part, const MemoryRow *row, guint64 ram)
{
	const char *name = name_in(part, row);
	gboolean is_part = part->whole && !is_whole(part, row);
	struct ctprof_value *cells = memory_table_line(table, 0, is_part ? 1 : 0);
	Amount amount = amount_of(row);

	cells[FIELD_NAME] = value_of_text(name);
	cells[FIELD_BYTES] = value_of_amount(amount);
	if (part->of_ram && amount.type != CTPROF_VALUE_ABSENT && !is_address_space(name))
		cells[FIELD_SHARE] = value_of_share(amount.number, ram);
}

/* The whole stays above its parts, in whatever order these are. */
static GPtrArray *pick_rows(const MemoryDraft *draft, const struct part *part)
{
	const GPtrArray *all = draft->data->rows[MEMORY_LEDGER];
	GPtrArray *rows = g_ptr_array_new();
	MemoryRow *whole = NULL;

	for (guint i = 0; i < all->len; i++) {
		MemoryRow *row = g_ptr_array_index(all, i);

		if (find_part(row->name) != part || !memory_draft_matches(draft, row->name))
			continue;
		if (is_whole(part, row) && !whole)
			whole = row;
		else
			g_ptr_array_add(rows, row);
	}
	memory_rows_sort(rows, orders[draft->sort].cell);
	if (whole)
		g_ptr_array_insert(rows, 0, whole);
	return rows;
}

static void draft_part(MemoryDraft *draft, const struct part *part, guint64 ram)
{
	g_autoptr(GPtrArray) rows = pick_rows(draft, part);
	Coverage coverage = {0};

	if (rows->len == 0)
		return;
	MemoryTable *table =
		memory_tables_add(draft->tables, part->name, part->heading, fields, N_FIELDS);
	memory_table_flag(table, FIELD_NAME, CTPROF_FIELD_TREE);
	memory_table_hide(table, FIELD_SHARE, !part->of_ram);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		Amount amount = amount_of(row);

		coverage_add(&coverage, &amount, 1);
		put_row(table, part, row, ram);
	}
	memory_table_cover(table, "values", &coverage);
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

/* Each is a total of its own, and covers what it can. */
struct lens {
	enum memory_group group;
	guint cell;
	const char *name;
};

static Amount sum_lens(const MemoryData *data, const struct lens *lens, Coverage *coverage)
{
	const GPtrArray *rows = data->rows[lens->group];
	AmountSum sum = {0};

	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		Amount amount = memory_row_amount(row, lens->cell);

		if (lens->group == MEMORY_PROCESSES && memory_coverage_of(row) == MEMORY_NONE)
			continue;
		coverage_add(coverage, &amount, 1);
		amount_sum_add(&sum, amount);
	}
	return amount_sum_of_all(&sum);
}

static void put_lens(const MemoryData *data, const struct lens *lens, guint64 ram,
		     MemoryTable *table)
{
	Coverage coverage = {0};
	Amount amount = sum_lens(data, lens, &coverage);
	struct ctprof_value *cells = memory_table_line(table, 0, 0);

	cells[LENS_NAME] = value_of_text(lens->name);
	cells[LENS_BYTES] = value_of_amount(amount);
	if (amount.type != CTPROF_VALUE_ABSENT)
		cells[LENS_SHARE] = value_of_share(amount.number, ram);
	cells[LENS_EXACT] = value_of_number(coverage.exact);
	cells[LENS_APPROXIMATE] = value_of_number(coverage.approximate);
	cells[LENS_MISSING] = value_of_number(coverage.missing);
}

static void draft_lenses(MemoryDraft *draft, guint64 ram)
{
	static const struct lens lenses[] = {
		{MEMORY_PROCESSES, PROCESS_PSS, "processes (PSS)"},
		{MEMORY_TMPFS, TMPFS_USED, "tmpfs (used, RAM and swap)"},
		{MEMORY_SYSV, SYSV_RSS, "SysV segments (RSS)"},
	};
	MemoryTable *table = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(lenses); i++) {
		if (!draft->data->captured[lenses[i].group])
			continue;
		if (!table)
			table = memory_tables_add(draft->tables, "lenses",
						  "The same memory, by who uses it", lens_fields,
						  N_LENS_FIELDS);
		put_lens(draft->data, &lenses[i], ram, table);
	}
	if (table && table->lines->len > 1)
		memory_table_note(table,
				  "These overlap, and must not be added: what is mapped of tmpfs "
				  "and of SysV segments is in the PSS of processes, too.");
}

void memory_draft_ledger(MemoryDraft *draft)
{
	guint64 ram = memory_draft_ram(draft);

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		draft_part(draft, &parts[i], ram);
	draft_lenses(draft, ram);
}
