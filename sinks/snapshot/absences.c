/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "absences.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "presence.h"

/* Of all sets together: more than any capture has, and bearable. */
#define MAX_ABSENCES (64u << 20)
/* An absence is a member's number and its state, in one. */
#define STATE_BITS 8

static void absences_read_names(struct pull *pull, const struct shape *shape, uint8_t state,
				uint8_t *states)
{
	struct pull_list list;
	struct text name;

	pull_open(pull, '[', &list);
	while (pull_more(pull, &list) && pull_string(pull, &name)) {
		uint32_t i = shape_find(shape, name);

		if (i != SHAPE_NONE)
			states[i] = state;
	}
}

void absences_read(struct pull *pull, const struct shape *shape, uint8_t *states)
{
	struct pull_list list;
	struct text reason;
	uint8_t state;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &reason)) {
		/* A reason of a newer writer is one all the same. */
		if (!presence_parse_reason(reason, &state))
			state = CTPROF_ABSENT_UNSUPPORTED;
		absences_read_names(pull, shape, state, states);
	}
}

void presence_sets_free(struct presence_sets *sets)
{
	free(sets->absences);
	free(sets->ends);
	*sets = (struct presence_sets){0};
}

static bool presence_sets_keep(struct presence_sets *sets, const uint8_t *states, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (states[i] == CTPROF_PRESENT)
			continue;
		uint32_t *absences = array_room(sets->absences, sets->n_absences, sizeof *absences);
		if (!absences)
			return false;
		sets->absences = absences;
		absences[sets->n_absences++] = i << STATE_BITS | states[i];
	}
	uint32_t *ends = array_room(sets->ends, sets->n, sizeof *ends);
	if (!ends)
		return false;
	sets->ends = ends;
	ends[sets->n++] = (uint32_t)sets->n_absences;
	return true;
}

void presence_sets_read(struct presence_sets *sets, struct pull *pull, const struct shape *shape,
			uint8_t *states)
{
	struct pull_list list;

	pull_open(pull, '[', &list);
	while (pull_more(pull, &list)) {
		memset(states, CTPROF_PRESENT, shape->n);
		absences_read(pull, shape, states);
		if (sets->n >= PRESENCE_MAX_SETS)
			pull_fail_limit(pull, PRESENCE_MAX_SETS, "sets");
		else if (sets->n_absences > MAX_ABSENCES)
			pull_fail_limit(pull, MAX_ABSENCES, "absent values");
		else if (!pull->error && !presence_sets_keep(sets, states, shape->n))
			pull_stop(pull, -ENOMEM);
	}
}

void presence_sets_get(const struct presence_sets *sets, uint32_t i, uint8_t *states, uint32_t n)
{
	memset(states, CTPROF_PRESENT, n);
	for (size_t at = i > 0 ? sets->ends[i - 1] : 0; at < sets->ends[i]; at++)
		states[sets->absences[at] >> STATE_BITS] = (uint8_t)sets->absences[at];
}
