/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change or noise: a table of cases, then every way to distribute up to 6 and 6 values over two
 * sides, with every pattern of ties, counted here one by one.
 */
#include <math.h>
#include <string.h>

#include "report/stats/arrangements.h"
#include "report/stats/mannwhitney.h"
#include "report/stats/many.h"
#include "report/stats/shift.h"

#define MOST 6 /* values of a side that is enumerated */

/* Parses "1 2 nan". */
static GArray *numbers(const char *text)
{
	GArray *result = g_array_new(FALSE, FALSE, sizeof(gdouble));
	g_auto(GStrv) words = g_strsplit(text, " ", 0);

	for (char **word = words; *word; word++) {
		gdouble number = g_ascii_strtod(*word, NULL);

		if (**word)
			g_array_append_val(result, number);
	}
	return result;
}

static Sides *sides_of(const char *a, const char *b)
{
	g_autoptr(GArray) of_a = numbers(a);
	g_autoptr(GArray) of_b = numbers(b);

	return sides_new((gdouble *)(gpointer)of_a->data, of_a->len,
			 (gdouble *)(gpointer)of_b->data, of_b->len);
}

/* Returns "u p least: shift [low high] level"; '~' precedes approximate results. */
static char *result_text(const Sides *sides, gdouble alpha)
{
	if (!sides)
		return g_strdup("none");
	MannWhitney test = mannwhitney_test(sides);
	Shift shift = shift_find(sides, alpha);

	return g_strdup_printf("%g %s%.4g %.4g: %g %s[%g %g] %.4g", test.u,
			       test.is_exact ? "" : "~", test.p, test.least,
			       isnan(shift.shift) ? NAN : shift.shift, /* of any sign */
			       shift.is_approximate ? "~" : "", shift.low, shift.high, shift.level);
}

static void test_cases(void)
{
	static const struct {
		const char *a, *b, *result;
	} cases[] = {
		{"", "1 2", "none"},
		{"1 2", "nan", "none"},
		{"1", "2", "1 1 1: 1 [-inf inf] 1"},
		/* The smallest p for 3 and 3 values, and an unbounded interval. */
		{"1 2 3", "4 5 6", "9 0.1 0.1: 3 [-inf inf] 1"},
		{"6 4 5", "2 3 1", "0 0.1 0.1: -3 [-inf inf] 1"},
		{"1 2 3", "4 5 6 7", "12 0.05714 0.05714: 3.5 [-inf inf] 1"},
		{"1 2 3", "4 5 6 7 8", "15 0.03571 0.03571: 4 [1 7] 0.9643"},
		/* From 4 and 4 values on, the interval is bounded. */
		{"1 2 3 4", "5 6 7 8", "16 0.02857 0.02857: 4 [1 7] 0.9714"},
		{"1 2 3 4", "1.5 2.5 3.5 4.5", "10 0.6857 0.02857: 0.5 [-2.5 3.5] 0.9714"},
		{"1 2 3 4 5", "6 7 8 9 10", "25 0.007937 0.007937: 5 [2 8] 0.9683"},
		/* Values that were not measured lower n. */
		{"1 nan 2 3", "nan nan 4 5 6", "9 0.1 0.1: 3 [-inf inf] 1"},
		/* All equal. */
		{"7 7 7 7", "7 7 7 7", "8 1 1: 0 ~[0 0] 0.9714"},
		{"0 -0", "-0 0", "2 1 1: 0 ~[-inf inf] 1"},
		/* Ties between the sides, and within one. */
		{"1 2 3 4", "3 4 5 6", "14 0.1429 0.02857: 2 ~[-1 5] 0.9714"},
		{"1 1 1 1", "2 2 2 2", "16 0.02857 0.02857: 1 ~[1 1] 0.9714"},
		{"1 1 1 1", "1 1 1 2", "10 1 1: 0 ~[0 1] 0.9714"},
		/* With ties the tails may differ: 4 of 10 are as high, none as low. */
		{"1 1 1", "1 2", "4.5 0.4 0.4: 0.5 ~[-inf inf] 1"},
		{"2 2 2", "2 1", "1.5 0.4 0.4: -0.5 ~[-inf inf] 1"},
		/* Infinities have a rank, and are equal to themselves. */
		{"1 2 3 4", "inf inf inf inf", "16 0.02857 0.02857: inf ~[inf inf] 0.9714"},
		{"inf inf inf", "inf inf inf", "4.5 1 1: 0 ~[-inf inf] 1"},
		{"-inf inf", "0", "1 1 0.6667: nan [-inf inf] 1"},
		/* Differences and sums that are too large for any number. */
		{"-1e308", "1e308", "1 1 1: inf [-inf inf] 1"},
		/* Between the differences there is no number but -0. */
		{"0 0 5e-324", "0", "1 1 0.25: 0 ~[-inf inf] 1"},
		{"0", "1.5e308 1.7e308", "2 0.6667 0.6667: 1.6e+308 [-inf inf] 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sides) sides = sides_of(cases[i].a, cases[i].b);
		g_autofree char *result = result_text(sides, 0.05);

		g_test_message("%s | %s", cases[i].a, cases[i].b);
		g_assert_cmpstr(result, ==, cases[i].result);
	}
}

static void test_alpha(void)
{
	static const struct {
		gdouble alpha;
		const char *interval;
	} cases[] = {
		{NAN, "[-inf inf] 1"},  {-1, "[-inf inf] 1"},       {0, "[-inf inf] 1"},
		{0.02, "[-inf inf] 1"}, {0.05, "[1 7] 0.9714"},     {0.2, "[2 6] 0.8857"},
		{1, "[4 4] 0.1143"},    {INFINITY, "[4 4] 0.1143"},
	};
	g_autoptr(Sides) sides = sides_of("1 2 3 4", "5 6 7 8");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *result = result_text(sides, cases[i].alpha);

		g_assert_true(g_str_has_suffix(result, cases[i].interval));
	}
}

/* Returns the sides 0 ... n - 1 and by ... m - 1 + by. */
static Sides *moved_sides(guint n, guint m, gdouble by)
{
	g_autofree gdouble *values = g_new(gdouble, n + m);

	for (guint i = 0; i < n; i++)
		values[i] = i;
	for (guint i = 0; i < m; i++)
		values[n + i] = i + by;
	return sides_new(values, n, values + n, m);
}

/* Counting stops at the size where the normal distribution is used instead. */
static void test_many_values(void)
{
	static const struct {
		guint n, m;
		gdouble by;
		const char *result;
	} cases[] = {
		{8, 8, 8, "64 0.0001554 0.0001554: 8 [5 11] 0.9501"},
		{25, 25, 25, "625 1.582e-14 1.582e-14: 25 [21 29] 0.9506"},
		{1, 49, 1, "49 0.04 0.04: 25 [1 49] 0.96"},
		{25, 26, 25, "650 ~9.698e-10 9.698e-10: 25.5 ~[21 30] 0.951"},
		{26, 25, 0, "312.5 ~0.821 9.49e-10: -0.5 ~[-5 4] 0.951"},
		{100000, 100000, 1, "5.0001e+09 ~0.9938 0: 1 ~[-252 254] 0.95"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sides) sides = moved_sides(cases[i].n, cases[i].m, cases[i].by);
		g_autofree char *result = result_text(sides, 0.05);

		g_assert_cmpstr(result, ==, cases[i].result);
	}
	/* So many constants that rounding makes their variance negative. */
	g_autofree gdouble *same = g_new0(gdouble, 165146);
	g_autoptr(Sides) sides = sides_new(same, 165146, same, 165146);
	g_autofree char *result = result_text(sides, 0.05);

	g_assert_cmpstr(result, ==, "1.36366e+10 ~1 1: 0 ~[0 0] 0.95");
}

/* The two ways of counting agree, up to the largest number that is counted. */
static void test_both_counts(void)
{
	gsize ones[ARRANGEMENTS_MOST];

	for (guint i = 0; i < ARRANGEMENTS_MOST; i++)
		ones[i] = 1;
	for (guint m = 1; m <= ARRANGEMENTS_MOST / 2; m++) {
		guint n = ARRANGEMENTS_MOST - m;
		g_autofree guint64 *untied = arrangements_untied(n, m);
		g_autofree guint64 *tied = arrangements_tied(ones, ARRANGEMENTS_MOST, m);

		for (guint u = 0; u <= n * m; u++) {
			g_assert_cmpuint(tied[2 * u], ==, untied[u]);
			g_assert_cmpuint(u < n * m ? tied[2 * u + 1] : 0, ==, 0);
		}
	}
}

/* ---- every arrangement ------------------------------------------------------ */

typedef struct every {
	guint n, m;
	gdouble values[2 * MOST]; /* pooled, ascending */
	guint n_masks;
	guint masks[1 << 2 * MOST]; /* one bit for each value of b */
	guint twice_u[1 << 2 * MOST];
	guint off[1 << 2 * MOST]; /* distance of twice_u from its mean */
} Every;

static void every_begin(Every *every, guint n, guint m)
{
	every->n = n;
	every->m = m;
	every->n_masks = 0;
	for (guint mask = 0; mask < 1u << (n + m); mask++)
		if ((guint)__builtin_popcount(mask) == m)
			every->masks[every->n_masks++] = mask;
}

static guint twice_u_of(const Every *every, guint mask)
{
	guint all = every->n + every->m, result = 0;

	for (guint i = 0; i < all; i++)
		for (guint j = 0; j < all && !(mask >> i & 1); j++)
			if (mask >> j & 1)
				result += every->values[j] > every->values[i]    ? 2
					  : every->values[j] >= every->values[i] ? 1
										 : 0;
	return result;
}

/* Bit i of ties: value i + 1 equals value i. */
static void every_count(Every *every, guint ties)
{
	guint mean = every->n * every->m;

	every->values[0] = 0;
	for (guint i = 1; i < every->n + every->m; i++)
		every->values[i] = every->values[i - 1] + (ties >> (i - 1) & 1 ? 0 : i);
	for (guint i = 0; i < every->n_masks; i++) {
		guint u = twice_u_of(every, every->masks[i]);

		every->twice_u[i] = u;
		every->off[i] = u > mean ? u - mean : mean - u;
	}
}

static gdouble every_p(const Every *every, guint off)
{
	guint outside = 0;

	for (guint i = 0; i < every->n_masks; i++)
		outside += every->off[i] >= off;
	return (gdouble)outside / every->n_masks;
}

static gdouble every_least(const Every *every)
{
	guint most = 0;

	for (guint i = 0; i < every->n_masks; i++)
		most = MAX(most, every->off[i]);
	return every_p(every, most);
}

/* By definition: the first k for which alpha is at most 2 P(U <= k); the arrangements are of values
 * without ties. */
static guint every_quantile(const Every *every, gdouble alpha, gdouble *ret_level)
{
	guint below = 0;

	for (guint k = 0;; k++) {
		guint up_to = 0;

		for (guint i = 0; i < every->n_masks; i++)
			up_to += every->twice_u[i] <= 2 * k;
		*ret_level = 1 - 2.0 * below / every->n_masks;
		if (2.0 * up_to / every->n_masks >= alpha)
			return k;
		below = up_to;
	}
}

static int compare_numbers(const void *a, const void *b)
{
	gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

	return (x > y) - (x < y);
}

/* Splits an arrangement into its sides, with b's largest value first. */
static void split(const Every *every, guint mask, gdouble *a, gdouble *b)
{
	guint n = 0, m = every->m;

	for (guint i = 0; i < every->n + every->m; i++)
		if (mask >> i & 1)
			b[--m] = every->values[i];
		else
			a[n++] = every->values[i];
}

static void check_shift(const Every *every, guint k, gdouble level, guint mask, const Shift *shift)
{
	gdouble a[MOST], b[MOST], differences[MOST * MOST];
	guint pairs = every->n * every->m;

	split(every, mask, a, b);
	for (guint i = 0; i < pairs; i++)
		differences[i] = b[i % every->m] - a[i / every->m];
	qsort(differences, pairs, sizeof *differences, compare_numbers);
	g_assert_cmpfloat(shift->shift, ==,
			  (differences[(pairs - 1) / 2] + differences[pairs / 2]) / 2);
	g_assert_cmpfloat(shift->low, ==, k ? differences[k - 1] : -INFINITY);
	g_assert_cmpfloat(shift->high, ==, k ? differences[pairs - k] : INFINITY);
	g_assert_cmpfloat_with_epsilon(shift->level, level, 1e-15);
}

typedef struct wanted {
	gdouble alpha, level;
	guint k;
} Wanted;

static void check_arrangement(const Every *every, guint which, gdouble least, const Wanted *wanted,
			      gboolean has_ties)
{
	gdouble a[MOST], b[MOST];

	split(every, every->masks[which], a, b);
	g_autoptr(Sides) sides = sides_new(a, every->n, b, every->m);
	MannWhitney test = mannwhitney_test(sides);
	Shift shift = shift_find(sides, wanted->alpha);

	g_assert_cmpfloat(test.u, ==, every->twice_u[which] / 2.0);
	g_assert_cmpfloat(test.p, ==, every_p(every, every->off[which]));
	g_assert_cmpfloat(test.least, ==, least);
	g_assert_true(test.is_exact);
	g_assert_cmpint(shift.is_approximate, ==, has_ties);
	check_shift(every, wanted->k, wanted->level, every->masks[which], &shift);
	/* The test rejects exactly if the interval does not contain 0. */
	if (!has_ties)
		g_assert_cmpint(test.p<wanted->alpha, ==, shift.low> 0 || shift.high < 0);
}

/* Checks all arrangements of few values; of more values, one for each U. */
static void check_ties(const Every *every, const Wanted *wanted, gboolean has_ties)
{
	gboolean seen[2 * MOST * MOST + 1] = {FALSE};
	gdouble least = every_least(every);

	for (guint i = 0; i < every->n_masks; i++) {
		if (every->n + every->m > 8 && seen[every->twice_u[i]])
			continue;
		seen[every->twice_u[i]] = TRUE;
		check_arrangement(every, i, least, wanted, has_ties);
	}
}

static void test_every_arrangement(void)
{
	g_autofree Every *every = g_new(Every, 1);
	Wanted wanted[] = {{.alpha = 0.05}, {.alpha = 0.4}};

	for (guint n = 1; n <= MOST; n++) {
		for (guint m = 1; m <= MOST; m++) {
			every_begin(every, n, m);
			every_count(every, 0);
			for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
				wanted[i].k =
					every_quantile(every, wanted[i].alpha, &wanted[i].level);
			for (guint ties = 0; ties < 1u << (n + m - 1); ties++) {
				every_count(every, ties);
				check_ties(every, &wanted[ties == 0 || ties % 2], ties != 0);
			}
			every_count(every, 0);
			check_ties(every, &wanted[0], FALSE);
		}
	}
}

/* ---- many ------------------------------------------------------------------ */

static void test_many(void)
{
	static const struct {
		const char *p, *least, *q;
	} cases[] = {
		{"", "", ""},
		{"0.03", "0", "0.03 "},
		/* Calculated by hand: p 4 / 1, 4 / 2, 4 / 3, 4 / 4, and no q above the next one. */
		{"0.01 0.02 0.03 0.04", "0 0 0 0", "0.04 0.04 0.04 0.04 "},
		{"0.9 0.001 0.02 0.5", "0 0 0 0", "0.9 0.004 0.04 0.666667 "},
		{"0.5 0.5", "0 0", "0.5 0.5 "},
		{"1 1", "0 0", "1 1 "},
		/* Constants, and rows of too few runs, do not raise the q of others. */
		{"0.01 1 1 0.1", "0.01 1 0.05 0.1", "0.01 nan nan nan "},
		{"0.01 0.02 1", "0.049 0 0.049", "0.03 0.03 1 "},
		/* A value that is not a probability is not tested. */
		{"nan 0.01 -1 2 0.01", "0 nan 0 0 0.01", "nan nan nan nan 0.01 "},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) p = numbers(cases[i].p);
		g_autoptr(GArray) least = numbers(cases[i].least);
		g_autofree gdouble *q = g_new(gdouble, p->len + 1);
		g_autoptr(GString) text = g_string_new(NULL);
		guint tested = 0;
		guint m = many_adjust((gdouble *)(gpointer)p->data,
				      (gdouble *)(gpointer)least->data, p->len, 0.05, q);

		for (guint k = 0; k < p->len; k++) {
			g_string_append_printf(text, "%g ", q[k]);
			tested += isnan(q[k]) ? 0 : 1;
		}
		g_assert_cmpstr(text->str, ==, cases[i].q);
		g_assert_cmpuint(m, ==, tested);
	}
}

static void test_many_groups(void)
{
	static const struct {
		const char *p, *groups, *q;
	} cases[] = {
		{"", "", ""},
		/* A single group: the result is the same as without groups. */
		{"0.01 0.02 0.03 0.04", "0 0 0 0", "0.04 0.04 0.04 0.04 "},
		/* One row per group: the same. */
		{"0.9 0.001 0.02 0.5", "0 1 2 3", "0.9 0.004 0.04 0.666667 "},
		/* A single low row in a group of several: 0.001 * 2 groups * 2 rows. */
		{"0.001 1 0.9 1", "0 0 1 1", "0.004 1 1 1 "},
		/* The first group does not lower the second q; ungrouped, it is 0.02 * 6 / 4. */
		{"0.001 0.001 0.001 0.02 1 1", "0 0 0 1 1 1", "0.002 0.002 0.002 0.06 1 1 "},
		/* A group without a tested row does not count as a group. */
		{"0.01 nan 0.02", "0 1 2", "0.02 nan 0.02 "},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) p = numbers(cases[i].p);
		g_autoptr(GArray) read = numbers(cases[i].groups);
		g_autofree gdouble *least = g_new0(gdouble, p->len + 1);
		g_autofree gdouble *q = g_new(gdouble, p->len + 1);
		g_autofree guint *groups = g_new(guint, p->len + 1);
		g_autoptr(GString) text = g_string_new(NULL);

		for (guint k = 0; k < p->len; k++)
			groups[k] = (guint)g_array_index(read, gdouble, k);
		const ManyRows rows = {(gdouble *)(gpointer)p->data, least, groups, p->len};
		many_adjust_groups(&rows, 0.05, q);
		for (guint k = 0; k < p->len; k++)
			g_string_append_printf(text, "%g ", q[k]);
		g_assert_cmpstr(text->str, ==, cases[i].q);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stats/cases", test_cases);
	g_test_add_func("/stats/alpha", test_alpha);
	g_test_add_func("/stats/many-values", test_many_values);
	g_test_add_func("/stats/both-counts", test_both_counts);
	g_test_add_func("/stats/every-arrangement", test_every_arrangement);
	g_test_add_func("/stats/many", test_many);
	g_test_add_func("/stats/many-groups", test_many_groups);
	return g_test_run();
}
