/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exit-store.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u
/* A 64-bit number, with seven bits in each byte. */
#define MAX_NUMBER_BYTES 10u
/* The number of words whose nonzero ones are marked by one byte. */
#define MARKED 8u
#define MAX_RECORD_BYTES (EXIT_STORE_MAX_WORDS * MAX_NUMBER_BYTES + EXIT_STORE_MAX_WORDS / MARKED)

struct exit_block {
	struct exit_block *next;
	size_t used;
	uint8_t bytes[BLOCK_BYTES];
};

void exit_store_clear(struct exit_store *store)
{
	struct exit_block *block = store->first;

	while (block) {
		struct exit_block *next = block->next;

		free(block);
		block = next;
	}
	*store = (struct exit_store){.n_words = store->n_words};
}

/* ---- writing ---- */

static uint8_t *write_number(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

/* Writes a record.  Most events never happened to a thread, so zeros are only marked. */
static uint8_t *write_record(uint8_t *at, const uint64_t *record, size_t n)
{
	uint8_t *marks = NULL;

	for (size_t i = 0; i < n; i++) {
		if (i % MARKED == 0) {
			marks = at++;
			*marks = 0;
		}
		if (record[i] == 0)
			continue;
		*marks |= (uint8_t)(1u << i % MARKED);
		at = write_number(at, record[i]);
	}
	return at;
}

static struct exit_block *find_room(struct exit_store *store)
{
	struct exit_block *last = store->last;

	if (last && last->used + MAX_RECORD_BYTES <= sizeof last->bytes)
		return last;
	struct exit_block *block = malloc(sizeof *block);
	if (!block)
		return NULL;
	block->next = NULL;
	block->used = 0;
	if (last)
		last->next = block;
	else
		store->first = block;
	store->last = block;
	return block;
}

bool exit_store_add(struct exit_store *store, const uint64_t *record)
{
	struct exit_block *block;

	if (store->n >= EXIT_STORE_MAX || store->n_bytes >= EXIT_STORE_MAX_BYTES ||
	    store->n_words > EXIT_STORE_MAX_WORDS || !(block = find_room(store)))
		return false;
	uint8_t *begin = block->bytes + block->used;
	size_t len = (size_t)(write_record(begin, record, store->n_words) - begin);
	block->used += len;
	store->n_bytes += len;
	store->n++;
	return true;
}

/* ---- reading ---- */

static const uint8_t *read_number(const uint8_t *at, uint64_t *ret)
{
	unsigned shift = 0;

	*ret = 0;
	for (; *at & 0x80; shift += 7)
		*ret |= (uint64_t)(*at++ & 0x7f) << shift;
	*ret |= (uint64_t)*at++ << shift;
	return at;
}

static const uint8_t *read_record(const uint8_t *at, uint64_t *ret, size_t n)
{
	uint8_t marks = 0;

	for (size_t i = 0; i < n; i++) {
		if (i % MARKED == 0)
			marks = *at++;
		ret[i] = 0;
		if (marks >> i % MARKED & 1)
			at = read_number(at, &ret[i]);
	}
	return at;
}

bool exit_store_next(const struct exit_store *store, struct exit_cursor *cursor, uint64_t *ret)
{
	const struct exit_block *block = cursor->block ? cursor->block : store->first;
	size_t at = cursor->at;

	if (block && at == block->used) {
		block = block->next;
		at = 0;
	}
	if (!block)
		return false;
	*cursor = (struct exit_cursor){
		block,
		(size_t)(read_record(block->bytes + at, ret, store->n_words) - block->bytes)};
	return true;
}
