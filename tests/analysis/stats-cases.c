/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * core/report/stats as a filter, for test-stats-scipy.py.  A line
 *	sides ALPHA N M A... B...
 * is answered by: u p least is_exact shift low high level is_approximate; and
 *	many ALPHA N P... LEAST...
 * by the q of each.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/stats/mannwhitney.h"
#include "report/stats/many.h"
#include "report/stats/shift.h"

static gdouble read_number(void)
{
	gdouble number;

	if (scanf("%lf", &number) != 1)
		errx(1, "expected a number");
	return number;
}

static gdouble *read_numbers(guint n)
{
	gdouble *numbers = g_new(gdouble, n + 1);

	for (guint i = 0; i < n; i++)
		numbers[i] = read_number();
	return numbers;
}

static void answer_sides(gdouble alpha)
{
	guint n = (guint)read_number(), m = (guint)read_number();
	g_autofree gdouble *a = read_numbers(n);
	g_autofree gdouble *b = read_numbers(m);
	g_autoptr(Sides) sides = sides_new(a, n, b, m);

	if (!sides)
		errx(1, "a side has no value");
	MannWhitney test = mannwhitney_test(sides);
	Shift shift = shift_find(sides, alpha);

	printf("%.17g %.17g %.17g %d %.17g %.17g %.17g %.17g %d\n", test.u, test.p, test.least,
	       test.is_exact, shift.shift, shift.low, shift.high, shift.level,
	       shift.is_approximate);
}

static void answer_many(gdouble alpha)
{
	guint n = (guint)read_number();
	g_autofree gdouble *p = read_numbers(n);
	g_autofree gdouble *least = read_numbers(n);
	g_autofree gdouble *q = g_new(gdouble, n + 1);

	many_adjust(p, least, n, alpha, q);
	for (guint i = 0; i < n; i++)
		printf("%.17g ", q[i]);
	printf("\n");
}

int main(void)
{
	char word[8];

	while (scanf("%7s", word) == 1)
		(strcmp(word, "many") == 0 ? answer_many : answer_sides)(read_number());
	return 0;
}
