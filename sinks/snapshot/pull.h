/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A strict JSON pull tokenizer: the caller asks for what it expects next.  It keeps a window of the
 * text and reads more when the window is used up.  The first error is reported with its offset,
 * what was expected and what was found.  After it lists end and every call fails, so a reader needs
 * to check for errors only once.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json.h"
#include "text.h"

/* NULs after the window: pull_digits() reads whole words. */
#define PULL_NULS 8

struct pull {
	/* The next byte.  There are NULs at end, so that scans stop there by themselves. */
	const char *p, *end;
	char *buffer;
	size_t size;   /* size of buffer, without the NULs */
	uint64_t base; /* offset of buffer[0] in the text */
	bool ended;    /* there is no more text */
	int error;     /* the first one, -errno */

	/* Reads the next bytes; returns their number, 0 at the end, or
	 * -errno. */
	int64_t (*fill)(void *context, char *into, size_t size);
	/* Called once: a sentence about the byte at offset. */
	void (*fault)(void *context, uint64_t offset, const char *sentence);
	void *context;

	const char *where; /* what is being read, for the sentence: "a thread record" */
	uint32_t depth, max_depth;
	uint32_t max_string;   /* bytes of a string or number as written */
	struct json unescaped; /* the last string that had escapes */
};

/* An object or array being read. */
struct pull_list {
	char close;
	bool begun;
};

/* The caller sets fill, fault, context and the limits before.  0 or -ENOMEM. */
int pull_init(struct pull *pull);
void pull_free(struct pull *pull);
/* Prepares for a new pass, as pull_init() does; the limits and functions stay. */
void pull_rewind(struct pull *pull);

/* Stops with an error that has already been reported. */
void pull_stop(struct pull *pull, int error);
/* Fails with "expected EXPECTED in WHERE, found" and what is next. */
void pull_fail(struct pull *pull, const char *expected);
/* Fails in that way about the text at `at`, which must still be in the window. */
void pull_fail_at(struct pull *pull, const char *at, const char *expected, struct text found);
/* Fails with "expected each key once in WHERE, found a second KEY". */
void pull_fail_twice(struct pull *pull, struct text key);
/* Fails with "expected at most MOST WHAT in WHERE, found more". */
void pull_fail_limit(struct pull *pull, uint64_t most, const char *what);

char pull_peek_far(struct pull *pull);

/* Returns the next byte that is not a blank without consuming it; NUL at the
 * end. */
static inline char pull_peek(struct pull *pull)
{
	return (unsigned char)*pull->p > ' ' ? *pull->p : pull_peek_far(pull);
}

/* Enters a list that begins with open, '{' or '['. */
void pull_open(struct pull *pull, char open, struct pull_list *ret_list);

bool pull_more_far(struct pull *pull, struct pull_list *list);

/* Whether another member follows; if not, the list has been left. */
static inline bool pull_more(struct pull *pull, struct pull_list *list)
{
	if (!list->begun || *pull->p != ',')
		return pull_more_far(pull, list);
	pull->p++;
	pull->p += *pull->p == ' ';
	return true;
}

/* Whether n bytes are the same.  Keys are short, so a call of memcmp() would cost more than
 * comparing them word by word; the last word overlaps the one before. */
static inline bool pull_is_same(const char *a, const char *b, size_t n)
{
	uint64_t x, y;

	if (n < sizeof x)
		return memcmp(a, b, n) == 0;
	for (size_t i = 0; i < n - sizeof x; i += sizeof x) {
		memcpy(&x, a + i, sizeof x);
		memcpy(&y, b + i, sizeof y);
		if (x != y)
			return false;
	}
	memcpy(&x, a + n - sizeof x, sizeof x);
	memcpy(&y, b + n - sizeof y, sizeof y);
	return x == y;
}

/* Consumes `"key":`, and one blank, if the text is in exactly this form. */
static inline bool pull_match(struct pull *pull, const struct json_piece *key)
{
	if ((size_t)(pull->end - pull->p) < key->len || !pull_is_same(pull->p, key->p, key->len))
		return false;
	pull->p += key->len;
	pull->p += *pull->p == ' ';
	return true;
}

/* Reads a key and its ':'.  Like all texts returned here, it is valid until the next
 * call. */
bool pull_key(struct pull *pull, struct text *ret_key);
bool pull_string(struct pull *pull, struct text *ret_text);
bool pull_bool(struct pull *pull, bool *ret_value);
/* Consumes null, if it is next. */
bool pull_null(struct pull *pull);

/* Returns the number of digits at p, at most 8, and their value.  The digits are read as one word,
 * since a loop over them would mispredict the end of each number. */
static inline unsigned pull_word_digits(const char *p, uint64_t *ret_value)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	word = le64toh(word) ^ UINT64_C(0x3030303030303030);
	/* The top bit of the first byte that is not a digit is set, and those of the bytes before
	 * it are not. */
	uint64_t others =
		((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
	unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;

	/* Shift the digits to the end of eight, then add up pairs, fours and finally all. */
	word = n > 0 ? word << (64 - 8 * n) : 0;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*ret_value = (word * 10000 + (word >> 32)) & UINT32_MAX;
	return n;
}

/* Returns the number of digits at p, at most 16, and their value. */
static inline unsigned pull_digits(const char *p, uint64_t *ret_value)
{
	static const uint32_t powers[] = {1,      10,      100,      1000,     10000,
					  100000, 1000000, 10000000, 100000000};
	uint64_t low;

	/* Most counters of events that never happened are one digit, 0. */
	*ret_value = (unsigned char)(*p - '0');
	if ((unsigned char)(p[1] - '0') >= 10)
		return *ret_value < 10;
	unsigned n = pull_word_digits(p, ret_value);
	if (n < 8)
		return n;
	unsigned more = pull_word_digits(p + n, &low);
	*ret_value = *ret_value * powers[more] + low;
	return n + more;
}

/* Returns the length of a complete integer of at most 16 digits; 0: use the slow path. */
static inline unsigned pull_plain_number(const char *p, uint64_t *ret_value)
{
	unsigned n = pull_digits(p, ret_value);

	if (n == 0 || (*p == '0' && n > 1) || (p[n] != ',' && p[n] != '}' && p[n] != ']'))
		return 0;
	return n;
}

bool pull_integer_far(struct pull *pull, int64_t min, uint64_t max, const char *expected,
		      uint64_t *ret_bits);

/* Reads an integer in min..max (min <= 0), as two's complement; expected describes that range. */
static inline bool pull_integer(struct pull *pull, int64_t min, uint64_t max, const char *expected,
				uint64_t *ret_bits)
{
	uint64_t value;
	unsigned n = pull_plain_number(pull->p, &value);

	if (n == 0 || value > max)
		return pull_integer_far(pull, min, max, expected, ret_bits);
	pull->p += n;
	*ret_bits = value;
	return true;
}

void pull_skip_far(struct pull *pull);

/* Skips a value of any kind, with the same checks. */
static inline void pull_skip(struct pull *pull)
{
	uint64_t value;
	unsigned n = pull_plain_number(pull->p, &value);

	if (n > 0)
		pull->p += n;
	else
		pull_skip_far(pull);
}

/* Reads a scalar as text, strings without quotes and escapes; false for other values, which are
 * skipped. */
bool pull_scalar(struct pull *pull, struct text *ret_text);
/* Checks that only blanks follow. */
void pull_finish(struct pull *pull);
