/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that grows, and to which untrusted bytes can be added safely. */
#ifndef TEXT_H
#define TEXT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *bytes; /* NUL-terminated if length is not 0 */
	size_t length, room;
	int failed; /* -ENOMEM: nothing more is added */
};

static inline void text_free(struct text *text)
{
	free(text->bytes);
}

static inline void text_put_bytes(struct text *text, const char *bytes, size_t length)
{
	if (text->failed < 0)
		return;
	if (length >= text->room - text->length) {
		size_t room = 2 * (text->room + length) + 64;
		char *grown = realloc(text->bytes, room);

		if (!grown) {
			text->failed = -ENOMEM;
			return;
		}
		text->bytes = grown;
		text->room = room;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

static inline void text_put(struct text *text, const char *string)
{
	text_put_bytes(text, string, strlen(string));
}

/* Returns the number of bytes of the UTF-8 character at s; 0: it is invalid. */
static inline size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (size_t n = 1; n <= sizeof forms / sizeof forms[0]; n++) {
		if ((s[0] & forms[n - 1].mask) != forms[n - 1].lead)
			continue;
		uint32_t code = s[0] & (unsigned char)~forms[n - 1].mask;
		for (size_t i = 1; i < n; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (s[i] & 0x3f);
		}
		if (code < forms[n - 1].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000))
			return 0;
		return n;
	}
	return 0;
}

/* Adds untrusted bytes to the value of a label or to a help text: a byte that is not text is shown
 * as \xNN, in which the format requires a double '\'. */
static inline void text_put_escaped(struct text *text, const char *bytes)
{
	const unsigned char *s = (const unsigned char *)bytes;
	char shown[8];

	while (*s) {
		size_t n = utf8_length(s);

		if (*s == '\n')
			text_put(text, "\\n");
		else if (*s == '"' || *s == '\\')
			text_put_bytes(text, (char[]){'\\', (char)*s}, 2);
		else if (n == 0 || *s < ' ' || *s == 127)
			text_put_bytes(text, shown,
				       (size_t)snprintf(shown, sizeof shown, "\\\\x%02x", *s));
		else
			text_put_bytes(text, (const char *)s, n);
		s += n > 0 ? n : 1;
	}
}

#endif /* TEXT_H */
