/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes become a JSON string that is sound UTF-8 and, if they were, reads back as them. */
#include <stdlib.h>

#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t unescape_hex(const char *digits)
{
	unsigned int value = 0;

	for (int i = 0; i < 4; i++) {
		char c = digits[i];

		check((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
		value = value * 16 + (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	check(value < 0x20 || (value >= 0x7f && value < 0xa0));
	return (uint8_t)value;
}

/* The byte at *at of a string's inside, which moves on; ret_follows: it is a
 * code point's, before which UTF-8 has a byte 0xc2. */
static uint8_t unescape_byte(const char *text, size_t *at, bool *ret_follows)
{
	static const char letters[] = "\"\\bfnrt", bytes[] = "\"\\\b\f\n\r\t";
	char c = text[(*at)++];

	*ret_follows = false;
	check((uint8_t)c >= 0x20 && c != '"');
	if (c != '\\')
		return (uint8_t)c;
	c = text[(*at)++];
	if (c == 'u') {
		uint8_t code = unescape_hex(text + *at);

		*at += 4;
		*ret_follows = code >= 0x80;
		return code;
	}
	const char *letter = memchr(letters, c, sizeof letters - 1);
	check(letter != NULL);
	return (uint8_t)bytes[letter - letters];
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
	size_t in = 1, out = 0;
	for (; in < json.used - 1; out++) {
		bool follows;
		uint8_t byte = unescape_byte(json.data, &in, &follows);

		if (follows) {
			check(!valid || (out < size && data[out] == 0xc2));
			out++;
		}
		check(!valid || (out < size && byte == data[out]));
	}
	check(!valid || out == size);
	return 0;
}
