/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-stats [TESTS]: the CPU time of 20000 tests of two sides, or of TESTS, including the
 * adjustment of all of them, by the size of the sides and the kind of values.  The goal is 0.2 s
 * for 20000 tests of 8 and 8 values; run it by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "report/stats/mannwhitney.h"
#include "report/stats/many.h"
#include "report/stats/shift.h"

static gdouble cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (gdouble)now.tv_sec + (gdouble)now.tv_nsec / 1e9;
}

static void measure(guint tests, guint n, gboolean has_ties)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	g_autofree gdouble *values = g_new(gdouble, 2 * (gsize)n * tests);
	g_autofree gdouble *p = g_new(gdouble, tests);
	g_autofree gdouble *least = g_new(gdouble, tests);
	g_autofree gdouble *q = g_new(gdouble, tests);
	gdouble shifts = 0, begun, tested, shifted;

	for (gsize i = 0; i < 2 * (gsize)n * tests; i++)
		values[i] = has_ties ? g_rand_int_range(rand, 0, (gint32)n) : g_rand_double(rand);
	begun = cpu_s();
	for (guint i = 0; i < tests; i++) {
		const gdouble *a = values + 2 * (gsize)n * i;
		g_autoptr(Sides) sides = sides_new(a, n, a + n, n);
		MannWhitney test = mannwhitney_test(sides);

		p[i] = test.p;
		least[i] = test.least;
	}
	guint m = many_adjust(p, least, tests, 0.05, q);
	tested = cpu_s();
	for (guint i = 0; i < tests; i++) {
		const gdouble *a = values + 2 * (gsize)n * i;
		g_autoptr(Sides) sides = sides_new(a, n, a + n, n);

		shifts += shift_find(sides, 0.05).shift;
	}
	shifted = cpu_s();
	printf("%u of %ux%u, %s: p and q %.3f s, shift and interval %.3f s (%u tested, %g)\n",
	       tests, n, n, has_ties ? "with ties" : "without", tested - begun, shifted - tested, m,
	       shifts);
}

int main(int argc, char **argv)
{
	guint tests = argc > 1 ? (guint)strtoul(argv[1], NULL, 10) : 20000;
	const guint sizes[] = {4, 8, 25, 50};

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		measure(tests, sizes[i], FALSE);
		measure(tests, sizes[i], TRUE);
	}
	return 0;
}
