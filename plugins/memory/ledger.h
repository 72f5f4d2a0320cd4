/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the host's memory went: the lines of meminfo, in their order, and rows
 * derived from them.  Each amount may be unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "meminfo.h"

#define LEDGER_ROWS_MAX 512u
#define LEDGER_NAME_MAX 96u

struct ledger_row {
	char name[LEDGER_NAME_MAX];
	bool estimate; /* a remainder, or possibly incomplete */
	struct amount amount;
};

struct ledger {
	uint32_t n;
	struct ledger_row rows[LEDGER_ROWS_MAX];
};

/* Known users of shared memory. */
struct ledger_shmem {
	/* Files of the tmpfs that are mounted here, including swapped-out
	 * pages. */
	struct amount tmpfs;
	bool partial; /* tmpfs is an estimate: some could not be queried, or is swapped out */
	struct amount memfd;     /* mapped by the processes that could be read */
	struct amount sysv;      /* of this IPC namespace */
	struct amount anonymous; /* as memfd */
};

#define ZRAM_N_COLUMNS 3u

void ledger_add_meminfo(struct ledger *ledger, const struct meminfo *info);
/* Adds physical.*: the users of allocated memory, and either the rest that none of them accounts
 * for (residual), or the amount by which they exceed it (excess). */
void ledger_add_physical(struct ledger *ledger, const struct meminfo *info);
/* Adds shmem.*: the users of meminfo's Shmem, and the rest or excess. */
void ledger_add_shmem(struct ledger *ledger, const struct meminfo *info,
		      const struct ledger_shmem *shmem);
void ledger_add_swap(struct ledger *ledger, const struct meminfo *info);
/* Adds a device's mm_stat, unless it is malformed. */
void ledger_add_zram(struct ledger *ledger, uint64_t device, const char *text, size_t len);
void ledger_add_nvidia(struct ledger *ledger, struct amount pools);

/* Returns SwapTotal - SwapFree; false: unknown. */
bool ledger_swap_used(const struct meminfo *info, uint64_t *ret_bytes);
