/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forest.h"

void forest_init(Forest *forest, guint n)
{
	*forest = (Forest){
		.n = n,
		.parents = g_new(guint, n),
		.order = g_new0(guint, n),
		.depths = g_new0(guint, n),
	};
	for (guint i = 0; i < n; i++)
		forest->parents[i] = FOREST_ROOT;
}

void forest_clear(Forest *forest)
{
	g_clear_pointer(&forest->parents, g_free);
	g_clear_pointer(&forest->order, g_free);
	g_clear_pointer(&forest->depths, g_free);
	forest->n = 0;
}

/* Makes the smallest node of the cycle that at is on a root. */
static void cut_cycle(Forest *forest, guint at)
{
	guint least = at;

	for (guint i = forest->parents[at]; i != at; i = forest->parents[i])
		least = MIN(least, i);
	forest->parents[least] = FOREST_ROOT;
}

/* A walk up from each node, each node walked over once: one that comes back to
 * where it has been itself has gone round. */
static void cut_cycles(Forest *forest)
{
	g_autofree guint *walks = g_new0(guint, forest->n); /* the one it was met by, from 1 */

	for (guint i = 0; i < forest->n; i++) {
		guint at = i;

		while (at != FOREST_ROOT && walks[at] == 0) {
			walks[at] = i + 1;
			at = forest->parents[at];
		}
		if (at != FOREST_ROOT && walks[at] == i + 1)
			cut_cycle(forest, at);
	}
}

/* Children of one parent as chains: first[parent], then next[child]; roots
 * begin at first[n].  ranked: all nodes, in the order siblings shall have. */
static void place_nodes(Forest *forest, const guint *ranked)
{
	g_autofree guint *first = g_new(guint, (gsize)forest->n + 1);
	g_autofree guint *next = g_new(guint, forest->n);
	guint placed = 0;

	for (guint i = 0; i <= forest->n; i++)
		first[i] = FOREST_ROOT;
	for (guint i = forest->n; i-- > 0;) {
		guint node = ranked[i];
		guint *chain = &first[MIN(forest->parents[node], forest->n)];

		next[node] = *chain;
		*chain = node;
	}
	for (guint at = first[forest->n]; at != FOREST_ROOT;) {
		guint parent = forest->parents[at];

		forest->depths[at] = parent == FOREST_ROOT ? 0 : forest->depths[parent] + 1;
		forest->order[placed++] = at;
		if (first[at] != FOREST_ROOT) {
			at = first[at];
			continue;
		}
		while (at != FOREST_ROOT && next[at] == FOREST_ROOT)
			at = forest->parents[at];
		if (at != FOREST_ROOT)
			at = next[at];
	}
	g_assert(placed == forest->n);
}

void forest_settle(Forest *forest)
{
	g_autofree guint *ranked = g_new(guint, forest->n);

	cut_cycles(forest);
	for (guint i = 0; i < forest->n; i++)
		ranked[i] = i;
	place_nodes(forest, ranked);
}

struct order {
	ForestCompare compare;
	gconstpointer data;
};

static gint compare_nodes(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct order *order = data;
	guint x = *(const guint *)a, y = *(const guint *)b;
	gint result = order->compare(x, y, order->data);

	return result != 0 ? result : x < y ? -1 : x > y;
}

void forest_sort(Forest *forest, ForestCompare compare, gconstpointer data)
{
	g_autofree guint *ranked = g_new(guint, forest->n);
	struct order order = {.compare = compare, .data = data};

	for (guint i = 0; i < forest->n; i++)
		ranked[i] = i;
	if (forest->n > 0)
		g_qsort_with_data(ranked, (gint)forest->n, sizeof *ranked, compare_nodes, &order);
	place_nodes(forest, ranked);
}
