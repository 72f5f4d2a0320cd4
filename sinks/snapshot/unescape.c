/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unescape.h"

/* Reads four hex digits at p; false if there are fewer. */
static bool read_hex4(const char *p, const char *end, uint32_t *ret_code)
{
	uint32_t code = 0;

	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)p[i];
		unsigned char letter = (unsigned char)((c | 0x20) - 'a');

		if (c >= '0' && c <= '9')
			code = code * 16 + (uint32_t)(c - '0');
		else if (letter < 6)
			code = code * 16 + 10u + letter;
		else
			return false;
	}
	*ret_code = code;
	return true;
}

static void write_code_point(struct json *out, uint32_t code)
{
	char *p = json_room(out, 4);
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--) {
		p[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	p[0] = (char)(leads[n] | code);
	out->used += n;
}

/* Decodes \uXXXX after the backslash, together with the second half of a surrogate pair; returns
 * the number of bytes, or 0 if it is invalid. */
static size_t unescape_code(struct json *out, const char *p, const char *end)
{
	uint32_t code, low;

	if (!read_hex4(p + 1, end, &code) || (code >= 0xdc00 && code <= 0xdfff))
		return 0;
	if (code < 0xd800 || code > 0xdfff) {
		write_code_point(out, code);
		return 5;
	}
	if (end - p < 11 || p[5] != '\\' || p[6] != 'u' || !read_hex4(p + 7, end, &low) ||
	    low < 0xdc00 || low > 0xdfff)
		return 0;
	write_code_point(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
	return 11;
}

/* Decodes the escape after a backslash at p[-1]; returns the number of bytes, or 0 if it is not a
 * JSON escape. */
static size_t unescape_one(struct json *out, const char *p, const char *end)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *letter = memchr(letters, *p, sizeof letters - 1);

	if (*p == 'u')
		return unescape_code(out, p, end);
	if (!letter)
		return 0;
	json_raw(out, &bytes[letter - letters], 1);
	return 1;
}

size_t unescape(struct text raw, struct json *out)
{
	const char *end = raw.p + raw.len;
	const char *p = raw.p;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		const char *stop = slash ? slash : end;

		json_raw(out, p, (size_t)(stop - p));
		p = stop;
		if (p == end)
			break;
		size_t n = unescape_one(out, p + 1, end);
		if (n == 0)
			break;
		p += 1 + n;
	}
	return (size_t)(p - raw.p);
}
