/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --fail-on: whether any group, cgroup, object, process or the host meets a condition. */
#pragma once

#include <glib.h>

#include "draft.h"

/* The result of a condition. */
typedef struct verdict {
	const Condition *condition;
	const char *metric; /* the metric to judge; NULL (only of runs): all */
	guint64 n_met;      /* lines with its metric */
	guint64 n_judged;   /* lines whose change is known */
	guint64 n_partial;  /* lines whose change lacks rows, without --fail-on-partial */
	Coverage lacking;   /* lines without a change, and the most common reason */
} Verdict;

/* Counts a line whose change is known; TRUE: judge it.  partial: the change lacks rows. */
gboolean verdict_counts(const Draft *draft, Verdict *verdict, gboolean partial);
/* Appends a hit if the change of a line meets the condition.  runs: of both sides, or NULL. */
void verdict_take(const Draft *draft, const Verdict *verdict, const char *const *names,
		  guint n_names, const struct ctprof_report_field *field,
		  const struct ctprof_cell *change, const struct ctprof_runs *runs);
/* Adds a warning about lines not judged because they lack rows, and notes in a sentence why the
 * condition could not be judged. */
void verdict_finish(const Verdict *verdict, const Draft *draft);

/* Judges the metric's values in a line. */
void judge_line(const Draft *draft, Verdict *verdict, const char *const *names, guint n_names,
		const struct ctprof_value values[SIDES], const struct ctprof_report_field *field);
/* Judges the keys of processes' maps; defined in smaps.c. */
void smaps_judge(const Draft *draft, Verdict *verdict);
/* Appends a hit for each subject that meets a condition on findings; defined in findings.c. */
void findings_judge(const Draft *draft, const Condition *condition);
/* Figures of cgroups and of the host, which conditions may also name. */
GArray *judge_figures(const Intake *intake);
/* Judges every condition of a comparison. */
gboolean judge_conditions(const Draft *draft, GError **error);
