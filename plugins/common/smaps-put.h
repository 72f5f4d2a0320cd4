/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An answer of the smaps ladder as the values of its row. */
#pragma once

#include "smaps-ladder.h"

/* Slots of the SHARED_SMAPS_* metrics. */
struct smaps_slots {
	uint32_t map, state, source;
};

/* The answer's data, when it has any, are struct smaps_sums. */
void smaps_put(const struct ctprof_host *host, struct ctprof_batch *batch,
	       const struct smaps_slots *slots, const struct smaps_answer *answer);

/* Whether an earlier source has told of the row's memory, be it that it could
 * not be read: trying again would cost the same again. */
bool smaps_is_told(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		   const struct smaps_slots *slots);

/* Why an answer other than READ left no figures (enum ctprof_absence). */
uint32_t smaps_absence(const struct smaps_answer *answer);
