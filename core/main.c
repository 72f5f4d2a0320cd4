/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/ui.h"
#include "command/capture-options.h"
#include "command/cmd.h"
#include "guard/crash.h"
#include "guard/supervise.h"

static const Command *const commands[] = {
	&cmd_stat,   &cmd_capture,     &cmd_show,    &cmd_compare,      &cmd_memory,
	&cmd_doctor, &cmd_metric_list, &cmd_plugins, &cmd_plugin_check, &cmd_complete};

static Globals globals;
static gboolean quiet, version, unsupervised;
static char *plugin_timeout;
static int verbosity;

static gboolean count_verbose(const char *name, const char *value, gpointer data, GError **error)
{
	(void)name;
	(void)value;
	(void)data;
	(void)error;
	verbosity++;
	return TRUE;
}

static const GOptionEntry global_entries[] = {
	{"plugins", 0, 0, G_OPTION_ARG_STRING, &globals.plugins,
	 "Plugins to load: names, 'all', '-NAME' to leave one out (default: all)", "LIST"},
	{"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &globals.plugin_path,
	 "Look for plugins in DIR first (repeatable)", "DIR"},
	{"option", 'O', 0, G_OPTION_ARG_STRING_ARRAY, &globals.settings,
	 "Set an option of a plugin (repeatable)", "PLUGIN.KEY=VALUE"},
	{"proc-root", 0, 0, G_OPTION_ARG_FILENAME, &globals.proc,
	 "Read a recorded process tree instead of this host's", "DIR"},
	{"sys-root", 0, 0, G_OPTION_ARG_FILENAME, &globals.sys, "Its sysfs tree", "DIR"},
	{"cgroup-root", 0, 0, G_OPTION_ARG_FILENAME, &globals.cgroup, "Its cgroup tree", "DIR"},
	{"plugin-timeout", 0, 0, G_OPTION_ARG_STRING, &plugin_timeout,
	 "Leave out a plugin that makes no progress for so long, 0 for never (default: 60s)",
	 "TIME"},
	{"no-supervise", 0, 0, G_OPTION_ARG_NONE, &unsupervised,
	 "Run plugins in this very process, for debuggers: a crash is then ctprof's", NULL},
	{"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Say nothing but errors", NULL},
	{"verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, (gpointer)count_verbose,
	 "Say more; twice: say all", NULL},
	G_OPTION_ENTRY_NULL,
};

static const GOptionEntry main_entries[] = {
	{"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version and exit", NULL},
	G_OPTION_ENTRY_NULL,
};

int cmd_fail(const GError *error)
{
	ui_error("%s", error->message);
	return error->domain == USAGE_ERROR || error->domain == G_OPTION_ERROR ? EXIT_USAGE
									       : EXIT_FAILED;
}

gboolean cmd_no_arguments(char **arguments, GError **error)
{
	if (!arguments[0])
		return TRUE;
	g_set_error(error, USAGE_ERROR, 0, "unexpected argument '%s'", arguments[0]);
	return FALSE;
}

int cmd_printed(void)
{
	if (!ui_flush())
		return EXIT_FAILED;
	crash_set_output(CRASH_ALL_OUT);
	return EXIT_DONE;
}

gboolean cmd_wants_json(const char *format, gboolean *ret_json, GError **error)
{
	*ret_json = g_strcmp0(format, "json") == 0;
	if (*ret_json || !format || g_str_equal(format, "text"))
		return TRUE;
	g_set_error(error, USAGE_ERROR, 0, "--format '%s': expected text or json", format);
	return FALSE;
}

static char *describe(void)
{
	GString *text = g_string_new("Commands:\n");

	for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
		if (commands[i]->summary)
			g_string_append_printf(text, "  %-14s %s\n", commands[i]->name,
					       commands[i]->summary);
	g_string_append(
		text,
		"\n'ctprof COMMAND --help' tells a command's options.\n\n"
		"Examples:\n"
		"  ctprof stat -- sleep 1               what moves on this host in a second\n"
		"  ctprof capture                       picture of this host into a file\n"
		"  ctprof --plugins=procfs capture -o before.ctprof.zst\n"
		"  ctprof memory processes              which processes take the memory\n"
		"  ctprof metric-list                   what is measured, and what it means\n"
		"  ctprof doctor                        what works here, and what would help\n\n"
		"Exit status: 0 done, 1 failed, 2 misused, 3 what --fail-on asks about holds,\n"
		"4 done, without a plugin that crashed or did not return.");
	return g_string_free(text, FALSE);
}

static GOptionContext *new_context(const char *parameters, const GOptionEntry *own,
				   const GOptionEntry *const *shared)
{
	GOptionContext *context = g_option_context_new(parameters);

	g_option_context_set_translation_domain(context, NULL);
	if (own)
		g_option_context_add_main_entries(context, own, NULL);
	for (guint i = 0; shared && i < COMMAND_MAX_SHARED && shared[i]; i++)
		g_option_context_add_main_entries(context, shared[i], NULL);
	g_option_context_add_main_entries(context, global_entries, NULL);
	return context;
}

const Command *cmd_find(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

const Command *cmd_nth(guint n)
{
	return n < G_N_ELEMENTS(commands) ? commands[n] : NULL;
}

const GOptionEntry *cmd_global_entries(void)
{
	return global_entries;
}

static int misused(GError *error, const char *help)
{
	ui_error("%s (see '%s')", error->message, help);
	g_error_free(error);
	return EXIT_USAGE;
}

/* The last one given counts. */
static void merge_string(char **now, char *earlier)
{
	if (*now)
		g_free(earlier);
	else
		*now = earlier;
}

/* All given count, in order. */
static void merge_list(char ***now, char **earlier)
{
	g_autoptr(GStrvBuilder) all = g_strv_builder_new();

	if (!*now || !earlier) {
		*now = *now ? *now : earlier;
		return;
	}
	for (guint i = 0; earlier[i]; i++)
		g_strv_builder_add(all, earlier[i]);
	for (guint i = 0; (*now)[i]; i++)
		g_strv_builder_add(all, (*now)[i]);
	g_strfreev(earlier);
	g_strfreev(*now);
	*now = g_strv_builder_end(all);
}

/* Global options may stand before the command and behind it. */
static void merge_globals(const Globals *earlier)
{
	merge_string(&globals.plugins, earlier->plugins);
	merge_string(&globals.proc, earlier->proc);
	merge_string(&globals.sys, earlier->sys);
	merge_string(&globals.cgroup, earlier->cgroup);
	merge_list(&globals.plugin_path, earlier->plugin_path);
	merge_list(&globals.settings, earlier->settings);
}

struct task {
	const Command *command;
	char **arguments;
};

static int run_task(gpointer data)
{
	const struct task *task = data;

	return task->command->run(&globals, task->arguments);
}

static int run_supervised(const Command *command, char **arguments)
{
	struct task task = {command, arguments};
	int status = unsupervised || command->supervises ? run_task(&task)
							 : supervise_run(run_task, &task, NULL);

	if (status == EXIT_FAILED)
		crash_reraise();
	return supervise_status(status);
}

static int run_command(const Command *command, const char *const *arguments)
{
	g_auto(GStrv) argv = g_strdupv((char **)(uintptr_t)arguments);
	g_autofree char *help = g_strdup_printf("ctprof %s --help", command->name);
	g_autoptr(GOptionContext) context =
		new_context(command->arguments, command->entries, command->shared);
	g_autofree char *program = g_strdup_printf("ctprof %s", command->name);
	GError *error = NULL;

	Globals earlier = globals;

	memset(&globals, 0, sizeof globals);
	g_set_prgname(program);
	g_option_context_set_summary(context, command->summary);
	g_option_context_set_description(context, command->help);
	gboolean sound = g_option_context_parse_strv(context, &argv, &error);
	merge_globals(&earlier);
	if (!sound)
		return misused(error, help);
	ui_set_verbosity(quiet ? -1 : verbosity);
	if (plugin_timeout) {
		guint64 ms;

		if (!capturing_parse_time("plugin-timeout", plugin_timeout, &ms, &error))
			return misused(error, help);
		supervise_set_limit(ms);
	}
	return run_supervised(command, argv + 1);
}

static int print_help(GOptionContext *context, FILE *stream)
{
	g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);

	fputs(help, stream);
	return stream == stdout ? cmd_printed() : EXIT_USAGE;
}

/* arguments: the command's name and what stands behind it. */
static int dispatch(GOptionContext *context, char **arguments)
{
	gboolean help = g_strcmp0(arguments[0], "help") == 0;
	const char *name = help ? arguments[1] : arguments[0];

	if (!name)
		return print_help(context, help ? stdout : stderr);
	const Command *command = cmd_find(name);
	if (!command) {
		ui_error("unknown command '%s' (see 'ctprof --help')", name);
		return EXIT_USAGE;
	}
	/* "ctprof help COMMAND" is "ctprof COMMAND --help". */
	const char *const as_option[] = {name, "--help", NULL};
	return run_command(command, help ? as_option : (const char *const *)arguments);
}

static void raise_file_limit(void)
{
	struct rlimit files;

	/* A batch holds one descriptor a process. */
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* A file opened later must not become a standard stream.  Opened the wrong way
 * round, so that using one that was closed still fails. */
static void occupy_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	g_autofree char *description = describe();
	g_autoptr(GOptionContext) context = new_context("COMMAND [OPTION…]", main_entries, NULL);
	g_auto(GStrv) arguments = NULL;
	GError *error = NULL;

	(void)argc;
	occupy_standard_streams();
	setlocale(LC_ALL, "");
	g_set_prgname("ctprof");
	crash_init();
	/* Who ignores his children's end never learns how they ended. */
	signal(SIGCHLD, SIG_DFL);
	raise_file_limit();
	g_option_context_set_summary(
		context, "Takes one picture of a Linux host, thread by thread, and tells what "
			 "moved between two.");
	g_option_context_set_description(context, description);
	g_option_context_set_strict_posix(context, TRUE);
	arguments = g_strdupv(argv);
	if (!g_option_context_parse_strv(context, &arguments, &error))
		return misused(error, "ctprof --help");
	if (version) {
		puts("ctprof " CTPROF_VERSION);
		return cmd_printed();
	}
	return dispatch(context, arguments + 1);
}
