/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exit-store.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u
/* A number of 64 bits, seven in a byte. */
#define MAX_NUMBER_BYTES 10u
#define N_IDS 4 /* tid, tgid, present, which values are not 0 */
#define MAX_RECORD_BYTES                                                                           \
	((N_IDS + EXIT_N_FIELDS) * MAX_NUMBER_BYTES + 1u + (unsigned)EXIT_COMM_SIZE)

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
	*store = (struct exit_store){0};
}

/* ---- writing ---- */

static uint8_t *write_number(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

/* Most of what can happen to a thread did not: zeros are only marked. */
static uint8_t *write_record(uint8_t *at, const struct taskstats_exit *record)
{
	size_t len = strnlen(record->comm, sizeof record->comm);
	uint64_t there = 0;

	for (size_t i = 0; i < EXIT_N_FIELDS; i++)
		if (record->values.present >> i & 1 && record->values.value[i] != 0)
			there |= UINT64_C(1) << i;
	at = write_number(at, (uint32_t)record->tid);
	at = write_number(at, (uint32_t)record->tgid);
	at = write_number(at, record->values.present);
	at = write_number(at, there);
	*at++ = (uint8_t)len;
	memcpy(at, record->comm, len);
	at += len;
	for (; there; there &= there - 1)
		at = write_number(at, record->values.value[__builtin_ctzll(there)]);
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

bool exit_store_add(struct exit_store *store, const struct taskstats_exit *record)
{
	struct exit_block *block;

	if (store->n >= EXIT_STORE_MAX || store->n_bytes >= EXIT_STORE_MAX_BYTES ||
	    !(block = find_room(store)))
		return false;
	uint8_t *begin = block->bytes + block->used;
	size_t len = (size_t)(write_record(begin, record) - begin);
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

static const uint8_t *read_record(const uint8_t *at, struct taskstats_exit *ret)
{
	uint64_t tid, tgid, there;

	memset(ret, 0, sizeof *ret);
	at = read_number(at, &tid);
	at = read_number(at, &tgid);
	at = read_number(at, &ret->values.present);
	at = read_number(at, &there);
	ret->tid = (int32_t)tid;
	ret->tgid = (int32_t)tgid;
	size_t len = *at++;
	memcpy(ret->comm, at, len);
	at += len;
	for (; there; there &= there - 1)
		at = read_number(at, &ret->values.value[__builtin_ctzll(there)]);
	return at;
}

bool exit_store_next(const struct exit_store *store, struct exit_cursor *cursor,
		     struct taskstats_exit *ret)
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
		block, (size_t)(read_record(block->bytes + at, ret) - block->bytes)};
	return true;
}
