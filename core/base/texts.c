/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "texts.h"

#include <string.h>

gint texts_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *texts_list_sorted(GPtrArray *texts)
{
	g_ptr_array_sort(texts, texts_compare);
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(", ", (char **)texts->pdata);
}

void texts_append_json(GString *out, const char *text, gsize length)
{
	g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);

	g_string_append_c(out, '"');
	for (const char *p = valid; *p; p++)
		if (*p == '"' || *p == '\\')
			g_string_append_printf(out, "\\%c", *p);
		else if ((guchar)*p < ' ')
			g_string_append_printf(out, "\\u%04x", (guint)(guchar)*p);
		else
			g_string_append_c(out, *p);
	g_string_append_c(out, '"');
}

gsize texts_span(const char *p, const char *end, gboolean (*is)(char))
{
	const char *start = p;

	while (p < end && is(*p))
		p++;
	return (gsize)(p - start);
}

gboolean texts_is_digit(char c)
{
	return g_ascii_isdigit(c);
}

gboolean texts_is_letter(char c)
{
	return g_ascii_isalpha(c);
}

gboolean texts_is_lower_hex(char c)
{
	return g_ascii_isdigit(c) || (c >= 'a' && c <= 'f');
}
