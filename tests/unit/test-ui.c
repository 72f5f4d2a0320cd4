/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/ui.h"

#include "base/texts.h"

static const struct escape_case {
	const char *what, *bytes;
	gssize length;
	const char *expected;
} cases[] = {
	{"empty", "", -1, ""},
	{"plain", "kworker/0:1", -1, "kworker/0:1"},
	{"utf8", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac", -1, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac"},
	{"beyond-the-bmp", "\xf0\x9f\x90\xa7", -1, "\xf0\x9f\x90\xa7"},
	{"line-end", "a\nb", -1, "a\\nb"},
	{"tab-and-return", "a\tb\r", -1, "a\\x09b\\x0d"},
	{"ansi-colour", "\033[31mred", -1, "\\x1b[31mred"},
	{"delete", "\177", -1, "\\x7f"},
	{"c1-control",
	 "\xc2\x9b"
	 "31m",
	 -1, "\\xc2\\x9b31m"},
	{"lone-continuation", "a\x80z", -1, "a\\x80z"},
	{"latin1", "caf\xe9", -1, "caf\\xe9"},
	{"cut-short", "\xe2\x82", -1, "\\xe2\\x82"},
	{"overlong-slash", "\xc0\xaf", -1, "\\xc0\\xaf"},
	{"surrogate", "\xed\xa0\x80", -1, "\\xed\\xa0\\x80"},
	{"bidi", "a\xe2\x80\xae", -1, "a\\xe2\\x80\\xae"},
	{"what-a-ci-log-obeys", "##[x] ##", -1, "\\x23#[x] ##"},
	{"nul-inside", "a\0b", 3, "a\\x00b"},
	{"length-counts", "abcdef", 3, "abc"},
	{"length-cuts-a-character", "\xc3\xbc", 1, "\\xc3"},
	{"length-0", "abc", 0, ""},
};

static void test_escape(gconstpointer data)
{
	const struct escape_case *c = data;
	g_autofree char *escaped = ui_escape(c->bytes, c->length);

	g_assert_cmpstr(escaped, ==, c->expected);
}

/* Any bytes become one printable line of UTF-8. */
static void test_any_byte(void)
{
	char bytes[512];

	for (guint i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 7 + (i >> 5));
	g_autofree char *escaped = ui_escape(bytes, sizeof bytes);
	g_assert_true(g_utf8_validate(escaped, -1, NULL));
	g_autofree gunichar *characters = g_utf8_to_ucs4(escaped, -1, NULL, NULL, NULL);
	for (guint i = 0; characters[i]; i++)
		g_assert_false(g_unichar_iscntrl(characters[i]));
}

/* JSON is parsed to the original text, and has no unprintable characters either. */
static void test_json(void)
{
	static const char text[] = "a\"\\\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\xc3\xa9";
	g_autoptr(GString) out = g_string_new(NULL);

	texts_append_json(out, text, sizeof text - 1);
	g_assert_cmpstr(out->str, ==, "\"a\\\"\\\\\\u007f\\u009b\\u202e\\udb40\\udc01\xc3\xa9\"");
}

/* Only a whole name is in a list. */
static void test_list(void)
{
	g_assert_true(texts_list_has("cpu,cpuacct", "cpu"));
	g_assert_true(texts_list_has("cpu,cpuacct", "cpuacct"));
	g_assert_false(texts_list_has("cpuacct,memory", "cpu"));
	g_assert_false(texts_list_has("cpuacct,memory", "acct"));
	g_assert_false(texts_list_has("cpu,cpuacct", "cpu,cpuacct"));
	g_assert_false(texts_list_has("", "cpu"));
	g_assert_false(texts_list_has(NULL, "cpu"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/ui-escape/", cases[i].what, NULL);

		g_test_add_data_func(path, &cases[i], test_escape);
	}
	g_test_add_func("/ui-escape/json", test_json);
	g_test_add_func("/texts/list", test_list);
	g_test_add_func("/ui-escape/any-byte-gives-printable-text", test_any_byte);
	return g_test_run();
}
