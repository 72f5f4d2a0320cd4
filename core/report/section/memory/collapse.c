/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collapse.h"

guint64 collapse_threshold(guint64 ram, guint64 largest)
{
	/* Of the largest part without a product that could overflow. */
	guint64 of_largest = largest / 100 * 3 + largest % 100 * 3 / 100;

	return ram > 0 ? MIN(ram / 100, of_largest) : of_largest;
}

static guint64 size_of(const CollapseNode *node)
{
	return MAX(node->tree.sides[0].number, node->tree.sides[1].number);
}

static guint64 find_largest(const Forest *forest, const CollapseNode *nodes)
{
	guint64 largest = 0;

	for (guint i = 0; i < forest->n; i++)
		if (forest->depths[i] > 0)
			largest = MAX(largest, size_of(&nodes[i]));
	return largest;
}

static gboolean is_small(const CollapseNode *node, guint64 threshold)
{
	return node->tree.sides[0].coverage.missing == 0 &&
	       node->tree.sides[1].coverage.missing == 0 && size_of(node) < threshold;
}

void collapse_forest(const Forest *forest, CollapseNode *nodes, guint64 ram)
{
	guint64 threshold = collapse_threshold(ram, find_largest(forest, nodes));

	for (guint at = forest->n; at-- > 0;) {
		guint i = forest->order[at], parent = forest->parents[i];

		if (parent != FOREST_ROOT && nodes[i].is_shown)
			nodes[parent].n_folded += nodes[i].n_folded + 1;
	}
	for (guint at = 0; at < forest->n; at++) {
		guint i = forest->order[at], parent = forest->parents[i];
		gboolean is_folded = forest->depths[i] > 0 && !nodes[i].is_kept &&
				     is_small(&nodes[i], threshold);

		nodes[i].is_hidden = parent != FOREST_ROOT &&
				     (nodes[parent].is_hidden || nodes[parent].n_folded > 0);
		/* From here on only of those that are folded. */
		if (!is_folded || !nodes[i].is_shown)
			nodes[i].n_folded = 0;
	}
}
