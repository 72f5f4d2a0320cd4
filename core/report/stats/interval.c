/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interval.h"

#include <math.h>

#define MOST_STEPS 300
#define TINY 1e-300
#define CLOSE 1e-12

static gdouble not_zero(gdouble x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static gdouble fraction(gdouble a, gdouble b, gdouble x)
{
	gdouble c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (gint m = 1; m <= MOST_STEPS; m++) {
		gdouble even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		gdouble odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		h *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		h *= d * c;
		if (fabs(d * c - 1) < CLOSE)
			break;
	}
	return h;
}

/* P(X <= x) of a beta distribution. */
static gdouble beta_below(gdouble x, gdouble a, gdouble b)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	gdouble front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	/* The fraction converges fast on this side of the mean. */
	return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
					 : 1 - front * fraction(b, a, 1 - x) / b;
}

static gdouble beta_quantile(gdouble p, gdouble a, gdouble b)
{
	gdouble low = 0, high = 1;

	while (high - low > CLOSE) {
		gdouble middle = (low + high) / 2;

		if (beta_below(middle, a, b) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void interval_of_share(gdouble count, gdouble n, gdouble confidence, gdouble *ret_low,
		       gdouble *ret_high)
{
	gdouble tail = (1 - confidence) / 2;

	*ret_low = count <= 0 ? 0 : beta_quantile(tail, count, n - count + 1);
	*ret_high = count >= n ? 1 : beta_quantile(1 - tail, count + 1, n - count);
}
