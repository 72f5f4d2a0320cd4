/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "label.h"

#include <string.h>

#include "utf8.h"

void label_append(GString *text, const char *bytes)
{
	gsize len = strlen(bytes);

	for (gsize at = 0; at < len;) {
		char shown[UTF8_SHOWN];
		gsize n;
		guint32 code;

		at += utf8_show(bytes + at, len - at, shown, &n, &code);
		g_string_append_len(text, shown, (gssize)n);
	}
}

static guint char_width(gunichar c)
{
	return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

guint label_width(const char *text)
{
	guint width = 0;

	for (const char *p = text; *p; p += g_utf8_skip[*(const guchar *)p])
		width += char_width(g_utf8_get_char(p));
	return width;
}

/* Skips the first characters of text, up to width columns, and all zero-width characters after
 * them.  Returns the rest; *ret_width: the columns skipped. */
static const char *skip(const char *text, guint width, guint *ret_width)
{
	guint used = 0;

	for (; *text; text += g_utf8_skip[*(const guchar *)text]) {
		guint own = char_width(g_utf8_get_char(text));

		if (used + own > width)
			break;
		used += own;
	}
	*ret_width = used;
	return text;
}

void label_cut(GString *text, guint width)
{
	guint all = label_width(text->str), head_width, cut_width;

	if (all <= width)
		return;
	const char *head = skip(text->str, width / 2, &head_width);
	guint excess = all - head_width - (width - 1 - head_width);
	const char *tail = skip(head, excess, &cut_width);
	if (cut_width < excess && *tail) /* only half of a wide character */
		tail = skip(tail, 2, &cut_width);
	gssize at = head - text->str;
	g_string_erase(text, at, tail - head);
	g_string_insert(text, at, "…");
}

void label_wrap(GString *text, guint width, guint indent)
{
	g_auto(GStrv) words = g_strsplit(text->str, " ", -1);
	guint used = 0;

	if (width == 0 || label_width(text->str) <= width)
		return;
	g_string_truncate(text, 0);
	for (guint i = 0; words[i]; i++) {
		guint own = label_width(words[i]);
		gboolean breaks = i > 0 && used + 1 + own > width;

		if (breaks)
			g_string_append_printf(text, "\n%*s", (int)indent, "");
		else if (i > 0)
			g_string_append_c(text, ' ');
		g_string_append(text, words[i]);
		used = breaks ? indent + own : used + (i > 0 ? 1 : 0) + own;
	}
}
