/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confidence intervals of shares. */
#pragma once

#include <glib.h>

/*
 * The Clopper-Pearson interval for a share seen in count of n samples; count may be a fraction, 0
 * <= count <= n.  confidence: 0.95.  If n is 0: from 0 to 1.
 */
void interval_of_share(gdouble count, gdouble n, gdouble confidence, gdouble *ret_low,
		       gdouble *ret_high);
