/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "footprint.h"

#include "report/fold/fold.h"

/* The name of the row in MEMORY_SWAP_GROUP about all processes together. */
#define EVERYBODY "*"

/* ---- the ledger ---- */

gboolean ledger_number(const Draft *draft, guint side, const char *name, guint64 *ret_number)
{
	return object_number(draft, side, MEMORY_LEDGER_GROUP, name, "ledger_bytes", ret_number);
}

guint64 ledger_ram(const Draft *draft)
{
	guint64 bytes = 0;

	(void)ledger_number(draft, draft_n_sides(draft) - 1, "meminfo.MemTotal", &bytes);
	return bytes;
}

/* ---- how memory was read ---- */

enum reading footprint_reading(const Rows *processes, const Pair *process, guint side)
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

enum reading footprint_worst_reading(const Rows *processes, const Pair *process)
{
	enum reading a = footprint_reading(processes, process, 0),
		     b = footprint_reading(processes, process, 1);

	return MAX(a, b);
}

/* ---- pids ---- */

static gpointer pid_key(guint64 pid, guint side)
{
	return GSIZE_TO_POINTER((gsize)pid * SIDES + side);
}

GHashTable *footprint_index_pids(const Rows *processes)
{
	GHashTable *pids = g_hash_table_new(NULL, NULL); /* index from 1 */

	for (guint i = 0; i < processes->list->len; i++) {
		const Pair *row = g_ptr_array_index(processes->list, i);

		for (guint side = 0; side < SIDES; side++)
			if (row->sides[side])
				g_hash_table_insert(pids, pid_key((guint64)row->key.tid, side),
						    GUINT_TO_POINTER(i + 1));
	}
	return pids;
}

gboolean footprint_find_pid(GHashTable *pids, guint64 pid, guint side, guint *ret_index)
{
	guint place = pid > G_MAXINT32
			      ? 0
			      : GPOINTER_TO_UINT(g_hash_table_lookup(pids, pid_key(pid, side)));

	*ret_index = place - 1;
	return place > 0;
}

/* ---- shares of swap ---- */

static const char *share_metric(const Draft *draft)
{
	return draft->plan->options->swap_share == SHARE_BY_NAME ? "swap_shared_by_name_bytes"
								 : "swap_shared_bytes";
}

gboolean swap_number(const Draft *draft, guint side, const char *metric, guint64 *ret_number)
{
	return object_number(draft, side, MEMORY_SWAP_GROUP, EVERYBODY, metric, ret_number);
}

gboolean swap_shares_are_known(const Draft *draft, guint side)
{
	guint64 used;

	return draft_has(draft, TABLE_SINGLE_OBJECTS, side, share_metric(draft)) ||
	       (ledger_number(draft, side, "swap.used", &used) && used == 0);
}

guint64 swap_share_of(const Draft *draft, const Pair *process, guint side)
{
	guint64 bytes = 0;
	char name[16];

	g_snprintf(name, sizeof name, "%d", process->key.tid);
	(void)object_number(draft, side, MEMORY_SWAP_GROUP, name, share_metric(draft), &bytes);
	return bytes;
}

gboolean swap_is_shared(const Draft *draft, guint side)
{
	g_auto(Rows) rows = rows_of(draft, MEMORY_SWAP_GROUP);
	guint64 bytes;

	for (guint i = 0; i < rows.list->len; i++)
		if (row_number(&rows, rows.list->pdata[i], side, share_metric(draft), &bytes))
			return TRUE;
	return FALSE;
}

/* ---- amounts ---- */

/* Returns the sum of a process's shares of resident memory, of swap, and of swapped-out shared
 * memory. */
static struct ctprof_value effective_of(const Rows *processes, const Pair *process, guint side)
{
	struct ctprof_value value = row_value(processes, process, side, "pss_bytes");
	guint64 swapped;

	if (value.type != CTPROF_VALUE_NUMBER)
		return value;
	if (!row_number(processes, process, side, "swap_pss_bytes", &swapped))
		return row_value(processes, process, side, "swap_pss_bytes");
	value.number = fold_add_saturated(value.number, swapped);
	value.number =
		fold_add_saturated(value.number, swap_share_of(processes->draft, process, side));
	if (!swap_shares_are_known(processes->draft, side))
		value.flags |= CTPROF_VALUE_PARTIAL;
	return value;
}

struct ctprof_value footprint_value(const Rows *processes, const Pair *process, guint side,
				    const char *metric, const char *stand_in)
{
	struct ctprof_value value = {.why = CTPROF_ABSENT_INAPPLICABLE};

	/* A process without memory may have had some a moment ago. */
	if (footprint_reading(processes, process, side) == READ_NONE)
		return value;
	if (!metric)
		return effective_of(processes, process, side);
	value = row_value(processes, process, side, metric);
	if (value.type == CTPROF_VALUE_ABSENT && stand_in) {
		struct ctprof_value other = row_value(processes, process, side, stand_in);

		other.flags |= CTPROF_VALUE_PARTIAL;
		return other.type == CTPROF_VALUE_NUMBER ? other : value;
	}
	/* A text with that name is not an amount. */
	return value.type == CTPROF_VALUE_NUMBER ? value : (struct ctprof_value){.why = value.why};
}
