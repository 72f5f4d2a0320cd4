/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests what the tokenizer accepts as JSON, in pieces of any size. */
#include <errno.h>
#include <glib.h>

#include "../pull.h"

typedef struct source {
	const char *text;
	size_t left, piece; /* bytes given at once */
	int error;          /* returned instead of the end */
	GString *heard;     /* tokens */
	char *fault;
} Source;

static int64_t source_fill(void *context, char *into, size_t size)
{
	Source *source = context;
	size_t n = MIN(MIN(source->left, source->piece), size);

	if (n == 0)
		return source->error;
	memcpy(into, source->text, n);
	source->text += n;
	source->left -= n;
	return (int64_t)n;
}

static void source_fault(void *context, uint64_t offset, const char *sentence)
{
	Source *source = context;

	g_assert_null(source->fault);
	source->fault = g_strdup_printf("%" G_GUINT64_FORMAT " %s", offset, sentence);
}

/* Records every token in a form that shows its type: key, string, number or list. */
static void hear(struct pull *pull, GString *heard)
{
	char c = pull_peek(pull);
	struct pull_list list;
	struct text text;

	if (c != '{' && c != '[') {
		if (pull_scalar(pull, &text))
			g_string_append_printf(heard, "%c%.*s ", c == '"' ? '=' : '#',
					       (int)text.len, text.p);
		return;
	}
	g_string_append_c(heard, c);
	pull_open(pull, c, &list);
	while (pull_more(pull, &list)) {
		if (c == '{' && pull_key(pull, &text))
			g_string_append_printf(heard, "%.*s:", (int)text.len, text.p);
		hear(pull, heard);
	}
	g_string_append_c(heard, list.close);
}

/* Returns what was read, or the fault. */
static char *listen(const char *text, size_t piece, gboolean skip)
{
	Source source = {
		.text = text, .left = strlen(text), .piece = piece, .heard = g_string_new(NULL)};
	struct pull pull = {.fill = source_fill,
			    .fault = source_fault,
			    .context = &source,
			    .where = "a test",
			    .max_depth = 4,
			    .max_string = 40};

	g_assert_cmpint(pull_init(&pull), ==, 0);
	if (skip)
		pull_skip(&pull);
	else
		hear(&pull, source.heard);
	pull_finish(&pull);
	pull_free(&pull);
	char *heard = g_string_free(source.heard, FALSE);
	if (!source.fault)
		return heard;
	g_free(heard);
	return source.fault;
}

#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *text, *heard;
} cases[] = {
	{"{}", "{}"},
	{" [ ] ", "[]"},
	{"{\"a\":1,\"b\":\"c\"}", "{a:#1 b:=c }"},
	{"\t{ \"a\" : [ true , false , null ] }\r\n", "{a:[#true #false ]}"},
	{"[0,-1,1.5,1e5,1E+5,-0.0e-7,123456789012345678901234567890]",
	 "[#0 #-1 #1.5 #1e5 #1E+5 #-0.0e-7 #123456789012345678901234567890 ]"},
	{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "=\"\\/\b\f\n\r\t "},
	{"\"\\u0041\\u00e9\\u20AC\\ud83d\\udc27\"", "=A\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7 "},
	{"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\x7f\"",
	 "=\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\x7f "},
	{"{\"\\u0061\":1}", "{a:#1 }"},
	{"\"" A40 "\"", "=" A40 " "},
	{"[[[[1]]]]", "[[[[#1 ]]]]"},
};

static const struct {
	const char *text, *fault; /* without "in a test" */
} faults[] = {
	{"", "0 expected a value in a test, found end of data"},
	{"{", "1 expected a key in a test, found end of data"},
	{"{\"a\"", "4 expected ':' in a test, found end of data"},
	{"{\"a\" 1}", "5 expected ':' in a test, found '1'"},
	{"{\"a\":}", "5 expected a value in a test, found '}'"},
	{"{\"a\":1", "6 expected ',' or '}' in a test, found end of data"},
	{"[1", "2 expected ',' or ']' in a test, found end of data"},
	{"[1}", "2 expected ',' or ']' in a test, found '}'"},
	{"[1,]", "3 expected a value in a test, found ']'"},
	{"{,}", "1 expected a key in a test, found ','"},
	{"[] []", "3 expected nothing more in a test, found '['"},
	{"'a'", "0 expected a value in a test, found '''"},
	{"/* */1", "0 expected a value in a test, found '/'"},
	{"+1", "0 expected a value in a test, found '+'"},
	{"-", "0 expected a number in a test, found -"},
	{"01", "0 expected a number in a test, found 01"},
	{".5", "0 expected a value in a test, found '.'"},
	{"1.", "0 expected a number in a test, found 1."},
	{"1e", "0 expected a number in a test, found 1e"},
	{"1e+", "0 expected a number in a test, found 1e+"},
	{"1.2.3", "0 expected a number in a test, found 1.2.3"},
	{"NaN", "0 expected a value in a test, found 'N'"},
	{"nul", "0 expected null in a test, found 'n'"},
	{"truefalse", "4 expected nothing more in a test, found 'f'"},
	{"\"a", "2 expected '\"' in a test, found end of data"},
	{"\"a\\", "3 expected '\"' in a test, found end of data"},
	{"\"a\\\"", "4 expected '\"' in a test, found end of data"},
	{"\"\t\"", "1 expected no control byte in a test, found byte 0x09"},
	{"\"\\a\"", "1 expected an escape of JSON in a test, found \\a"},
	{"\"\\u12g4\"", "1 expected an escape of JSON in a test, found \\u12g4"},
	{"\"\\u123\"", "1 expected an escape of JSON in a test, found \\u123"},
	{"\"\\ud800\"", "1 expected an escape of JSON in a test, found \\ud800"},
	{"\"\\ud800\\n\"", "1 expected an escape of JSON in a test, found \\ud800\\n"},
	{"\"\\ud800\\u0041\"", "1 expected an escape of JSON in a test, found \\ud800\\u0041"},
	{"\"\\udc00\"", "1 expected an escape of JSON in a test, found \\udc00"},
	{"\"\x80\"", "1 expected UTF-8 in a test, found byte 0x80"},
	{"\"\xc0\x80\"", "1 expected UTF-8 in a test, found byte 0xc0"},
	{"\"\xed\xa0\x80\"", "1 expected UTF-8 in a test, found byte 0xed"},
	{"\"\xe2\x82", "1 expected UTF-8 in a test, found byte 0xe2"},
	{"\xef\xbb\xbf{}", "0 expected a value in a test, found byte 0xef"},
	{"\"" A40 "a\"", "42 expected at most 40 bytes of a string in a test, found more"},
	{"[[[[[1]]]]]", "4 expected at most 4 levels of nesting in a test, found more"},
};

static const size_t pieces[] = {1, 2, 3, 5, 4096};

static void test_tokens(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(pieces); i++) {
		const char *text = cases[i / G_N_ELEMENTS(pieces)].text;
		size_t piece = pieces[i % G_N_ELEMENTS(pieces)];
		g_autofree char *heard = listen(text, piece, FALSE);
		g_autofree char *skipped = listen(text, piece, TRUE);

		g_assert_cmpstr(heard, ==, cases[i / G_N_ELEMENTS(pieces)].heard);
		g_assert_cmpstr(skipped, ==, "");
	}
}

/* Skipped values are checked as strictly as those that are read. */
static void test_faults(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(faults) * G_N_ELEMENTS(pieces); i++) {
		const char *text = faults[i / G_N_ELEMENTS(pieces)].text;
		size_t piece = pieces[i % G_N_ELEMENTS(pieces)];
		g_autofree char *heard = listen(text, piece, FALSE);
		g_autofree char *skipped = listen(text, piece, TRUE);

		g_assert_cmpstr(heard, ==, faults[i / G_N_ELEMENTS(pieces)].fault);
		g_assert_cmpstr(skipped, ==, heard);
	}
}

#define I64_MIN "-9223372036854775808"

static const struct {
	const char *text;
	int64_t min;
	uint64_t max;
	gboolean fits;
	uint64_t bits;
} integers[] = {
	{"0", 0, UINT64_MAX, TRUE, 0},
	{"18446744073709551615", 0, UINT64_MAX, TRUE, UINT64_MAX},
	{"18446744073709551616", 0, UINT64_MAX, FALSE, 0},
	{"9999999999999999999", 0, UINT64_MAX, TRUE, 9999999999999999999u},
	{"99999999999999999999", 0, UINT64_MAX, FALSE, 0},
	/* Digits are parsed eight at a time. */
	{"7", 0, UINT64_MAX, TRUE, 7},
	{"1234567", 0, UINT64_MAX, TRUE, 1234567},
	{"12345678", 0, UINT64_MAX, TRUE, 12345678},
	{"123456789", 0, UINT64_MAX, TRUE, 123456789},
	{"90000000", 0, UINT64_MAX, TRUE, 90000000},
	{"800000005", 0, UINT64_MAX, TRUE, 800000005},
	{"123456789012345", 0, UINT64_MAX, TRUE, 123456789012345u},
	{"9876543210987654", 0, UINT64_MAX, TRUE, 9876543210987654u},
	{"98765432109876543", 0, UINT64_MAX, TRUE, 98765432109876543u},
	{"98765432109876543", 0, UINT32_MAX, FALSE, 0},
	/* Bytes that differ from a digit by one bit, or by one. */
	{"12\xb5", 0, UINT64_MAX, TRUE, 12},
	{"12\xba", 0, UINT64_MAX, TRUE, 12},
	{"12/3", 0, UINT64_MAX, TRUE, 12},
	{"12:3", 0, UINT64_MAX, TRUE, 12},
	{"12345678u", 0, UINT64_MAX, TRUE, 12345678},
	{"/1", 0, UINT64_MAX, FALSE, 0},
	{"4294967295", 0, UINT32_MAX, TRUE, UINT32_MAX},
	{"4294967296", 0, UINT32_MAX, FALSE, 0},
	{"-1", 0, UINT64_MAX, FALSE, 0},
	{"-1", INT64_MIN, INT64_MAX, TRUE, UINT64_MAX},
	{I64_MIN, INT64_MIN, INT64_MAX, TRUE, (uint64_t)1 << 63},
	{"-9223372036854775809", INT64_MIN, INT64_MAX, FALSE, 0},
	{"9223372036854775808", INT64_MIN, INT64_MAX, FALSE, 0},
	{"-2147483648", INT32_MIN, INT32_MAX, TRUE, (uint64_t)INT64_C(-2147483648)},
	{"-2147483649", INT32_MIN, INT32_MAX, FALSE, 0},
	{"-0", INT64_MIN, INT64_MAX, FALSE, 0},
	{"1.0", 0, UINT64_MAX, FALSE, 0},
	{"1e3", 0, UINT64_MAX, FALSE, 0},
	{"00", 0, UINT64_MAX, FALSE, 0},
	{"01234567", 0, UINT64_MAX, FALSE, 0},
	{"0123456789012", 0, UINT64_MAX, FALSE, 0},
};

static void check_integer(gsize i, size_t piece, const char *end)
{
	g_autofree char *text = g_strconcat(integers[i].text, end, NULL);
	Source source = {
		.text = text, .left = strlen(text), .piece = piece, .heard = g_string_new(NULL)};
	struct pull pull = {.fill = source_fill,
			    .fault = source_fault,
			    .context = &source,
			    .where = "a test",
			    .max_string = 40};
	uint64_t bits = 0;

	g_assert_cmpint(pull_init(&pull), ==, 0);
	/* As in a list, peek first: then the number is in the window, if the text came in one
	 * piece. */
	(void)pull_peek(&pull);
	g_assert_cmpint(pull_integer(&pull, integers[i].min, integers[i].max, "one", &bits), ==,
			integers[i].fits);
	g_assert_cmpuint(bits, ==, integers[i].bits);
	g_assert_cmpint(source.fault == NULL, ==, integers[i].fits);
	pull_free(&pull);
	g_free(source.fault);
}

static void test_integers(void)
{
	static const char *const ends[] = {"", ",", "}", "]", " ,"};

	for (gsize i = 0; i < G_N_ELEMENTS(integers); i++)
		for (gsize j = 0; j < G_N_ELEMENTS(ends) * G_N_ELEMENTS(pieces); j++)
			check_integer(i, pieces[j % G_N_ELEMENTS(pieces)],
				      ends[j / G_N_ELEMENTS(pieces)]);
}

/* An error in reading the text becomes the tokenizer's error, without a message. */
static void test_source_error(void)
{
	Source source = {.text = "{\"a\":", .left = 5, .piece = 2, .error = -EIO};
	struct pull pull = {.fill = source_fill,
			    .fault = source_fault,
			    .context = &source,
			    .where = "a test",
			    .max_depth = 4,
			    .max_string = 40};

	g_assert_cmpint(pull_init(&pull), ==, 0);
	pull_skip(&pull);
	g_assert_cmpint(pull.error, ==, -EIO);
	g_assert_null(source.fault);
	pull_free(&pull);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pull/tokens", test_tokens);
	g_test_add_func("/pull/faults", test_faults);
	g_test_add_func("/pull/integers", test_integers);
	g_test_add_func("/pull/source-error", test_source_error);
	return g_test_run();
}
