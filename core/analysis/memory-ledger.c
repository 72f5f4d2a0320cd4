/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the host's RAM went: what the kernel counts, and what is left over. */
#include <string.h>

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

static guint64 find_ram(const MemoryData *data)
{
	const GPtrArray *rows = data->rows[MEMORY_LEDGER];
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

static void put_row(MemoryTable *table, const struct part *part, const MemoryRow *row, guint64 ram)
{
	const char *name = row->name + strlen(part->name) + 1;
	gboolean is_part = part->whole && strcmp(name, part->whole) != 0;
	struct ctprof_value *cells = memory_table_line(table, 0, is_part ? 1 : 0);
	guint64 estimate = 0;

	cells[FIELD_NAME] = value_of_text(name);
	cells[FIELD_BYTES] = memory_row_value(row, LEDGER_BYTES);
	if (cells[FIELD_BYTES].type != CTPROF_VALUE_NUMBER)
		return;
	(void)memory_row_number(row, LEDGER_ESTIMATE, &estimate);
	if (estimate)
		cells[FIELD_BYTES].type = CTPROF_VALUE_ESTIMATE;
	if (part->of_ram && !is_address_space(name))
		cells[FIELD_SHARE] = value_of_share(cells[FIELD_BYTES].number, ram);
}

static void draft_part(MemoryDraft *draft, const struct part *part, guint64 ram)
{
	const GPtrArray *rows = draft->data->rows[MEMORY_LEDGER];
	MemoryTable *table = NULL;

	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (find_part(row->name) != part || !memory_draft_matches(draft, row->name))
			continue;
		if (!table) {
			table = memory_tables_add(draft->tables, part->name, part->heading, fields,
						  N_FIELDS);
			memory_table_flag(table, FIELD_NAME, CTPROF_FIELD_TREE);
			memory_table_hide(table, FIELD_SHARE, !part->of_ram);
		}
		put_row(table, part, row, ram);
	}
}

/* ---- other ways to count the same memory ------------------------------------- */

static Amount sum_cells(const MemoryData *data, enum memory_group group, guint cell)
{
	const GPtrArray *rows = data->rows[group];
	AmountSum sum = {0};

	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		Amount amount = {.type = CTPROF_VALUE_NUMBER};

		if (group == MEMORY_PROCESSES && memory_coverage_of(row) == MEMORY_NONE)
			continue;
		if (!memory_row_number(row, cell, &amount.number))
			amount = AMOUNT_ABSENT;
		amount_sum_add(&sum, amount);
	}
	return amount_sum_of_all(&sum);
}

static void draft_lenses(MemoryDraft *draft, guint64 ram)
{
	static const struct {
		enum memory_group group;
		guint cell;
		const char *name;
	} lenses[] = {
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
						  "The same memory, by who uses it", fields,
						  N_FIELDS);
		Amount amount = sum_cells(draft->data, lenses[i].group, lenses[i].cell);
		struct ctprof_value *cells = memory_table_line(table, 0, 0);
		cells[FIELD_NAME] = value_of_text(lenses[i].name);
		cells[FIELD_BYTES] = value_of_amount(amount);
		if (amount.type != CTPROF_VALUE_ABSENT)
			cells[FIELD_SHARE] = value_of_share(amount.number, ram);
	}
	if (table && table->lines->len > 1)
		memory_table_note(table,
				  "These overlap, and must not be added: what is mapped of tmpfs "
				  "and of SysV segments is in the PSS of processes, too.");
}

void memory_draft_ledger(MemoryDraft *draft)
{
	guint64 ram = find_ram(draft->data);

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		draft_part(draft, &parts[i], ram);
	draft_lenses(draft, ram);
}
