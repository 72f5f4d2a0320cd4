/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "capture-options.h"
#include "categories-file.h"
#include "cmd.h"
#include "guard/crash.h"
#include "guard/output.h"
#include "guard/supervise.h"
#include "present.h"
#include "report/section/memory/memory.h"
#include "snapshot/read.h"

#define DEFAULT_VIEW "ledger"
#define MAX_LIMIT 1000000000

static MemoryOptions options;
static char *sort, *filter, *categories, *artifact;
static gint swap_share = -1; /* enum swap_share; -1: not given */
static guint64 limit;
static gboolean walk;

static const Option own_options[] = {
	OPTION(TEXT, "sort", 's', &sort, "WORD",
	       "Sort key, largest first (pss, size, name, …); an unknown key lists the valid ones",
	       .from = FROM_ORDERS),
	OPTION(TEXT, "filter", 0, &filter, "REGEX",
	       "Show only what matches, and in trees what it is below: name, command, user or PID "
	       "of a process; path or name of anything else"),
	OPTION(COUNT, "limit", 'n', &limit, "N", "Maximum lines per table (0: all)",
	       .row.most = MAX_LIMIT, .row.default_value = "0"),
	OPTION(BOOL, "flat", 0, &options.flat, NULL, "Processes in one list, not as a tree"),
	OPTION(BOOL, "fold", 0, &options.fold, NULL,
	       "In trees, fold into one line what is below 1 % of the RAM and 3 % of the largest "
	       "subtree"),
	OPTION(BOOL, "all", 'a', &options.all, NULL,
	       "Also processes that have no memory: kernel threads, zombies"),
	OPTION(BOOL, "walk", 0, &walk, NULL, "With tmpfs: also read the tree of its files"),
	OPTION(WORD, "swap-share", 0, &swap_share, "HOW",
	       "Read who has which share of swapped-out shared memory, for EPSS",
	       OPTION_WORDS(categories_share_words)),
	OPTION(PATH, "categories", 0, &categories, "FILE|NAME",
	       "With categories: the patterns of command lines that decide; NAME: a table that "
	       "comes with ctprof (chromeos)",
	       .from = FROM_FILES),
	OPTION(PATH, "artifact", 0, &artifact, "FILE",
	       "With categories: also write each process's rollup, as ChromeOS's tests keep it "
	       "(JSON)",
	       .from = FROM_FILES),
	OPTION(BOOL, "wide", 'w', &options.wide, NULL,
	       "Every column, and no line cut to the terminal"),
	OPTION_END,
};

/* ---- arguments --------------------------------------------------------------- */

static char *list_views(void)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; memory_view_at(i); i++)
		g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
				       memory_view_name(memory_view_at(i)));
	return g_string_free(text, FALSE);
}

/* A word that is no view may be a file, for the default view. */
static gboolean take_view(char ***arguments, GError **error)
{
	const char *word = **arguments;

	options.view = memory_view_find(word ? word : DEFAULT_VIEW);
	if (options.view) {
		*arguments += word ? 1 : 0;
		return TRUE;
	}
	options.view = memory_view_find(DEFAULT_VIEW);
	if (g_str_equal(word, "-") || strchr(word, '/') || g_file_test(word, G_FILE_TEST_EXISTS))
		return TRUE;
	g_autofree char *known = list_views();
	g_set_error(error, USAGE_ERROR, 0, "'%s' is no view, nor a file: expected one of %s", word,
		    known);
	return FALSE;
}

static gboolean take_pid(char ***arguments, GError **error)
{
	const char *word = **arguments;
	guint64 pid;

	if (!memory_view_takes_pid(options.view))
		return TRUE;
	if (!word || !g_ascii_string_to_unsigned(word, 10, 1, G_MAXINT32, &pid, NULL)) {
		g_set_error(error, USAGE_ERROR, 0, "%s: expected a process id%s%s%s",
			    memory_view_name(options.view), word ? ", not '" : "", word ? word : "",
			    word ? "'" : "");
		return FALSE;
	}
	options.pid = (gint32)pid;
	*arguments += 1;
	return TRUE;
}

static gboolean is_view(const char *name)
{
	return g_str_equal(memory_view_name(options.view), name);
}

static gboolean check_options(GError **error)
{
	if (options.fold && options.flat)
		g_set_error(error, USAGE_ERROR, 0, "--fold: not with --flat, which has no tree");
	else if (options.fold && !is_view("processes") && !is_view("tmpfs"))
		g_set_error(error, USAGE_ERROR, 0,
			    "--fold: only with the views processes and tmpfs");
	else if (walk && !is_view("tmpfs"))
		g_set_error(error, USAGE_ERROR, 0, "--walk: only with the view tmpfs");
	else if ((categories || artifact) && !is_view("categories"))
		g_set_error(error, USAGE_ERROR, 0, "--%s: only with the view categories",
			    categories ? "categories" : "artifact");
	else
		return TRUE;
	return FALSE;
}

static gboolean take_arguments(char **arguments, GError **error)
{
	if (!take_view(&arguments, error) || !take_pid(&arguments, error) || !check_options(error))
		return FALSE;
	if (arguments[0] && arguments[1])
		return cmd_no_arguments(arguments + 1, error);
	if (categories && !(options.categories = categories_load(categories, error)))
		return FALSE;
	options.file = arguments[0];
	options.sort = sort;
	options.filter = filter;
	options.limit = (guint)limit;
	options.swap_by_name = swap_share == SHARE_BY_NAME;
	return TRUE;
}

/* ---- a capture of its own ------------------------------------------------------ */

/* A snapshot nobody is told of, in a folder of its own. */
struct interim {
	Globals *globals;
	char *folder, *file;
	const char *shown; /* the file to show: that one, or the user's */
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

	return g_strconcat(memory_view_groups(options.view), walk ? "," MEMORY_FILES_GROUP : "",
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

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	if (crash_interrupted()) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "interrupted");
		return FALSE;
	}
	memory_add(data, registry, rows);
	return TRUE;
}

static gboolean write_artifact(const Memory *memory, GError **error)
{
	g_autofree char *text = memory_artifact(memory);
	g_autoptr(Output) output = output_open(artifact, FALSE, error);

	if (!output)
		return FALSE;
	output_publish(output);
	output_write(output, text, strlen(text));
	return output_commit(output, error);
}

static gboolean report(const Globals *globals, const char *file, GError **error)
{
	const LoadLimits limits = {0};
	const Presentation how = {.fit = !options.wide};
	g_autoptr(Memory) memory = memory_new(&options, error);
	g_autoptr(Session) session = memory ? presenting_open(globals, error) : NULL;

	if (!session)
		return FALSE;
	g_autoptr(Loaded) loaded =
		load_file(presenting_reader(session), file, &limits, take_rows, memory, error);
	if (!loaded)
		return FALSE;
	const struct ctprof_report *finished =
		memory_finish(memory, loaded_registry(loaded), error);
	if (!finished || (artifact && !write_artifact(memory, error)))
		return FALSE;
	return presenting_draw(session, finished, &how, error);
}

static int step_report(gpointer data)
{
	const Interim *self = data;
	g_autoptr(GError) error = NULL;

	return report(self->globals, self->shown, &error) ? EXIT_DONE : cmd_fail(error);
}

static int run_arguments(Globals *globals, char **arguments, GError **error)
{
	g_auto(Interim) interim = {.globals = globals};

	if (!take_arguments(arguments, error))
		return EXIT_USAGE;
	/* A bad option is told before anything is read. */
	g_autoptr(Memory) sound = memory_new(&options, error);
	if (!sound)
		return EXIT_USAGE;
	interim.shown = options.file;
	if (!interim.shown) {
		int status = presenting_check(globals);
		if (status == EXIT_DONE)
			status = capture(&interim, error);
		if (status != EXIT_DONE)
			return status;
		interim.shown = interim.file;
		options.file = "this host";
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
	.arguments = "[VIEW] [FILE]",
	.summary = "Show where the memory went: the host's RAM, processes, shared objects, tmpfs",
	.help = "Without FILE this host is looked at now; FILE is what 'ctprof capture --memory'\n"
		"wrote, '-' is standard input. VIEW is one of\n"
		"  ledger        where the host's RAM went, in full (default)\n"
		"  processes     PSS, USS, RSS and swap of processes, as a tree\n"
		"  process PID   what one process maps\n"
		"  shared        objects that processes share, and who uses them most (dear)\n"
		"  tmpfs         tmpfs mounts, and with --walk their files\n"
		"  sysv          SysV shared memory segments\n"
		"  categories    PSS and swap of processes by what they are\n\n"
		"PSS is a process's part of what it shares, plus USS, which is its alone; PSS+ is\n"
		"with its children. EPSS adds its part of swap. '-' stands for what could not be\n"
		"read, '~' before a number for one that lacks such parts, or stands in for one; the\n"
		"line below a total says of how many it is made, and how they were read.\n\n"
		"Examples:\n"
		"  ctprof memory\n"
		"  ctprof memory processes --flat --sort=uss --limit=10\n"
		"  ctprof memory processes --filter='^postgres'\n"
		"  ctprof memory processes --fold\n"
		"  ctprof memory categories --categories=chromeos --artifact=smaps_rollup.json\n"
		"  ctprof memory tmpfs --walk\n"
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
