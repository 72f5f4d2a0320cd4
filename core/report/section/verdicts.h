/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section of a report of several runs per side: which metrics of which groups
 * differ. */
#pragma once

#include "report/draft/draft.h"

/* The beginning of a warning about a difference in setup. */
#define VERDICTS_SETUP "setup differs: "

/* The results besides the table. */
typedef struct runs_report {
	GArray *hits;        /* struct ctprof_report_hit, appended */
	GArray *only[SIDES]; /* struct ctprof_report_line of groups of one side, appended */
	GPtrArray *titles;   /* char *, appended */
	char *unjudged;      /* why a --fail-on condition could not be judged; NULL: all could */
} RunsReport;

/* Tests the runs of the plan and drafts their table. */
void verdicts_draft(const Draft *draft, RunsReport *report);
