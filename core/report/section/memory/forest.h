/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trees of anything that has a number: processes, files.  Whatever the parents
 * are said to be, every node is in exactly one tree, and no walk recurses.
 */
#pragma once

#include <glib.h>

#define FOREST_ROOT G_MAXUINT

typedef struct forest {
	guint n;
	guint *parents; /* FOREST_ROOT: a root */
	guint *order;   /* parents before their children, siblings as sorted */
	guint *depths;
} Forest;

/* Below zero: a stands before b. */
typedef gint (*ForestCompare)(guint a, guint b, gconstpointer data);

/* All roots; the caller then sets parents, each below n and any it likes. */
void forest_init(Forest *forest, guint n);
void forest_clear(Forest *forest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Forest, forest_clear)

/* Settles order and depths for the time being.  Of each cycle the node of the
 * smallest number becomes a root. */
void forest_settle(Forest *forest);
/* Sorts siblings, and roots; after forest_settle(). */
void forest_sort(Forest *forest, ForestCompare compare, gconstpointer data);
