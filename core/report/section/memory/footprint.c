/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "footprint.h"

#include "report/fold/fold.h"

/* ---- the ledger ---- */

gboolean ledger_number(const Draft *draft, guint side, const char *name, guint64 *ret_number)
{
	g_auto(Rows) ledger = rows_of(draft, MEMORY_LEDGER_GROUP);
	const Pool *row = rows_find(&ledger, name);

	return row && row_number(&ledger, row, side, "ledger_bytes", ret_number);
}

guint64 ledger_ram(const Draft *draft)
{
	guint64 bytes = 0;

	(void)ledger_number(draft, draft_n_sides(draft) - 1, "meminfo.MemTotal", &bytes);
	return bytes;
}

/* ---- how it was read ---- */

enum reading reading_of(const Rows *processes, const Pool *process, guint side)
{
	static const struct {
		const char *state;
		enum reading reading;
	} states[] = {
		{"exact", READ_EXACT},         {"approximate", READ_APPROXIMATE},
		{"skipped", READ_APPROXIMATE}, {"timeout", READ_APPROXIMATE},
		{"not-applicable", READ_NONE},
	};
	const char *state = row_text_of(processes, process, side, "memory_state");

	if (!process->sides[side])
		return READ_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(states); i++)
		if (g_strcmp0(states[i].state, state) == 0)
			return states[i].reading;
	return READ_MISSING;
}

enum reading reading_of_sides(const Rows *processes, const Pool *process)
{
	enum reading a = reading_of(processes, process, 0), b = reading_of(processes, process, 1);

	return MAX(a, b);
}

/* ---- shares of swap ---- */

/* Whether nothing is swapped out according to the snapshot. */
static gboolean is_swap_free(const Draft *draft, guint side)
{
	guint64 used;

	return ledger_number(draft, side, "swap.used", &used) && used == 0;
}

void swap_shares_init(SwapShares *shares, const Draft *draft)
{
	const char *metric = draft->plan->options->swap_share == SHARE_BY_NAME
				     ? "swap_shared_by_name_bytes"
				     : "swap_shared_bytes";
	g_auto(Rows) rows = rows_of(draft, MEMORY_SWAP_GROUP);
	const Pool *everybody = rows_find(&rows, EVERYBODY);

	for (guint side = 0; side < SIDES; side++) {
		GHashTable *by_pid = g_hash_table_new_full(NULL, NULL, NULL, g_free);

		shares->by_pid[side] = by_pid;
		shares->is_known[side] =
			rows_have(&rows, side, metric) || is_swap_free(draft, side);
		if (everybody)
			(void)row_number(&rows, everybody, side, "swap_unreadable",
					 &shares->n_unreadable[side]);
		for (guint i = 0; i < rows.list->len; i++) {
			const Pool *row = g_ptr_array_index(rows.list, i);
			guint64 pid, bytes;

			if (row_number(&rows, row, side, metric, &bytes) &&
			    g_ascii_string_to_unsigned(row_name(row), 10, 1, G_MAXINT32, &pid,
						       NULL))
				g_hash_table_insert(by_pid, GINT_TO_POINTER((gint)pid),
						    g_memdup2(&bytes, sizeof bytes));
		}
	}
}

void swap_shares_clear(SwapShares *shares)
{
	for (guint side = 0; side < SIDES; side++)
		g_clear_pointer(&shares->by_pid[side], g_hash_table_unref);
}

guint64 swap_share_of(const SwapShares *shares, const Pool *process, guint side)
{
	const guint64 *bytes =
		g_hash_table_lookup(shares->by_pid[side], GINT_TO_POINTER(process->key.tid));

	return bytes ? *bytes : 0;
}

/* ---- amounts ---- */

/* A process's share of resident memory, of swap, and of swapped-out shared
 * memory. */
static struct ctprof_value effective_of(const Rows *processes, const Pool *process, guint side,
					const SwapShares *shares)
{
	struct ctprof_value value = row_value(processes, process, side, "pss_bytes");
	guint64 swapped;

	if (value.type != CTPROF_VALUE_NUMBER)
		return value;
	if (!row_number(processes, process, side, "swap_pss_bytes", &swapped))
		return row_value(processes, process, side, "swap_pss_bytes");
	value.number = fold_add_saturated(value.number, swapped);
	value.number = fold_add_saturated(value.number, swap_share_of(shares, process, side));
	if (!shares->is_known[side])
		value.flags |= CTPROF_VALUE_PARTIAL;
	return value;
}

struct ctprof_value footprint_value(const Rows *processes, const Pool *process, guint side,
				    const char *metric, const char *stand_in,
				    const SwapShares *shares)
{
	struct ctprof_value value = {.why = CTPROF_ABSENT_INAPPLICABLE};

	/* A process that no longer has memory may have had some a moment ago. */
	if (reading_of(processes, process, side) == READ_NONE)
		return value;
	if (!metric)
		return effective_of(processes, process, side, shares);
	value = row_value(processes, process, side, metric);
	if (value.type == CTPROF_VALUE_ABSENT && stand_in) {
		struct ctprof_value other = row_value(processes, process, side, stand_in);

		other.flags |= CTPROF_VALUE_PARTIAL;
		return other.type == CTPROF_VALUE_NUMBER ? other : value;
	}
	/* A text with that name is not an amount. */
	return value.type == CTPROF_VALUE_NUMBER ? value : (struct ctprof_value){.why = value.why};
}
