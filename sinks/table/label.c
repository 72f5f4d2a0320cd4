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

void label_cut(GString *text, guint width)
{
	guint used = 0;
	const char *p = text->str;

	if (label_width(text->str) <= width)
		return;
	while (used + char_width(g_utf8_get_char(p)) < width) {
		used += char_width(g_utf8_get_char(p));
		p += g_utf8_skip[*(const guchar *)p];
	}
	g_string_truncate(text, (gsize)(p - text->str));
	g_string_append(text, "…");
}
