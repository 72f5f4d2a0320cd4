/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chance.h"

#include <math.h>

#include "arrangements.h"

static gdouble sigma_of(const Sides *sides, gboolean with_ties)
{
	gdouble n = sides->n[0], m = sides->n[1], all = n + m, ties = 0;

	for (gsize t = 0; with_ties && t < sides->n_ties; t++)
		ties += pow((gdouble)sides->ties[t], 3) - (gdouble)sides->ties[t];
	/* If all values are equal, rounding may make this negative. */
	return sqrt(MAX(0, n * m / 12 * (all + 1 - ties / (all * (all - 1)))));
}

Chance chance_of(const Sides *sides, gboolean with_ties)
{
	guint n = sides->n[0], m = sides->n[1];
	Chance chance = {.pairs = (gdouble)n * m};

	if (sides_count(sides) > ARRANGEMENTS_MOST) {
		chance.sigma = sigma_of(sides, with_ties);
	} else if (with_ties && sides_have_ties(sides)) {
		chance.last = 2 * n * m;
		chance.counts = arrangements_tied(sides->ties, sides->n_ties, MIN(n, m));
	} else {
		chance.last = n * m;
		chance.counts = arrangements_untied(n, m);
	}
	return chance;
}

void chance_clear(Chance *chance)
{
	g_clear_pointer(&chance->counts, g_free);
}

/* off: the least distance from the middle of 0 ... 2 last. */
static gdouble share_beyond(const Chance *chance, guint off)
{
	guint64 beyond = 0, all = 0;

	for (guint i = 0; i <= chance->last; i++) {
		guint higher = MAX(2 * i, chance->last), lower = MIN(2 * i, chance->last);

		all += chance->counts[i];
		if (higher - lower >= off)
			beyond += chance->counts[i];
	}
	return (gdouble)beyond / (gdouble)all;
}

gdouble chance_beyond(const Chance *chance, gdouble u)
{
	gdouble off = fabs(2 * u - chance->pairs);

	if (chance->counts)
		return share_beyond(chance, (guint)(off * chance->last / chance->pairs));
	/* If all values are equal, sigma is 0 and so is off: erfc(-inf) is 2. */
	return MIN(1, erfc((off / 2 - 0.5) / chance->sigma / G_SQRT2));
}
