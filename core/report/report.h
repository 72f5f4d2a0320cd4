/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rows to a report: group, fold, join, derive, sort.  Pure: no I/O, no plugin.
 * Rows are folded per name while they arrive.  A name becomes a pattern at once if that
 * does not depend on other names (--group-by all), otherwise afterwards: memory grows
 * with distinct names, not with threads.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "each-group.h"
#include "frame/moment.h"
#include "report/plan/options.h"
#include "row/registry.h"

typedef struct analysis Analysis;

/*
 * Parses the text of every option first: a bad one is a USAGE_ERROR before any file
 * is opened.  Names of metrics are checked once those of both sides are known.  The
 * report has the warnings for the caller to print.  options must stay valid and
 * unchanged as long as the analysis, except for elapsed_s and the data of a window,
 * which may be set until analysis_finish().
 */
Analysis *analysis_new(const AnalysisOptions *options, GError **error);
void analysis_free(Analysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Analysis, analysis_free)

/* Takes the metrics of a side's registry; analysis_add() also does so, but a
 * snapshot may have no rows. */
gboolean analysis_bind(Analysis *analysis, guint side, const Registry *registry, GError **error);
/* Takes rows of any scope for side 0 (baseline, show) or 1 (candidate).  All
 * rows of a side come with the same registry, which may be freed after the last
 * one. */
gboolean analysis_add(Analysis *analysis, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);
/* Takes all rows of a side from a moment, which must outlive the analysis, without copying
 * them. */
gboolean analysis_add_moment(Analysis *analysis, guint side, const Moment *moment, GError **error);
/* Reports a difference in setup, which may make numbers incomparable, as a warning and a
 * finding. */
void analysis_add_difference(Analysis *analysis, const char *text);
/* Keeps the values of one run instead of making a report; call it after all rows of the run. facts:
 * of the run's command; NULL: none. */
gboolean analysis_collect(Analysis *analysis, guint side, guint run, const CommandFacts *facts,
			  GError **error);
/* Returns the report of all collected runs; like analysis_finish(). */
const struct ctprof_report *analysis_judge_runs(Analysis *analysis);
/* Whether the first screen uses this metric in windows of about a second. */
gboolean analysis_needs_for_digest(const Metric *metric);
/* Passes on the groups of threads, with all their values that no option hides (in a window, those
 * counted in it), in place of a report; call it after all rows were added. */
gboolean analysis_each_group(Analysis *analysis, const GroupTaker *taker, GError **error);
/* Adds a warning to the report. */
void analysis_warn(Analysis *analysis, const char *text);
/* Makes the report, which lives as long as the analysis; call it once. */
const struct ctprof_report *analysis_finish(Analysis *analysis, GError **error);
/* Returns the processes of the view categories in the format of ChromeOS's tests, after
 * analysis_finish(); the caller frees. */
char *analysis_artifact(const Analysis *analysis);
/* Returns the threads of options->watched, GINT_TO_POINTER of their tids, after analysis_finish();
 * the analysis owns the table. */
GHashTable *analysis_threads(const Analysis *analysis);
/* Whether --fail-on is met; after analysis_finish(). */
gboolean analysis_failed(const Analysis *analysis);
/* Returns a sentence about a condition that could not be judged; NULL: none. */
const char *analysis_unjudged(const Analysis *analysis);
