/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over the "Key: N kB" lines of smaps_rollup and smaps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMAPS_KEYS_MAX 64u
#define SMAPS_KEY_LEN_MAX 63u

struct smaps_sum {
	char key[SMAPS_KEY_LEN_MAX];
	uint8_t key_len;
	uint64_t kib;
};

/* All keys that the kernel prints, in order of appearance. */
struct smaps_sums {
	/* The text is smaps, whose page sizes and flags are properties of a
	 * mapping and have no sum. */
	bool per_mapping;
	uint32_t n;
	uint32_t hint; /* likely index of the next key */
	struct smaps_sum sums[SMAPS_KEYS_MAX];
};

/* Empties the sums, for a file of either kind. */
void smaps_sums_reset(struct smaps_sums *sums, bool per_mapping);

/*
 * Adds to a struct smaps_sums every complete line of text, and the rest if last.  Returns
 * the bytes used; the caller must pass the rest again with the next piece.  Keys beyond
 * the limits above are left out.
 */
size_t smaps_sums_add(void *sums, const char *text, size_t len, bool last);

/* Returns the sum of that key; NULL if the kernel did not print it. */
const uint64_t *smaps_sums_find(const struct smaps_sums *sums, const char *key);
