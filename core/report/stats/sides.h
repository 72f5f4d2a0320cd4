/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of two sides, ready to be tested against each other. */
#pragma once

#include <glib.h>

typedef struct sides {
	gdouble *values[2]; /* ascending, without NANs */
	guint n[2];         /* number of values; never 0 */
	gsize *ties;        /* how often both sides have each distinct value, ascending */
	gsize n_ties;       /* distinct values */
	gdouble u; /* number of pairs (one value of each side) in which b's is larger; equal ones
		      count half */
} Sides;

/*
 * NANs are values that were not measured: they are left out, and n counts the
 * others (scipy: nan_policy="omit").  Infinities are ordinary values.  Returns
 * NULL if a side has no values left.  Needs memory for 3 (n + m) numbers.
 */
Sides *sides_new(const gdouble *a, guint n, const gdouble *b, guint m);
void sides_free(Sides *sides);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sides, sides_free)

/* The number of values of both sides. */
gsize sides_count(const Sides *sides);
gboolean sides_have_ties(const Sides *sides);
