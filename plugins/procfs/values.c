/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "values.h"

#include <string.h>

#define NS_PER_MS 1000000u

/* The kernel's SPLIT_NS prints six digits after the dot. */
#define NS_DIGITS 6u

void value_set_missing(struct value *ret)
{
	ret->why = CTPROF_ABSENT_UNSUPPORTED;
	ret->negative = false;
}

static void set_number(struct value *ret, bool valid, uint64_t bits)
{
	ret->why = valid ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
	ret->negative = false;
	ret->bits = bits;
}

static void set_text(struct value *ret, struct text text)
{
	ret->why = CTPROF_PRESENT;
	ret->negative = false;
	ret->text = text;
}

void value_parse_u64(struct text raw, struct value *ret)
{
	uint64_t number = 0;
	bool valid = text_u64(raw, &number);

	set_number(ret, valid, number);
}

void value_parse_u32(struct text raw, struct value *ret)
{
	uint64_t number = 0;
	bool valid = text_u64(raw, &number) && number <= UINT32_MAX;

	set_number(ret, valid, number);
}

void value_parse_i32(struct text raw, struct value *ret)
{
	int64_t number = 0;
	bool valid = text_i64(raw, &number) && number >= INT32_MIN && number <= INT32_MAX;

	set_number(ret, valid, (uint64_t)number);
}

void value_parse_i64(struct text raw, struct value *ret)
{
	int64_t number = 0;
	bool valid = text_i64(raw, &number);

	set_number(ret, valid, (uint64_t)number);
}

void value_parse_first(struct text raw, struct value *ret)
{
	struct text token = {"", 0};

	(void)text_take_token(&raw, &token);
	value_parse_u32(token, ret);
}

void value_parse_flag(struct text raw, struct value *ret)
{
	uint64_t number = 0;
	bool valid = text_u64(raw, &number);

	set_number(ret, valid, number != 0);
}

void value_parse_letter(struct text raw, struct value *ret)
{
	unsigned char letter = raw.len > 0 ? (unsigned char)raw.p[0] : 0;

	set_number(ret, letter > ' ' && letter < 0x7f, letter);
}

/* Converts the first six digits after the dot, padded with zeros. */
static bool fraction_ns(struct text digits, uint64_t *ret)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < NS_DIGITS; i++) {
		unsigned digit = i < digits.len ? (unsigned)(unsigned char)digits.p[i] - '0' : 0;

		if (digit > 9)
			return false;
		ns = ns * 10 + digit;
	}
	*ret = ns;
	return true;
}

void value_parse_dotted(struct text raw, struct value *ret)
{
	const char *dot = raw.len > 0 ? memchr(raw.p, '.', raw.len) : NULL;
	struct text whole = {raw.p, dot ? (size_t)(dot - raw.p) : raw.len};
	struct text fraction = {dot ? dot + 1 : "", dot ? raw.len - whole.len - 1 : 0};
	uint64_t ms = 0, rest = 0, ns = 0;
	bool valid = text_u64(whole, &ms);

	if (dot)
		valid = valid && fraction_ns(fraction, &rest) &&
			!__builtin_mul_overflow(ms, NS_PER_MS, &ns) &&
			!__builtin_add_overflow(ns, rest, &ns);
	else
		ns = ms;
	set_number(ret, valid, ns);
	/* Sums of clock differences: an unsynchronised clock can make one
	 * negative. */
	ret->negative = text_starts(whole, "-") || text_starts(fraction, "-");
}

void value_parse_policy(struct text raw, struct value *ret)
{
	value_parse_i32(raw, ret);
	if (ret->why == CTPROF_PRESENT)
		set_text(ret, policy_name((int32_t)(int64_t)ret->bits, ret->store));
}

void value_parse_verbatim(struct text raw, struct value *ret)
{
	set_text(ret, raw);
}
