/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listings whose rows are below one another: processes, files.  Whatever the
 * parents are said to be, every row is in exactly one tree, and no walk recurses.
 */
#pragma once

#include "listing.h"

#define TREE_ROOT G_MAXUINT

typedef struct node {
	guint parent; /* TREE_ROOT: a root */
	guint depth;
	gboolean matches;   /* asked for */
	gboolean is_inside; /* that, or below one that is */
	gboolean is_wanted; /* asked for, and not without a change where these are */
	gboolean is_shown;  /* that, or above one that is, and not folded away */
	guint n_folded;     /* rows its line stands for besides */
} Node;

typedef struct tree {
	Listing *listing;    /* its rows are in the order of those that are equal */
	guint judged;        /* PLACE_*: what of a row must have changed for it to be wanted */
	const Place *by;     /* the lines' order; NULL: as the rows are */
	const Place *ranked; /* what matters by this is not folded away */
	const char *total;   /* the total's title; NULL: there is none */
	Node *nodes;         /* as the rows; the caller sets parents and matches */
	guint *order;        /* parents before their children, siblings as sorted */
	guint n_sums;        /* for each node: of each place with what is below */
	Sums *sums;
} Tree;

/* All roots, and none asked for.  The listing has its rows and its places. */
void tree_init(Tree *tree, Listing *listing);
void tree_clear(Tree *tree);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tree, tree_clear)

/* All of it: sums, what is to be shown, table, lines up to the limit, total.  Of
 * each cycle the first row becomes a root. */
void tree_draft(Tree *tree, const char *name, const char *heading);
/* The rows asked for, or below such; the caller unrefs. */
GPtrArray *tree_list_inside(const Tree *tree);

/* What is less does not matter: 1 % of the RAM and 3 % of the largest part.  ram
 * 0: not known. */
guint64 tree_threshold(guint64 ram, guint64 largest);
