/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rows to a report: group, fold, join, derive, sort.  Pure: no I/O, no
 * plugin.  Rows are folded per name while they arrive.  A name becomes a pattern at once
 * where that needs no other name (--group-by all), else afterwards: memory goes
 * with distinct names, not with threads.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "options.h"
#include "row/registry.h"

typedef struct analysis Analysis;

/*
 * Parses every option's text first: a bad one is a USAGE_ERROR before any file
 * is opened.  Names of metrics are checked when both sides have told theirs.
 * Warnings a caller should print come with the report.  options stay valid and
 * unchanged as long as the analysis, but for elapsed_s and what a window has, which
 * may be set until analysis_finish().
 */
Analysis *analysis_new(const AnalysisOptions *options, GError **error);
void analysis_free(Analysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Analysis, analysis_free)

/* Takes the metrics of a side's registry; analysis_add() does it, too, but a
 * snapshot may have no rows. */
gboolean analysis_bind(Analysis *analysis, guint side, const Registry *registry, GError **error);
/* Takes rows of any scope for side 0 (baseline, show) or 1 (candidate).  A
 * side's rows come with one registry, which may go when all of them came. */
gboolean analysis_add(Analysis *analysis, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);
/* A remark for the report's warnings. */
void analysis_warn(Analysis *analysis, const char *text);
/* The report; lives as long as the analysis.  Called once. */
const struct ctprof_report *analysis_finish(Analysis *analysis, GError **error);
/* The processes as ChromeOS's tests keep them, of the view categories, after
 * analysis_finish(); the caller frees it. */
char *analysis_artifact(const Analysis *analysis);
/* Whether --fail-on is met; after analysis_finish(). */
gboolean analysis_failed(const Analysis *analysis);
/* A sentence on a condition of which nothing could be judged; NULL: there is none. */
const char *analysis_unjudged(const Analysis *analysis);
