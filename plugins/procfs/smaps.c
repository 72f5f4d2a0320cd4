/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

static void put_word(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row,
		     unsigned metric, const char *word)
{
	smaps->plan->host->put_text(batch, row, smaps->plan->slots[metric], word, strlen(word));
}

static void put_absent(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row,
		       unsigned metric, uint32_t why)
{
	smaps->plan->host->put_absent(batch, row, smaps->plan->slots[metric], why);
}

static void put_sums(const struct smaps *smaps, struct ctprof_batch *batch,
		     const struct smaps_answer *answer)
{
	const struct plan *plan = smaps->plan;
	const struct smaps_sums *sums = answer->data;
	struct ctprof_map_entry entries[SMAPS_KEYS_MAX];

	for (uint32_t i = 0; i < sums->n; i++)
		entries[i] = (struct ctprof_map_entry){.key = sums->sums[i].key,
						       .key_len = sums->sums[i].key_len,
						       .number = sums->sums[i].kib};
	plan->host->put_map(batch, answer->row, plan->slots[METRIC_SMAPS_MAP], entries, sums->n);
	put_word(smaps, batch, answer->row, METRIC_SMAPS_STATE, "exact");
	put_word(smaps, batch, answer->row, METRIC_SMAPS_SOURCE,
		 answer->sibling       ? "sibling"
		 : answer->per_mapping ? "smaps"
				       : "rollup");
}

/* Why there are no figures, and the state in a word; NULL: it is absent too. */
static const struct {
	const char *state;
	uint32_t why;
} ends[] = {
	[SMAPS_SKIPPED] = {NULL, CTPROF_ABSENT_SKIPPED},
	[SMAPS_NOT_APPLICABLE] = {"not-applicable", CTPROF_ABSENT_UNSUPPORTED},
	[SMAPS_VANISHED] = {NULL, CTPROF_ABSENT_VANISHED},
	[SMAPS_TIMEOUT] = {"timeout", CTPROF_ABSENT_TIMEOUT},
	[SMAPS_FAILED] = {"inaccessible", 0},
};

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	struct smaps *smaps = self;
	const char *state = ends[answer->end].state;
	uint32_t why =
		answer->end == SMAPS_FAILED ? file_absence(answer->err) : ends[answer->end].why;

	if (answer->end == SMAPS_READ) {
		put_sums(smaps, batch, answer);
		return;
	}
	/* A budget that ran out is no file's failure. */
	if (answer->err)
		tally_failure(smaps->tally, FILE_SMAPS, answer->err);
	put_absent(smaps, batch, answer->row, METRIC_SMAPS_MAP, why);
	put_absent(smaps, batch, answer->row, METRIC_SMAPS_SOURCE, why);
	if (state)
		put_word(smaps, batch, answer->row, METRIC_SMAPS_STATE, state);
	else
		put_absent(smaps, batch, answer->row, METRIC_SMAPS_STATE, why);
}

static const struct smaps_use use = {SMAPS_USE_SUMS, .answer = take_answer};

void smaps_init(struct smaps *ret, const struct plan *plan, struct smaps_limits *limits,
		struct tally *tally)
{
	*ret = (struct smaps){.plan = plan, .tally = tally};
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

void smaps_add(struct smaps *smaps, uint64_t row, struct stat_task task)
{
	smaps_ladder_add(&smaps->ladder,
			 (struct smaps_want){.row = row,
					     .kernel_thread = task.kernel_thread,
					     .exited = task.state == 'Z' || task.state == 'X'});
}

void smaps_finish(struct smaps *smaps, struct ctprof_batch *batch)
{
	smaps_ladder_finish(&smaps->ladder, batch);
}
