/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which rows become annotations, and that no name can end one or begin another. */
#include "drawn.h"

#define NOTHING "::notice title=ctprof::nothing failed or changed\n"

static void test_lines(void)
{
	static const struct {
		const char *name;
		guint32 verdict;
		gboolean fails;
		guint how;
		const char *line;
	} cases[] = {
		{"g", CTPROF_VERDICT_SAME, FALSE, 0, NOTHING},
		{"g", CTPROF_VERDICT_FEW, FALSE, 0, NOTHING},
		{"g", CTPROF_VERDICT_CHANGED, FALSE, 0,
		 "::notice title=g m::A 2.00ms [1.00ms…3.00ms], B 3.00ms [2.00ms…4.00ms], "
		 "change 1.00ms (+50.0 %25), q 0.012\n"},
		{"a::b,c%\n::error::", CTPROF_VERDICT_CHANGED, TRUE, 0,
		 "::error title=a%3A%3Ab%2Cc%25\\x0a%3A%3Aerror%3A%3A m::--fail-on "
		 "'q<0.05 && m:pct>10': condition met by 50 percent (limit 10): A 2.00ms "
		 "[1.00ms…3.00ms], B 3.00ms [2.00ms…4.00ms], change 1.00ms (+50.0 %25), q 0.012\n"},
		{"g", CTPROF_VERDICT_CHANGED, TRUE, DRAWN_CUT,
		 "::error title=g m::--fail-on 'q<0.05 && m:pct>10': condition met by 50 percent "
		 "(limit 10)\n"},
		{"g", CTPROF_VERDICT_SAME, FALSE, DRAWN_WARNING,
		 "::warning title=ctprof::50%25 < 100%25\n" NOTHING},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
			drawn_run(cases[i].name, cases[i].verdict, cases[i].fails, cases[i].how);

		g_assert_cmpstr(text, ==, cases[i].line);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/github/lines", test_lines);
	return g_test_run();
}
