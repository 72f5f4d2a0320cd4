/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many threads that ended, in little memory: some 80 bytes each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/* Records kept at most, and bytes of them. */
#define EXIT_STORE_MAX 1000000u
#define EXIT_STORE_MAX_BYTES (256u << 20)

struct exit_block;

/* All zero: empty. */
struct exit_store {
	struct exit_block *first, *last;
	uint64_t n, n_bytes;
};

void exit_store_clear(struct exit_store *store);
/* false: it is full, or there is no memory. */
bool exit_store_add(struct exit_store *store, const struct taskstats_exit *record);

/* A place in a store; all zero: before the first record. */
struct exit_cursor {
	const struct exit_block *block;
	size_t at;
};

/* The next record, in the order they were added, but for its version; false: there
 * are no more. */
bool exit_store_next(const struct exit_store *store, struct exit_cursor *cursor,
		     struct taskstats_exit *ret);
