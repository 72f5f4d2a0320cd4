/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --fail-on: CONDITION[,CONDITION...], any of which may hold.
 *	METRIC[:pct|:delta] OP NUMBER[UNIT]     OP one of > >= < <=
 * Without ":delta", the change in percent counts; growth from 0 exceeds any
 * percentage.  For a percentile ("run_delay:p99>5ms") the candidate's value counts,
 * unless its change is named ("run_delay:p99:pct>20").  With several runs per side, instead or in
 *addition: [q|p OP NUMBER &&]... METRIC[:pct|:delta] OP NUMBER[UNIT] "worse" in place of the term
 *with a metric: any metric that has become worse, by its own polarity and gate (polarity.h); of
 *runs, only if it changed.
 *	finding:NAME    a rule whose name matches this glob finds something
 */
#pragma once

#include <glib.h>

#include "change.h"

#define FINDING_PREFIX "finding:"

/* The limit for p or q. */
typedef struct chance_limit {
	gboolean is_set;
	gboolean less, or_equal;
	gdouble limit;
} ChanceLimit;

typedef struct condition {
	char *text;          /* as given */
	char *metric;        /* NULL: any; q or p is limited then, or is_worse is set */
	const char *finding; /* a glob: the end of metric, which is not one; NULL: none */
	gboolean is_worse;
	gboolean delta; /* limits the change itself, not the percentage */
	gboolean value; /* with delta: limits the candidate's value instead */
	gboolean less, or_equal;
	Magnitude limit;
	ChanceLimit p, q;
} Condition;

/* An array of Condition that owns them.  Errors: USAGE_ERROR. */
GArray *condition_parse(const char *text, GError **error);
/* Whether the condition makes sense for a metric of that ladder; USAGE_ERROR. */
gboolean condition_check(const Condition *condition, guint32 ladder, GError **error);
/* The limit in the unit of the change. */
gdouble condition_limit(const Condition *condition, guint32 ladder);
/* Whether it applies only to several runs per side. */
gboolean condition_is_of_runs(const Condition *condition);
/* Whether p and q are within the limits; an unknown one is not. */
gboolean condition_allows(const Condition *condition, const struct ctprof_runs *result);
/* Puts the candidate's value in the place of the change, if the condition limits that. */
void condition_take_value(const Condition *condition, const struct ctprof_value *candidate,
			  Change *change);
/* partial: whether a change between sums that lack different rows may meet
 * it. */
gboolean condition_holds(const Condition *condition, guint32 ladder, const Change *change,
			 gboolean partial);
