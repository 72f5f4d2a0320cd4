/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums and products that stop at the largest number. */
#pragma once

#include <glib.h>

static inline guint64 fold_add_saturated(guint64 a, guint64 b)
{
	guint64 sum;

	return __builtin_add_overflow(a, b, &sum) ? G_MAXUINT64 : sum;
}

static inline guint64 fold_multiply_saturated(guint64 a, guint64 b)
{
	guint64 product;

	return __builtin_mul_overflow(a, b, &product) ? G_MAXUINT64 : product;
}
