/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a process, and how it was read. */
#pragma once

#include <glib.h>

#include "rows.h"

/* A number of the ledger, such as "meminfo.MemTotal". */
gboolean ledger_number(const Draft *draft, guint side, const char *name, guint64 *ret_number);
/* The host's RAM, in compare the candidate's; 0: unknown. */
guint64 ledger_ram(const Draft *draft);

/* How a process's memory was read; READ_NONE: it has no memory, or does not
 * exist. */
enum reading reading_of(const Rows *processes, const Pool *process, guint side);
/* The worst of both sides. */
enum reading reading_of_sides(const Rows *processes, const Pool *process);

/* Each process's share of swapped-out shared memory. */
typedef struct swap_shares {
	GHashTable *by_pid[SIDES];   /* pid -> guint64 */
	gboolean is_known[SIDES];    /* processes not in by_pid have none */
	guint64 n_unreadable[SIDES]; /* processes whose mappings could not be counted */
} SwapShares;

void swap_shares_init(SwapShares *shares, const Draft *draft);
void swap_shares_clear(SwapShares *shares);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SwapShares, swap_shares_clear)
/* 0: none, or unknown. */
guint64 swap_share_of(const SwapShares *shares, const Pool *process, guint side);

/* The metric's amount or, if absent, that of the stand-in (may be NULL); metric
 * NULL: all memory that ending the process would free.  ABSENT as INAPPLICABLE if
 * there is no memory, or no process. */
struct ctprof_value footprint_value(const Rows *processes, const Pool *process, guint side,
				    const char *metric, const char *stand_in,
				    const SwapShares *shares);
