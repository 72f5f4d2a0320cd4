/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes become a JSON string that is valid UTF-8.  If the bytes were valid UTF-8, too, the
 * string reads back as the same bytes. */
#include <stdlib.h>

#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Returns the value of the four hex digits at *at, which is advanced. */
static uint32_t unescape_hex(const char *text, size_t *at)
{
	uint32_t value = 0;

	for (size_t end = *at + 4; *at < end; (*at)++) {
		char c = text[*at];

		check((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
		value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return value;
}

/* Returns the code point of "NNNN", or of a surrogate pair of two such escapes. */
static uint32_t unescape_code(const char *text, size_t *at)
{
	uint32_t code = unescape_hex(text, at);

	if (code >> 10 != 0xd800 >> 10)
		return code;
	check(text[(*at)++] == '\\' && text[(*at)++] == 'u');
	uint32_t low = unescape_hex(text, at);
	check(low >> 10 == 0xdc00 >> 10);
	return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
}

/* Returns the number of bytes in ret. */
static size_t encode(uint32_t code, uint8_t ret[static 4])
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; code >>= 6)
		ret[i] = (uint8_t)(0x80 | (code & 0x3f));
	ret[0] = (uint8_t)(n == 1 ? code : (0xf00 >> n & 0xf0) | code);
	return n;
}

/* The byte or code point at *at inside a string; *at is advanced. */
static size_t unescape(const char *text, size_t *at, uint8_t ret[static 4])
{
	static const char letters[] = "\"\\bfnrt", bytes[] = "\"\\\b\f\n\r\t";
	char c = text[(*at)++];

	check((uint8_t)c >= 0x20 && c != '"');
	if (c == '\\' && text[*at] == 'u') {
		++*at;
		return encode(unescape_code(text, at), ret);
	}
	if (c == '\\') {
		const char *letter = memchr(letters, text[(*at)++], sizeof letters - 1);

		check(letter != NULL);
		c = bytes[letter - letters];
	}
	ret[0] = (uint8_t)c;
	return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__attribute__((cleanup(json_free))) struct json json = {0};
	__attribute__((cleanup(json_free))) struct json again = {0};

	if (json_init(&json, 0) < 0 || json_init(&again, 0) < 0)
		return 0;
	bool valid = json_text(&json, (const char *)data, size);
	check(json.used >= 2 && json.data[0] == '"' && json.data[json.used - 1] == '"');
	check(json_text(&again, json.data, json.used));
	size_t out = 0;
	for (size_t in = 1; in < json.used - 1;) {
		uint8_t got[4];
		size_t n = unescape(json.data, &in, got);

		check(!valid || (n <= size - out && memcmp(data + out, got, n) == 0));
		out += n;
	}
	check(!valid || out == size);
	return 0;
}
