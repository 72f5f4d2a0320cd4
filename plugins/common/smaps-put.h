/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts an answer of the smaps ladder into its row. */
#pragma once

#include "smaps-ladder.h"

/* Slots of the SHARED_SMAPS_* metrics. */
struct smaps_slots {
	uint32_t map, state, source;
};

/* The answer's data, if any, is a struct smaps_sums. */
void smaps_put(const struct ctprof_host *host, struct ctprof_batch *batch,
	       const struct smaps_slots *slots, const struct smaps_answer *answer);

/* Whether an earlier source has filled the row's memory, or reported that it
 * could not be read: another attempt would cost the same again. */
bool smaps_is_filled(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		     const struct smaps_slots *slots);

/* Returns why an answer other than READ has no values (enum ctprof_absence). */
uint32_t smaps_absence(const struct smaps_answer *answer);
