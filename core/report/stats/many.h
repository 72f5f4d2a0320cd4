/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many tests at once: some of them are below alpha by chance. */
#pragma once

#include <glib.h>

/*
 * Benjamini and Hochberg's q of each p: the rows with q < alpha have, on average,
 * at most a share of alpha that did not change.
 *
 * A row that no arrangement of its values could bring below alpha, least[] >= alpha, is not tested
 * (Tarone): it does not count, and its q is NAN. A row whose p or least is not in [0, 1] is not
 * tested, either.  For the others it is scipy.stats.false_discovery_control(p, method="bh").
 *
 * Returns how many were tested.
 */
guint many_adjust(const gdouble *p, const gdouble *least, guint n, gdouble alpha, gdouble *ret_q);

/* Rows in groups: pools of threads, each with many metrics. */
typedef struct many_rows {
	const gdouble *p, *least;
	const guint *groups; /* group of each row; ascending from 0, without gaps */
	guint n;
} ManyRows;

/*
 * Like many_adjust(), but groups are adjusted as well, each with the p of Simes' test that none of
 * its rows changed, and a row's q is at least the q of its group.  So at most a share of alpha of
 * the groups called changed did not change, either.  If only rows were adjusted, a pool in which
 * twenty metrics changed would let a false change in another pool pass.
 */
guint many_adjust_groups(const ManyRows *rows, gdouble alpha, gdouble *ret_q);
