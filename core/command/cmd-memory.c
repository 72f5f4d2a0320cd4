/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/texts.h"
#include "capture-options.h"
#include "cmd.h"
#include "guard/output.h"
#include "guard/supervise.h"
#include "report-options.h"
#include "report/section/memory/rows.h"
#include "road/categories-file.h"
#include "road/load.h"

#define DEFAULT_VIEW "pools"
#define MAX_LIMIT 1000000000
/* Lines of the first screen that are not pools: the host's, headings, sums, notes
 * and the prompt. */
#define AROUND_POOLS 13
/* The minimum number of pools, for a terminal that has no room even for those lines. */
#define LEAST_POOLS 3

static AnalysisOptions options;
static char *sort, *filter, *categories, *artifact;
static gint swap_share = -1;        /* enum swap_share; -1: not given */
static gint pool_by = -1;           /* not given */
static guint64 limit = G_MAXUINT64; /* not given */
static gboolean walk;

static const struct ctprof_option_word pool_words[] = {
	[POOL_BY_NAME] = OPTION_WORD("pcomm", "name of the process"),
	[POOL_BY_UNIT] = OPTION_WORD("unit", "systemd unit, container or pod"),
	[POOL_BY_CGROUP] = OPTION_WORD("cgroup", NULL),
	[POOL_BY_USER] = OPTION_WORD("user", NULL),
};

static const Option own_options[] = {
	OPTION(TEXT, "sort", 's', &sort, "WORD",
	       "Sort key, largest first (pss, size, name, …); an unknown key lists the valid ones",
	       .from = FROM_ORDERS),
	OPTION(TEXT, "filter", 0, &filter, "REGEX",
	       "Show only lines that match, and in trees their parents: by name, command, user, PID, "
	       "state or working directory of a process; by path or name of anything else"),
	OPTION(COUNT, "limit", 'n', &limit, "N",
	       "Maximum lines per table (0: all; default: all, but only the pools that fit the "
	       "terminal)",
	       .row.most = MAX_LIMIT),
	OPTION(WORD, "group-by", 0, &pool_by, "WORD", "Group processes into pools by",
	       OPTION_WORDS(pool_words), .row.default_value = "pcomm"),
	OPTION(BOOL, "flat", 0, &options.flat, NULL,
	       "Show processes as a flat list, not as a tree"),
	OPTION(BOOL, "self", 0, &options.is_self, NULL,
	       "Sort the tree by the memory of each process itself, without its children"),
	OPTION(BOOL, "fold", 0, &options.fold, NULL,
	       "Fold each subtree below 1 % of the RAM and 3 % of the largest subtree into one "
	       "line"),
	OPTION(BOOL, "all", 'a', &options.all, NULL,
	       "Include processes without memory: kernel threads, zombies"),
	OPTION(BOOL, "walk", 0, &walk, NULL, "With tmpfs: also read the tree of its files"),
	OPTION(WORD, "swap-share", 0, &swap_share, "HOW",
	       "Read each process's share of swapped-out shared memory, for EPSS",
	       OPTION_WORDS(reporting_share_words)),
	OPTION(PATH, "categories", 0, &categories, "FILE|NAME",
	       "With categories: the patterns of command lines; NAME: a table that "
	       "comes with ctprof (chromeos)",
	       .from = FROM_FILES),
	OPTION(PATH, "artifact", 0, &artifact, "FILE",
	       "With categories: also write each process's rollup in the format of the ChromeOS "
	       "tests (JSON)",
	       .from = FROM_FILES),
	OPTION(BOOL, "changed", 0, &options.changed, NULL,
	       "With two snapshots: hide unchanged lines"),
	OPTION(BOOL, "wide", 'w', &options.wide, NULL,
	       "Every column, and lines longer than the terminal"),
	OPTION_END,
};

/* ---- arguments --------------------------------------------------------------- */

/* A word that is not a view may be a file, to be shown in the default view. */
static gboolean take_view(char ***arguments, GError **error)
{
	const char *word = **arguments;

	options.view = section_find(word ? word : DEFAULT_VIEW, TRUE);
	if (options.view) {
		*arguments += word ? 1 : 0;
		return TRUE;
	}
	options.view = section_find(DEFAULT_VIEW, TRUE);
	if (g_str_equal(word, "-") || strchr(word, '/') || g_file_test(word, G_FILE_TEST_EXISTS))
		return TRUE;
	g_autoptr(GString) known = g_string_new(NULL);
	Nearest nearest = {.typed = word, .known = known};
	for (guint i = 0; sections[i]; i++)
		if (sections[i]->flags & SECTION_VIEW)
			nearest_try(&nearest, sections[i]->name);
	g_autofree char *hint = nearest_hint(&nearest, "");
	return error_set_usage(error, "'%s' is neither a view nor a file: expected one of %s%s",
			       word, known->str, hint);
}

static gboolean take_pid(char ***arguments, GError **error)
{
	const char *word = **arguments;
	guint64 pid;

	if (!(options.view->flags & SECTION_TAKES_PID))
		return TRUE;
	if (!word || !g_ascii_string_to_unsigned(word, 10, 1, G_MAXINT32, &pid, NULL))
		return error_set_usage(error, "%s: expected a process ID%s%s%s", options.view->name,
				       word ? ", not '" : "", word ? word : "", word ? "'" : "");
	options.pid = (gint32)pid;
	*arguments += 1;
	return TRUE;
}

static gboolean take_object(char ***arguments, GError **error)
{
	if (!(options.view->flags & SECTION_TAKES_NAME))
		return TRUE;
	options.object = **arguments;
	if (!options.object || !options.object[0])
		return error_set_usage(error, "%s: expected the name of an object, or a part of it",
				       options.view->name);
	*arguments += 1;
	return TRUE;
}

static gboolean is_view(const char *name)
{
	return g_str_equal(options.view->name, name);
}

/* Returns "processes and tmpfs". */
static char *join_views(char **views)
{
	g_autofree char *last = g_strdup(views[g_strv_length(views) - 1]);
	g_autofree char *all = g_strjoinv(", ", views);
	char *comma = g_strrstr(all, ", ");

	if (!comma)
		return g_steal_pointer(&all);
	*comma = '\0';
	return g_strconcat(all, " and ", last, NULL);
}

/* An option that has no effect in the view is a mistake. */
static gboolean check_views(GError **error)
{
	const struct {
		gboolean is_given;
		const char *option, *views;
	} rows[] = {
		{options.fold, "--fold", "processes tmpfs"},
		{options.flat, "--flat", "processes"},
		{options.is_self, "--self", "processes"},
		{options.all, "--all", "processes"},
		{walk, "--walk", "tmpfs"},
		{pool_by >= 0, "--group-by", "pools"},
		{categories != NULL, "--categories", "categories"},
		{artifact != NULL, "--artifact", "categories"},
		{limit != G_MAXUINT64, "--limit",
		 "pools processes process areas object shared tmpfs sysv categories"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(GStrv) views = g_strsplit(rows[i].views, " ", -1);
		g_autofree char *shown = join_views(views);

		if (rows[i].is_given &&
		    !g_strv_contains((const char *const *)views, options.view->name))
			return error_set_usage(error, "%s: only with the view%s %s", rows[i].option,
					       views[1] ? "s" : "", shown);
	}
	return TRUE;
}

static gboolean check_options(guint n_files, GError **error)
{
	if (options.fold && options.flat)
		return error_set_usage(error, "--fold: not with --flat, which has no tree");
	if (n_files == 0 && (sample_choice.at || sample_choice.sample))
		return error_set_usage(error, "--at, --sample: only with a recording");
	if (n_files < 2 && options.changed)
		return error_set_usage(error, "--changed: only with two snapshots");
	return check_views(error);
}

/* The first screen must fit the terminal; output for machines has everything. */
static guint default_limit(void)
{
	guint width, height;

	if ((!is_view(DEFAULT_VIEW) && !is_view("areas")) || !presenting_is_default())
		return 0;
	presenting_measure(&width, &height);
	return MAX(height, AROUND_POOLS + LEAST_POOLS) - AROUND_POOLS;
}

static gboolean take_arguments(char **arguments, GError **error)
{
	if (!take_view(&arguments, error) || !take_pid(&arguments, error) ||
	    !take_object(&arguments, error) || !check_options(g_strv_length(arguments), error))
		return FALSE;
	guint n = g_strv_length(arguments);
	if (n > 2)
		return cmd_no_arguments(arguments + 2, error);
	for (guint i = 0; i < n; i++)
		if (!load_find(&arguments[i], error))
			return FALSE;
	if (categories && !(options.categories = categories_load(categories, error)))
		return FALSE;
	options.compare = n == 2;
	options.files[0] = arguments[0];
	options.files[1] = n == 2 ? arguments[1] : NULL;
	options.sort = sort;
	options.filter = filter;
	options.limit = limit == G_MAXUINT64 ? default_limit() : (guint)limit;
	options.pool_by = (PoolBy)MAX(pool_by, 0);
	options.for_machines = !presenting_is_default();
	options.swap_share = swap_share == SHARE_BY_NAME ? SHARE_BY_NAME : SHARE_BY_OBJECT;
	return TRUE;
}

/* ---- the report ------------------------------------------------------------------ */

static Output *artifact_output; /* in the process of the step */

/* Call this while the process has the rights of the user. */
static gboolean open_artifact(Output **ret_output, GError **error)
{
	if (!artifact)
		return TRUE;
	artifact_output = *ret_output = output_open(artifact, FALSE, error);
	if (artifact_output)
		output_publish(artifact_output);
	return artifact_output != NULL;
}

static gboolean write_artifact(const Analysis *analysis, GError **error)
{
	g_autofree char *text = analysis_artifact(analysis);

	output_write(artifact_output, text, strlen(text));
	return output_commit(artifact_output, error);
}

static char *list_groups(void)
{
	gboolean wants_share = swap_share >= 0 || g_strcmp0(sort, "eps") == 0;

	return g_strconcat(options.view->groups, walk ? "," MEMORY_FILES_GROUP : "",
			   wants_share ? "," MEMORY_SWAP_GROUP : "",
			   options.fold ? "," MEMORY_LEDGER_GROUP : "", NULL);
}

/* Reports on the files or, if there is a capture request, on this host now. */
static int report(Globals *globals, const CapturingRequest *capture, GError **error)
{
	const ReportRun run = {
		.options = &options,
		.files = capture ? NULL : options.files,
		.capture = capture,
		.how = {.fit = !options.wide},
		.finished = artifact ? write_artifact : NULL,
	};
	g_autoptr(Output) output = NULL;
	gboolean met;

	return EXIT_OF(open_artifact(&output, error) && report_run(globals, &run, &met, error));
}

static int step_files(gpointer globals, GError **error)
{
	return report(globals, NULL, error);
}

static int step_now(gpointer data, GError **error)
{
	Globals *globals = data;
	g_autofree char *groups = list_groups();
	g_autofree char *pid = g_strdup_printf("%d", options.pid);
	char *pids[] = {pid, NULL};
	char of_processes[] = MEMORY_METRICS ",user";
	const CapturingRequest request = {
		.groups = groups,
		.metrics = texts_list_has(options.view->groups, MEMORY_GROUP) ? of_processes : NULL,
		.source = MEMORY_SOURCE,
		.pids = options.pid > 0 ? pids : NULL,
		.leaders_only = TRUE,
		.no_threads = (options.view->flags & SECTION_OF_HOST) != 0,
	};

	options.own[0] = getpid();
	options.own[1] = getppid();
	if (!globals->plugins)
		globals->plugins = g_strdup(MEMORY_SOURCE);
	if (options.pid > 0)
		texts_append(&globals->settings, g_strconcat(MEMORY_SOURCE ".pid=", pid, NULL));
	return report(globals, &request, error);
}

static int cmd_memory_run(Globals *globals, char **arguments, GError **error)
{
	/* Checks the options before anything is read. */
	g_autoptr(Analysis) sound =
		take_arguments(arguments, error) ? analysis_new(&options, error) : NULL;

	if (!sound)
		return EXIT_FAILED;
	if (options.files[0])
		return supervise_run(step_files, globals, NULL);
	int status = presenting_check(globals);
	if (status != EXIT_DONE)
		return status;
	options.files[0] = "this host";
	options.is_warned = TRUE;
	return supervise_run(step_now, globals, NULL);
}

const Command cmd_memory = {
	.name = "memory",
	.arguments = "[VIEW] [FILE [FILE]]",
	.summary = "Show where the memory went: the host's RAM, processes, shared objects, tmpfs",
	.help = "Without FILE, reads this host now; FILE is written by 'ctprof capture --memory',\n"
		"'-' is standard input. With two files, each view shows what changed. VIEW is one "
		"of\n"
		"  pools         the host's RAM in short, and pools of processes (default)\n"
		"  ledger        where the host's RAM went, in full\n"
		"  processes     PSS, USS, RSS and swap of processes, as a tree\n"
		"  process PID   the mappings of one process\n"
		"  areas         the largest heaps, stacks and anonymous areas (slow)\n"
		"  object NAME   all processes that map an object (slow)\n"
		"  shared        objects that processes share, and their largest users (slow)\n"
		"  tmpfs         tmpfs mounts, and with --walk their files\n"
		"  sysv          SysV shared memory segments\n"
		"  categories    PSS and swap of processes by category\n"
		"\n"
		"PSS is USS (memory only this process maps) plus its share of shared memory; PSS+\n"
		"includes its children. EPSS adds its share of swap. '-' marks values that could "
		"not\n"
		"be read, '~' sums with missing parts and estimates; the line below a total "
		"counts\n"
		"its parts by how they were read.\n"
		"\n"
		"Examples:\n"
		"  ctprof memory\n"
		"  ctprof memory processes --flat --sort=uss --limit=10\n"
		"  ctprof memory processes --filter='^postgres'\n"
		"  ctprof memory processes --fold\n"
		"  ctprof memory categories --categories=chromeos --artifact=smaps_rollup.json\n"
		"  ctprof memory tmpfs --walk\n"
		"  ctprof memory ledger --changed before.ctprof.zst after.ctprof.zst\n"
		"  ctprof memory process $(pidof -s nginx)\n"
		"  ctprof memory shared --format=json\n"
		"  ctprof capture -g memory -o now.ctprof.zst && ctprof memory processes "
		"now.ctprof.zst",
	.options = own_options,
	.shared = {sample_options, capturing_cost_options, presenting_options, reading_options},
	.plugin_options = COST_PLUGIN_OPTIONS,
	.arguments_from = FROM_VIEWS,
	.supervises = TRUE,
	.run = cmd_memory_run,
};
