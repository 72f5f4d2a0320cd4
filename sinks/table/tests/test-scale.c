/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers climb their ladders; names are escaped, measured and cut. */
#include <glib.h>
#include <locale.h>

#include "ctprof/numbers.h"
#include "label.h"
#include "scale.h"

static void test_number(void)
{
	static const struct {
		guint32 ladder;
		guint64 value;
		const char *text;
	} cases[] = {
		{CTPROF_LADDER_NS, 50, "50ns"},
		{CTPROF_LADDER_NS, 999, "999ns"},
		{CTPROF_LADDER_NS, 1500, "1.500µs"},
		{CTPROF_LADDER_NS, 2000000, "2.000ms"},
		{CTPROF_LADDER_NS, 7500000, "7.500ms"},
		{CTPROF_LADDER_NS, 3000000000, "3.000s"},
		{CTPROF_LADDER_NS, 0, "0ns"},
		{CTPROF_LADDER_US, 0, "0µs"},
		{CTPROF_LADDER_US, 1500000, "1.500s"},
		{CTPROF_LADDER_BYTES, 0, "0B"},
		{CTPROF_LADDER_BYTES, 1023, "1023B"},
		{CTPROF_LADDER_BYTES, 1024, "1.000KiB"},
		{CTPROF_LADDER_BYTES, 4096, "4.000KiB"},
		{CTPROF_LADDER_BYTES, 7168 * 1024, "7.000MiB"},
		{CTPROF_LADDER_BYTES, G_GUINT64_CONSTANT(1) << 31, "2.000GiB"},
		{CTPROF_LADDER_BYTES, G_GUINT64_CONSTANT(1) << 41, "2.000TiB"},
		{CTPROF_LADDER_TICKS, 0, "0ticks"},
		{CTPROF_LADDER_TICKS, 1500, "1.500Kticks"},
		{CTPROF_LADDER_TICKS, 2000000, "2.000Mticks"},
		{CTPROF_LADDER_UNITLESS, 0, "0"},
		{CTPROF_LADDER_UNITLESS, 1234, "1.234K"},
		{CTPROF_LADDER_UNITLESS, 1500000000, "1.500G"},
		{CTPROF_LADDER_NONE, G_MAXUINT64, "18446744073709551615"},
		{CTPROF_LADDER_CENTIPERCENT, 0, "0.00%"},
		{CTPROF_LADDER_CENTIPERCENT, 5, "0.05%"},
		{CTPROF_LADDER_CENTIPERCENT, 101, "1.01%"},
		{CTPROF_LADDER_CENTIPERCENT, 1859, "18.59%"},
		{CTPROF_LADDER_CENTIPERCENT, 10099, "100.99%"},
		{12345, 7, "7"}, /* a ladder of a later host */
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char text[SCALE_ROOM];

		scale_number(cases[i].ladder, cases[i].value, text);
		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

static void test_real(void)
{
	static const struct {
		guint32 ladder;
		double value;
		const char *text;
	} cases[] = {
		{CTPROF_LADDER_RATIO, 0.8735, "0.874"},
		{CTPROF_LADDER_RATIO, 1.5, "1.500"},
		{CTPROF_LADDER_RATIO, 2500, "2500.000"},
		{CTPROF_LADDER_NS, 2.5e6, "2.500ms"},
		{CTPROF_LADDER_NS, 123.4, "123.40ns"},
		{CTPROF_LADDER_BYTES, -2048, "-2.000KiB"},
		{CTPROF_LADDER_BYTES, -2000000, "-1.907MiB"},
		{CTPROF_LADDER_NS, 0.0 / 0.0, "-"},
		{CTPROF_LADDER_NS, 1.0 / 0.0, "-"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char text[SCALE_ROOM];

		scale_real(cases[i].ladder, cases[i].value, text);
		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

static void test_short(void)
{
	static const struct {
		guint32 ladder;
		double value;
		const char *text;
	} cases[] = {
		{CTPROF_LADDER_NONE, 0, "0"},
		{CTPROF_LADDER_NONE, 0.364, "0.36"},
		{CTPROF_LADDER_NONE, 0.001, "0.00"},
		{CTPROF_LADDER_NONE, 9.996, "10.0"},
		{CTPROF_LADDER_NONE, 99.96, "100"},
		{CTPROF_LADDER_NONE, 12345, "12345"},
		{CTPROF_LADDER_UNITLESS, 7, "7"},
		{CTPROF_LADDER_UNITLESS, 16712, "16.7k"},
		{CTPROF_LADDER_UNITLESS, 999.6, "1.00k"},
		{CTPROF_LADDER_BYTES, 512, "512B"},
		{CTPROF_LADDER_BYTES, 1000, "0.98K"},
		{CTPROF_LADDER_BYTES, 34.1 * 1024 * 1024, "34.1M"},
		{CTPROF_LADDER_BYTES, -2048, "-2.00K"},
		{CTPROF_LADDER_NS, 1040000, "1.04ms"},
		{CTPROF_LADDER_NS, 210e6, "210ms"},
		{CTPROF_LADDER_NS, 5000e9, "5000s"},
		{CTPROF_LADDER_US, 1500, "1.50ms"},
		{CTPROF_LADDER_NS, 0.0 / 0.0, "-"},
		{CTPROF_LADDER_NS, 1e300, "-"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char text[CTPROF_SHORT_ROOM];

		ctprof_number_short(cases[i].ladder, cases[i].value, text);
		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

static void test_delta(void)
{
	static const struct {
		guint32 ladder;
		gboolean is_computed;
		double delta;
		const char *text;
	} cases[] = {
		{CTPROF_LADDER_NS, FALSE, -50, "-50ns"},
		{CTPROF_LADDER_NS, FALSE, 50, "+50ns"},
		{CTPROF_LADDER_NS, FALSE, 0, "+0ns"},
		{CTPROF_LADDER_NS, FALSE, -0.0, "+0ns"},
		{CTPROF_LADDER_NS, FALSE, 50.5, "+50.500ns"},
		{CTPROF_LADDER_NS, FALSE, 2e6, "+2.000ms"},
		{CTPROF_LADDER_NS, FALSE, -2e6, "-2.000ms"},
		{CTPROF_LADDER_US, FALSE, -1500000, "-1.500s"},
		{CTPROF_LADDER_US, FALSE, 1001, "+1.001ms"},
		{CTPROF_LADDER_BYTES, FALSE, -2147483648.0, "-2.000GiB"},
		{CTPROF_LADDER_UNITLESS, FALSE, 32, "+32"},
		{CTPROF_LADDER_RATIO, TRUE, 0.1, "+0.100"},
		{CTPROF_LADDER_NS, TRUE, 1.25, "+1.25ns"},
		{CTPROF_LADDER_NS, TRUE, 1, "+1.00ns"},
		{CTPROF_LADDER_CENTIPERCENT, FALSE, 572, "+5.72%"},
		{CTPROF_LADDER_CENTIPERCENT, FALSE, -572, "-5.72%"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char text[SCALE_ROOM];

		scale_delta(cases[i].ladder, cases[i].delta, cases[i].is_computed, text);
		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

/* A ',' of the user's locale would break columns and scripts. */
static void test_locale(void)
{
	char text[SCALE_ROOM];

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma");
		return;
	}
	scale_number(CTPROF_LADDER_NS, 1500, text);
	setlocale(LC_NUMERIC, "C");
	g_assert_cmpstr(text, ==, "1.500µs");
}

static void test_label(void)
{
	static const struct {
		const char *bytes, *text;
		guint width;
		const char *cut; /* to 6 columns */
	} cases[] = {
		{"", "", 0, ""},
		{"worker", "worker", 6, "worker"},
		{"worker-{N}", "worker-{N}", 10, "wor…N}"},
		{"日本", "日本", 4, "日本"},
		{"日本語処理", "日本語処理", 10, "日…理"},
		{"e\xcc\x81t\xc3\xa9", "e\xcc\x81t\xc3\xa9", 3, "e\xcc\x81t\xc3\xa9"},
		{"a\tb\n", "a\\x09b\\x0a", 10, "a\\x…0a"},
		{"\x1b[31m", "\\x1b[31m", 8, "\\x1…1m"},
		{"\xff\xc3", "\\xff\\xc3", 8, "\\xf…c3"},
		{"a\xe2\x80\xae"
		 "b",
		 "a\\xe2\\x80\\xaeb", 14, "a\\x…eb"},
		{"\xc2\x85", "\\xc2\\x85", 8, "\\xc…85"},
		{"\xcd\x8f", "\\xcd\\x8f", 8, "\\xc…8f"},
		{"a::b", "a::b", 4, "a::b"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		label_append(text, cases[i].bytes);
		g_assert_cmpstr(text->str, ==, cases[i].text);
		g_assert_cmpuint(label_width(text->str), ==, cases[i].width);
		label_cut(text, 6);
		g_assert_cmpstr(text->str, ==, cases[i].cut);
		g_assert_cmpuint(label_width(text->str), <=, 6);
	}
}

/* GitHub's runner obeys lines of a log. */
static void test_ci(void)
{
	static const char *const cases[][2] = {
		{"::add-mask::1", "\\x3a:add-mask\\x3a:1"},
		{"a ##[x]", "a \\x23#[x]"},
		{"a:b #1", "a:b #1"},
	};

	g_setenv("GITHUB_ACTIONS", "true", TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		label_append(text, cases[i][0]);
		g_assert_cmpstr(text->str, ==, cases[i][1]);
	}
	g_unsetenv("GITHUB_ACTIONS");
}

static void test_wrap(void)
{
	static const struct {
		const char *text;
		guint width;
		const char *wrapped; /* later lines after two blanks */
	} cases[] = {
		{"", 9, ""},
		{"a note", 6, "a note"},
		{"a longer note", 0, "a longer note"},
		{"a longer note", 8, "a longer\n  note"},
		{"one two three", 5, "one\n  two\n  three"},
		{"unbreakable words", 4, "unbreakable\n  words"},
		{"日本 語 処理", 7, "日本 語\n  処理"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(cases[i].text);

		label_wrap(text, cases[i].width, 2);
		g_assert_cmpstr(text->str, ==, cases[i].wrapped);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_unsetenv("GITHUB_ACTIONS");
	g_test_add_func("/table/label in a CI log", test_ci);
	g_test_add_func("/table/number climbs its ladder", test_number);
	g_test_add_func("/table/computed number", test_real);
	g_test_add_func("/table/number of a first screen", test_short);
	g_test_add_func("/table/delta has its sign", test_delta);
	g_test_add_func("/table/decimal point whatever the locale", test_locale);
	g_test_add_func("/table/name is escaped, measured and cut", test_label);
	g_test_add_func("/table/notes are wrapped", test_wrap);
	return g_test_run();
}
