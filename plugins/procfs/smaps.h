/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each process, as the smaps ladder finds it, into its row. */
#pragma once

#include "reader.h"
#include "smaps-put.h"

/* A worker's own. */
struct smaps {
	const struct plan *plan;
	struct tally *tally;
	struct smaps_slots slots;
	struct smaps_ladder ladder;
};

void smaps_init(struct smaps *ret, const struct plan *plan, struct smaps_limits *limits,
		struct tally *tally);
void smaps_clear(struct smaps *smaps);

/* Prepares for a batch of that many rows. */
int smaps_begin(struct smaps *smaps, uint64_t rows);
/* A leader whose other files are read; nothing is opened yet, nor will be when
 * a source before has told of its memory. */
void smaps_add(struct smaps *smaps, const struct ctprof_batch *batch, uint64_t row,
	       struct stat_task task);
/* Fills the rows added since smaps_begin(). */
void smaps_finish(struct smaps *smaps, struct ctprof_batch *batch);
