/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits kernel text into lines, tokens and numbers.  Pure, allocation-free,
 * byte-safe: text is (pointer, length), of any bytes, not NUL-terminated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *p;
	size_t len;
};

static inline struct text text_of(const char *string)
{
	return (struct text){string, strlen(string)};
}

/* Takes the text before the next separator, and the separator, off rest; without a separator,
 * everything; false if rest is empty. */
bool text_take_part(struct text *rest, char separator, struct text *ret_part);
/* Takes the next line (without its '\n') off rest; false if rest is empty. */
bool text_take_line(struct text *rest, struct text *ret_line);
/* Returns the number of lines that text_take_line() would return. */
size_t text_count_lines(struct text text);
/* Takes the next run of non-blank bytes off rest; false if there is none. */
bool text_take_token(struct text *rest, struct text *ret_token);
/* Takes the leading decimal digits off rest; false if there are none. */
bool text_take_u64(struct text *rest, uint64_t *ret);
/* Splits at the first separator, both sides trimmed; false if there is none. */
bool text_split(struct text whole, char separator, struct text *ret_left, struct text *ret_right);
/* Finds the value, trimmed, of the first line "KEY: VALUE" of lines; false if there is none. */
bool text_find(struct text lines, const char *key, struct text *ret_value);
/* Returns the text without ASCII blanks at both ends. */
struct text text_trim(struct text whole);
bool text_equal(struct text a, const char *b);
/* Compares bytewise; a prefix comes first. */
int text_order(struct text a, struct text b);
bool text_starts(struct text a, const char *prefix);

/* Parses the whole text as a decimal number: digits, one leading '+' allowed (and '-' for signed);
 * no blanks; false on overflow or any other byte. */
bool text_u64(struct text digits, uint64_t *ret);
bool text_i64(struct text digits, int64_t *ret);
/* Parses the whole text as hexadecimal, as the kernel prints it: lower case, no sign, no "0x". */
bool text_hex(struct text digits, uint64_t *ret);
/* Returns the value of a hexadecimal digit; -1 if it is not one. */
int text_hex_digit(char c);
/* Takes the next run of non-blank bytes off rest; false if it is not "0x" followed by such a
 * number. */
bool text_take_0x(struct text *rest, uint64_t *ret);

/*
 * Parses a kernel CPU list ("0-3,8") into cpus, ascending and unique.  Returns the number of CPUs,
 * or 0 if the list is empty, malformed, longer than max, or has a range of more than 65536 CPUs.
 * The text may be unsorted.
 */
size_t text_cpu_list(struct text list, uint32_t *cpus, size_t max);
