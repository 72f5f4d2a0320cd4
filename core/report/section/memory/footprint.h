/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a process, and how completely it was read. */
#pragma once

#include <glib.h>

#include "rows.h"

/* Reads a number of the ledger, such as "meminfo.MemTotal".  FALSE: absent. */
gboolean ledger_number(const Draft *draft, guint side, const char *name, guint64 *ret_number);
/* Returns the host's RAM, in compare the candidate's; 0: unknown. */
guint64 ledger_ram(const Draft *draft);

/* Returns how a process's memory was read; READ_NONE: it has no memory, or does not exist. */
enum reading footprint_reading(const Rows *processes, const Pair *process, guint side);
/* Returns the less complete reading of the two sides. */
enum reading footprint_worst_reading(const Rows *processes, const Pair *process);

/* Indexes the processes by PID; the caller unrefs. */
GHashTable *footprint_index_pids(const Rows *processes);
gboolean footprint_find_pid(GHashTable *pids, guint64 pid, guint side, guint *ret_index);

/* Returns a process's share of swapped-out shared memory; 0: none, or unknown. */
guint64 swap_share_of(const Draft *draft, const Pair *process, guint side);
/* Whether any process has a share on that side. */
gboolean swap_is_shared(const Draft *draft, guint side);
/* Reads a number about how the shares of all processes were read.  FALSE: absent. */
gboolean swap_number(const Draft *draft, guint side, const char *metric, guint64 *ret_number);
/* Whether a share of 0 means that there is none, and not that it is unknown. */
gboolean swap_shares_are_known(const Draft *draft, guint side);

/* Returns the metric's amount or, if absent, that of the stand-in (may be NULL); metric NULL: all
 * memory that ending the process would free.  ABSENT as INAPPLICABLE if there is no memory, or no
 * process. */
struct ctprof_value footprint_value(const Rows *processes, const Pair *process, guint side,
				    const char *metric, const char *stand_in);
