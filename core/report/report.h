/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rows to a report: group, fold, join, derive, sort.  Pure: no I/O, no
 * plugin.  Rows are folded per literal name while they arrive; names become
 * patterns afterwards, so memory goes with distinct names, not with threads.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "report/name/categories.h"
#include "report/section/category-intake.h"
#include "row/registry.h"

typedef enum group_by {
	GROUP_BY_PCOMM,
	GROUP_BY_CGROUP,
	GROUP_BY_COMM,
	GROUP_BY_COMM_EXACT,
	GROUP_BY_ALL,
	GROUP_BY_THREAD,
} GroupBy;

typedef struct analysis_options {
	gboolean compare; /* two sides */
	GroupBy group_by;
	char **flatten; /* globs; validated */
	gboolean no_thread_normalize, no_cgroup_normalize;
	char *sort_by, *columns, *sections, *metrics; /* as typed; NULL: default */
	const char *display_format; /* compare: full, delta-only, no-pct, arrow, pct-only */
	char *filter;               /* regex one of the group's names must match; NULL: none */
	const char *const *pids;    /* only these tgids, as text; NULL: all */
	gboolean changed;           /* hide unchanged rows */
	gdouble min_pct;            /* hide smaller changes; 0: none */
	char *min_delta;            /* "5ms", "1MiB"; NULL: none */
	gboolean rate;              /* counters' deltas per second */
	gdouble elapsed_s;          /* between the captures; with rate */
	guint limit;                /* rows a section; 0: no limit */
	guint rename_min_types;     /* sorts of thread; 0: both defaults, 10 and 0.90 */
	gdouble rename_min_jaccard; /* 0..1 */
	char *fail_on;              /* "wait_sum:pct>20"; NULL: none */
	Categories *categories;     /* --categories; NULL: none */
	SwapShare swap_share;
	const char *files[2];
} AnalysisOptions;

typedef struct analysis Analysis;

/*
 * Parses every option's text first: a bad one is a USAGE_ERROR before any file
 * is opened.  Names of metrics are checked when both sides have told theirs.
 * Warnings a caller should print come with the report.  options stay valid and
 * unchanged as long as the analysis, but for elapsed_s, which may be set until
 * analysis_finish().
 */
Analysis *analysis_new(const AnalysisOptions *options, GError **error);
void analysis_free(Analysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Analysis, analysis_free)

/* Takes rows of any scope for side 0 (baseline, show) or 1 (candidate).  A
 * side's rows come with one registry, which may go when all of them came. */
gboolean analysis_add(Analysis *analysis, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);
/* A remark for the report's warnings. */
void analysis_warn(Analysis *analysis, const char *text);
/* The report; lives as long as the analysis.  Called once. */
const struct ctprof_report *analysis_finish(Analysis *analysis, GError **error);
/* Whether --fail-on holds; after analysis_finish(). */
gboolean analysis_failed(const Analysis *analysis);
