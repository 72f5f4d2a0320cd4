/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles bytes that should be UTF-8, and makes any bytes safe to display. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the sequence at p (len >= 1), or of its longest well-formed beginning. */
size_t utf8_measure(const uint8_t *p, size_t len, bool *ret_valid);

/* Returns the code point of a well-formed sequence of n bytes. */
uint32_t utf8_decode(const uint8_t *p, size_t n);
/* Whether code is visible: neither a control character nor one that hides or reorders its
 * neighbours. */
bool utf8_is_seen(uint32_t code);

/* Maximum size of a shown sequence: four bytes, each as \xNN. */
#define UTF8_SHOWN 16

/*
 * Writes the text that represents the sequence at p (len >= 1): the sequence itself, or each of its
 * bytes as \xNN if it is ill-formed, invisible, or the start of a command that a CI runner would
 * obey (GITHUB_ACTIONS).  Returns the bytes consumed; *ret_code is 0 if they were escaped, and the
 * width is then *ret_len.
 */
size_t utf8_show(const char *p, size_t len, char ret_shown[UTF8_SHOWN], size_t *ret_len,
		 uint32_t *ret_code);

/* The replacement of a one-byte character that has a special meaning. */
struct utf8_escape {
	char c; /* '\0' ends the table */
	const char *instead;
};

/* Writes the text as utf8_show() does, but replaces the characters in that table. */
void utf8_put(FILE *stream, const char *text, const struct utf8_escape *escapes);
