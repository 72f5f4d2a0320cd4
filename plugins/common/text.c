/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text.h"

#include <string.h>

#include "list.h"

#define MAX_CPU_RANGE 65536u

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool text_take_part(struct text *rest, char separator, struct text *ret_part)
{
	if (rest->len == 0)
		return false;
	const char *end = memchr(rest->p, separator, rest->len);
	size_t len = end ? (size_t)(end - rest->p) : rest->len;
	size_t used = end ? len + 1 : len;

	*ret_part = (struct text){rest->p, len};
	*rest = (struct text){rest->p + used, rest->len - used};
	return true;
}

bool text_take_line(struct text *rest, struct text *ret_line)
{
	return text_take_part(rest, '\n', ret_line);
}

size_t text_count_lines(struct text text)
{
	struct text line;
	size_t n = 0;

	while (text_take_line(&text, &line))
		n++;
	return n;
}

bool text_take_token(struct text *rest, struct text *ret_token)
{
	const char *p = rest->p;
	const char *end = p + rest->len;

	while (p < end && is_blank(*p))
		p++;
	const char *start = p;
	while (p < end && !is_blank(*p))
		p++;
	*rest = (struct text){p, (size_t)(end - p)};
	if (p == start)
		return false;
	*ret_token = (struct text){start, (size_t)(p - start)};
	return true;
}

struct text text_trim(struct text whole)
{
	while (whole.len > 0 && is_blank(whole.p[0])) {
		whole.p++;
		whole.len--;
	}
	while (whole.len > 0 && is_blank(whole.p[whole.len - 1]))
		whole.len--;
	return whole;
}

bool text_split(struct text whole, char separator, struct text *ret_left, struct text *ret_right)
{
	const char *at = whole.len ? memchr(whole.p, separator, whole.len) : NULL;

	if (!at)
		return false;
	size_t left = (size_t)(at - whole.p);
	*ret_left = text_trim((struct text){whole.p, left});
	*ret_right = text_trim((struct text){at + 1, whole.len - left - 1});
	return true;
}

bool text_find(struct text lines, const char *key, struct text *ret_value)
{
	struct text line, name;

	while (text_take_line(&lines, &line))
		if (text_split(line, ':', &name, ret_value) && text_equal(name, key))
			return true;
	return false;
}

bool text_equal(struct text a, const char *b)
{
	return a.len == strlen(b) && memcmp(a.p, b, a.len) == 0;
}

int text_order(struct text a, struct text b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common > 0 ? memcmp(a.p, b.p, common) : 0;

	return order ? order : order_u64(a.len, b.len);
}

bool text_starts(struct text a, const char *prefix)
{
	size_t len = strlen(prefix);

	return a.len >= len && memcmp(a.p, prefix, len) == 0;
}

/* Parses digits only, at least one. */
static bool digits_u64(const char *p, size_t len, uint64_t *ret)
{
	uint64_t value = 0;

	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)(unsigned char)p[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

bool text_u64(struct text digits, uint64_t *ret)
{
	size_t sign = digits.len > 0 && digits.p[0] == '+';

	return digits_u64(digits.p + sign, digits.len - sign, ret);
}

bool text_take_u64(struct text *rest, uint64_t *ret)
{
	size_t len = 0;

	while (len < rest->len && rest->p[len] >= '0' && rest->p[len] <= '9')
		len++;
	struct text digits = {rest->p, len};
	*rest = (struct text){rest->p + len, rest->len - len};
	return text_u64(digits, ret);
}

bool text_i64(struct text digits, int64_t *ret)
{
	bool negative = digits.len > 0 && digits.p[0] == '-';
	size_t sign = negative || (digits.len > 0 && digits.p[0] == '+');
	uint64_t magnitude;

	if (!digits_u64(digits.p + sign, digits.len - sign, &magnitude) ||
	    magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_hex(struct text digits, uint64_t *ret)
{
	uint64_t value = 0;

	if (digits.len == 0 || digits.len > 16)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		int digit = text_hex_digit(digits.p[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*ret = value;
	return true;
}

bool text_take_0x(struct text *rest, uint64_t *ret)
{
	struct text token;

	return text_take_token(rest, &token) && text_starts(token, "0x") &&
	       text_hex((struct text){token.p + 2, token.len - 2}, ret);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return order_u64(x, y);
}

/* Parses "n" or "lo-hi", without blanks around it. */
static bool parse_range(struct text token, uint64_t *ret_lo, uint64_t *ret_hi)
{
	const char *dash = memchr(token.p, '-', token.len);
	size_t left = dash ? (size_t)(dash - token.p) : token.len;

	if (!text_u64((struct text){token.p, left}, ret_lo))
		return false;
	*ret_hi = *ret_lo;
	if (dash && !text_u64((struct text){dash + 1, token.len - left - 1}, ret_hi))
		return false;
	return *ret_hi >= *ret_lo && *ret_hi <= UINT32_MAX && *ret_hi - *ret_lo < MAX_CPU_RANGE;
}

size_t text_cpu_list(struct text list, uint32_t *cpus, size_t max)
{
	struct text rest = text_trim(list), token;
	bool ascending = true;
	size_t n = 0;

	while (text_take_part(&rest, ',', &token)) {
		uint64_t lo, hi;

		token = text_trim(token);
		if (token.len == 0)
			continue;
		if (!parse_range(token, &lo, &hi) || hi - lo + 1 > max - n)
			return 0;
		ascending = ascending && (n == 0 || lo > cpus[n - 1]);
		for (uint64_t cpu = lo; cpu <= hi; cpu++)
			cpus[n++] = (uint32_t)cpu;
	}
	return ascending ? n : list_sort_unique(cpus, n, sizeof *cpus, compare_u32, compare_u32);
}
