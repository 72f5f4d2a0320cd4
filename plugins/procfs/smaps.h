/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of each process, by the first rung of this ladder that holds:
 * the leader's smaps_rollup; where the kernel has none, the sum of its smaps;
 * where the leader has exited, either file of a living sibling.
 */
#pragma once

#include <stdatomic.h>

#include "lane.h"
#include "reader.h"

/* Settled before the first thread; spent_ns is all workers'. */
struct smaps_config {
	bool never;
	bool unlimited; /* no budget */
	uint64_t timeout_ns;
	uint64_t budget_ns;
	lane_read_fn *read_file; /* tests put a reader in that blocks */
	_Atomic uint64_t spent_ns;
};

/* Reads the options smaps, smaps-timeout-ms and smaps-budget-ms. */
int smaps_configure(struct smaps_config *ret, const struct ctprof_host *host);

/* A leader of the batch. */
struct smaps_want {
	uint64_t row;
	struct stat_task task;
};

/* A worker's own. */
struct smaps {
	const struct plan *plan;
	struct smaps_config *config;
	struct tally *tally;
	struct lane *lane;  /* NULL: none yet, or the last one was abandoned */
	unsigned abandoned; /* helpers left behind */
	struct smaps_want *wants;
	size_t n, room;
};

void smaps_init(struct smaps *ret, const struct plan *plan, struct smaps_config *config,
		struct tally *tally);
void smaps_clear(struct smaps *smaps);

/* Prepares for a batch of that many rows. */
int smaps_begin(struct smaps *smaps, uint64_t rows);
/* A leader whose other files are read; nothing is opened yet. */
void smaps_add(struct smaps *smaps, uint64_t row, struct stat_task task);
/* Fills the rows added since smaps_begin(). */
void smaps_finish(struct smaps *smaps, struct ctprof_batch *batch);
