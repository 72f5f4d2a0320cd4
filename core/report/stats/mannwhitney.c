/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mannwhitney.h"

#include "arrangements.h"
#include "chance.h"

/* U of a side that has the m smallest values: it shares only values equal to
 * its largest with the other side, and each such pair counts half. */
static gdouble smallest_u(const Sides *sides, gsize m)
{
	gsize below = 0, t = 0;

	while (below + sides->ties[t] < m)
		below += sides->ties[t++];
	return (gdouble)(m - below) * (gdouble)(below + sides->ties[t] - m) / 2;
}

MannWhitney mannwhitney_test(const Sides *sides)
{
	g_auto(Chance) chance = chance_of(sides, TRUE);
	gdouble smallest_a = smallest_u(sides, sides->n[0]);
	gdouble smallest_b = smallest_u(sides, sides->n[1]);

	return (MannWhitney){
		.u = sides->u,
		.p = chance_beyond(&chance, sides->u),
		.least = chance_beyond(&chance, MIN(smallest_a, smallest_b)),
		.is_exact = sides_count(sides) <= ARRANGEMENTS_MOST,
	};
}
