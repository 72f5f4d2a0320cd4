/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --fail-on: whether any group, cgroup, object, process or the host meets it. */
#pragma once

#include <glib.h>

#include "draft.h"

/* The result of a condition. */
typedef struct verdict {
	const Condition *condition;
	const char *metric; /* the metric to judge; NULL (only of runs): all */
	guint64 n_met;      /* lines with its metric */
	guint64 n_judged;   /* of these, those whose change is known */
	guint64 n_partial;  /* those whose change lacks rows, without --fail-on-partial */
	Coverage lacking;   /* those without a change, and the most common reason */
	GArray *hits;       /* struct ctprof_report_hit: where it is met */
} Verdict;

void verdict_init(Verdict *verdict, const Condition *condition);
void verdict_clear(gpointer verdict);

/* Whether a change meets the condition. */
gboolean verdict_is_met(const Condition *condition, const struct ctprof_report_field *field,
			const Change *change);
/* Returns the hit for a change that meets the condition, without names. */
struct ctprof_report_hit verdict_hit(const Condition *condition,
				     const struct ctprof_report_field *field, const Change *change);

/* Judges the metric's values in a line. */
void judge_line(const Draft *draft, Verdict *verdict, const char *const *names, guint n_names,
		const struct ctprof_value values[SIDES], const struct ctprof_report_field *field);
/* Judges the keys of processes' maps: in smaps.c. */
void smaps_judge(const Draft *draft, Verdict *verdict);
/* Appends a hit for each subject that meets a condition on findings: in findings.c. */
void findings_judge(const Draft *draft, const Condition *condition, GArray *hits);
/* Explains, in a sentence, why the condition could not be judged; NULL: it could. */
char *verdict_explain(const Verdict *verdict, const Draft *draft);

/* Appends a warning (char *) about lines not judged because they lack rows. */
void verdict_warn(const Verdict *verdict, GPtrArray *warnings);

/* Figures of cgroups and of the host, which conditions may also name. */
GArray *judge_figures(const Intake *intake);
/* Judges every condition of a comparison; appends to hits (struct ctprof_report_hit) and
 * warnings (char *).  *ret_unjudged, if NULL, becomes why the first could not be judged. */
gboolean judge_conditions(const Draft *draft, GArray *hits, GPtrArray *warnings,
			  char **ret_unjudged, GError **error);
