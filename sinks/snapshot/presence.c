/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "presence.h"

#include <stdlib.h>

#include "array.h"
#include "ctprof/words.h"

#define NO_SET UINT32_MAX
#define FIRST_BUCKETS 64

struct presence {
	const struct json_piece *names;
	size_t n;
	uint8_t *sets; /* n_sets times n states */
	uint32_t n_sets;
	uint32_t last;     /* the set of the row before, or NO_SET */
	uint32_t *buckets; /* open addressing; NO_SET: free */
	size_t n_buckets;  /* a power of two, at least twice n_sets */
};

#define REASON(number, word) {number, word},
static const struct reason {
	uint8_t state;
	const char *name;
} reasons[] = {CTPROF_ABSENCE_WORDS(REASON)};

#define N_REASONS (sizeof reasons / sizeof reasons[0])

/* A reason a newer host may have is told as the first one. */
static size_t presence_find_reason(uint8_t state)
{
	for (size_t i = 0; i < N_REASONS; i++)
		if (reasons[i].state == state)
			return i;
	return 0;
}

bool presence_parse_reason(struct text word, uint8_t *ret_state)
{
	for (size_t i = 0; i < N_REASONS; i++) {
		if (!text_equal(word, reasons[i].name))
			continue;
		*ret_state = reasons[i].state;
		return true;
	}
	return false;
}

static void presence_write_names(struct json *json, const struct json_piece *names,
				 const uint8_t *states, size_t n, size_t reason)
{
	size_t written = 0;

	for (size_t i = 0; i < n; i++) {
		if (states[i] == CTPROF_PRESENT || presence_find_reason(states[i]) != reason)
			continue;
		if (written++ > 0)
			json_literal(json, ",");
		json_raw(json, names[i].p, names[i].len);
	}
}

void presence_write_set(struct json *json, const struct json_piece *names, const uint8_t *states,
			size_t n)
{
	bool used[N_REASONS] = {false};
	const char *separator = "";

	for (size_t i = 0; i < n; i++)
		if (states[i] != CTPROF_PRESENT)
			used[presence_find_reason(states[i])] = true;
	json_literal(json, "{");
	for (size_t i = 0; i < N_REASONS; i++) {
		if (!used[i])
			continue;
		json_raw(json, separator, strlen(separator));
		separator = ",";
		json_string(json, reasons[i].name);
		json_literal(json, ":[");
		presence_write_names(json, names, states, n, i);
		json_literal(json, "]");
	}
	json_literal(json, "}");
}

static void presence_clear_buckets(struct presence *presence)
{
	for (size_t i = 0; i < presence->n_buckets; i++)
		presence->buckets[i] = NO_SET;
}

struct presence *presence_new(const struct json_piece *names, size_t n)
{
	struct presence *presence = calloc(1, sizeof *presence);

	if (!presence)
		return NULL;
	presence->names = names;
	presence->n = n;
	presence->last = NO_SET;
	presence->n_buckets = FIRST_BUCKETS;
	presence->buckets = reallocarray(NULL, FIRST_BUCKETS, sizeof *presence->buckets);
	if (!presence->buckets) {
		presence_free(presence);
		return NULL;
	}
	presence_clear_buckets(presence);
	return presence;
}

void presence_free(struct presence *presence)
{
	if (!presence)
		return;
	free(presence->sets);
	free(presence->buckets);
	free(presence);
}

static const uint8_t *presence_set(const struct presence *presence, uint32_t set)
{
	return presence->sets + (size_t)set * presence->n;
}

/* FNV-1a. */
static uint64_t presence_hash(const uint8_t *states, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ states[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

/* The bucket that holds the set, or the free one where it belongs. */
static uint32_t *presence_find_bucket(const struct presence *presence, const uint8_t *states)
{
	size_t mask = presence->n_buckets - 1;
	size_t at = (size_t)presence_hash(states, presence->n) & mask;

	while (presence->buckets[at] != NO_SET &&
	       memcmp(presence_set(presence, presence->buckets[at]), states, presence->n) != 0)
		at = (at + 1) & mask;
	return &presence->buckets[at];
}

/* The old buckets are not needed to fill the new ones: the sets are all there. */
static bool presence_grow_buckets(struct presence *presence)
{
	size_t n_buckets = presence->n_buckets * 2;
	uint32_t *buckets = reallocarray(presence->buckets, n_buckets, sizeof *buckets);

	if (!buckets)
		return false;
	presence->buckets = buckets;
	presence->n_buckets = n_buckets;
	presence_clear_buckets(presence);
	for (uint32_t set = 0; set < presence->n_sets; set++)
		*presence_find_bucket(presence, presence_set(presence, set)) = set;
	return true;
}

/* Keeps one more set; NO_SET when there is no place for it. */
static uint32_t presence_add(struct presence *presence, const uint8_t *states)
{
	if (presence->n_sets >= PRESENCE_MAX_SETS)
		return NO_SET;
	if (2 * ((size_t)presence->n_sets + 1) > presence->n_buckets &&
	    !presence_grow_buckets(presence))
		return NO_SET;
	uint8_t *sets = array_room(presence->sets, presence->n_sets, presence->n);
	if (!sets)
		return NO_SET;
	presence->sets = sets;
	memcpy(sets + (size_t)presence->n_sets * presence->n, states, presence->n);
	return presence->n_sets++;
}

static uint32_t presence_intern(struct presence *presence, const uint8_t *states)
{
	if (presence->last != NO_SET &&
	    memcmp(presence_set(presence, presence->last), states, presence->n) == 0)
		return presence->last;
	uint32_t set = *presence_find_bucket(presence, states);
	if (set == NO_SET) {
		set = presence_add(presence, states);
		if (set != NO_SET)
			*presence_find_bucket(presence, states) = set;
	}
	presence->last = set;
	return set;
}

void presence_write_ref(struct presence *presence, struct json *json, const uint8_t *states)
{
	uint32_t set = presence_intern(presence, states);

	if (set == NO_SET)
		presence_write_set(json, presence->names, states, presence->n);
	else
		json_u64(json, set);
}

void presence_write_sets(const struct presence *presence, struct json *json)
{
	json_literal(json, "[");
	for (uint32_t set = 0; set < presence->n_sets; set++) {
		if (set > 0)
			json_literal(json, ",");
		presence_write_set(json, presence->names, presence_set(presence, set), presence->n);
	}
	json_literal(json, "]");
}
