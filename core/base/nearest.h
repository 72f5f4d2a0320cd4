/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the known words that a mistyped word was probably meant to be. */
#pragma once

#include <glib.h>

#define NEAREST_MAX 3

typedef struct nearest {
	const char *typed;
	GString *known; /* receives all words that are tried: "a, b"; NULL: not needed */
	const char *words[NEAREST_MAX]; /* equally near, in the order they were tried */
	guint n;                        /* number of words; 0: no word is near */
	guint distance;
} Nearest;

/* Tries another known word, which is borrowed.  A word that means the same is nearest, then
 * words with one typing error, then words that contain the typed one, then words with more errors.
 */
void nearest_try(Nearest *nearest, const char *word);
/* Returns ": did you mean BEFORE+WORD, BEFORE+WORD or BEFORE+WORD?", or "" if no word is near. */
char *nearest_hint(const Nearest *nearest, const char *before);
