/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arrangements.h"

/* The coefficients of the Gaussian binomial: the product of (1 - q^(m+i)) /
 * (1 - q^i) for i = 1 ... n.  Differences may wrap; each product is exact. */
guint64 *arrangements_untied(guint n, guint m)
{
	guint last = n * m;
	guint64 *counts = g_new0(guint64, last + 1);

	counts[0] = 1;
	for (guint i = 1; i <= n; i++) {
		for (guint u = last; u >= m + i; u--)
			counts[u] -= counts[u - m - i];
		for (guint u = i; u <= last; u++)
			counts[u] += counts[u - i];
	}
	return counts;
}

/*
 * Row k counts the ways to choose k of the values seen so far, by the sum of
 * their doubled mid-ranks less k (k + 1), which is 2U; so one more value of
 * that rank moves a count from rank - 2k lower in row k - 1.  end is the number
 * of values up to this one and its equals: no sum is above 2k (end - k).
 */
static void choose_one_more(const guint64 *restrict without, guint64 *restrict with, guint k,
			    guint rank, guint end)
{
	for (guint s = rank > 2 * k ? rank - 2 * k : 0; s <= 2 * k * (end - k); s++)
		with[s] += without[s + 2 * k - rank];
}

guint64 *arrangements_tied(const gsize *ties, gsize n_ties, guint m)
{
	guint all = 0, begin = 0;

	for (gsize t = 0; t < n_ties; t++)
		all += (guint)ties[t];
	gsize width = 2 * (gsize)m * (all - m) + 1;
	g_autofree guint64 *rows = g_new0(guint64, (m + 1) * width);

	rows[0] = 1;
	for (gsize t = 0; t < n_ties; t++) {
		guint end = begin + (guint)ties[t];

		for (guint i = begin + 1; i <= end; i++)
			for (guint k = MIN(i, m); k; k--)
				choose_one_more(rows + (k - 1) * width, rows + k * width, k,
						begin + end + 1, end);
		begin = end;
	}
	return g_memdup2(rows + m * width, width * sizeof *rows);
}
