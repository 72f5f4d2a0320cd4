/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "many.h"

#include <math.h>
#include <stdlib.h>

typedef struct tested {
	gdouble p;
	guint row;
} Tested;

static int compare_tested(const void *a, const void *b)
{
	const Tested *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* Also FALSE for NAN. */
static gboolean can_be_below(gdouble p, gdouble least, gdouble alpha)
{
	return p >= 0 && p <= 1 && least >= 0 && least <= 1 && least < alpha;
}

guint many_adjust(const gdouble *p, const gdouble *least, guint n, gdouble alpha, gdouble *ret_q)
{
	g_autofree Tested *tested = g_new(Tested, (gsize)n + 1);
	guint m = 0;
	gdouble q = 1;

	for (guint i = 0; i < n; i++) {
		ret_q[i] = NAN;
		if (can_be_below(p[i], least[i], alpha))
			tested[m++] = (Tested){p[i], i};
	}
	qsort(tested, m, sizeof *tested, compare_tested);
	for (guint i = m; i; i--) {
		q = MIN(q, tested[i - 1].p * ((gdouble)m / i));
		ret_q[tested[i - 1].row] = q;
	}
	return m;
}

/* Returns Simes' p of the hypothesis that no row of a group changed: the least q of its rows. */
static gdouble group_p(const gdouble *p, const gdouble *least, guint n, gdouble alpha, gdouble *q)
{
	gdouble lowest = NAN;

	many_adjust(p, least, n, alpha, q);
	for (guint i = 0; i < n; i++)
		lowest = isnan(lowest) || q[i] < lowest ? q[i] : lowest;
	return lowest;
}

guint many_adjust_groups(const ManyRows *rows, gdouble alpha, gdouble *ret_q)
{
	guint n = rows->n, n_groups = n > 0 ? rows->groups[n - 1] + 1 : 0;
	g_autofree gdouble *of_groups = g_new(gdouble, (gsize)n_groups + 1);
	g_autofree gdouble *least = g_new0(gdouble, (gsize)n_groups + 1);
	g_autofree gdouble *q = g_new(gdouble, (gsize)n_groups + 1);

	for (guint begin = 0, end; begin < n; begin = end) {
		guint group = rows->groups[begin];

		for (end = begin + 1; end < n && rows->groups[end] == group;)
			end++;
		of_groups[group] = group_p(rows->p + begin, rows->least + begin, end - begin, alpha,
					   ret_q + begin);
	}
	many_adjust(of_groups, least, n_groups, alpha, q);
	guint m = many_adjust(rows->p, rows->least, n, alpha, ret_q);
	for (guint i = 0; i < n; i++)
		if (!isnan(ret_q[i]))
			ret_q[i] = MAX(ret_q[i], q[rows->groups[i]]);
	return m;
}
