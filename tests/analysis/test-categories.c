/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests categories of processes: tables of patterns, and the artifact. */
#include <string.h>

#include "base/error.h"
#include "report/fold/fold.h"
#include "report/name/categories.h"
#include "report/section/memory/artifact.h"
#include "road/categories-file.h"

static Categories *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	Categories *categories = categories_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	return categories;
}

static const char *find(Categories *categories, const char *command)
{
	return categories_name(categories, categories_find(categories, command));
}

/* Tests the table for ChromeOS as it is shipped. */
static void test_chromeos(void)
{
	static const struct {
		const char *command, *name;
	} cases[] = {
		/* vector 56 */
		{"/usr/bin/crosvm run --foo --socket /run/vm/arcvm.sock x", "crosvm_arcvm"},
		{"/usr/bin/crosvm run --foo --socket /run/vm/arcvm_sock x", "crosvm_arcvm"},
		{"/usr/bin/crosvm run --foo", "crosvm_other"},
		{"/usr/bin/crosvm-worker", "crosvm_other"},
		/* vector 57 */
		{"/opt/google/chrome/chrome --crash --type=renderer", "chrome_renderer"},
		{"/opt/google/chrome/chrome --type=gpu-process", "chrome_gpu"},
		{"/opt/google/chrome/chrome --type=utility", "chrome_other"},
		{"/opt/google/chrome/chrome", "chrome_browser"},
		{"/opt/google/chrome/chrome_crashpad_handler", "chrome_browser"},
		/* Arguments of several lines, or that are not text, are matched, too. */
		{"/opt/google/chrome/chrome a\nb \xff --type=gpu-process", "chrome_gpu"},
		/* vector 58 */
		{"bash /usr/bin/crosvm run /arcvm.sock", "other"},
		{"", "other"},
	};
	g_autoptr(GError) error = NULL;
	const char *path =
		g_test_get_filename(G_TEST_DIST, "data", "categories", "chromeos.json", NULL);
	g_autoptr(Categories) categories = categories_load(path, &error);

	g_assert_no_error(error);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("case %zu", i);
		g_assert_cmpstr(find(categories, cases[i].command), ==, cases[i].name);
	}
	g_assert_null(categories_complaint(categories));
}

static void test_first_match_wins(void)
{
	g_autoptr(Categories) categories =
		parse("{\"categories\": [{\"name\": \"shell\", \"match\": \"sh\"},"
		      " {\"match\": \"^x\", \"name\": \"other\"},"
		      " {\"match\": \"\", \"name\": \"shell\"}]}");

	g_assert_cmpuint(categories_count(categories), ==, 2);
	g_assert_cmpstr(categories_name(categories, 0), ==, "shell");
	g_assert_cmpstr(categories_name(categories, 1), ==, "other");
	/* A pattern without '^' may match anywhere; an empty one always does. */
	g_assert_cmpstr(find(categories, "bash"), ==, "shell");
	g_assert_cmpstr(find(categories, "xsh"), ==, "shell");
	g_assert_cmpstr(find(categories, "xz"), ==, "other");
	g_assert_cmpstr(find(categories, "y"), ==, "shell");
}

static void test_bad_tables(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "expected a list of rules"},
		{"{}", "expected a list of rules"},
		{"{\"categories\": {}}", "expected a list of rules"},
		{"17", "expected a list of rules"},
		{"[{\"match\"", "not JSON"},
		{"[1]", "rule 1: expected {"},
		{"[{\"match\": \"a\", \"name\": \"b\"}, {\"match\": \"a\"}]",
		 "rule 2: expected a string \"name\""},
		{"[{\"match\": 1, \"name\": \"b\"}]", "rule 1: expected a string \"match\""},
		{"[{\"match\": null, \"name\": \"b\"}]", "rule 1: expected a string \"match\""},
		{"[{\"match\": \"a\", \"name\": \"\"}]",
		 "rule 1: \"name\" has 0 bytes; expected 1 to 64"},
		{"[{\"match\": \"a\", \"name\": \"b\", \"mach\": 1}]",
		 "rule 1: has keys other than"},
		{"[{\"match\": \"a\", \"name\": \"b\"}, {\"match\": \"^ab(c\", \"name\": \"b\"}]",
		 "rule 2: "},
		{"[{\"match\": \"^ab(c\", \"name\": \"b\"}]", " at char 5: "},
		{"[{\"match\": \"\xff\", \"name\": \"b\"}]", "not UTF-8 text"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Categories) categories =
			categories_parse(cases[i].text, strlen(cases[i].text), &error);

		g_test_message("case %zu", i);
		g_assert_null(categories);
		g_assert_error(error, USAGE_ERROR, 0);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, cases[i].message));
	}
}

/* Returns count copies of middle between begin and end. */
static char *repeat(const char *begin, const char *middle, guint count, const char *end)
{
	GString *text = g_string_new(begin);

	for (guint i = 0; i < count; i++)
		g_string_append(text, middle);
	g_string_append(text, end);
	return g_string_free(text, FALSE);
}

static void check_bound(char *text, const char *message)
{
	g_autofree char *owned G_GNUC_UNUSED = text;
	g_autoptr(GError) error = NULL;
	g_autoptr(Categories) categories = categories_parse(text, strlen(text), &error);

	g_assert_cmpint(categories == NULL, ==, message != NULL);
	if (message)
		g_assert_nonnull(strstr(error->message, message));
}

static void test_bounds(void)
{
	static const char rule[] = "{\"match\": \"a\", \"name\": \"b\"},";
	static const char end[] = "{\"match\": \"a\", \"name\": \"b\"}]";
	static const char begin[] = "[{\"match\": \"", rest[] = "\", \"name\": \"b\"}]";

	check_bound(repeat("[", rule, CATEGORIES_MAX_RULES - 1, end), NULL);
	check_bound(repeat("[", rule, CATEGORIES_MAX_RULES, end),
		    "257 rules; expected at most 256");
	check_bound(repeat(begin, "a", 1024, rest), NULL);
	check_bound(repeat(begin, "a", 1025, rest), "rule 1: \"match\" has 1025 bytes");
	check_bound(repeat("", "[", 100000, ""), "opening brackets");
	check_bound(repeat("", " ", CATEGORIES_MAX_BYTES, "[]"), "more than 262144 bytes");
}

/* The author of a command line must not be able to keep ctprof busy. */
static void test_patterns_give_up(void)
{
	g_autoptr(Categories) categories = parse(
		"[{\"match\": \"^x\", \"name\": \"x\"}, {\"match\": \"^(a+)+$\", \"name\": \"as\"},"
		" {\"match\": \"\", \"name\": \"rest\"}]");
	g_autofree char *hostile = repeat("", "a", 60, "b");
	g_autofree char *longest = repeat("", "a", 60000, "");

	g_assert_cmpstr(find(categories, "ab"), ==, "rest");
	g_assert_null(categories_complaint(categories));
	g_assert_cmpstr(find(categories, hostile), ==, "other");
	g_assert_cmpstr(find(categories, hostile), ==, "other");
	g_autofree char *complaint = categories_complaint(categories);
	g_assert_cmpstr(complaint, ==,
			"categories: 2 command lines took too many steps to match (first of rule "
			"2): their processes are in 'other'");
	/* A text that is only long is matched. */
	g_autoptr(Categories) stars = parse("[{\"match\": \"^a.*a$\", \"name\": \"as\"}]");
	g_assert_cmpstr(find(stars, longest), ==, "as");
}

/* Compares the bytes with ChromeOS's smaps_rollup.json. */
static void test_artifact(void)
{
	static const MapItem items[] = {{"Anonymous", NULL, G_MAXUINT64},
					{"Pss", NULL, 385},
					{"Rss", NULL, 884},
					{"SwapPss", NULL, 0}};
	g_autoptr(GArray) some = g_array_new(FALSE, FALSE, sizeof(MapItem));
	g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(MapItem));
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GString) empty = g_string_new(NULL);

	g_array_append_vals(some, items, G_N_ELEMENTS(items));
	artifact_add(text, "/bin/a \"b\\\n\xff", 7, 4096, some);
	artifact_add(text, "", 8, 0, none);
	artifact_end(text);
	g_assert_cmpstr(text->str, ==,
			"[\n"
			"  {\n"
			"    \"Command\": \"/bin/a \\\"b\\\\\\u000a\357\277\275\",\n"
			"    \"Pid\": 7,\n"
			"    \"SharedSwapPss\": 4096,\n"
			"    \"Rollup\": {\n"
			"      \"Anonymous\": 18446744073709551615,\n"
			"      \"Pss\": 394240,\n"
			"      \"Rss\": 905216,\n"
			"      \"SwapPss\": 0\n"
			"    }\n"
			"  },\n"
			"  {\n"
			"    \"Command\": \"\",\n"
			"    \"Pid\": 8,\n"
			"    \"SharedSwapPss\": 0,\n"
			"    \"Rollup\": {}\n"
			"  }\n"
			"]");
	artifact_end(empty);
	g_assert_cmpstr(empty->str, ==, "null");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/categories/chromeos", test_chromeos);
	g_test_add_func("/categories/first-match", test_first_match_wins);
	g_test_add_func("/categories/bad-tables", test_bad_tables);
	g_test_add_func("/categories/bounds", test_bounds);
	g_test_add_func("/categories/give-up", test_patterns_give_up);
	g_test_add_func("/categories/artifact", test_artifact);
	return g_test_run();
}
