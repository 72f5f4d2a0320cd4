/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "meminfo.h"

#include <string.h>

#define KIB 1024u

struct line {
	struct text key;
	uint64_t number;
	bool in_kib;
};

static bool parse_line(struct text text, struct line *ret)
{
	struct text key, rest, number, unit;
	uint64_t value;

	if (!text_split(text, ':', &key, &rest) || key.len == 0 || key.len > MEMINFO_KEY_MAX ||
	    memchr(key.p, '\0', key.len) || !text_take_token(&rest, &number) ||
	    !text_u64(number, &value))
		return false;
	*ret = (struct line){key, value, text_take_token(&rest, &unit) && text_equal(unit, "kB")};
	return true;
}

static uint64_t scale(struct meminfo *info, uint64_t number, uint64_t unit)
{
	uint64_t bytes;

	if (!__builtin_mul_overflow(number, unit, &bytes))
		return bytes;
	info->saturated = true;
	return UINT64_MAX;
}

/* Finds the huge page size, which the kernel prints after the amounts in that unit; 0: not
 * printed. */
static uint64_t find_huge_page_size(struct meminfo *info, struct text rest)
{
	struct text text;
	struct line line;

	while (text_take_line(&rest, &text))
		if (parse_line(text, &line) && text_equal(line.key, "Hugepagesize"))
			return scale(info, line.number, KIB);
	return 0;
}

static bool is_known(const struct meminfo *info, struct text key)
{
	for (uint32_t i = 0; i < info->n; i++) {
		struct text known = info->entries[i].key;

		if (known.len == key.len && memcmp(known.p, key.p, key.len) == 0)
			return true;
	}
	return false;
}

static uint64_t line_bytes(struct meminfo *info, const struct line *line, uint64_t huge_page_size)
{
	if (text_starts(line->key, "HugePages_"))
		return scale(info, line->number, huge_page_size);
	if (line->in_kib || text_equal(line->key, "Hugepagesize"))
		return scale(info, line->number, KIB);
	return line->number;
}

void meminfo_parse(const char *text, size_t len, struct meminfo *ret)
{
	struct text rest = {text, len};
	struct text one;
	struct line line;

	ret->n = 0;
	ret->saturated = false;
	uint64_t huge_page_size = find_huge_page_size(ret, rest);
	while (ret->n < MEMINFO_MAX && text_take_line(&rest, &one))
		if (parse_line(one, &line) && !is_known(ret, line.key))
			ret->entries[ret->n++] = (struct meminfo_entry){
				line.key, line_bytes(ret, &line, huge_page_size)};
}

bool meminfo_find(const struct meminfo *info, const char *key, uint64_t *ret_bytes)
{
	for (uint32_t i = 0; i < info->n; i++)
		if (text_equal(info->entries[i].key, key)) {
			*ret_bytes = info->entries[i].bytes;
			return true;
		}
	return false;
}
