/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees with what does not matter folded away. */
#pragma once

#include <glib.h>

#include "forest.h"
#include "rows.h"

/* A node, and what became of it. */
typedef struct collapse_node {
	Sums tree;          /* with all below it */
	gboolean is_shown;  /* else it is as if it were not there */
	gboolean is_kept;   /* shown for what is below it: never folded */
	gboolean is_hidden; /* folded into a line above */
	guint n_folded;     /* nodes its line stands for besides itself */
} CollapseNode;

/* What is less does not matter: 1 % of the RAM and 3 % of the largest part. */
guint64 collapse_threshold(guint64 ram, guint64 largest);
/* Folds each node but the roots that has something below it and does not matter.
 * What is not known in full may matter, and what is not small on both sides.  ram 0: not known. */
void collapse_forest(const Forest *forest, CollapseNode *nodes, guint64 ram);
