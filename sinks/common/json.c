/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "real.h"
#include "utf8.h"

/* Bytes of text escaped per json_room(): at most 6 bytes of output per byte; a sequence that begins
 * before the end of the slice is escaped as a whole. */
#define SLICE 512
#define SLICE_ROOM (6 * (SLICE + 3))

_Static_assert(SLICE_ROOM <= JSON_ROOM, "a slice fits the size that may be requested");

int json_init(struct json *json, size_t size)
{
	size_t least = size < JSON_ROOM ? JSON_ROOM : size;
	char *data = malloc(least);

	if (!data)
		return -ENOMEM;
	*json = (struct json){.data = data, .size = least};
	return 0;
}

void json_free(struct json *json)
{
	free(json->data);
	*json = (struct json){0};
}

int json_piece_make(const char *before, const char *name, size_t len, const char *after,
		    struct json_piece *ret_piece)
{
	size_t head = strlen(before), tail = strlen(after);
	char *p = malloc(head + len + tail + 1);

	if (!p)
		return -ENOMEM;
	memcpy(p, before, head);
	memcpy(p + head, name, len);
	memcpy(p + head + len, after, tail + 1);
	*ret_piece = (struct json_piece){p, head + len + tail};
	return 0;
}

static int json_grow(struct json *json)
{
	size_t size = json->size * 2;
	char *data = size > json->size ? realloc(json->data, size) : NULL;

	if (!data)
		return -ENOMEM;
	json->data = data;
	json->size = size;
	return 0;
}

void json_make_room(struct json *json, size_t n)
{
	if (!json->error && json->drain) {
		json->error = json->drain(json->context, json->data, json->used);
		json->used = 0;
	}
	while (!json->error && json->size - json->used < n)
		json->error = json_grow(json);
	/* The text is already lost: use the old buffer for data that will be dropped. */
	if (json->error)
		json->used = 0;
}

void json_long_raw(struct json *json, const char *text, size_t len)
{
	while (len > 0) {
		size_t n = len < JSON_ROOM ? len : JSON_ROOM;

		memcpy(json_room(json, n), text, n);
		json->used += n;
		text += n;
		len -= n;
	}
}

void json_u64(struct json *json, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char digits[20];
	size_t at = sizeof digits;

	while (value >= 10) {
		at -= 2;
		memcpy(digits + at, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	/* If the number of digits is odd, one remains. */
	if (value > 0 || at == sizeof digits)
		digits[--at] = (char)('0' + value);
	json_raw(json, digits + at, sizeof digits - at);
}

void json_i64(struct json *json, int64_t value)
{
	if (value < 0)
		json_literal(json, "-");
	json_u64(json, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Bytes that need no escape: printable ASCII except '"' and '\\', and '#', which may. */
static bool byte_is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\' && byte != '#';
}

/* Writes the code point as \uNNNN, or as two of those; returns the number of bytes written to
 * out. */
static size_t escape_unseen(char *out, uint32_t code)
{
	if (code < 0x10000)
		return (size_t)snprintf(out, 7, "\\u%04" PRIx32, code);
	return (size_t)snprintf(out, 13, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (code >> 10),
				0xdc00 + (code & 0x3ff));
}

/* Writes a byte of ASCII, escaped if necessary. */
static size_t escape_byte(char *out, const uint8_t *p, size_t len)
{
	static const struct {
		char byte, letter;
	} shorts[] = {
		{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
		{'\n', 'n'}, {'\r', 'r'},  {'\t', 't'},
	};

	out[0] = '\\';
	for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
		if (p[0] == (uint8_t)shorts[i].byte) {
			out[1] = shorts[i].letter;
			return 2;
		}
	}
	/* Do not write "##[" as it is: a CI log would take it for a command. */
	out[0] = '#';
	return p[0] == '#' && (len < 3 || memcmp(p, "##[", 3) != 0) ? 1 : escape_unseen(out, p[0]);
}

/* Writes a sequence outside ASCII, or U+FFFD for an invalid one. */
static size_t escape_sequence(char *out, const uint8_t *p, size_t n, bool valid)
{
	uint32_t code = valid ? utf8_decode(p, n) : 0xfffd;

	if (!utf8_is_seen(code))
		return escape_unseen(out, code);
	memcpy(out, valid ? (const char *)p : "\xef\xbf\xbd", valid ? n : 3);
	return valid ? n : 3;
}

/* Escapes up to SLICE bytes of text (and the rest of a sequence); returns their number. */
static size_t escape_slice(struct json *json, const uint8_t *text, size_t len, bool *valid)
{
	char *out = json_room(json, SLICE_ROOM);
	size_t slice = len < SLICE ? len : SLICE;
	size_t at = 0;

	while (at < slice) {
		bool sound = true;
		size_t n = 0;

		while (at + n < slice && byte_is_plain(text[at + n]))
			n++;
		if (n > 0) {
			memcpy(out, text + at, n);
			out += n;
		} else if (text[at] < 0x80) {
			n = 1;
			out += escape_byte(out, text + at, len - at);
		} else {
			n = utf8_measure(text + at, len - at, &sound);
			out += escape_sequence(out, text + at, n, sound);
		}
		*valid = *valid && sound;
		at += n;
	}
	json->used = (size_t)(out - json->data);
	return at;
}

bool json_text(struct json *json, const char *bytes, size_t len)
{
	const uint8_t *text = (const uint8_t *)bytes;
	bool valid = true;

	json_literal(json, "\"");
	for (size_t at = 0; at < len;)
		at += escape_slice(json, text + at, len - at, &valid);
	json_literal(json, "\"");
	return valid;
}

void json_hex(struct json *json, const char *bytes, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	json_literal(json, "\"");
	for (size_t i = 0; i < len; i++) {
		char *out = json_room(json, 2);
		uint8_t byte = (uint8_t)bytes[i];

		out[0] = hex[byte >> 4];
		out[1] = hex[byte & 15];
		json->used += 2;
	}
	json_literal(json, "\"");
}

void json_string(struct json *json, const char *string)
{
	if (string)
		json_text(json, string, strlen(string));
	else
		json_literal(json, "null");
}

void json_key(struct json *json, const char *key)
{
	json_literal(json, ",\"");
	json_raw(json, key, strlen(key));
	json_literal(json, "\":");
}

void json_real(struct json *json, double value)
{
	char text[REAL_ROOM];

	real_shortest(value, text);
	if (text[0])
		json_raw(json, text, strlen(text));
	else
		json_literal(json, "null");
}

void json_print(struct json *json, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	while (*format) {
		size_t plain = strcspn(format, "%");

		json_raw(json, format, plain);
		format += plain;
		if (!*format)
			break;
		format += strcspn(format, "sudg");
		switch (*format++) {
		case 's':
			json_string(json, va_arg(ap, const char *));
			break;
		case 'u':
			json_u64(json, va_arg(ap, uintmax_t));
			break;
		case 'd':
			json_i64(json, va_arg(ap, intmax_t));
			break;
		default:
			json_real(json, va_arg(ap, double));
		}
	}
	va_end(ap);
}
