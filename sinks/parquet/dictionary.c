/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dictionary.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 64
#define FIRST_BYTES 8192
/* An odd number whose bits have no pattern. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

int dictionary_init(struct dictionary *self)
{
	*self = (struct dictionary){.room = FIRST_ROOM, .n_slots = 2 * FIRST_ROOM};
	self->places = calloc(self->room, sizeof *self->places);
	self->slots = calloc(self->n_slots, sizeof *self->slots);
	return self->places && self->slots ? json_init(&self->texts, FIRST_BYTES) : -ENOMEM;
}

void dictionary_free(struct dictionary *self)
{
	free(self->places);
	free(self->slots);
	json_free(&self->texts);
}

void dictionary_clear(struct dictionary *self)
{
	self->n = 0;
	self->texts.used = 0;
	if (self->slots)
		memset(self->slots, 0, self->n_slots * sizeof *self->slots);
}

const char *dictionary_text(const struct dictionary *self, uint32_t number, uint32_t *ret_length)
{
	const char *at = self->texts.data + self->places[number];

	memcpy(ret_length, at, sizeof *ret_length);
	return at + sizeof *ret_length;
}

static uint32_t hash_of(const char *text, uint32_t length)
{
	uint64_t hash = length, word;
	size_t left = length;

	for (; left >= sizeof word; text += sizeof word, left -= sizeof word) {
		memcpy(&word, text, sizeof word);
		hash = (hash ^ word) * MULTIPLIER;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, text, left);
	hash = (hash ^ word) * MULTIPLIER;
	return (uint32_t)(hash >> 32);
}

static bool is_equal(const struct dictionary *self, uint32_t number, const char *text,
		     uint32_t length)
{
	uint32_t known_length;
	const char *known = dictionary_text(self, number, &known_length);

	return known_length == length && memcmp(known, text, length) == 0;
}

/* Returns the slot of the text, or the free one where it belongs. */
static uint32_t *find_slot(const struct dictionary *self, const char *text, uint32_t length)
{
	uint32_t at = hash_of(text, length) & (self->n_slots - 1);

	while (self->slots[at] && !is_equal(self, self->slots[at] - 1, text, length))
		at = (at + 1) & (self->n_slots - 1);
	return &self->slots[at];
}

static int grow(struct dictionary *self)
{
	uint32_t room = 2 * self->room;
	uint32_t *places = realloc(self->places, room * sizeof *places);
	uint32_t *slots = places ? realloc(self->slots, 2 * room * sizeof *slots) : NULL;

	self->places = places ? places : self->places;
	if (!slots)
		return -ENOMEM;
	self->slots = slots;
	self->room = room;
	self->n_slots = 2 * room;
	memset(slots, 0, self->n_slots * sizeof *slots);
	for (uint32_t i = 0; i < self->n; i++) {
		uint32_t length;
		const char *text = dictionary_text(self, i, &length);

		*find_slot(self, text, length) = i + 1;
	}
	return 0;
}

int dictionary_take(struct dictionary *self, const char *text, uint32_t length,
		    uint32_t *ret_number)
{
	uint32_t *slot = find_slot(self, text, length);

	if (*slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	if (self->n == self->room) {
		int r = grow(self);

		if (r < 0)
			return r;
		slot = find_slot(self, text, length);
	}
	self->places[self->n] = (uint32_t)self->texts.used;
	json_raw(&self->texts, (const char *)&length, sizeof length);
	json_raw(&self->texts, text, length);
	*ret_number = self->n++;
	*slot = self->n;
	return self->texts.error;
}
