/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "footprint.h"

#include <string.h>

#define NO_CELL N_PROCESS_CELLS

const FootprintWord footprint_words[N_FOOTPRINTS] = {
	[FOOTPRINT_PSS] = {"pss", "PSS", "pss_subtree", "PSS+", TRUE},
	[FOOTPRINT_USS] = {"uss", "USS", "uss_subtree", "USS+", TRUE},
	[FOOTPRINT_RSS] = {"rss", "RSS", "rss_subtree", "RSS+", TRUE},
	[FOOTPRINT_SWAP] = {"swap", "SWAPPSS", "swap_subtree", "SWAPPSS+", TRUE},
	[FOOTPRINT_EPS] = {"eps", "EPSS", "eps_subtree", "EPSS+", FALSE},
	[FOOTPRINT_ANON] = {"anon", "ANON", "anon_subtree", "ANON+", FALSE},
	[FOOTPRINT_FILE] = {"file", "FILE", "file_subtree", "FILE+", FALSE},
	[FOOTPRINT_SHMEM] = {"shmem", "SHMEM", "shmem_subtree", "SHMEM+", FALSE},
};

/* The cell of each, and one that stands in for it; of EPS there is none. */
static const struct {
	guint cell, stand_in;
} cells[N_FOOTPRINTS] = {
	[FOOTPRINT_PSS] = {PROCESS_PSS, NO_CELL},
	[FOOTPRINT_USS] = {PROCESS_USS, NO_CELL},
	[FOOTPRINT_RSS] = {PROCESS_RSS, NO_CELL},
	[FOOTPRINT_SWAP] = {PROCESS_SWAP_PSS, NO_CELL},
	[FOOTPRINT_EPS] = {NO_CELL, NO_CELL},
	[FOOTPRINT_ANON] = {PROCESS_PSS_ANON, PROCESS_ANONYMOUS},
	[FOOTPRINT_FILE] = {PROCESS_PSS_FILE, NO_CELL},
	[FOOTPRINT_SHMEM] = {PROCESS_PSS_SHMEM, NO_CELL},
};

/* Whether the snapshot says that nothing is swapped out. */
static gboolean is_swap_free(const MemoryData *data)
{
	const GPtrArray *ledger = data->rows[MEMORY_LEDGER];

	for (guint i = 0; i < ledger->len; i++) {
		const MemoryRow *row = g_ptr_array_index(ledger, i);
		guint64 used;

		if (row->name && strcmp(row->name, "swap.used") == 0 &&
		    memory_row_number(row, LEDGER_BYTES, &used))
			return used == 0;
	}
	return FALSE;
}

void swap_shares_init(SwapShares *shares, const MemoryData *data, gboolean by_name)
{
	const GPtrArray *rows = data->rows[MEMORY_SWAP];
	guint cell = by_name ? SWAP_BY_NAME : SWAP_BY_OBJECT;

	shares->by_pid = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	shares->is_known = data->captured[MEMORY_SWAP] || is_swap_free(data);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		guint64 pid, share;
		guint64 *copy;

		if (!row->name || !memory_row_number(row, cell, &share) ||
		    !g_ascii_string_to_unsigned(row->name, 10, 1, G_MAXINT32, &pid, NULL))
			continue;
		copy = g_new(guint64, 1);
		*copy = share;
		g_hash_table_insert(shares->by_pid, GINT_TO_POINTER((gint)pid), copy);
	}
}

void swap_shares_clear(SwapShares *shares)
{
	g_clear_pointer(&shares->by_pid, g_hash_table_unref);
}

static Amount amount_of(const MemoryRow *process, guint cell, guint32 type)
{
	Amount amount = {.type = type};

	if (cell == NO_CELL || !memory_row_number(process, cell, &amount.number))
		return AMOUNT_ABSENT;
	return amount;
}

/* All that would come back if the process ended: its part of what is resident,
 * of what is swapped out, and of shared memory that is swapped out. */
static Amount effective_of(const MemoryRow *process, const SwapShares *shares)
{
	const guint64 *share = g_hash_table_lookup(shares->by_pid, GINT_TO_POINTER(process->pid));
	Amount resident = amount_of(process, PROCESS_PSS, CTPROF_VALUE_NUMBER);
	Amount swapped = amount_of(process, PROCESS_SWAP_PSS, CTPROF_VALUE_NUMBER);
	AmountSum sum = {0};

	if (resident.type == CTPROF_VALUE_ABSENT || swapped.type == CTPROF_VALUE_ABSENT)
		return AMOUNT_ABSENT;
	amount_sum_add(&sum, resident);
	amount_sum_add(&sum, swapped);
	if (share)
		amount_sum_add(&sum, (Amount){CTPROF_VALUE_NUMBER, *share});
	else if (!shares->is_known)
		amount_sum_add(&sum, AMOUNT_ABSENT);
	return amount_sum_total(&sum);
}

Amount footprint_of(const MemoryRow *process, enum footprint which, const SwapShares *shares)
{
	if (which == FOOTPRINT_EPS)
		return effective_of(process, shares);
	Amount amount = amount_of(process, cells[which].cell, CTPROF_VALUE_NUMBER);
	if (amount.type != CTPROF_VALUE_ABSENT)
		return amount;
	return amount_of(process, cells[which].stand_in, CTPROF_VALUE_ESTIMATE);
}
