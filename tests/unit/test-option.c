/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "base/error.h"
#include "base/option.h"

#define WORD(name_)                                                                                \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_option_word), .name = name_                    \
	}
#define NAMED(type_, name_, help_, ...)                                                            \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_option), .type = type_, .name = name_,         \
		.help = help_, __VA_ARGS__                                                         \
	}
#define ROW(type_, ...) NAMED(CTPROF_OPTION_##type_, "name", "Help", __VA_ARGS__)

static const struct ctprof_option_word two_words[] = {WORD("auto"), WORD("never")};
static const struct ctprof_option_word bad_words[] = {WORD("au to")};

#define WORDS .words = two_words, .n_words = 2

static const struct ctprof_option word = ROW(WORD, WORDS);
static const struct ctprof_option words = ROW(WORD, WORDS, .flags = CTPROF_OPTION_LIST);
static const struct ctprof_option flag = ROW(BOOL, );
static const struct ctprof_option any_time = ROW(TIME, );
static const struct ctprof_option long_time = ROW(TIME, .least = 10000000);
static const struct ctprof_option some_time = ROW(TIME, .least = 1000000, .most = 3600000000000);
static const struct ctprof_option size = ROW(SIZE, .least = 1);
static const struct ctprof_option number = ROW(COUNT, .least = 1, .most = 1024);
static const struct ctprof_option pids =
	ROW(COUNT, .least = 1, .most = INT32_MAX, .flags = CTPROF_OPTION_LIST);
static const struct ctprof_option share = ROW(REAL, .most = 1);
static const struct ctprof_option text = ROW(TEXT, );
static const struct ctprof_option path = ROW(PATH, );

/* The parsed form of a value; NULL: it is refused. */
static const struct {
	const struct ctprof_option *row;
	const char *given, *value;
} values[] = {
	{&word, "auto", "auto"},
	{&word, "Auto", NULL},
	{&word, "", NULL},
	{&word, "auto,never", NULL},
	{&words, "auto,never", "auto,never"},
	{&words, "auto", "auto"},
	{&words, "auto,", NULL},
	{&words, ",auto", NULL},
	{&words, "", NULL},
	{&flag, "yes", "1"},
	{&flag, "no", "0"},
	{&flag, "1", NULL},
	{&any_time, "0", "0"},
	{&any_time, "2", "2000000000"},
	{&any_time, "2s", "2000000000"},
	{&any_time, "1.5s", "1500000000"},
	{&any_time, "500ms", "500000000"},
	{&any_time, "20us", "20000"},
	{&any_time, "2min", "120000000000"},
	{&any_time, "10m", "600000000000"},
	{&any_time, "1h", "3600000000000"},
	{&any_time, "soon", NULL},
	{&any_time, "", NULL},
	{&any_time, "-1s", NULL},
	{&any_time, "nan", NULL},
	{&any_time, "inf", NULL},
	{&any_time, " 1s", NULL},
	{&any_time, "1s ", NULL},
	{&any_time, "1e300s", NULL},
	{&some_time, "1ms", "1000000"},
	{&some_time, "0", NULL},
	{&some_time, "0.5ms", NULL},
	{&some_time, "3600s", "3600000000000"},
	{&some_time, "3601s", NULL},
	{&size, "4096", "4096"},
	{&size, "4GiB", "4294967296"},
	{&size, "16777215TiB", "18446742974197923840"},
	{&size, "16777216TiB", NULL},
	{&size, "4GB", NULL},
	{&size, "1.5GiB", NULL},
	{&size, "0", NULL},
	{&size, "-1", NULL},
	{&size, "", NULL},
	{&number, "1", "1"},
	{&number, "007", "7"},
	{&number, "1024", "1024"},
	{&number, "1025", NULL},
	{&number, "0", NULL},
	{&number, "-1", NULL},
	{&number, "1 ", NULL},
	{&number, "99999999999999999999", NULL},
	{&pids, "11,4", "11,4"},
	{&pids, "1,", NULL},
	{&pids, "1 2", NULL},
	{&pids, "0", NULL},
	{&pids, "4294967296", NULL},
	{&pids, ",", NULL},
	{&share, "0.9", "0.9"},
	{&share, "1.01", NULL},
	{&share, "-0.1", NULL},
	{&share, "nan", NULL},
	{&share, "0.9x", NULL},
	{&text, "any\xc3\xa4", "any\xc3\xa4"},
	{&text, "\xff", NULL},
	{&path, "\xff", "\xff"},
};

static void test_values(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *value =
			option_normalise(values[i].row, "--name", values[i].given, &error);

		g_test_message("row %u", i);
		g_assert_cmpstr(value, ==, values[i].value);
		g_assert_true((value == NULL) == g_error_matches(error, USAGE_ERROR, 0));
		if (error)
			g_assert_true(g_str_has_prefix(error->message, "--name '"));
	}
}

static const struct {
	const struct ctprof_option *row;
	const char *given, *message;
} messages[] = {
	{&word, "nevr", "--name 'nevr': expected auto or never: did you mean never?"},
	{&word, "x", "--name 'x': expected auto or never"},
	{&words, "auto,nevr",
	 "--name 'auto,nevr': expected a list of auto or never: did you mean never?"},
	{&any_time, "x", "--name 'x': expected a time such as 500ms or 2s"},
	{&long_time, "9ms", "--name '9ms': expected a time such as 500ms or 2s, from 0.01s on"},
	{&some_time, "x", "--name 'x': expected a time such as 500ms or 2s, from 0.001s to 3600s"},
	{&size, "x", "--name 'x': expected a size such as 512MiB or 4GiB"},
	{&number, "x", "--name 'x': expected a number from 1 to 1024"},
	{&pids, "x", "--name 'x': expected a list of numbers from 1 to 2147483647"},
	{&share, "x", "--name 'x': expected a number from 0 to 1"},
	{&flag, "x", "--name 'x': expected yes or no"},
};

static void test_messages(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(messages); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(
			option_normalise(messages[i].row, "--name", messages[i].given, &error));
		g_assert_cmpstr(error->message, ==, messages[i].message);
	}
}

/* Mistakes of a plugin in a row, and the words of the message. */
static const struct {
	struct ctprof_option row;
	const char *fault;
} faults[] = {
	{ROW(WORD, WORDS), NULL},
	{ROW(TIME, .default_value = "1s", .flags = CTPROF_OPTION_OPTIONAL), NULL},
	{ROW(TEXT, .long_name = "a-name"), NULL},
	{NAMED(CTPROF_OPTION_TEXT, NULL, "Help", ), "name"},
	{NAMED(CTPROF_OPTION_TEXT, "Name", "Help", ), "name"},
	{NAMED(CTPROF_OPTION_TEXT, "na.me", "Help", ), "name"},
	{ROW(TEXT, .long_name = ""), "name"},
	{NAMED(11, "name", "Help", ), "type"},
	{NAMED(CTPROF_OPTION_TEXT, "name", NULL, ), "help"},
	{ROW(TEXT, .flags = CTPROF_OPTION_OPTIONAL), "no default"},
	{ROW(WORD, ), "words"},
	{ROW(TEXT, WORDS), "words"},
	{ROW(WORD, .n_words = 1), "words"},
	{ROW(WORD, .n_words = 1, .words = bad_words), "blank"},
	{ROW(WORD, WORDS, .default_value = "always"), "default"},
	{ROW(TIME, .default_value = "soon"), "default"},
};

static void test_faults(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(faults); i++) {
		const char *fault = option_find_fault(&faults[i].row);

		g_test_message("row %u", i);
		g_assert_true((fault == NULL) == (faults[i].fault == NULL));
		if (fault)
			g_assert_nonnull(strstr(fault, faults[i].fault));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/option/values", test_values);
	g_test_add_func("/option/messages", test_messages);
	g_test_add_func("/option/faults", test_faults);
	return g_test_run();
}
