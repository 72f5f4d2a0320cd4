/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process takes, and how that was read. */
#pragma once

#include <glib.h>

#include "rows.h"

/* A number of the ledger, as "meminfo.MemTotal". */
gboolean ledger_number(const Draft *draft, guint side, const char *name, guint64 *ret_number);
/* The host's RAM, in compare the candidate's; 0: not known. */
guint64 ledger_ram(const Draft *draft);

/* How a process's memory was read; READ_NONE: it has no memory, or is not there. */
enum reading reading_of(const Rows *processes, const Pool *process, guint side);
/* The worst of both sides. */
enum reading reading_of_sides(const Rows *processes, const Pool *process);

/* Each process's share of the swap that holds shared memory. */
typedef struct swap_shares {
	GHashTable *by_pid[SIDES];   /* pid -> guint64 */
	gboolean is_known[SIDES];    /* who is not in it has none */
	guint64 n_unreadable[SIDES]; /* processes whose mappings are in no share */
} SwapShares;

void swap_shares_init(SwapShares *shares, const Draft *draft);
void swap_shares_clear(SwapShares *shares);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SwapShares, swap_shares_clear)
/* 0: it has none, or it is not known. */
guint64 swap_share_of(const SwapShares *shares, const Pool *process, guint side);

/* The metric's amount, or where it is absent the stand-in's (or NULL); metric NULL:
 * all that would come back if the process ended.  ABSENT as INAPPLICABLE where
 * there is no memory, or no process. */
struct ctprof_value footprint_value(const Rows *processes, const Pool *process, guint side,
				    const char *metric, const char *stand_in,
				    const SwapShares *shares);
