/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The distribution of U when the two sides do not differ: every way to assign
 * the pooled values to sides of n and m is equally likely.  Counted, not
 * sampled.
 */
#pragma once

#include <glib.h>

/* Maximum number of values of both sides together.  Up to here, each count and
 * their sum are below 2^53 and so exact in a gdouble, too: 50 over 25 is
 * 1.3e14. */
#define ARRANGEMENTS_MOST 50

/* Returns how many arrangements have U = 0 ... nm if no two values are equal; the caller frees. */
guint64 *arrangements_untied(guint n, guint m);
/*
 * Returns how many arrangements have 2U = 0 ... 2nm if there are n_ties distinct values, the i-th
 * of them ties[i] times; the caller frees.  U is that of a side with m values, at most half of all.
 * For the other side, read the array from its end.
 */
guint64 *arrangements_tied(const gsize *ties, gsize n_ties, guint m);
