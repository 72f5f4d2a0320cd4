/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listings whose rows form trees: processes, files.  No matter which parents the rows claim, every
 * row is in exactly one tree, and no walk recurses.
 */
#pragma once

#include "listing.h"

#define TREE_ROOT G_MAXUINT

typedef struct node {
	guint parent; /* TREE_ROOT: a root */
	guint depth;
	gboolean matches;   /* asked for */
	gboolean is_inside; /* a match, or below one */
	gboolean is_wanted; /* matches, and has a visible change if only changes are shown */
	gboolean is_shown;  /* wanted or above a wanted one, and not folded */
	guint n_folded;     /* further rows that its line represents */
} Node;

typedef struct tree {
	Listing *listing; /* its rows are in the order used for ties */
	guint judged; /* PLACE_*: a field with this flag must have changed for a row to be wanted */
	const Place *by;     /* the lines' order; NULL: that of the rows */
	const Place *ranked; /* rows significant by this place are not folded */
	const char *total;   /* the total's title; NULL: no total */
	Node *nodes;         /* one node per row; the caller sets parents and matches */
	guint *order;        /* parents before their children, siblings as sorted */
	guint n_sums;        /* PLACE_TREE places; each node has a sum for each of them */
	Sums *sums;
} Tree;

/* Makes all nodes roots and none a match.  The listing must have its rows and
 * places. */
void tree_init(Tree *tree, Listing *listing);
void tree_clear(Tree *tree);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tree, tree_clear)

/* Computes the sums, decides which rows are shown, and adds the table, its lines up to the limit,
 * and the total.  The first row of each cycle becomes a root. */
void tree_draft(Tree *tree, const char *name, const char *heading);
/* The matching rows and those below them; the caller unrefs. */
GPtrArray *tree_list_inside(const Tree *tree);

/* Returns the size below which a subtree is insignificant: 1 % of the RAM or 3 % of the largest
 * part, whichever is smaller.  ram 0: unknown. */
guint64 tree_threshold(guint64 ram, guint64 largest);
