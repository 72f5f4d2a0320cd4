/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers the distinct texts of a column. */
#pragma once

#include "json.h"

struct dictionary {
	struct json texts; /* of each text: its length in 4 bytes, then its bytes, as in Parquet */
	uint32_t *places;  /* the offset of each in texts */
	uint32_t n, room;
	uint32_t *slots; /* number + 1 by hash; 0: free */
	uint32_t n_slots;
};

/* Returns 0 or -ENOMEM. */
int dictionary_init(struct dictionary *dictionary);
void dictionary_free(struct dictionary *dictionary);
void dictionary_clear(struct dictionary *dictionary);
/* Adds the text if it is new, and sets its number: 0 or -ENOMEM. */
int dictionary_take(struct dictionary *dictionary, const char *text, uint32_t length,
		    uint32_t *ret_number);
const char *dictionary_text(const struct dictionary *dictionary, uint32_t number,
			    uint32_t *ret_length);
