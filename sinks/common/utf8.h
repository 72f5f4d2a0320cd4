/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes that are supposed to be UTF-8, and making any bytes fit to be seen. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the sequence at p (len >= 1), or of its longest well-formed beginning. */
size_t utf8_measure(const uint8_t *p, size_t len, bool *ret_valid);

/* The most bytes one sequence becomes: four, each as \xNN. */
#define UTF8_SHOWN 16

/*
 * What to show for the sequence at p (len >= 1): itself, or each of its bytes
 * as \xNN when it is ill-formed, a control character, or one that hides or
 * turns what stands beside it.  Returns the bytes used up; ret_code is 0 when
 * escaped, so that the width is then *ret_len.
 */
size_t utf8_show(const char *p, size_t len, char ret_shown[UTF8_SHOWN], size_t *ret_len,
		 uint32_t *ret_code);
