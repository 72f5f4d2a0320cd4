/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes by what they are, and the artifact of ChromeOS's tests. */
#include <string.h>

#include "artifact.h"
#include "footprint.h"
#include "memory-views.h"
#include "report/fold/fold.h"

#define KIB 1024

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

/* By which field; FIELD_CATEGORY: by name. */
#define AS_LISTED N_FIELDS

static const struct {
	const char *name;
	guint field;
} orders[] = {
	{"table", AS_LISTED},           {"pss", FIELD_PSS},
	{"swap", FIELD_PSS_SWAP},       {"total", FIELD_PSS_TOTAL},
	{"processes", FIELD_PROCESSES}, {"name", FIELD_CATEGORY},
};

const char *memory_categories_sort(guint i)
{
	return i < G_N_ELEMENTS(orders) ? orders[i].name : NULL;
}

static const char *command_of(const MemoryRow *row)
{
	const char *command = memory_row_text(row, PROCESS_CMDLINE);

	if (!command)
		command = memory_row_text(row, PROCESS_PCOMM);
	return command ? command : "";
}

static guint64 share_of(const SwapShares *shares, gint32 pid)
{
	const guint64 *bytes = g_hash_table_lookup(shares->by_pid, GINT_TO_POINTER(pid));

	return bytes ? *bytes : 0;
}

static GArray *fold(const MemoryDraft *draft, Categories *categories, gboolean *ret_lacks_shares)
{
	const GPtrArray *rows = draft->data->rows[MEMORY_PROCESSES];
	g_autoptr(GArray) processes = g_array_new(FALSE, TRUE, sizeof(CategoryProcess));
	g_auto(SwapShares) shares = {0};
	gboolean any_swap = FALSE;
	guint64 swap;

	swap_shares_init(&shares, draft->data, draft->options->swap_by_name);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		CategoryProcess process = {.pss = 0};

		if (memory_coverage_of(row) == MEMORY_NONE)
			continue;
		process.category = categories_find(categories, command_of(row));
		process.has_pss = memory_row_number(row, PROCESS_PSS, &process.pss);
		process.has_swap = memory_row_number(row, PROCESS_SWAP_PSS, &process.swap);
		if (memory_row_number(row, PROCESS_SWAP, &swap) && swap > 0)
			any_swap = TRUE;
		process.swap = fold_add_saturated(process.swap, share_of(&shares, row->pid));
		g_array_append_val(processes, process);
	}
	*ret_lacks_shares = any_swap && !shares.is_known;
	return categories_fold(categories, (const void *)processes->data, processes->len);
}

/* The sum of n processes' amounts; it stands in for that of all when n_lacking
 * have none. */
static struct ctprof_value amount(guint64 n, guint64 n_lacking, guint64 number)
{
	Amount amount = {.number = number};

	if (n == 0)
		return value_of_amount(AMOUNT_ABSENT);
	amount.type = n_lacking > 0 ? CTPROF_VALUE_ESTIMATE : CTPROF_VALUE_NUMBER;
	return value_of_amount(amount);
}

static void fill_cells(struct ctprof_value *cells, const char *name, const CategorySum *sum)
{
	guint64 n_unswapped = sum->approximate + sum->missing;

	cells[FIELD_CATEGORY] = value_of_text(name);
	cells[FIELD_PROCESSES] = value_of_number(sum->processes);
	cells[FIELD_PSS] = amount(sum->processes - sum->missing, sum->missing, sum->pss);
	cells[FIELD_PSS_SWAP] = amount(sum->exact, n_unswapped, sum->pss_swap);
	cells[FIELD_PSS_TOTAL] =
		amount(sum->exact, n_unswapped, fold_add_saturated(sum->pss, sum->pss_swap));
	cells[FIELD_EXACT] = value_of_number(sum->exact);
	cells[FIELD_APPROXIMATE] = value_of_number(sum->approximate);
	cells[FIELD_MISSING] = value_of_number(sum->missing);
}

static void put_sum(MemoryTable *table, guint32 flags, const char *name, const CategorySum *sum)
{
	fill_cells(memory_table_line(table, flags, 0), name, sum);
}

static void add_sum(CategorySum *total, const CategorySum *sum)
{
	total->processes += sum->processes;
	total->exact += sum->exact;
	total->approximate += sum->approximate;
	total->missing += sum->missing;
	total->pss = fold_add_saturated(total->pss, sum->pss);
	total->pss_swap = fold_add_saturated(total->pss_swap, sum->pss_swap);
}

static Amount amount_of(const CategorySum *sum, guint field)
{
	struct ctprof_value cells[N_FIELDS] = {{0}};

	fill_cells(cells, "", sum);
	return (Amount){.type = cells[field].type, .number = cells[field].number};
}

static gint compare_sums(gconstpointer a, gconstpointer b, gpointer data)
{
	const CategorySum *x = a, *y = b;
	guint field = *(const guint *)data;
	gint order = field == FIELD_CATEGORY
			     ? 0
			     : amount_compare(amount_of(x, field), amount_of(y, field));

	return order != 0 ? order : strcmp(x->name, y->name);
}

static void put_notes(const MemoryDraft *draft, const Categories *categories, gboolean lacks_shares,
		      MemoryTable *table)
{
	g_autofree char *complaint = categories_complaint(categories);
	guint64 n_unread = memory_draft_n_unread(draft);

	if (complaint)
		memory_table_note(table, "%s", complaint);
	if (lacks_shares)
		memory_table_note(table, "Swap of shared memory is in no sum: capture with "
					 "--memory=shared.");
	if (n_unread > 0)
		memory_table_note(table,
				  "%" G_GUINT64_FORMAT " process%s could not be read in full: "
				  "the sums lack what they take.",
				  n_unread, n_unread == 1 ? "" : "es");
}

void memory_draft_categories(MemoryDraft *draft)
{
	g_autoptr(Categories) none = categories_new();
	Categories *categories = draft->options->categories ? draft->options->categories : none;
	gboolean lacks_shares;
	g_autoptr(GArray) sums = fold(draft, categories, &lacks_shares);
	CategorySum total = {.processes = 0};
	MemoryTable *table = memory_tables_add(draft->tables, "categories", "Memory by category",
					       fields, N_FIELDS);

	if (orders[draft->sort].field != AS_LISTED)
		g_array_sort_with_data(sums, compare_sums,
				       (gpointer)(uintptr_t)&orders[draft->sort].field);
	for (guint i = 0; i < sums->len; i++) {
		const CategorySum *sum = &g_array_index(sums, CategorySum, i);

		if (sum->processes == 0 || !memory_draft_matches(draft, sum->name))
			continue;
		add_sum(&total, sum);
		if (memory_table_has_room(table, draft->options->limit))
			put_sum(table, 0, memory_data_keep(draft->data, sum->name), sum);
	}
	put_sum(table, CTPROF_LINE_TOTAL, "total", &total);
	memory_table_cover(table, "processes",
			   &(Coverage){total.exact, total.approximate, total.missing});
	put_notes(draft, categories, lacks_shares, table);
}

/* ---- the artifact -------------------------------------------------------------- */

static GArray *fields_of(const GArray *map)
{
	GArray *rollup = g_array_new(FALSE, FALSE, sizeof(ArtifactField));

	for (guint i = 0; i < map->len; i++) {
		const MemoryEntry *entry = &g_array_index(map, MemoryEntry, i);
		ArtifactField field = {entry->key, fold_multiply_saturated(entry->number, KIB)};

		g_array_append_val(rollup, field);
	}
	return rollup;
}

char *memory_format_artifact(const MemoryData *data, gboolean swap_by_name)
{
	const GPtrArray *rows = data->rows[MEMORY_PROCESSES];
	g_autoptr(GArray) records = g_array_new(FALSE, FALSE, sizeof(ArtifactRecord));
	g_autoptr(GPtrArray) rollups =
		g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	g_auto(SwapShares) shares = {0};

	swap_shares_init(&shares, data, swap_by_name);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		const MemoryCell *cell = &row->cells[PROCESS_ROLLUP];
		ArtifactRecord record = {.command = command_of(row), .pid = row->pid};

		if (cell->state != CTPROF_PRESENT || cell->map->len == 0)
			continue;
		record.shared_swap_pss = share_of(&shares, row->pid);
		record.rollup = fields_of(cell->map);
		g_ptr_array_add(rollups, (gpointer)(uintptr_t)record.rollup);
		g_array_append_val(records, record);
	}
	return artifact_format((const void *)records->data, records->len);
}
