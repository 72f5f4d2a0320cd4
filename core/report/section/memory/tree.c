/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tree.h"

#include <string.h>

#include "footprint.h"

void tree_init(Tree *tree, Listing *listing)
{
	guint n = listing->rows.list->len;

	*tree = (Tree){
		.listing = listing,
		.judged = PLACE_TREE,
		.nodes = g_new0(Node, n),
		.order = g_new0(guint, n),
	};
	for (guint i = 0; i < n; i++)
		tree->nodes[i].parent = TREE_ROOT;
	for (guint i = 0; i < listing->n_places; i++)
		tree->n_sums += listing->places[i].flags & PLACE_TREE ? 1 : 0;
	tree->sums = g_new0(Sums, (gsize)n * tree->n_sums);
}

void tree_clear(Tree *tree)
{
	g_clear_pointer(&tree->nodes, g_free);
	g_clear_pointer(&tree->order, g_free);
	g_clear_pointer(&tree->sums, g_free);
}

static guint count_rows(const Tree *tree)
{
	return tree->listing->rows.list->len;
}

static const Pair *row_of(const Tree *tree, guint node)
{
	return g_ptr_array_index(tree->listing->rows.list, node);
}

/* Returns the parent; NULL: a root. */
static Node *parent_of(const Tree *tree, guint node)
{
	guint parent = tree->nodes[node].parent;

	return parent == TREE_ROOT ? NULL : &tree->nodes[parent];
}

static Sums *sums_of(const Tree *tree, guint node, const Place *place)
{
	Sums *sums = tree->sums + (gsize)node * tree->n_sums;

	for (const Place *before = tree->listing->places; before < place; before++)
		sums += before->flags & PLACE_TREE ? 1 : 0;
	return sums;
}

static void take_values(const Tree *tree, guint node, const Place *place,
			struct ctprof_value ret_values[SIDES])
{
	if (place->flags & PLACE_TREE)
		sums_values(tree->listing->rows.draft, sums_of(tree, node, place), FALSE,
			    ret_values);
	else
		listing_values(tree->listing, row_of(tree, node), place, ret_values);
}

/* ---- order ---- */

/* Makes the first node of the cycle that includes at a root. */
static void cut_cycle(Tree *tree, guint at)
{
	guint least = at;

	for (guint i = tree->nodes[at].parent; i != at; i = tree->nodes[i].parent)
		least = MIN(least, i);
	tree->nodes[least].parent = TREE_ROOT;
}

/* Walks up from each node, visiting each node once: a walk that reaches one of
 * its own nodes has found a cycle. */
static void cut_cycles(Tree *tree)
{
	g_autofree guint *walks =
		g_new0(guint, count_rows(tree)); /* walk that visited each node, from 1 */

	for (guint i = 0; i < count_rows(tree); i++) {
		guint at = i;

		while (at != TREE_ROOT && walks[at] == 0) {
			walks[at] = i + 1;
			at = tree->nodes[at].parent;
		}
		if (at != TREE_ROOT && walks[at] == i + 1)
			cut_cycle(tree, at);
	}
}

/* A node, and what it is sorted by. */
struct ranked {
	guint node;
	const char *text; /* NULL: a number */
	struct ctprof_value values[SIDES];
};

static gint compare_ranked(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ranked *x = a, *y = b;
	gint order = x->text ? g_strcmp0(x->text, y->text)
			     : rows_compare_values(data, x->values, y->values);

	return order != 0 ? order : x->node < y->node ? -1 : x->node > y->node;
}

static struct ranked *rank_nodes(const Tree *tree, gboolean sort)
{
	guint n = count_rows(tree);
	struct ranked *ranked = g_new0(struct ranked, n);

	for (guint i = 0; i < n; i++) {
		struct ctprof_value *values = ranked[i].values;

		ranked[i].node = i;
		if (!sort)
			continue;
		take_values(tree, i, tree->by, values);
		ranked[i].text = values[row_side(row_of(tree, i))].text;
	}
	if (sort && n > 0)
		g_qsort_with_data(ranked, (gint)n, sizeof *ranked, compare_ranked,
				  (gpointer)(uintptr_t)tree->listing->rows.draft);
	return ranked;
}

/* Children of one parent as chains: first[parent], then next[child]; roots
 * begin at first[n]. */
static void place_nodes(Tree *tree, gboolean sort)
{
	guint n = count_rows(tree), placed = 0;
	g_autofree guint *first = g_new(guint, (gsize)n + 1);
	g_autofree guint *next = g_new(guint, n);
	g_autofree struct ranked *ranked = rank_nodes(tree, sort);

	for (guint i = 0; i <= n; i++)
		first[i] = TREE_ROOT;
	for (guint i = n; i-- > 0;) {
		guint node = ranked[i].node;
		guint *chain = &first[MIN(tree->nodes[node].parent, n)];

		next[node] = *chain;
		*chain = node;
	}
	for (guint at = first[n]; at != TREE_ROOT;) {
		const Node *parent = parent_of(tree, at);

		tree->nodes[at].depth = parent ? parent->depth + 1 : 0;
		tree->order[placed++] = at;
		if (first[at] != TREE_ROOT) {
			at = first[at];
			continue;
		}
		while (at != TREE_ROOT && next[at] == TREE_ROOT)
			at = tree->nodes[at].parent;
		if (at != TREE_ROOT)
			at = next[at];
	}
	g_assert(placed == n);
}

/* ---- what is shown ---- */

/* Adds a node's sums to its parent once they include all nodes below. */
static void add_up(Tree *tree, guint node)
{
	const Listing *listing = tree->listing;
	guint parent = tree->nodes[node].parent;

	for (guint i = 0; i < listing->n_places; i++) {
		const Place *place = &listing->places[i];
		struct ctprof_value own[SIDES];

		if (!(place->flags & PLACE_TREE))
			continue;
		listing_values(listing, row_of(tree, node), place, own);
		sums_add(listing->rows.draft, sums_of(tree, node, place), own);
		if (parent != TREE_ROOT)
			sums_merge(sums_of(tree, parent, place), sums_of(tree, node, place));
	}
}

/* Whether the filters for changes show any of its amounts. */
static gboolean passes(const Tree *tree, guint node)
{
	const Listing *listing = tree->listing;

	for (guint i = 0; i < listing->n_places; i++) {
		const Place *place = &listing->places[i];
		struct ctprof_value values[SIDES];

		if (!(place->flags & tree->judged))
			continue;
		take_values(tree, node, place, values);
		if (rows_pass(listing->rows.draft, row_of(tree, node), &place->field, values))
			return TRUE;
	}
	return FALSE;
}

/* Walks up for the sums and the nodes above a match, then down for the nodes below a match. */
static void mark_shown(Tree *tree)
{
	for (guint at = count_rows(tree); at-- > 0;) {
		Node *node = &tree->nodes[tree->order[at]];
		Node *parent = parent_of(tree, tree->order[at]);

		add_up(tree, tree->order[at]);
		node->is_wanted = node->matches && passes(tree, tree->order[at]);
		node->is_shown |= node->is_wanted;
		if (parent)
			parent->is_shown |= node->is_shown;
	}
	for (guint at = 0; at < count_rows(tree); at++) {
		Node *node = &tree->nodes[tree->order[at]];
		const Node *parent = parent_of(tree, tree->order[at]);

		node->is_inside = node->matches || (parent && parent->is_inside);
	}
}

guint64 tree_threshold(guint64 ram, guint64 largest)
{
	/* 3 % of the largest part, without a product that could overflow. */
	guint64 of_largest = largest / 100 * 3 + largest % 100 * 3 / 100;

	return ram > 0 ? MIN(ram / 100, of_largest) : of_largest;
}

static guint64 size_of(const Sums *sums)
{
	return MAX(sums->sides[0].number, sums->sides[1].number);
}

/* Whether a sum is fully known, and small on both sides. */
static gboolean is_small(const Sums *sums, guint64 threshold)
{
	return sums->sides[0].coverage.missing == 0 && sums->sides[1].coverage.missing == 0 &&
	       size_of(sums) < threshold;
}

/* Folds each node, except roots, that has nodes below it, was asked for and is insignificant. */
static void collapse(Tree *tree)
{
	g_autofree gboolean *hidden = g_new0(gboolean, count_rows(tree));
	guint64 largest = 0;

	for (guint at = count_rows(tree); at-- > 0;) {
		guint i = tree->order[at];
		Node *node = &tree->nodes[i], *parent = parent_of(tree, i);

		if (parent && node->is_shown)
			parent->n_folded += node->n_folded + 1;
		if (parent)
			largest = MAX(largest, size_of(sums_of(tree, i, tree->ranked)));
	}
	guint64 threshold = tree_threshold(ledger_ram(tree->listing->rows.draft), largest);
	for (guint at = 0; at < count_rows(tree); at++) {
		guint i = tree->order[at];
		Node *node = &tree->nodes[i], *parent = parent_of(tree, i);

		hidden[i] = parent && (hidden[node->parent] || parent->n_folded > 0);
		/* From here on, n_folded counts only folded nodes. */
		if (!parent || !node->is_wanted ||
		    !is_small(sums_of(tree, i, tree->ranked), threshold))
			node->n_folded = 0;
		node->is_shown &= !hidden[i];
	}
}

/* ---- the table ---- */

/* The last component of a path; for a root, the whole path. */
static const char *entry_of(const char *path, guint depth)
{
	const char *slash = strrchr(path, '/');

	return depth > 0 && slash && slash[1] ? slash + 1 : path;
}

static void put_line(const Tree *tree, guint i)
{
	const Listing *listing = tree->listing;
	const Draft *draft = listing->rows.draft;
	const Node *node = &tree->nodes[i];
	guint32 flags = node->is_wanted ? 0 : CTPROF_LINE_CONTEXT;

	if (!node->is_shown || !table_has_room(listing->table, draft->view->limit))
		return;
	struct ctprof_cell *cells = listing_line(listing, row_of(tree, i), flags, node->depth);
	for (guint p = 0; p < listing->n_places; p++) {
		const Place *place = &listing->places[p];
		struct ctprof_value values[SIDES];

		if (place->flags & PLACE_TREE) {
			take_values(tree, i, place, values);
			rows_put(draft, listing->table, cells, p, values);
		} else if (place->flags & PLACE_FOLDED && node->n_folded > 0) {
			draft_put_same(draft, &cells[p], value_of_number(node->n_folded));
		} else if (place->flags & PLACE_ENTRY) {
			draft_put_same(
				draft, &cells[p],
				value_of_text(entry_of(row_name(row_of(tree, i)), node->depth)));
		}
	}
}

GPtrArray *tree_list_inside(const Tree *tree)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < count_rows(tree); i++)
		if (tree->nodes[i].is_inside)
			g_ptr_array_add(list, tree->listing->rows.list->pdata[i]);
	return list;
}

/* A match below another match is not counted twice. */
static void put_total(const Tree *tree)
{
	g_autoptr(GPtrArray) matches = g_ptr_array_new(), inside = tree_list_inside(tree);
	Listing listing = *tree->listing;

	for (guint i = 0; i < count_rows(tree); i++)
		if (tree->nodes[i].matches)
			g_ptr_array_add(matches, tree->listing->rows.list->pdata[i]);
	listing.rows.list = matches;
	struct ctprof_cell *cells = listing_total(&listing, tree->total);
	listing.rows.list = inside;
	listing_put_sums(&listing, cells, PLACE_TREE);
}

void tree_draft(Tree *tree, const char *name, const char *heading)
{
	Listing *listing = tree->listing;
	gboolean fold = listing->rows.draft->plan->options->fold;

	cut_cycles(tree);
	place_nodes(tree, FALSE);
	mark_shown(tree);
	if (fold && tree->n_sums > 0)
		collapse(tree);
	if (tree->by)
		place_nodes(tree, TRUE);
	listing_begin(listing, name, heading);
	for (guint i = 0; i < listing->n_places; i++)
		if (listing->places[i].flags & PLACE_FOLDED)
			table_hide(listing->table, i, !fold);
	for (guint at = 0; at < count_rows(tree); at++)
		put_line(tree, tree->order[at]);
	if (tree->total)
		put_total(tree);
}
