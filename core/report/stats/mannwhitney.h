/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mann-Whitney's test: does one side have the larger values more often? */
#pragma once

#include "sides.h"

typedef struct mann_whitney {
	/* See Sides; scipy.stats.mannwhitneyu(b, a).statistic. */
	gdouble u;
	/*
	 * Two-sided: P(|U - E U| >= |u - E U|) over all arrangements of the pooled
	 * values, equal ones having their mid-rank.  From 0 to 1; 1 if all are equal.
	 *
	 * Exact for up to ARRANGEMENTS_MOST values:
	 *   without ties  mannwhitneyu(b, a, method="exact").pvalue
	 *   with ties     permutation_test((a, b), lambda a, b: |U - nm/2|,
	 *                 permutation_type="independent", n_resamples=inf,
	 *                 alternative="greater").pvalue; not mannwhitneyu, which ignores ties
	 *                 (method="exact") or doubles the
	 *                 smaller tail (PermutationMethod), and with ties the
	 *                 tails may differ.
	 * Beyond, a normal distribution with corrections for ties and continuity:
	 *   mannwhitneyu(b, a, method="asymptotic", use_continuity=True).pvalue
	 */
	gdouble p;
	/* The smallest p of any arrangement of these values, by the same method. */
	gdouble least;
	gboolean is_exact;
} MannWhitney;

MannWhitney mannwhitney_test(const Sides *sides);
