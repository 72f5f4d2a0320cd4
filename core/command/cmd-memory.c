/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "capture-options.h"
#include "categories-file.h"
#include "cmd.h"
#include "guard/output.h"
#include "guard/supervise.h"
#include "present.h"
#include "report-run.h"
#include "report/section/memory/rows.h"

#define DEFAULT_VIEW "ledger"
#define MAX_LIMIT 1000000000

static AnalysisOptions options;
static char *sort, *filter, *categories, *artifact;
static gint swap_share = -1; /* enum swap_share; -1: not given */
static guint64 limit;
static gboolean walk;

static const Option own_options[] = {
	OPTION(TEXT, "sort", 's', &sort, "WORD",
	       "Sort key, largest first (pss, size, name, …); an unknown key lists the valid ones",
	       .from = FROM_ORDERS),
	OPTION(TEXT, "filter", 0, &filter, "REGEX",
	       "Show only lines that match, and in trees their parents: by name, command, user or "
	       "PID of a process; by path or name of anything else"),
	OPTION(COUNT, "limit", 'n', &limit, "N", "Maximum lines per table (0: all)",
	       .row.most = MAX_LIMIT, .row.default_value = "0"),
	OPTION(BOOL, "flat", 0, &options.flat, NULL,
	       "Show processes as a flat list, not as a tree"),
	OPTION(BOOL, "fold", 0, &options.fold, NULL,
	       "Fold each subtree below 1 % of the RAM and 3 % of the largest subtree into one "
	       "line"),
	OPTION(BOOL, "all", 'a', &options.all, NULL,
	       "Include processes without memory: kernel threads, zombies"),
	OPTION(BOOL, "walk", 0, &walk, NULL, "With tmpfs: also read the tree of its files"),
	OPTION(WORD, "swap-share", 0, &swap_share, "HOW",
	       "Read each process's share of swapped-out shared memory, for EPSS",
	       OPTION_WORDS(categories_share_words)),
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

static char *list_views(void)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; sections[i]; i++)
		if (sections[i]->flags & SECTION_VIEW)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "",
					       sections[i]->name);
	return g_string_free(text, FALSE);
}

/* A word that is no view may be a file, for the default view. */
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
	g_autofree char *known = list_views();
	return error_set_usage(error, "'%s' is neither a view nor a file: expected one of %s", word,
			       known);
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

static gboolean is_view(const char *name)
{
	return g_str_equal(options.view->name, name);
}

static gboolean check_options(GError **error)
{
	if (options.fold && options.flat)
		error_set_usage(error, "--fold: not with --flat, which has no tree");
	else if (options.fold && !is_view("processes") && !is_view("tmpfs"))
		error_set_usage(error, "--fold: only with the views processes and tmpfs");
	else if (walk && !is_view("tmpfs"))
		error_set_usage(error, "--walk: only with the view tmpfs");
	else if ((categories || artifact) && !is_view("categories"))
		error_set_usage(error, "--%s: only with the view categories",
				categories ? "categories" : "artifact");
	else
		return TRUE;
	return FALSE;
}

static gboolean take_arguments(char **arguments, GError **error)
{
	if (!take_view(&arguments, error) || !take_pid(&arguments, error) || !check_options(error))
		return FALSE;
	guint n = g_strv_length(arguments);
	if (n > 2)
		return cmd_no_arguments(arguments + 2, error);
	if (categories && !(options.categories = categories_load(categories, error)))
		return FALSE;
	options.compare = n == 2;
	options.files[0] = arguments[0];
	options.files[1] = n == 2 ? arguments[1] : NULL;
	options.sort = sort;
	options.filter = filter;
	options.limit = (guint)limit;
	options.swap_share = swap_share == SHARE_BY_NAME ? SHARE_BY_NAME : SHARE_BY_OBJECT;
	return TRUE;
}

/* ---- a capture of its own ------------------------------------------------------ */

/* A snapshot of this host for this report alone, in a folder of its own. */
struct interim {
	Globals *globals;
	char *folder, *file;
	const char *shown[3]; /* the files to show: that one, or the user's; then NULL */
};
typedef struct interim Interim;

static void interim_clear(Interim *self)
{
	if (self->file)
		g_unlink(self->file);
	if (self->folder)
		g_rmdir(self->folder);
	g_clear_pointer(&self->file, g_free);
	g_clear_pointer(&self->folder, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Interim, interim_clear)

static char *list_groups(void)
{
	gboolean wants_share = swap_share >= 0 || g_strcmp0(sort, "eps") == 0;

	return g_strconcat(options.view->groups, walk ? "," MEMORY_FILES_GROUP : "",
			   wants_share ? "," MEMORY_SWAP_GROUP : "",
			   options.fold ? "," MEMORY_LEDGER_GROUP : "", NULL);
}

static int step_capture(gpointer data)
{
	const Interim *self = data;
	g_autofree char *groups = list_groups();
	g_autofree char *pid = g_strdup_printf("%d", options.pid);
	char *const pids[] = {pid, NULL};
	g_autoptr(GError) error = NULL;
	const CapturingRequest request = {
		.output = self->file,
		.groups = groups,
		.source = MEMORY_SOURCE,
		.pids = options.pid > 0 ? (char **)(uintptr_t)pids : NULL,
		.leaders_only = TRUE,
		.is_interim = TRUE,
	};

	if (!self->globals->plugins)
		self->globals->plugins = g_strdup(MEMORY_SOURCE);
	if (options.pid > 0)
		line_append(&self->globals->settings,
			    g_strconcat(MEMORY_SOURCE ".pid=", pid, NULL));
	return capturing_run(self->globals, &request, &error) ? EXIT_DONE : cmd_fail(error);
}

static int capture(Interim *self, GError **error)
{
	self->folder = g_dir_make_tmp("ctprof-memory-XXXXXX", error);
	if (!self->folder)
		return EXIT_FAILED;
	self->file = g_build_filename(self->folder, "now" CAPTURING_SUFFIX, NULL);
	return supervise_run(step_capture, self, NULL);
}

/* ---- the report ------------------------------------------------------------------ */

static gboolean write_artifact(const Analysis *analysis, GError **error)
{
	g_autofree char *text = analysis_artifact(analysis);
	g_autoptr(Output) output = output_open(artifact, FALSE, error);

	if (!output)
		return FALSE;
	output_publish(output);
	output_write(output, text, strlen(text));
	return output_commit(output, error);
}

static int step_report(gpointer data)
{
	const Interim *self = data;
	const ReportRun run = {
		.options = &options,
		.files = self->shown,
		.how = {.fit = !options.wide},
		.finished = artifact ? write_artifact : NULL,
	};
	g_autoptr(GError) error = NULL;
	gboolean met;

	return report_run(self->globals, &run, &met, &error) ? EXIT_DONE : cmd_fail(error);
}

static int run_arguments(Globals *globals, char **arguments, GError **error)
{
	g_auto(Interim) interim = {.globals = globals};

	if (!take_arguments(arguments, error))
		return EXIT_USAGE;
	/* A bad option is an error before anything is read. */
	g_autoptr(Analysis) sound = analysis_new(&options, error);
	if (!sound)
		return EXIT_USAGE;
	interim.shown[0] = options.files[0];
	interim.shown[1] = options.files[1];
	if (!interim.shown[0]) {
		int status = presenting_check(globals);
		if (status == EXIT_DONE)
			status = capture(&interim, error);
		if (status != EXIT_DONE)
			return status;
		interim.shown[0] = interim.file;
		options.files[0] = "this host";
		options.is_told = TRUE;
	}
	return supervise_run(step_report, &interim, NULL);
}

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;
	int status = run_arguments(globals, arguments, &error);

	if (error)
		status = cmd_fail(error);
	return status;
}

const Command cmd_memory = {
	.name = "memory",
	.arguments = "[VIEW] [FILE [FILE]]",
	.summary = "Show where the memory went: the host's RAM, processes, shared objects, tmpfs",
	.help = "Without FILE, reads this host now; FILE is written by 'ctprof capture --memory',\n"
		"'-' is standard input. Of two files, each view shows what changed. VIEW is one of\n"
		"  ledger        where the host's RAM went, in full (default)\n"
		"  processes     PSS, USS, RSS and swap of processes, as a tree\n"
		"  process PID   the mappings of one process\n"
		"  shared        objects that processes share, and their largest users (slow)\n"
		"  tmpfs         tmpfs mounts, and with --walk their files\n"
		"  sysv          SysV shared memory segments\n"
		"  categories    PSS and swap of processes by category\n\n"
		"PSS is USS (memory only this process maps) plus its share of shared memory; PSS+\n"
		"includes its children. EPSS adds its share of swap. '-' marks values that could not\n"
		"be read, '~' sums with missing parts and estimates; the line below a total counts\n"
		"what it is made of, and how it was read.\n\n"
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
		"  ctprof capture -g memory -o now.ctprof.zst && ctprof memory processes now.ctprof.zst",
	.options = own_options,
	.shared = {capturing_cost_options, presenting_options},
	.plugin_options = COST_PLUGIN_OPTIONS,
	.arguments_from = FROM_VIEWS,
	.supervises = TRUE,
	.run = run,
};
