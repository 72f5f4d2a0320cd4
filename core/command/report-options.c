/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-options.h"

#include <gio/gio.h>
#include <math.h>
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

#define DEFAULT_DISPLAY "arrow"
#define DEFAULT_LIMIT 500
/* What is more is a slip of the finger. */
#define MAX_NUMBER 1e9

static char *categories, *swap_share;
static AnalysisOptions options = {.rename_min_types = 10, .rename_min_jaccard = 0.90};
static char *group_by;
static char **pids;
static int limit = DEFAULT_LIMIT, rename_min_types = 10;
static gboolean wrap, no_orphans;

const GOptionEntry reporting_entries[] = {
	{"group-by", 0, 0, G_OPTION_ARG_STRING, &group_by,
	 "Fold threads by pcomm (process name), comm (thread name), comm-exact, cgroup, all three "
	 "(all), or not at all (thread)",
	 "KEY"},
	{"filter", 0, 0, G_OPTION_ARG_STRING, &options.filter,
	 "Show only groups whose name matches", "REGEX"},
	{"pid", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &pids, "Count this process only (repeatable)",
	 "PID"},
	{"sections", 0, 0, G_OPTION_ARG_STRING, &options.sections,
	 "Show these sections only (see 'ctprof metric-list')", "LIST"},
	{"metrics", 'm', 0, G_OPTION_ARG_STRING, &options.metrics,
	 "Show these metrics only (see 'ctprof metric-list')", "LIST"},
	{"categories", 0, 0, G_OPTION_ARG_FILENAME, &categories,
	 "Add up the memory of processes by these patterns of command lines; NAME: a table that "
	 "comes with ctprof (chromeos)",
	 "FILE|NAME"},
	{"swap-share", 0, 0, G_OPTION_ARG_STRING, &swap_share,
	 "How categories share swapped-out shared memory: by-object (default), by-name", "HOW"},
	{"sort-by", 0, 0, G_OPTION_ARG_STRING, &options.sort_by,
	 "Put groups in order of these metrics; descending unless ':asc'", "METRIC[:asc],…"},
	{"limit", 'n', 0, G_OPTION_ARG_INT, &limit,
	 "Rows a section at most, 0 for all (default: 500)", "N"},
	{"columns", 0, 0, G_OPTION_ARG_STRING, &options.columns,
	 "Columns of the table, in order: group threads metric value tags uptime; to compare, for "
	 "value: baseline candidate delta % arrow",
	 "LIST"},
	{"cgroup-flatten", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.flatten,
	 "Make one of all cgroups that match, '*' within a segment, '**' across (repeatable)",
	 "GLOB"},
	{"no-thread-normalize", 0, 0, G_OPTION_ARG_NONE, &options.no_thread_normalize,
	 "Keep names apart that differ in numbers only (worker-1, worker-2)", NULL},
	{"no-cg-normalize", 0, 0, G_OPTION_ARG_NONE, &options.no_cgroup_normalize,
	 "Likewise cgroups", NULL},
	{"wrap", 0, 0, G_OPTION_ARG_NONE, &wrap,
	 "Fit tables into the terminal: long group names are cut", NULL},
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry reporting_compare_entries[] = {
	{"display-format", 0, 0, G_OPTION_ARG_STRING, &options.display_format,
	 "Columns: arrow (default), full, delta-only, no-pct, pct-only", "NAME"},
	{"changed", 0, 0, G_OPTION_ARG_NONE, &options.changed, "Leave unchanged rows out", NULL},
	{"min-pct", 0, 0, G_OPTION_ARG_DOUBLE, &options.min_pct,
	 "Leave changes of less percent out", "P"},
	{"min-delta", 0, 0, G_OPTION_ARG_STRING, &options.min_delta,
	 "Leave smaller changes out: 5ms, 1MiB, 100", "D"},
	{"rate", 0, 0, G_OPTION_ARG_NONE, &options.rate,
	 "Counters per second of the time between the captures (of one boot)", NULL},
	{"fail-on", 0, 0, G_OPTION_ARG_STRING, &options.fail_on,
	 "Exit with 3 when it holds of a group: 'wait_sum:pct>20', 'majflt:delta>=100'", "EXPR"},
	{"no-orphans", 0, 0, G_OPTION_ARG_NONE, &no_orphans,
	 "Do not list renamed cgroups and groups of one side only", NULL},
	{"rename-min-types", 0, 0, G_OPTION_ARG_INT, &rename_min_types,
	 "Sorts of thread two cgroups must share to be paired, with --group-by all (default: 10)",
	 "N"},
	{"rename-min-jaccard", 0, 0, G_OPTION_ARG_DOUBLE, &options.rename_min_jaccard,
	 "And their share of all sorts of both, 0 to 1 (default: 0.90)", "SHARE"},
	G_OPTION_ENTRY_NULL,
};

static const struct {
	const char *name;
	GroupBy key;
} keys[] = {
	{"pcomm", GROUP_BY_PCOMM},           {"comm", GROUP_BY_COMM}, {"cgroup", GROUP_BY_CGROUP},
	{"comm-exact", GROUP_BY_COMM_EXACT}, {"all", GROUP_BY_ALL},   {"thread", GROUP_BY_THREAD},
};

static gboolean parse_group_by(GError **error)
{
	if (!group_by)
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (strcmp(keys[i].name, group_by) != 0)
			continue;
		options.group_by = keys[i].key;
		return TRUE;
	}
	g_set_error(error, USAGE_ERROR, 0,
		    "--group-by '%s': expected pcomm, comm, comm-exact, cgroup, all or thread",
		    group_by);
	return FALSE;
}

static gboolean check_range(const char *option, gdouble value, gdouble least, gdouble most,
			    GError **error)
{
	g_autofree char *range = most < MAX_NUMBER ? g_strdup_printf("from %g to %g", least, most)
						   : g_strdup_printf("from %g on", least);

	if (isfinite(value) && value >= least && value <= most)
		return TRUE;
	g_set_error(error, USAGE_ERROR, 0, "--%s %g: expected a number %s", option, value, range);
	return FALSE;
}

static gboolean check_pids(GError **error)
{
	for (guint i = 0; pids && pids[i]; i++) {
		if (g_ascii_string_to_unsigned(pids[i], 10, 1, G_MAXINT32, NULL, NULL))
			continue;
		g_set_error(error, USAGE_ERROR, 0, "--pid '%s': expected a process id", pids[i]);
		return FALSE;
	}
	return TRUE;
}

static gboolean take_categories(GError **error)
{
	if (!categories_parse_share(swap_share, &options.swap_share, error))
		return FALSE;
	if (categories && !options.categories)
		options.categories = categories_load(categories, error);
	return !categories || options.categories;
}

static gboolean take_options(const char *const *files, GError **error)
{
	options.compare = files[1] != NULL;
	options.group_by = options.compare ? GROUP_BY_ALL : GROUP_BY_PCOMM;
	options.files[0] = files[0];
	options.files[1] = files[1];
	options.pids = (const char *const *)pids;
	if (options.compare && !options.display_format)
		options.display_format = g_strdup(DEFAULT_DISPLAY);
	if (!parse_group_by(error) || !check_pids(error) || !take_categories(error) ||
	    !check_range("limit", limit, 0, MAX_NUMBER, error) ||
	    !check_range("min-pct", options.min_pct, 0, MAX_NUMBER, error) ||
	    !check_range("rename-min-types", rename_min_types, 1, MAX_NUMBER, error) ||
	    !check_range("rename-min-jaccard", options.rename_min_jaccard, 0, 1, error))
		return FALSE;
	options.limit = (guint)limit;
	options.rename_min_types = (guint)rename_min_types;
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
