/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps-put.h"

#include <string.h>

#include "file.h"
#include "slots.h"

/* For each end, the state (NULL: it is absent, too) and the reason why values are absent. */
static const struct {
	const char *state;
	uint32_t why; /* 0: depends on errno */
} ends[] = {
	[SMAPS_READ] = {"exact", 0},
	[SMAPS_SKIPPED] = {NULL, CTPROF_ABSENT_SKIPPED},
	[SMAPS_TOO_DEAR] = {"skipped", CTPROF_ABSENT_SKIPPED},
	[SMAPS_NOT_APPLICABLE] = {"not-applicable", CTPROF_ABSENT_INAPPLICABLE},
	[SMAPS_VANISHED] = {NULL, CTPROF_ABSENT_VANISHED},
	[SMAPS_TIMEOUT] = {"timeout", CTPROF_ABSENT_TIMEOUT},
	[SMAPS_FAILED] = {"inaccessible", 0},
};

uint32_t smaps_absence(const struct smaps_answer *answer)
{
	uint32_t why = ends[answer->end].why;

	return why ? why : file_absence(answer->err);
}

static void put_word(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		     uint32_t slot, const char *word)
{
	host->put_text(batch, row, slot, word, strlen(word));
}

static void put_sums(const struct ctprof_host *host, struct ctprof_batch *batch,
		     const struct smaps_slots *slots, const struct smaps_answer *answer)
{
	const struct smaps_sums *sums = answer->data;
	struct ctprof_map_entry entries[SMAPS_KEYS_MAX];

	for (uint32_t i = 0; i < sums->n; i++)
		entries[i] = (struct ctprof_map_entry){.key = sums->sums[i].key,
						       .key_len = sums->sums[i].key_len,
						       .number = sums->sums[i].kib};
	host->put_map(batch, answer->row, slots->map, entries, sums->n);
	put_word(host, batch, answer->row, slots->source,
		 answer->sibling       ? "sibling"
		 : answer->per_mapping ? "smaps"
				       : "rollup");
}

void smaps_put(const struct ctprof_host *host, struct ctprof_batch *batch,
	       const struct smaps_slots *slots, const struct smaps_answer *answer)
{
	const char *state = ends[answer->end].state;

	if (state)
		put_word(host, batch, answer->row, slots->state, state);
	if (answer->end == SMAPS_READ) {
		put_sums(host, batch, slots, answer);
		return;
	}
	uint32_t why = smaps_absence(answer);
	host->put_absent(batch, answer->row, slots->map, why);
	host->put_absent(batch, answer->row, slots->source, why);
	if (!state)
		host->put_absent(batch, answer->row, slots->state, why);
}

bool smaps_is_filled(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		     const struct smaps_slots *slots)
{
	return slots_filled(host, batch, row, &slots->state, 1) ||
	       slots_filled(host, batch, row, &slots->map, 1);
}
