/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --fail-on: CONDITION[,CONDITION...]; one that is met is enough.
 *   METRIC[:pct|:delta] OP NUMBER[UNIT]     OP one of > >= < <=
 * Without ":delta", the limit is for the change in percent; growth from 0 exceeds any
 * percentage.  For a percentile ("run_delay:p99>5ms") it is for the candidate's value,
 * unless the change is named ("run_delay:p99:pct>20").  With several runs per side, p and q
 * may be limited, with or without a metric:
 *   [q|p OP NUMBER &&]... METRIC[:pct|:delta] OP NUMBER[UNIT]
 * "worse" in place of the term with a metric: any metric that has become worse, by its own
 * polarity and gate (change_judge()); with runs, only if it changed.
 *   finding:NAME    a rule whose name matches this glob has a finding
 */
#pragma once

#include <glib.h>

#include "change.h"

#define FINDING_PREFIX "finding:"

/* A limit for p or q. */
typedef struct chance_limit {
	gboolean is_set;
	gboolean less, or_equal;
	gdouble limit;
} ChanceLimit;

typedef struct condition {
	char *text;          /* as given */
	char *metric;        /* NULL: any metric; then q or p is limited, or is_worse is set */
	const char *finding; /* the glob of finding:GLOB, in metric; NULL: not about findings */
	gboolean is_worse;
	gboolean delta; /* limits the change itself, not its percentage */
	gboolean value; /* with delta: limits the candidate's value instead of the change */
	gboolean less, or_equal;
	Magnitude limit;
	ChanceLimit p, q;
} Condition;

/* Returns an array of Condition that owns them.  Errors: USAGE_ERROR. */
GArray *condition_parse(const char *text, GError **error);
/* Whether the condition makes sense for a metric with that ladder; USAGE_ERROR. */
gboolean condition_check(const Condition *condition, guint32 ladder, GError **error);
/* Returns the limit in the unit of the change. */
gdouble condition_limit(const Condition *condition, guint32 ladder);
/* Whether the condition applies only to several runs per side. */
gboolean condition_is_of_runs(const Condition *condition);
/* Whether p and q are within the limits; an unknown p or q is not. */
gboolean condition_allows(const Condition *condition, const struct ctprof_runs *result);
/* Replaces the change by the candidate's value, if the condition limits that. */
void condition_take_value(const Condition *condition, struct ctprof_cell *change);
gboolean condition_holds(const Condition *condition, guint32 ladder,
			 const struct ctprof_cell *change);
