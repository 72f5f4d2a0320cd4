/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The distribution of U if the sides do not differ: counted for up to
 * ARRANGEMENTS_MOST values, normal beyond that.
 */
#pragma once

#include "sides.h"

typedef struct chance {
	gdouble pairs;   /* n * m: twice the mean of U */
	guint64 *counts; /* for 0 ... last, which represent U = 0 ... nm; NULL: normal */
	guint last;
	gdouble sigma;
} Chance;

/* with_ties FALSE: as if all values were different. */
Chance chance_of(const Sides *sides, gboolean with_ties);
void chance_clear(Chance *chance);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chance, chance_clear)

/* P(|U - E U| >= |u - E U|); a normal distribution is corrected for continuity. */
gdouble chance_beyond(const Chance *chance, gdouble u);
