/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sides.h"

#include <math.h>
#include <stdlib.h>

static int compare_values(const void *a, const void *b)
{
	gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

	return (x > y) - (x < y);
}

static void take_values(Sides *sides, guint side, const gdouble *values, guint n)
{
	gdouble *taken = g_new(gdouble, (gsize)n + 1);

	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			taken[sides->n[side]++] = values[i];
	qsort(taken, sides->n[side], sizeof *taken, compare_values);
	sides->values[side] = taken;
}

/* Advances *at past the side's values that are not above value; returns their number. */
static guint skip_up_to(const Sides *sides, guint side, guint *at, gdouble value)
{
	guint from = *at;

	while (*at < sides->n[side] && sides->values[side][*at] <= value)
		++*at;
	return *at - from;
}

static void find_ties(Sides *sides)
{
	const gdouble *a = sides->values[0], *b = sides->values[1];
	guint i = 0, j = 0;

	sides->ties = g_new(gsize, sides_count(sides));
	while (i < sides->n[0] || j < sides->n[1]) {
		gboolean a_is_next = j == sides->n[1] || (i < sides->n[0] && a[i] < b[j]);
		gdouble value = a_is_next ? a[i] : b[j];
		guint below = i;
		guint of_a = skip_up_to(sides, 0, &i, value);
		guint of_b = skip_up_to(sides, 1, &j, value);

		sides->ties[sides->n_ties++] = (gsize)of_a + of_b;
		sides->u += of_b * (below + of_a / 2.0);
	}
}

Sides *sides_new(const gdouble *a, guint n, const gdouble *b, guint m)
{
	g_autoptr(Sides) sides = g_new0(Sides, 1);

	take_values(sides, 0, a, n);
	take_values(sides, 1, b, m);
	if (!sides->n[0] || !sides->n[1])
		return NULL;
	find_ties(sides);
	return g_steal_pointer(&sides);
}

void sides_free(Sides *sides)
{
	if (!sides)
		return;
	g_free(sides->values[0]);
	g_free(sides->values[1]);
	g_free(sides->ties);
	g_free(sides);
}

gsize sides_count(const Sides *sides)
{
	return (gsize)sides->n[0] + sides->n[1];
}

gboolean sides_have_ties(const Sides *sides)
{
	return sides->n_ties < sides_count(sides);
}
