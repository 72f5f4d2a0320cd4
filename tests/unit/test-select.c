/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "row/select.h"

/* The names among a, b and c that the list allows, that it names as wanted, and
 * that it mentions at all. */
static const struct list_case {
	const char *what, *text, *has, *names, *mentioned;
} cases[] = {
	{"not-given", NULL, "abc", "", ""},
	{"empty", "", "abc", "", ""},
	{"one", "a", "a", "a", "a"},
	{"two", "a,c", "ac", "ac", "ac"},
	{"blanks", " a , b ", "ab", "ab", "ab"},
	{"all", "all", "abc", "", ""},
	{"leaves-out", "-a", "bc", "", "a"},
	{"leaves-out-two", "-a,-b", "c", "", "ab"},
	{"all-but", "all,-b", "ac", "", "b"},
	{"all-and-by-name", "all,b", "abc", "b", "b"},
	{"last-word-counts", "a,-a", "", "", "aa"},
	{"taken-back-in", "-a,a", "abc", "a", "aa"},
	{"all-forgets-what-was-before", "-a,all", "abc", "", "a"},
	{"out-behind-a-name", "a,-b", "a", "a", "ab"},
	{"none", "-all", "", "", ""},
	{"none-but", "-all,b", "b", "b", "b"},
};

static void test_list(gconstpointer data)
{
	const struct list_case *c = data;
	g_autoptr(GError) error = NULL;
	g_autoptr(Select) select = select_parse(c->text, &error);
	g_autoptr(GString) has = g_string_new(NULL);
	g_autoptr(GString) names = g_string_new(NULL);
	g_autoptr(GString) mentioned = g_string_new(NULL);

	g_assert_no_error(error);
	for (const char *name = "abc"; *name; name++) {
		const char text[] = {*name, '\0'};

		g_string_append(has, select_has(select, text) ? text : "");
		g_string_append(names, select_names(select, text) ? text : "");
	}
	for (guint i = 0; i < select_mentioned(select)->len; i++)
		g_string_append(mentioned, g_ptr_array_index(select_mentioned(select), i));
	g_assert_cmpstr(has->str, ==, c->has);
	g_assert_cmpstr(names->str, ==, c->names);
	g_assert_cmpstr(mentioned->str, ==, c->mentioned);
}

static const char *const bad_lists[] = {
	",", "a,", ",a", "a,,b", " ", "-", "a,-", "A", "a b", "a;b", "a/b", "\xc3\xa4",
};

static void test_refuses(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(bad_lists); i++) {
		g_autoptr(GError) error = NULL;
		Select *select = select_parse(bad_lists[i], &error);

		g_test_message("'%s'", bad_lists[i]);
		g_assert_null(select);
		g_assert_error(error, USAGE_ERROR, 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/select/list/", cases[i].what, NULL);

		g_test_add_data_func(path, &cases[i], test_list);
	}
	g_test_add_func("/select/refuses-bad-lists", test_refuses);
	return g_test_run();
}
