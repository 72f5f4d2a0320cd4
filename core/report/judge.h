/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --fail-on: whether any group, cgroup, object, process or the host meets it. */
#pragma once

#include <glib.h>

#include "draft.h"

/* What became of a condition. */
typedef struct verdict {
	const Condition *condition;
	guint64 n_met;     /* lines it is about */
	guint64 n_judged;  /* of them: whose change is known */
	guint64 n_partial; /* whose change lacks rows, and was not asked for */
	Coverage lacking;  /* those without a change, and mostly why */
	GArray *hits;      /* struct ctprof_report_hit: where it holds */
} Verdict;

void verdict_init(Verdict *verdict, const Condition *condition);
void verdict_clear(gpointer verdict);

/* Judges the metric's values in a line. */
void judge_line(const Draft *draft, Verdict *verdict, const char *const *names, guint n_names,
		const struct ctprof_value values[SIDES], const struct ctprof_report_field *field);
/* Looks at all lines. */
void judge_all(const Draft *draft, Verdict *verdict);
/* A sentence on a condition of which nothing could be judged; NULL: something was. */
char *verdict_explain(const Verdict *verdict, const Draft *draft);

/* Figures of cgroups and of the host, of which conditions may be, too. */
GArray *judge_figures(const Intake *intake);
