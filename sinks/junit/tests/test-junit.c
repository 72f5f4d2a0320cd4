/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which cases fail, and that no name can leave its attribute. */
#include "drawn.h"

static void test_names(void)
{
	static const struct {
		const char *name, *shown;
	} cases[] = {
		{"worker", "worker"},       {"<b>&\"", "&lt;b&gt;&amp;&quot;"},
		{"a\n\x01", "a\\x0a\\x01"}, {"\xff", "\\xff"},
		{"日本", "日本"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = drawn_run(cases[i].name, CTPROF_VERDICT_SAME, FALSE, 0);
		g_autofree char *expected = g_strdup_printf(
			"<testcase classname=\"%s\" name=\"m\"><system-out>", cases[i].shown);

		g_assert_nonnull(strstr(text, expected));
	}
}

static void test_results(void)
{
	g_autofree char *failed = drawn_run("g", CTPROF_VERDICT_CHANGED, TRUE, 0);
	g_autofree char *few = drawn_run("g", CTPROF_VERDICT_FEW, FALSE, 0);
	g_autofree char *cut = drawn_run("g", CTPROF_VERDICT_CHANGED, TRUE, DRAWN_CUT);

	g_assert_nonnull(strstr(failed, "tests=\"1\" failures=\"1\" skipped=\"0\""));
	g_assert_nonnull(
		strstr(failed,
		       "<failure message=\"--fail-on 'q&lt;0.05 &amp;&amp; m:pct&gt;10': condition "
		       "met by 50 percent (limit 10): A 2.00ms [1.00ms…3.00ms], "
		       "B 3.00ms [2.00ms…4.00ms], change 1.00ms (+50.0 %), q 0.012\"/>"));
	g_assert_nonnull(strstr(few, "tests=\"1\" failures=\"0\" skipped=\"1\""));
	g_assert_nonnull(strstr(few, "<skipped message=\"too few runs to know: A 2.00ms"));
	/* --limit removes the line, but not the failure. */
	g_assert_nonnull(strstr(cut, "tests=\"1\" failures=\"1\" skipped=\"0\""));
	g_assert_nonnull(strstr(cut, "classname=\"g\" name=\"m\"><failure"));
}

static void test_warnings(void)
{
	g_autofree char *text = drawn_run("g", CTPROF_VERDICT_SAME, FALSE, DRAWN_WARNING);

	g_assert_nonnull(strstr(text, "<system-err>50% &lt; 100%\n</system-err>"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/junit/names", test_names);
	g_test_add_func("/junit/results", test_results);
	g_test_add_func("/junit/warnings", test_warnings);
	return g_test_run();
}
