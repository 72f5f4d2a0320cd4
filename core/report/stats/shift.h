/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hodges and Lehmann's shift: by how much b is larger than a. */
#pragma once

#include "sides.h"

typedef struct shift {
	/*
	 * The median of the nm differences b - a, which are 0 for equal values:
	 * numpy.median(numpy.subtract.outer(b, a)).  NAN if it is between -inf and inf.
	 */
	gdouble shift;
	/*
	 * The closed interval of all shifts that mannwhitney_test(), for tie-free
	 * values, would not reject with p < alpha: from the k-th smallest difference to
	 * the k-th largest, where k is the smallest U with p >= alpha.  If k is 0 it is
	 * unbounded: -inf and inf.  R: wilcox.test(b, a, conf.int=TRUE, exact=TRUE,
	 * conf.level=1-alpha), which takes k = 1 for 0.
	 */
	gdouble low, high;
	/* How often such an interval contains the true shift: 1 - p of U = k - 1,
	 * which is above 1 - alpha; 1 if k is 0. */
	gdouble level;
	/* k and level are of tie-free values, but there are ties; or there are more
	 * than ARRANGEMENTS_MOST values, and U is assumed to be normal, corrected
	 * for continuity. */
	gboolean is_approximate;
} Shift;

/* alpha is in (0, 1); 0 or less, or NAN, gives an unbounded interval.  Needs no
 * memory for the differences, and at most 4 x 64 passes over both sides. */
Shift shift_find(const Sides *sides, gdouble alpha);
