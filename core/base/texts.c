/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "texts.h"

#include <string.h>

#include "ctprof/sink.h"

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

gboolean texts_list_has(const char *list, const char *name)
{
	for (const char *at = list; at;) {
		gsize length = strcspn(at, ",");

		if (strlen(name) == length && memcmp(at, name, length) == 0)
			return TRUE;
		at = at[length] ? at + length + 1 : NULL;
	}
	return FALSE;
}

gboolean texts_is_unseen(gunichar c)
{
	GUnicodeType type = g_unichar_type(c);

	return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT ||
	       type == G_UNICODE_LINE_SEPARATOR || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

void texts_append_json(GString *out, const char *text, gsize length)
{
	g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);

	g_string_append_c(out, '"');
	for (const char *p = valid; *p; p += g_utf8_skip[*(const guchar *)p]) {
		gunichar c = g_utf8_get_char(p);

		if (c == '"' || c == '\\')
			g_string_append_c(out, '\\');
		if (!texts_is_unseen(c))
			g_string_append_unichar(out, c);
		else if (c < 0x10000)
			g_string_append_printf(out, "\\u%04x", c);
		else
			g_string_append_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
					       0xdc00 + (c & 0x3ff));
	}
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

void texts_append(char ***list, char *value)
{
	guint n = *list ? g_strv_length(*list) : 0;

	*list = g_renew(char *, *list, n + 2);
	(*list)[n] = value;
	(*list)[n + 1] = NULL;
}

void texts_add_fact(GArray *facts, const char *key, const char *value)
{
	const struct ctprof_fact fact = {.struct_size = sizeof fact, .key = key, .value = value};

	if (value)
		g_array_append_val(facts, fact);
}
