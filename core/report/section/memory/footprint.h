/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process takes, in the amounts it can be ranked by. */
#pragma once

#include <glib.h>

#include "memory-data.h"
#include "memory-table.h"

enum footprint {
	FOOTPRINT_PSS,
	FOOTPRINT_USS,
	FOOTPRINT_RSS,
	FOOTPRINT_SWAP,
	FOOTPRINT_EPS,
	FOOTPRINT_ANON,
	FOOTPRINT_FILE,
	FOOTPRINT_SHMEM,
	N_FOOTPRINTS,
};

typedef struct footprint_word {
	const char *name, *header;           /* of the process itself */
	const char *tree_name, *tree_header; /* with its children */
	gboolean is_common;                  /* shown without being asked for */
} FootprintWord;

extern const FootprintWord footprint_words[N_FOOTPRINTS];

/* Each process's share of the swap that holds shared memory. */
typedef struct swap_shares {
	GHashTable *by_pid; /* pid -> guint64 */
	gboolean is_known;  /* who is not in it has none */
} SwapShares;

void swap_shares_init(SwapShares *shares, const MemoryData *data, gboolean by_name);
void swap_shares_clear(SwapShares *shares);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SwapShares, swap_shares_clear)

Amount footprint_of(const MemoryRow *process, enum footprint which, const SwapShares *shares);
