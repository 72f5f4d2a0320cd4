/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

/* Table 3-7 of the Unicode standard: the bytes that may follow a leading byte. */
static const struct lead {
	uint8_t first, last; /* leading bytes */
	uint8_t low, high;   /* second byte; the others are 80..BF */
	uint8_t length;
} leads[] = {
	{0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Characters that are not shown as they are: controls, line and paragraph separators, characters
 * that a font may leave out (Default_Ignorable_Code_Point), and those that change the direction of
 * writing, as a name must not reorder its line. */
static const struct range {
	uint32_t first, last;
} unseen[] = {
	{0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
	{0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
	{0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static const struct lead *find_lead(uint8_t byte)
{
	for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	return NULL;
}

size_t utf8_measure(const uint8_t *p, size_t len, bool *ret_valid)
{
	const struct lead *lead = find_lead(p[0]);
	size_t n = 1;

	if (lead && lead->length > 1 && len > 1 && p[1] >= lead->low && p[1] <= lead->high)
		for (n = 2; n < lead->length && n < len && (p[n] & 0xc0) == 0x80;)
			n++;
	*ret_valid = lead && n == lead->length;
	return n;
}

uint32_t utf8_decode(const uint8_t *p, size_t n)
{
	uint32_t code = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3fu);
	return code;
}

bool utf8_is_seen(uint32_t code)
{
	for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
		if (code >= unseen[i].first && code <= unseen[i].last)
			return false;
	return true;
}

/* Whether GitHub's runner would take this for a command in a log, anywhere in a line or at its
 * beginning. */
static bool is_command(const char *p, size_t len)
{
	return ((len >= 2 && memcmp(p, "::", 2) == 0) || (len >= 3 && memcmp(p, "##[", 3) == 0)) &&
	       getenv("GITHUB_ACTIONS");
}

size_t utf8_show(const char *p, size_t len, char ret_shown[UTF8_SHOWN], size_t *ret_len,
		 uint32_t *ret_code)
{
	static const char hex[] = "0123456789abcdef";
	const uint8_t *bytes = (const uint8_t *)p;
	bool valid;
	size_t n = utf8_measure(bytes, len, &valid);
	uint32_t code = valid ? utf8_decode(bytes, n) : 0;

	if (valid && utf8_is_seen(code) && !is_command(p, len)) {
		memcpy(ret_shown, p, n);
		*ret_len = n;
		*ret_code = code;
		return n;
	}
	for (size_t i = 0; i < n; i++) {
		ret_shown[4 * i] = '\\';
		ret_shown[4 * i + 1] = 'x';
		ret_shown[4 * i + 2] = hex[bytes[i] >> 4];
		ret_shown[4 * i + 3] = hex[bytes[i] & 15];
	}
	*ret_len = 4 * n;
	*ret_code = 0;
	return n;
}

static const char *find_escape(const struct utf8_escape *escapes, char c)
{
	while (escapes->c && escapes->c != c)
		escapes++;
	return escapes->c ? escapes->instead : NULL;
}

void utf8_put(FILE *stream, const char *text, const struct utf8_escape *escapes)
{
	size_t length = strlen(text);

	for (size_t at = 0; at < length;) {
		char shown[UTF8_SHOWN];
		size_t n;
		uint32_t code;

		at += utf8_show(text + at, length - at, shown, &n, &code);
		const char *instead = n == 1 ? find_escape(escapes, shown[0]) : NULL;
		if (instead)
			fputs(instead, stream);
		else
			fwrite(shown, 1, n, stream);
	}
}
