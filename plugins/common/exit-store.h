/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores many ended threads compactly, in about 100 bytes each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of records, and of their bytes. */
#define EXIT_STORE_MAX 1000000u
#define EXIT_STORE_MAX_BYTES (256u << 20)
/* Maximum size of one record. */
#define EXIT_STORE_MAX_WORDS 256u

struct exit_block;

/* Empty if everything except n_words is zero. */
struct exit_store {
	size_t n_words; /* 64-bit words of each record */
	struct exit_block *first, *last;
	uint64_t n, n_bytes;
};

void exit_store_clear(struct exit_store *store);
/* Adds a record; false: full, or out of memory. */
bool exit_store_add(struct exit_store *store, const uint64_t *record);

/* A position in a store; all zero: before the first record. */
struct exit_cursor {
	const struct exit_block *block;
	size_t at;
};

/* Returns the next record, in the order they were added; false: no more. */
bool exit_store_next(const struct exit_store *store, struct exit_cursor *cursor, uint64_t *ret);
