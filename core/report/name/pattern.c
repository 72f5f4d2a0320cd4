/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pattern.h"

#include <string.h>

#include "base/texts.h"

#define VERTICAL_TAB 0x0b
#define NEXT_LINE 0x85

/* Returns the length of the separator at p, or 0.  Names are bytes: a byte that is not UTF-8 is not
 * a separator. */
static gsize separator_length(const char *p)
{
	if (*p == '\0')
		return 0;
	if ((guchar)*p < 0x80)
		return strchr(".-_/:@+[]", *p) || g_ascii_isspace(*p) || *p == VERTICAL_TAB;
	gunichar c = g_utf8_get_char_validated(p, -1);
	if (c == (gunichar)-1 || c == (gunichar)-2)
		return 0;
	/* U+0085 is white space to Unicode, but not to GLib. */
	return g_unichar_isspace(c) || c == NEXT_LINE ? (gsize)g_unichar_to_utf8(c, NULL) : 0;
}

gboolean pattern_next(const char **at, PatternPiece *ret_piece)
{
	const char *start = *at, *p = start;
	gsize len = separator_length(p);
	gboolean separator = len > 0;

	if (*p == '\0')
		return FALSE;
	while (*p && (len > 0) == separator) {
		p += separator ? len : 1;
		len = separator_length(p);
	}
	*at = p;
	*ret_piece = (PatternPiece){.text = start, .len = (gsize)(p - start), separator};
	return TRUE;
}

/* A hexadecimal word without a digit ("deadbeef", "bad") is a word. */
static gboolean is_hex_number(const char *text, gsize len)
{
	const char *end = text + len;

	if (len < 2 || texts_span(text, end, texts_is_lower_hex) < len)
		return FALSE;
	for (; text < end; text++)
		if (texts_is_digit(*text))
			return TRUE;
	return FALSE;
}

void pattern_append(GString *out, const PatternPiece *piece)
{
	const char *text = piece->text, *end = text + piece->len;
	gsize digits = texts_span(text, end, texts_is_digit);
	gsize letters = texts_span(text, end, texts_is_letter);

	if (piece->separator)
		g_string_append_len(out, text, (gssize)piece->len);
	else if (digits == piece->len)
		g_string_append(out, "{N}");
	else if (is_hex_number(text, piece->len))
		g_string_append(out, "{H}");
	else if (letters > 0 && letters < piece->len &&
		 texts_span(text + letters, end, texts_is_digit) == piece->len - letters)
		g_string_append_printf(out, "%.*s{N}", (int)letters, text);
	else if (digits > 0 &&
		 texts_span(text + digits, end, texts_is_letter) == piece->len - digits)
		g_string_append_printf(out, "{N}%.*s", (int)(piece->len - digits), text + digits);
	else
		g_string_append_len(out, text, (gssize)piece->len);
}

char *pattern_key(const char *name)
{
	GString *out = g_string_sized_new(32);
	PatternPiece piece;

	while (pattern_next(&name, &piece))
		pattern_append(out, &piece);
	return g_string_free(out, FALSE);
}
