/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-options.h"

#include <gio/gio.h>
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "categories-file.h"
#include "cmd.h"
#include "guard/crash.h"
#include "guard/supervise.h"
#include "present.h"
#include "report/report.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

#define DEFAULT_LIMIT 500
/* What is more is a slip of the finger. */
#define MAX_NUMBER 1000000000

static char *categories;
static gint swap_share = SHARE_BY_OBJECT, display;
static gint group_by = -1; /* the place in group_by_words; -1: not given */
static AnalysisOptions options = {.rename_min_types = 10, .rename_min_jaccard = 0.90};
static char **pids;
static guint64 limit = DEFAULT_LIMIT, rename_min_types = 10;
static gboolean wrap, no_orphans;

static const struct ctprof_option_word group_by_words[] = {
	[GROUP_BY_PCOMM] = OPTION_WORD("pcomm", "process name"),
	[GROUP_BY_CGROUP] = OPTION_WORD("cgroup", NULL),
	[GROUP_BY_COMM] = OPTION_WORD("comm", "thread name"),
	[GROUP_BY_COMM_EXACT] = OPTION_WORD("comm-exact", NULL),
	[GROUP_BY_ALL] = OPTION_WORD("all", "these three"),
	[GROUP_BY_THREAD] = OPTION_WORD("thread", "each its own"),
};

static const struct ctprof_option_word display_words[] = {
	OPTION_WORD("arrow", NULL),  OPTION_WORD("full", NULL),     OPTION_WORD("delta-only", NULL),
	OPTION_WORD("no-pct", NULL), OPTION_WORD("pct-only", NULL),
};

const Option reporting_options[] = {
	OPTION(WORD, "group-by", 0, &group_by, "KEY", "Fold threads by",
	       OPTION_WORDS(group_by_words)),
	OPTION(TEXT, "filter", 0, &options.filter, "REGEX", "Show only groups whose name matches"),
	OPTION_PID(&pids, "Count this process only (repeatable)"),
	OPTION(TEXT, "sections", 0, &options.sections, "LIST",
	       "Show these sections only (see 'ctprof metric-list')", .from = FROM_SECTIONS),
	OPTION(TEXT, "metrics", 'm', &options.metrics, "LIST",
	       "Show these metrics only (see 'ctprof metric-list')", .from = FROM_METRICS),
	OPTION(PATH, "categories", 0, &categories, "FILE|NAME",
	       "Add up the memory of processes by these patterns of command lines; NAME: a table "
	       "that comes with ctprof (chromeos)",
	       .from = FROM_FILES),
	OPTION(WORD, "swap-share", 0, &swap_share, "HOW",
	       "How categories share swapped-out shared memory",
	       OPTION_WORDS(categories_share_words), .row.default_value = "by-object"),
	OPTION(TEXT, "sort-by", 0, &options.sort_by, "METRIC[:asc],…",
	       "Put groups in order of these metrics; descending unless ':asc'",
	       .from = FROM_METRICS),
	OPTION(COUNT, "limit", 'n', &limit, "N", "Maximum rows per section (0: all)",
	       .row.most = MAX_NUMBER, .row.default_value = "500"),
	OPTION(TEXT, "columns", 0, &options.columns, "LIST",
	       "Columns of the table, in order: group threads metric value tags uptime; to "
	       "compare, for value: baseline candidate delta % arrow"),
	OPTION(TEXT, "cgroup-flatten", 0, &options.flatten, "GLOB",
	       "Make one of all cgroups that match, '*' within a segment, '**' across (repeatable)",
	       .many = TRUE),
	OPTION(BOOL, "no-thread-normalize", 0, &options.no_thread_normalize, NULL,
	       "Keep names apart that differ in numbers only (worker-1, worker-2)"),
	OPTION(BOOL, "no-cg-normalize", 0, &options.no_cgroup_normalize, NULL,
	       "Keep cgroups apart that differ in numbers only"),
	OPTION(BOOL, "wrap", 0, &wrap, NULL,
	       "Fit tables into the terminal: long group names are cut"),
	OPTION_END,
};

const Option reporting_compare_options[] = {
	OPTION(WORD, "display-format", 0, &display, "NAME", "Columns", OPTION_WORDS(display_words),
	       .row.default_value = "arrow"),
	OPTION(BOOL, "changed", 0, &options.changed, NULL, "Leave unchanged rows out"),
	OPTION(REAL, "min-pct", 0, &options.min_pct, "P", "Hide changes smaller than P percent",
	       .row.most = MAX_NUMBER),
	OPTION(TEXT, "min-delta", 0, &options.min_delta, "D",
	       "Leave smaller changes out: 5ms, 1MiB, 100"),
	OPTION(BOOL, "rate", 0, &options.rate, NULL,
	       "Counters per second of the time between the captures (of one boot)"),
	OPTION(TEXT, "fail-on", 0, &options.fail_on, "EXPR",
	       "Exit with status 3 if EXPR is true for any group: 'wait_sum:pct>20', "
	       "'majflt:delta>=100'"),
	OPTION(BOOL, "no-orphans", 0, &no_orphans, NULL,
	       "Do not list renamed cgroups and groups of one side only"),
	OPTION(COUNT, "rename-min-types", 0, &rename_min_types, "N",
	       "Kinds of thread two cgroups must share to be paired, with --group-by all",
	       .row.least = 1, .row.most = MAX_NUMBER, .row.default_value = "10"),
	OPTION(REAL, "rename-min-jaccard", 0, &options.rename_min_jaccard, "SHARE",
	       "And their share of all kinds of both, 0 to 1", .row.most = 1,
	       .row.default_value = "0.90"),
	OPTION_END,
};

static gboolean take_categories(GError **error)
{
	if (categories && !options.categories)
		options.categories = categories_load(categories, error);
	return !categories || options.categories;
}

static gboolean take_options(const char *const *files, GError **error)
{
	options.compare = files[1] != NULL;
	options.group_by = group_by >= 0     ? (GroupBy)group_by
			   : options.compare ? GROUP_BY_ALL
					     : GROUP_BY_PCOMM;
	options.files[0] = files[0];
	options.files[1] = files[1];
	options.pids = (const char *const *)pids;
	options.display_format = options.compare ? display_words[display].name : NULL;
	options.swap_share = (SwapShare)swap_share;
	options.limit = (guint)limit;
	options.rename_min_types = (guint)rename_min_types;
	if (!take_categories(error))
		return FALSE;
	if (options.compare && strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0) {
		g_set_error(error, USAGE_ERROR, 0, "only one of the files can be standard input");
		return FALSE;
	}
	return TRUE;
}

/* Rows of one file on their way into the analysis. */
struct side {
	Analysis *analysis;
	guint index;
	Context *context;
	const GArray *hidden;
};

static gboolean is_hidden(const struct side *side, const struct ctprof_rows *rows, guint64 row)
{
	gint32 tgid = ctprof_rows_target(rows, row)->tgid;

	for (guint i = 0; i < side->hidden->len; i++)
		if (g_array_index(side->hidden, gint32, i) == tgid)
			return TRUE;
	return FALSE;
}

static gboolean add_rows(const struct side *side, const Registry *registry,
			 const struct ctprof_rows *rows, guint64 from, guint64 to, GError **error)
{
	struct ctprof_rows part = *rows;

	if (from == to)
		return TRUE;
	part.n = to - from;
	part.targets = ctprof_rows_target(rows, from);
	part.values += from * rows->n_slots;
	part.states += from * rows->n_slots;
	return analysis_add(side->analysis, side->index, registry, &part, error);
}

/* Hands on what lies between hidden rows. */
static gboolean add_seen_rows(const struct side *side, const Registry *registry,
			      const struct ctprof_rows *rows, GError **error)
{
	guint64 from = 0;

	for (guint64 i = 0; i < rows->n; i++) {
		if (!is_hidden(side, rows, i))
			continue;
		if (!add_rows(side, registry, rows, from, i, error))
			return FALSE;
		from = i + 1;
	}
	return add_rows(side, registry, rows, from, rows->n, error);
}

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	struct side *side = data;

	if (crash_interrupted()) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "interrupted");
		return FALSE;
	}
	context_note_rows(side->context, registry, rows);
	if (side->hidden && rows->scope == CTPROF_SCOPE_THREAD)
		return add_seen_rows(side, registry, rows, error);
	return analysis_add(side->analysis, side->index, registry, rows, error);
}

static gboolean load_side(const Session *session, struct side *side, GError **error)
{
	const LoadLimits limits = {0};
	g_autoptr(Loaded) loaded = load_file(presenting_reader(session), options.files[side->index],
					     &limits, take_rows, side, error);

	if (!loaded)
		return FALSE;
	context_note_facts(side->context, loaded_facts(loaded));
	return TRUE;
}

static gboolean load_files(const Session *session, Analysis *analysis, const GArray *hidden,
			   GError **error)
{
	g_autoptr(Context) baseline = context_new();
	g_autoptr(Context) candidate = context_new();
	struct side sides[] = {
		{.analysis = analysis, .index = 0, .context = baseline, .hidden = hidden},
		{.analysis = analysis, .index = 1, .context = candidate, .hidden = hidden},
	};

	if (!load_side(session, &sides[0], error))
		return FALSE;
	if (!options.compare)
		return TRUE;
	if (!load_side(session, &sides[1], error))
		return FALSE;
	g_autoptr(GPtrArray) differences = context_compare(baseline, candidate);
	for (guint i = 0; i < differences->len; i++)
		analysis_warn(analysis, g_ptr_array_index(differences, i));
	if (!options.rate)
		return TRUE;
	return context_elapsed(baseline, candidate, &options.elapsed_s, error);
}

static int step_check(gpointer globals)
{
	static const char *const files[] = {"baseline", "candidate", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(Analysis) analysis =
		take_options(files, &error) ? analysis_new(&options, &error) : NULL;
	g_autoptr(Session) session = analysis ? presenting_open(globals, &error) : NULL;

	return session ? EXIT_DONE : cmd_fail(error);
}

int reporting_check(const Globals *globals)
{
	return supervise_run(step_check, (gpointer)(uintptr_t)globals, NULL);
}

static gboolean report(const Globals *globals, const ReportingRequest *request, gboolean *ret_holds,
		       GError **error)
{
	const Presentation how = {.files = request->names, .no_orphans = no_orphans, .fit = wrap};

	if (!take_options(request->files, error))
		return FALSE;
	g_autoptr(Analysis) analysis = analysis_new(&options, error);
	g_autoptr(Session) session = analysis ? presenting_open(globals, error) : NULL;
	if (!session || !load_files(session, analysis, request->hidden, error))
		return FALSE;
	const struct ctprof_report *finished = analysis_finish(analysis, error);
	if (!finished)
		return FALSE;
	for (guint64 i = 0; i < finished->n_warnings; i++)
		ui_warning("%s", finished->warnings[i]);
	*ret_holds = analysis_failed(analysis);
	if (*ret_holds)
		ui_warning("--fail-on: it holds: %s", options.fail_on);
	return presenting_draw(session, finished, &how, error);
}

char **reporting_pids(void)
{
	return pids;
}

int reporting_run(const Globals *globals, const ReportingRequest *request)
{
	g_autoptr(GError) error = NULL;
	gboolean holds = FALSE;

	if (report(globals, request, &holds, &error))
		return holds ? EXIT_HOLDS : EXIT_DONE;
	return cmd_fail(error);
}
