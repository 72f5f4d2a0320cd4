/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --fail-on: CONDITION[,CONDITION...], any of which may hold.
 *	METRIC[:pct|:delta] OP NUMBER[UNIT]     OP one of > >= < <=
 * Without ":delta" the change in percent counts; growth from 0 is more than
 * any percentage.
 */
#pragma once

#include <glib.h>

#include "change.h"

typedef struct condition {
	char *text; /* as given */
	char *metric;
	gboolean delta; /* of the change itself, not of the percentage */
	gboolean less, or_equal;
	Quantity limit;
} Condition;

/* An array of Condition that owns them.  Errors: USAGE_ERROR. */
GArray *condition_parse(const char *text, GError **error);
/* Whether the condition makes sense for a metric of that ladder; USAGE_ERROR. */
gboolean condition_check(const Condition *condition, guint32 ladder, GError **error);
/* What it is compared with, in the unit of the change. */
gdouble condition_limit(const Condition *condition, guint32 ladder);
/* partial: whether a change between unequal coverages may meet it. */
gboolean condition_holds(const Condition *condition, guint32 ladder, const Change *change,
			 gboolean partial);
