/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file's words for the interface's enumerations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct word {
	uint32_t value;
	const char *word; /* NULL after the last */
};

extern const struct word words_kinds[];
extern const struct word words_units[];
extern const struct word words_scopes[];
extern const struct word words_absences[];
extern const struct word words_flags[]; /* each one bit */
extern const struct word words_polarities[];
extern const struct word words_plugin_kinds[];
extern const struct word words_plugin_states[];

/* Returns "unknown" for a value that only a newer host knows. */
const char *words_find(const struct word *words, uint32_t value);
/* Returns false for a word that only a newer writer knows. */
bool words_value(const struct word *words, struct text word, uint32_t *ret_value);
