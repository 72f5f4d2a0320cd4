/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <glib.h>

#include "json.h"

#define AUTO_JSON __attribute__((cleanup(json_free))) struct json

static void assert_written(const struct json *json, const char *expected)
{
	g_autofree char *text = g_strndup(json->data, json->used);

	g_assert_cmpint(json->error, ==, 0);
	g_assert_cmpstr(text, ==, expected);
}

#define FFFD "\xef\xbf\xbd"

static const struct {
	const char *what, *bytes, *expected;
	gboolean valid;
} texts[] = {
	{"empty", "", "\"\"", TRUE},
	{"plain", "a b/~", "\"a b/~\"", TRUE},
	{"quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\"", TRUE},
	{"short control forms", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"", TRUE},
	{"other control bytes", "\x01\x0b\x1b\x1f", "\"\\u0001\\u000b\\u001b\\u001f\"", TRUE},
	{"2 to 4 bytes", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	 "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"", TRUE},
	{"what terminals obey",
	 "\x7f\xc2\x80\xc2\x9b"
	 "31m\xc2\x9f",
	 "\"\\u007f\\u0080\\u009b31m\\u009f\"", TRUE},
	{"what reorders or hides", "\xe2\x80\xae\xe3\x85\xa4\xf3\xa0\x80\x81",
	 "\"\\u202e\\u3164\\udb40\\udc01\"", TRUE},
	{"what a CI log interprets", "##[x]#", "\"\\u0023#[x]#\"", TRUE},
	{"borders", "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	 "\"\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"", TRUE},
	{"U+FFFD itself is sound", FFFD, "\"" FFFD "\"", TRUE},
	{"lone continuation", "a\x80z", "\"a" FFFD "z\"", FALSE},
	{"overlong 2", "\xc0\xaf", "\"" FFFD FFFD "\"", FALSE},
	{"overlong 3", "\xe0\x80\xaf", "\"" FFFD FFFD FFFD "\"", FALSE},
	{"overlong 4", "\xf0\x80\x80\xaf", "\"" FFFD FFFD FFFD FFFD "\"", FALSE},
	{"surrogate", "\xed\xa0\x80", "\"" FFFD FFFD FFFD "\"", FALSE},
	{"above U+10FFFF", "\xf4\x90\x80\x80", "\"" FFFD FFFD FFFD FFFD "\"", FALSE},
	{"FE and FF", "\xfe\xff", "\"" FFFD FFFD "\"", FALSE},
	{"cut after 1 of 2", "a\xc3", "\"a" FFFD "\"", FALSE},
	{"cut after 2 of 3", "a\xe2\x82", "\"a" FFFD "\"", FALSE},
	{"cut after 3 of 4", "a\xf0\x9f\x98", "\"a" FFFD "\"", FALSE},
	{"cut short by a valid byte", "\xf0\x9f\x98z", "\"" FFFD "z\"", FALSE},
	{"cut by a sequence", "\xe2\x82\xc3\xa9", "\"" FFFD "\xc3\xa9\"", FALSE},
};

static void test_text(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		AUTO_JSON json;

		g_test_message("%s", texts[i].what);
		g_assert_cmpint(json_init(&json, 0), ==, 0);
		gboolean valid = json_text(&json, texts[i].bytes, strlen(texts[i].bytes));
		assert_written(&json, texts[i].expected);
		g_assert_cmpint(valid, ==, texts[i].valid);
		g_assert_cmpint(valid, ==, g_utf8_validate(texts[i].bytes, -1, NULL));
	}
}

static void test_nul_is_escaped(void)
{
	AUTO_JSON json;

	g_assert_cmpint(json_init(&json, 0), ==, 0);
	g_assert_true(json_text(&json, "a\0b", 3));
	assert_written(&json, "\"a\\u0000b\"");
}

/* Sequences that cross the boundaries of slices and buffers stay whole. */
static void test_long_text(void)
{
	for (gsize shift = 0; shift < 4; shift++) {
		g_autoptr(GString) text = g_string_new_len("abcd", (gssize)shift);
		AUTO_JSON json;

		while (text->len < 70000)
			g_string_append(text, "\xf0\x9f\x98\x80\xe2\x82\xac");
		g_assert_cmpint(json_init(&json, 0), ==, 0);
		g_assert_true(json_text(&json, text->str, text->len));
		g_string_prepend_c(text, '"');
		g_string_append_c(text, '"');
		assert_written(&json, text->str);
	}
}

static void test_worst_text_grows_six_times(void)
{
	g_autofree char *text = g_strnfill(65535, '\x01');
	AUTO_JSON json;

	g_assert_cmpint(json_init(&json, 0), ==, 0);
	g_assert_true(json_text(&json, text, 65535));
	g_assert_cmpuint(json.used, ==, 65535 * 6 + 2);
}

static void test_numbers(void)
{
	static const guint64 numbers[] = {
		0,
		1,
		9,
		10,
		11,
		99,
		100,
		101,
		999,
		1000,
		1001,
		9999,
		10000,
		12345678901234567u,
		G_MAXINT64,
		(guint64)G_MAXINT64 + 1,
		G_MAXUINT64 - 1,
		G_MAXUINT64,
	};

	for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
		g_autofree char *as_u64 = g_strdup_printf("%" G_GUINT64_FORMAT, numbers[i]);
		g_autofree char *as_i64 = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)numbers[i]);
		g_autofree char *both = g_strconcat(as_u64, " ", as_i64, NULL);
		AUTO_JSON json;

		g_assert_cmpint(json_init(&json, 0), ==, 0);
		json_u64(&json, numbers[i]);
		json_literal(&json, " ");
		json_i64(&json, (gint64)numbers[i]);
		assert_written(&json, both);
	}
}

static void test_hex(void)
{
	AUTO_JSON json;

	g_assert_cmpint(json_init(&json, 0), ==, 0);
	json_hex(&json, "\x00\xff\x0a", 3);
	assert_written(&json, "\"00ff0a\"");
}

static int drain_to_string(void *context, const char *data, size_t used)
{
	g_string_append_len(context, data, (gssize)used);
	return 0;
}

static void test_drained_text_is_the_same(void)
{
	g_autoptr(GString) out = g_string_new(NULL);
	AUTO_JSON drained;
	AUTO_JSON grown;

	g_assert_cmpint(json_init(&drained, 0), ==, 0);
	g_assert_cmpint(json_init(&grown, 0), ==, 0);
	drained.drain = drain_to_string;
	drained.context = out;
	for (guint i = 0; i < 20000; i++) {
		json_print(&drained, ",\"key\":%ju", (uintmax_t)i);
		json_print(&grown, ",\"key\":%ju", (uintmax_t)i);
	}
	json_raw(&drained, grown.data, grown.used);
	drain_to_string(out, drained.data, drained.used);
	g_assert_cmpuint(out->len, ==, 2 * grown.used);
	g_assert_cmpint(memcmp(out->str, grown.data, grown.used), ==, 0);
	g_assert_cmpint(memcmp(out->str + grown.used, grown.data, grown.used), ==, 0);
}

static int drain_never(void *context, const char *data, size_t used)
{
	(void)data;
	(void)used;
	++*(guint *)context;
	return -ENOSPC;
}

static void test_first_error_stays(void)
{
	guint calls = 0;
	AUTO_JSON json;

	g_assert_cmpint(json_init(&json, 0), ==, 0);
	json.drain = drain_never;
	json.context = &calls;
	for (guint i = 0; i < 10000; i++)
		json_print(&json, ",\"key\":%s", "text");
	g_assert_cmpint(json.error, ==, -ENOSPC);
	g_assert_cmpuint(calls, ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/json/text", test_text);
	g_test_add_func("/json/text-nul", test_nul_is_escaped);
	g_test_add_func("/json/text-long", test_long_text);
	g_test_add_func("/json/text-worst", test_worst_text_grows_six_times);
	g_test_add_func("/json/numbers", test_numbers);
	g_test_add_func("/json/hex", test_hex);
	g_test_add_func("/json/drained", test_drained_text_is_the_same);
	g_test_add_func("/json/error", test_first_error_stays);
	return g_test_run();
}
