/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests values of subjects, window by window: which are kept or dropped, and how they are drawn. */
#include "frame/series.h"

#include <math.h>

static gboolean is_near(gdouble a, gdouble b)
{
	return fabs(a - b) < 1e-9;
}

static void test_window_without_a_value_has_none(void)
{
	g_autoptr(Series) series = series_new(9, NULL);
	guint worst = 0;

	for (guint i = 0; i < 4; i++) {
		series_begin(series, i * G_GUINT64_CONSTANT(1000000000), 0.5);
		series_note(series, "a", "cpu", i == 2 ? (gdouble)NAN : (gdouble)i + 1);
		if (i == 1)
			series_note(series, NULL, "cpu", 7);
	}
	g_assert_cmpuint(series_windows(series), ==, 4);
	g_assert_true(is_near(series_end(series, 3), 3) && is_near(series_seconds(series, 3), 0.5));
	g_assert_true(isnan(series_value(series, 2, "a", "cpu")));
	g_assert_true(is_near(series_value(series, 3, "a", "cpu"), 4));
	g_assert_true(is_near(series_value(series, 1, NULL, "cpu"), 7));
	g_assert_true(isnan(series_value(series, 3, NULL, "cpu")));
	g_assert_true(isnan(series_value(series, 3, "b", "cpu")));
	g_assert_true(series_worst(series, "a", "cpu", &worst) && worst == 3);
	g_assert_false(series_worst(series, "b", "cpu", &worst));
}

/* A pool with the name of the host's measure is not taken for the host. */
static void test_subjects_come_in_order_and_are_no_host(void)
{
	g_autoptr(Series) series = series_new(9, NULL);
	guint at = 0;

	series_begin(series, 0, 1);
	series_note(series, NULL, "cpu", 1);
	series_note(series, "b", "cpu", 1);
	series_note(series, "b", "cpu2", 1);
	series_note(series, "a", "cpu", 1);
	g_assert_cmpstr(series_next(series, "cpu", &at), ==, "b");
	g_assert_cmpstr(series_next(series, "cpu", &at), ==, "a");
	g_assert_null(series_next(series, "cpu", &at));
}

static void test_most_windows_are_kept_and_only_what_was_asked_for(void)
{
	g_autoptr(Series) series = series_new(3, "cpu");
	guint at = 0;

	for (guint i = 0; i < 6; i++) {
		series_begin(series, 0, 1);
		series_note(series, i == 2 ? "gone" : "stays", "cpu", i);
		series_note(series, "stays", "read", i);
		series_note(series, NULL, "read", i);
	}
	g_assert_cmpuint(series_windows(series), ==, 3);
	g_assert_true(is_near(series_value(series, 0, "stays", "cpu"), 3));
	g_assert_true(is_near(series_value(series, 2, "stays", "cpu"), 5));
	g_assert_true(isnan(series_value(series, 0, "gone", "cpu")));
	g_assert_true(isnan(series_value(series, 2, "stays", "read")));
	g_assert_true(is_near(series_value(series, 2, NULL, "read"), 5));
	g_assert_cmpstr(series_next(series, "cpu", &at), ==, "stays");
	g_assert_null(series_next(series, "cpu", &at));
	series_clear(series);
	g_assert_cmpuint(series_windows(series), ==, 0);
	series_begin(series, 0, 1);
	g_assert_true(isnan(series_value(series, 0, "stays", "cpu")));
}

static void test_spread_is_of_what_is_there(void)
{
	const gdouble values[] = {4, NAN, 1, 3, 2};
	Spread spread = spread_of(values, G_N_ELEMENTS(values));

	g_assert_cmpuint(spread.n, ==, 4);
	g_assert_true(is_near(spread.least, 1) && is_near(spread.median, 2.5));
	g_assert_true(is_near(spread.p95, 4) && is_near(spread.most, 4));
	spread = spread_of(values + 1, 1);
	g_assert_true(spread.n == 0 && isnan(spread.median) && isnan(spread.most));
}

static void check_bars(const Series *series, guint n, const char *bars)
{
	g_autofree char *drawn = series_draw(series, "a", "cpu", n);

	g_assert_cmpstr(drawn, ==, bars);
}

static void test_bars_are_of_all_windows_or_of_the_newest(void)
{
	g_autoptr(Series) series = series_new(9, NULL);
	static const gdouble values[] = {NAN, 8, 1, NAN, 4, NAN};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		series_begin(series, 0, 1);
		series_note(series, "a", "cpu", values[i]);
		if (i == 1)
			check_bars(series, 0, NULL);
	}
	check_bars(series, 0, " █▂ ▅ ");
	/* The bars of the newest windows begin with the first value. */
	check_bars(series, 9, "█▂ ▅ ");
	/* The highest value is that of the bars drawn. */
	check_bars(series, 4, "▃ █ ");
	check_bars(series, 3, "█ ");
	check_bars(series, 1, " ");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/series/none", test_window_without_a_value_has_none);
	g_test_add_func("/series/subjects", test_subjects_come_in_order_and_are_no_host);
	g_test_add_func("/series/kept", test_most_windows_are_kept_and_only_what_was_asked_for);
	g_test_add_func("/series/spread", test_spread_is_of_what_is_there);
	g_test_add_func("/series/bars", test_bars_are_of_all_windows_or_of_the_newest);
	return g_test_run();
}
