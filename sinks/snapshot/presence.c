/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "presence.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "array.h"
#include "words.h"

/* Limit for all sets together: more than any capture has, but small enough for memory. */
#define MAX_ABSENCES (64u << 20)
/* An absence is a member's index and its state in one number. */
#define STATE_BITS 8

/* A set that is stored or searched for. */
struct presence_set {
	const struct presence *presence;
	const uint8_t *states;
	uint32_t number;
	uint8_t kept[];
};

/* A reason that only a newer host knows is written as the first one in words_absences. */
static const struct word *presence_find_reason(uint8_t state)
{
	const struct word *reason = words_absences;

	while (reason->word && reason->value != state)
		reason++;
	return reason->word ? reason : words_absences;
}

static void presence_write_names(struct json *json, const struct shape *shape,
				 const uint8_t *states, const struct word *reason)
{
	size_t written = 0;

	for (uint32_t i = 0; i < shape->n; i++) {
		const struct json_piece *key = &shape->members[i].key;

		if (states[i] == CTPROF_PRESENT || presence_find_reason(states[i]) != reason)
			continue;
		json_raw(json, ",", written++ > 0);
		json_raw(json, key->p, key->len - 1);
	}
}

void presence_write_set(struct json *json, const struct shape *shape, const uint8_t *states)
{
	uint32_t used = 0; /* a bit for each reason */
	size_t written = 0;

	for (uint32_t i = 0; i < shape->n; i++)
		if (states[i] != CTPROF_PRESENT)
			used |= 1u << (presence_find_reason(states[i]) - words_absences);
	json_literal(json, "{");
	for (const struct word *reason = words_absences; reason->word; reason++) {
		if (!(used & 1u << (reason - words_absences)))
			continue;
		json_raw(json, ",", written++ > 0);
		json_string(json, reason->word);
		json_literal(json, ":[");
		presence_write_names(json, shape, states, reason);
		json_literal(json, "]");
	}
	json_literal(json, "}");
}

void presence_init(struct presence *presence, const struct shape *shape)
{
	*presence = (struct presence){.shape = shape, .last = PRESENCE_NO_SET};
}

static void keep(void *set)
{
	(void)set;
}

void presence_clear(struct presence *presence)
{
	tdestroy(presence->tree, keep);
	for (uint32_t i = 0; i < presence->n_sets; i++)
		free(presence->sets[i]);
	free(presence->sets);
	presence_init(presence, presence->shape);
}

static int compare_sets(const void *a, const void *b)
{
	const struct presence_set *x = a;
	const struct presence_set *y = b;

	return memcmp(x->states, y->states, x->presence->shape->n);
}

/* Stores another set; returns PRESENCE_NO_SET if there is no room for it. */
static uint32_t presence_add(struct presence *presence, const struct presence_set *model)
{
	uint32_t n = presence->shape->n;

	if (presence->n_sets >= PRESENCE_MAX_SETS)
		return PRESENCE_NO_SET;
	struct presence_set **sets = array_room(presence->sets, presence->n_sets, sizeof *sets);
	if (!sets)
		return PRESENCE_NO_SET;
	presence->sets = sets;
	struct presence_set *set = malloc(sizeof *set + n);
	if (!set)
		return PRESENCE_NO_SET;
	*set = *model;
	set->states = memcpy(set->kept, model->states, n);
	set->number = presence->n_sets;
	sets[presence->n_sets] = set;
	/* If there is no memory for the index, an equal set is stored again. */
	(void)tsearch(set, &presence->tree, compare_sets);
	return presence->n_sets++;
}

static uint32_t presence_intern(struct presence *presence, const uint8_t *states)
{
	const struct presence_set model = {.presence = presence, .states = states};

	if (presence->last != PRESENCE_NO_SET &&
	    compare_sets(presence->sets[presence->last], &model) == 0)
		return presence->last;
	/* A node of the tree begins with its key. */
	struct presence_set *const *found = tfind(&model, &presence->tree, compare_sets);
	presence->last = found ? (*found)->number : presence_add(presence, &model);
	return presence->last;
}

void presence_write_ref(struct presence *presence, struct json *json, const uint8_t *states)
{
	uint32_t set = presence_intern(presence, states);

	if (set == PRESENCE_NO_SET)
		presence_write_set(json, presence->shape, states);
	else
		json_u64(json, set);
}

void presence_write_sets(const struct presence *presence, struct json *json)
{
	json_literal(json, "[");
	for (uint32_t set = 0; set < presence->n_sets; set++) {
		json_raw(json, ",", set > 0);
		presence_write_set(json, presence->shape, presence->sets[set]->states);
	}
	json_literal(json, "]");
}

/* ---- reading ---------------------------------------------------------- */

static void presence_read_names(struct pull *pull, const struct shape *shape, uint8_t state,
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

void presence_read_set(struct pull *pull, const struct shape *shape, uint8_t *states)
{
	struct pull_list list;
	struct text reason;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &reason)) {
		/* A reason that only a newer writer knows still counts as absence. */
		uint32_t state = CTPROF_ABSENT_UNSUPPORTED;

		(void)words_value(words_absences, reason, &state);
		presence_read_names(pull, shape, (uint8_t)state, states);
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
		presence_read_set(pull, shape, states);
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
