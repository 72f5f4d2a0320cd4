/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps.h"

#include <stdlib.h>

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	const struct smaps *smaps = self;

	/* A budget that ran out is no file's failure. */
	if (answer->err)
		tally_failure(smaps->tally, FILE_SMAPS, answer->err);
	smaps_put(smaps->plan->host, batch, &smaps->slots, answer);
}

static const struct smaps_use use = {SMAPS_USE_SUMS, .answer = take_answer};

void smaps_init(struct smaps *ret, const struct plan *plan, struct smaps_limits *limits,
		struct tally *tally)
{
	*ret = (struct smaps){
		.plan = plan,
		.tally = tally,
		.slots = {.map = plan->slots[METRIC_SMAPS_MAP],
			  .state = plan->slots[METRIC_SMAPS_STATE],
			  .source = plan->slots[METRIC_SMAPS_SOURCE]},
	};
	smaps_ladder_init(&ret->ladder, plan->host, limits, SMAPS_AUTO, &use, ret);
}

void smaps_clear(struct smaps *smaps)
{
	smaps_ladder_clear(&smaps->ladder);
}

int smaps_begin(struct smaps *smaps, uint64_t rows)
{
	return smaps_ladder_begin(&smaps->ladder, smaps->plan->n_wanted[FILE_SMAPS] ? rows : 0);
}

void smaps_add(struct smaps *smaps, const struct ctprof_batch *batch, uint64_t row,
	       struct stat_task task)
{
	if (smaps_is_told(smaps->plan->host, batch, row, &smaps->slots))
		return;
	smaps_ladder_add(&smaps->ladder,
			 (struct smaps_want){.row = row,
					     .kernel_thread = task.kernel_thread,
					     .exited = task.state == 'Z' || task.state == 'X'});
}

void smaps_finish(struct smaps *smaps, struct ctprof_batch *batch)
{
	smaps_ladder_finish(&smaps->ladder, batch);
}
