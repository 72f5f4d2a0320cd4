/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-options.h"

#include <string.h>

#include "base/error.h"
#include "cmd.h"
#include "guard/supervise.h"
#include "report/join/runs.h"
#include "report/report.h"
#include "road/categories-file.h"
#include "road/layers-file.h"

#define DEFAULT_LIMIT 500
#define NO_LIMIT_GIVEN G_MAXUINT64
#define DEFAULT_ALPHA 0.05
/* Larger numbers are typing errors. */
#define MAX_NUMBER 1000000000

static char *categories, *layers;
static gint swap_share = SHARE_BY_OBJECT;
static gint display = -1;  /* -1: not given, use the first */
static gint group_by = -1; /* index in reporting_group_words; -1: not given */
static AnalysisOptions options = {.rename_min_types = 10, .rename_min_jaccard = 0.90};
static char **pids;
static guint64 limit = NO_LIMIT_GIVEN, rename_min_types = 10;
static gdouble alpha = DEFAULT_ALPHA;
static gboolean all, wrap, no_orphans, totals, window;

const struct ctprof_option_word reporting_group_words[N_GROUP_BY] = {
	[GROUP_BY_PCOMM] = OPTION_WORD("pcomm", "process name"),
	[GROUP_BY_CGROUP] = OPTION_WORD("cgroup", NULL),
	[GROUP_BY_COMM] = OPTION_WORD("comm", "thread name"),
	[GROUP_BY_COMM_EXACT] = OPTION_WORD("comm-exact", NULL),
	[GROUP_BY_ALL] = OPTION_WORD("all", "cgroup, pcomm and comm as a tree"),
	[GROUP_BY_THREAD] = OPTION_WORD("thread", "one group per thread"),
	[GROUP_BY_UNIT] = OPTION_WORD("unit", "systemd unit, container or pod"),
	[GROUP_BY_PROCESS] = OPTION_WORD("process", NULL),
	[GROUP_BY_USER] = OPTION_WORD("user", NULL),
	[GROUP_BY_CMDLINE] = OPTION_WORD("cmdline", "captured with --memory=processes"),
	[GROUP_BY_SCHEDULER] =
		OPTION_WORD("scheduler", "BPF scheduler; captured with --groups=all,scx-threads"),
	[GROUP_BY_LAYER] = OPTION_WORD("layer", "by --layers"),
};

const struct ctprof_option_word reporting_share_words[2] = {
	[SHARE_BY_OBJECT] = OPTION_WORD("by-object", NULL),
	[SHARE_BY_NAME] = OPTION_WORD("by-name", "objects of one name count as one"),
};

static const struct ctprof_option_word display_words[] = {
	OPTION_WORD("arrow", NULL),  OPTION_WORD("full", NULL),     OPTION_WORD("delta-only", NULL),
	OPTION_WORD("no-pct", NULL), OPTION_WORD("pct-only", NULL),
};

const Option reporting_options[] = {
	OPTION(WORD, "group-by", 0, &group_by, "KEY", "Fold threads by",
	       OPTION_WORDS(reporting_group_words)),
	OPTION(TEXT, "filter", 0, &options.filter, "REGEX", "Show only groups whose name matches"),
	OPTION_PID(&pids, "Count only this process (repeatable)"),
	OPTION(BOOL, "all", 'a', &all, NULL,
	       "Show every section, not only the first screen; implied by --sections, --metrics, "
	       "--columns and options that filter changes"),
	OPTION(TEXT, "sections", 0, &options.sections, "LIST",
	       "Show only these sections (see 'ctprof metric-list')", .from = FROM_SECTIONS),
	OPTION(TEXT, "metrics", 'm', &options.metrics, "LIST",
	       "Show only these metrics (see 'ctprof metric-list')", .from = FROM_METRICS),
	OPTION(TEXT, "explain", 0, &options.explain, "FINDING",
	       "Show only this finding, with its numbers", .from = FROM_FINDINGS),
	OPTION(PATH, "categories", 0, &categories, "FILE|NAME",
	       "Add up the memory of processes by these patterns of command lines; NAME: a table "
	       "that comes with ctprof (chromeos)",
	       .from = FROM_FILES),
	OPTION(PATH, "layers", 0, &layers, "FILE",
	       "With --group-by layer: the configuration of scx_layered that says which layer a "
	       "thread would be in",
	       .from = FROM_FILES),
	OPTION(WORD, "swap-share", 0, &swap_share, "HOW",
	       "How categories share swapped-out shared memory",
	       OPTION_WORDS(reporting_share_words), .row.default_value = "by-object"),
	OPTION(TEXT, "sort", 's', &options.sort_by, "METRIC[:asc],…",
	       "Sort groups by these metrics; descending unless ':asc'", .from = FROM_METRICS),
	OPTION(TEXT, "sort-by", 0, &options.sort_by, "METRIC[:asc],…", "--sort", .synonym = TRUE,
	       .from = FROM_METRICS),
	OPTION(COUNT, "limit", 'n', &limit, "N", "Maximum groups per section (0: all)",
	       .row.most = MAX_NUMBER, .row.default_value = "500"),
	OPTION(TEXT, "columns", 0, &options.columns, "LIST",
	       "Columns of the table, in order: group threads metric value tags uptime; compare, "
	       "instead of value: baseline candidate delta % verdict arrow"),
	OPTION(TEXT, "cgroup-flatten", 0, &options.flatten, "GLOB",
	       "Merge all cgroups that match into one, '*' within a segment, '**' across (repeatable)",
	       .many = TRUE),
	OPTION(BOOL, "no-thread-normalize", 0, &options.no_thread_normalize, NULL,
	       "Do not merge names that differ only in numbers (worker-1, worker-2)"),
	OPTION(BOOL, "no-cg-normalize", 0, &options.no_cgroup_normalize, NULL,
	       "Do not merge cgroups that differ only in numbers"),
	OPTION(BOOL, "wrap", 0, &wrap, NULL,
	       "Fit tables into the terminal by cutting long group names"),
	OPTION_END,
};

const Option reporting_compare_options[] = {
	OPTION(WORD, "display-format", 0, &display, "NAME", "Columns", OPTION_WORDS(display_words),
	       .row.default_value = "arrow"),
	OPTION(BOOL, "changed", 0, &options.changed, NULL, "Hide unchanged rows"),
	OPTION(REAL, "min-pct", 0, &options.min_pct, "P", "Hide changes smaller than P percent",
	       .row.most = MAX_NUMBER),
	OPTION(TEXT, "min-delta", 0, &options.min_delta, "D",
	       "Hide changes smaller than this: 5ms, 1MiB, 100"),
	OPTION(BOOL, "rate", 0, &options.rate, NULL,
	       "Show counters per second between the captures (of one boot)"),
	OPTION(BOOL, "totals", 0, &totals, NULL,
	       "Compare the sums since the start of each thread, even for two captures of one "
	       "boot"),
	OPTION(BOOL, "window", 0, &window, NULL,
	       "Compare what was counted between the captures, thread by thread; the default "
	       "for captures of one boot"),
	OPTION(TEXT, "fail-on", 0, &options.fail_on, "EXPR",
	       "Exit with status 3 if EXPR is true for any group: 'majflt:delta>=100', "
	       "'run_time_ns:delta>5s', or between two boots 'wait_sum:pct>20', or for runs "
	       "'q<0.05 && wait_time_ns:pct>10'; 'worse': any metric became worse; "
	       "'finding:throttled': that finding exists; 'finding:*': any"),
	OPTION(BOOL, "fail-on-partial", 0, &options.fail_on_partial, NULL,
	       "Let --fail-on also judge changes between sums that lack different rows (~)"),
	OPTION(REAL, "alpha", 0, &alpha, "SHARE",
	       "For runs: accepted share of false positives among the rows called changed, 0 to 1",
	       .row.most = 1, .row.default_value = "0.05"),
	OPTION(BOOL, "no-orphans", 0, &no_orphans, NULL,
	       "Do not list renamed cgroups and groups of one side only"),
	OPTION(COUNT, "rename-min-types", 0, &rename_min_types, "N",
	       "Kinds of thread two cgroups must share to be paired, with --group-by all",
	       .row.least = 1, .row.most = MAX_NUMBER, .row.default_value = "10"),
	OPTION(REAL, "rename-min-jaccard", 0, &options.rename_min_jaccard, "SHARE",
	       "Minimum share of common kinds among all kinds of both, 0 to 1", .row.most = 1,
	       .row.default_value = "0.90"),
	OPTION_END,
};

static gboolean take_categories(GError **error)
{
	if (categories && !options.categories)
		options.categories = categories_load(categories, error);
	return !categories || options.categories;
}

static gboolean take_layers(GError **error)
{
	if (layers && options.group_by != GROUP_BY_LAYER)
		return error_set_usage(error, "--layers: only with --group-by layer");
	if (layers && !options.layers)
		options.layers = layers_load(layers, error);
	return !layers || options.layers;
}

/* Chooses between the first screen and the tables of metrics, which options for these tables
 * request. */
static void take_screen(void)
{
	if (options.explain && !options.sections)
		options.sections = (char *)(uintptr_t)SECTION_FINDINGS;
	options.digest = presenting_is_default() && !all && !options.sections && !options.metrics &&
			 !options.columns && !options.changed && !options.min_delta &&
			 options.min_pct <= 0 && display < 0 && !options.categories;
	options.has_limit = limit != NO_LIMIT_GIVEN;
	options.limit = options.has_limit ? (guint)limit : DEFAULT_LIMIT;
	if (!options.digest)
		return;
	no_orphans = TRUE;
}

static gboolean take_options(const ReportRun *run, GError **error)
{
	const char *const *files = run->names ? run->names : run->files;

	/* With one recording, two of its samples are compared. */
	options.compare = files[1] || run->is_window;
	options.group_by = group_by >= 0 ? (GroupBy)group_by : GROUP_BY_PCOMM;
	options.files[0] = files[0];
	options.files[1] = files[1] ? files[1] : run->is_window ? files[0] : NULL;
	take_screen();
	options.may_be_window = options.compare && !totals;
	options.pids = (const char *const *)pids;
	options.display_format = options.compare ? display_words[MAX(display, 0)].name : NULL;
	options.swap_share = (SwapShare)swap_share;
	options.rename_min_types = (guint)rename_min_types;
	if (!take_categories(error) || !take_layers(error))
		return FALSE;
	if (totals && window)
		return error_set_usage(error, "--totals and --window exclude each other");
	if (options.compare && strcmp(files[0], "-") == 0 && g_strcmp0(files[1], "-") == 0)
		return error_set_usage(error, "only one of the files can be standard input");
	return TRUE;
}

/* Takes the options for runs of two sides, or of one. */
static gboolean take_runs_options(const ReportRun *run, GError **error)
{
	guint width;

	if (options.columns || options.sort_by)
		return error_set_usage(error,
				       "%s: not with several runs: their report has "
				       "fixed columns and order",
				       options.columns ? "--columns" : "--sort-by");
	if (!take_options(run, error))
		return FALSE;
	if (options.group_by == GROUP_BY_THREAD)
		return error_set_usage(error, "--group-by thread: not with several runs, as no "
					      "thread is in two of them");
	if (!(alpha > 0 && alpha < 1))
		return error_set_usage(error, "--alpha: expected a number between 0 and 1");
	if (!options.has_limit && presenting_is_default() && !all)
		presenting_measure(&width, &options.height);
	options.digest = FALSE;
	options.alpha = alpha;
	return TRUE;
}

static gboolean take(const ReportRun *run, GError **error)
{
	return run->sides[0] ? take_runs_options(run, error) : take_options(run, error);
}

typedef struct check {
	const Globals *globals;
	const ReportRun *run;
} Check;

static int step_check(gpointer data, GError **error)
{
	static const guint one_run[] = {1, 1};
	const Check *check = data;
	g_autoptr(Runs) runs = check->run->sides[0] ? runs_new(one_run) : NULL;

	options.runs = runs;
	g_autoptr(Analysis) analysis =
		take(check->run, error) ? analysis_new(&options, error) : NULL;
	g_autoptr(Session) session = analysis ? presenting_open(check->globals, error) : NULL;
	return EXIT_OF(session);
}

int reporting_check(const Globals *globals, const ReportRun *run)
{
	const Check check = {globals, run};

	return supervise_run(step_check, &check, NULL);
}

char **reporting_pids(void)
{
	return pids;
}

int reporting_run(Globals *globals, const ReportRun *request, GError **error)
{
	gboolean is_of_runs = request->sides[0] != NULL, holds = FALSE;
	ReportRun run = *request;

	if (!take(request, error))
		return EXIT_FAILED;
	run.options = &options;
	run.must_be_window = window;
	run.how = (Presentation){
		.no_orphans = no_orphans || (is_of_runs && presenting_is_default()),
		.fit = is_of_runs || wrap || options.digest,
		.is_screen = options.digest,
	};
	return report_run(globals, &run, &holds, error) && holds ? EXIT_HOLDS : EXIT_DONE;
}
