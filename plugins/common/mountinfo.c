/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mountinfo.h"

/* Parses "0:27", which is decimal here (in maps files it is hexadecimal). */
static bool parse_device(struct text token, uint32_t *ret_major, uint32_t *ret_minor)
{
	struct text left, right;
	uint64_t major, minor;

	if (!text_split(token, ':', &left, &right) || !text_u64(left, &major) ||
	    !text_u64(right, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	*ret_major = (uint32_t)major;
	*ret_minor = (uint32_t)minor;
	return true;
}

/* Skips past the token "-" that ends the optional fields. */
static bool skip_optional(struct text *rest)
{
	struct text token;

	while (text_take_token(rest, &token))
		if (text_equal(token, "-"))
			return true;
	return false;
}

/* The fields are: id, parent, device, root, point, options, optional..., "-", type, source, the
 * file system's options. */
bool mountinfo_parse(const char *line, size_t len, struct mountinfo *ret)
{
	struct text rest = {line, len};
	struct text field[6], token;
	struct mountinfo info = {0};

	for (size_t i = 0; i < 6; i++)
		if (!text_take_token(&rest, &field[i]))
			return false;
	if (!parse_device(field[2], &info.major, &info.minor) || field[3].p[0] != '/' ||
	    field[4].p[0] != '/' || !skip_optional(&rest) || !text_take_token(&rest, &info.type) ||
	    !text_take_token(&rest, &info.options))
		return false;
	info.root = field[3];
	info.point = field[4];
	/* The source may be empty: the options are the last token, and the token before them, if
	 * any, is the source. */
	info.source = (struct text){info.options.p, 0};
	for (bool first = true; text_take_token(&rest, &token); first = false) {
		if (first)
			info.source = info.options;
		info.options = token;
	}
	*ret = info;
	return true;
}

/* Returns the byte that "\040" stands for, or -1. */
static int octal_byte(struct text at)
{
	int value = 0;

	if (at.len < 4 || at.p[0] != '\\' || at.p[1] > '3')
		return -1;
	for (size_t i = 1; i < 4; i++) {
		if (at.p[i] < '0' || at.p[i] > '7')
			return -1;
		value = value * 8 + (at.p[i] - '0');
	}
	return value > 0 ? value : -1;
}

size_t mountinfo_unescape(struct text text, char *ret)
{
	size_t used = 0;

	while (text.len > 0) {
		int byte = octal_byte(text);
		size_t step = byte < 0 ? 1 : 4;

		ret[used++] = byte < 0 ? text.p[0] : (char)byte;
		text = (struct text){text.p + step, text.len - step};
	}
	return used;
}
