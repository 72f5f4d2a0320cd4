/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/root.h"
#include "base/texts.h"
#include "base/ui.h"
#include "command/help.h"
#include "command/plugin-options.h"
#include "guard/crash.h"
#include "guard/limits.h"
#include "guard/supervise.h"

#define NS_PER_MS 1000000
#define PLUGIN_TIMEOUT_NS (60 * G_GUINT64_CONSTANT(1000000000))

static const Command *const *commands; /* NULL after the last */
static char **all_words;
static Globals globals;
static gboolean help, version, unsupervised, quiet;
static int verbosity;
static guint64 plugin_timeout_ns = PLUGIN_TIMEOUT_NS;

static const Option help_options[] = {
	OPTION(BOOL, "help", 'h', &help, NULL, "Show help options"),
	OPTION_END,
};

static const Option main_options[] = {
	OPTION(BOOL, "version", 0, &version, NULL, "Print the version and exit"),
	OPTION_END,
};

static const Option global_options[] = {
	OPTION(TEXT, "plugins", 0, &globals.plugins, "LIST",
	       "Plugins to load: names, 'all', '-NAME' to leave one out", .from = FROM_PLUGINS,
	       .row.default_value = "all"),
	OPTION(PATH, "plugin-path", 0, &globals.plugin_path, "DIR",
	       "Look for plugins in DIR first (repeatable)", .many = TRUE,
	       .from = FROM_DIRECTORIES),
	OPTION(PATH, "option", 'O', &globals.settings, "PLUGIN.KEY=VALUE",
	       "Set an option of a plugin (repeatable; see 'ctprof plugins NAME')", .many = TRUE,
	       .from = FROM_SETTINGS),
	OPTION(PATH, "proc-root", 0, &globals.proc, "DIR",
	       "Read a recorded process tree instead of this host's", .from = FROM_DIRECTORIES),
	OPTION(PATH, "sys-root", 0, &globals.sys, "DIR", "Read a recorded sysfs tree",
	       .from = FROM_DIRECTORIES),
	OPTION(PATH, "cgroup-root", 0, &globals.cgroup, "DIR", "Read a recorded cgroup tree",
	       .from = FROM_DIRECTORIES),
	OPTION(TIME, "plugin-timeout", 0, &plugin_timeout_ns, "TIME",
	       "Drop a plugin that makes no progress for TIME; 0 disables",
	       .row.default_value = "60s"),
	OPTION(BOOL, "no-supervise", 0, &unsupervised, NULL,
	       "Run plugins in-process (for debuggers); a plugin crash takes ctprof down"),
	OPTION(BOOL, "quiet", 'q', &quiet, NULL, "Errors only"),
	OPTION(BOOL, "verbose", 'v', &verbosity, NULL, "Verbose; repeat for debug output",
	       .many = TRUE),
	OPTION_END,
};

static const struct ctprof_option_word formats[] = {
	OPTION_WORD("text", NULL),
	OPTION_WORD("json", NULL),
};

gboolean cmd_json; /* index of the chosen word in formats */
const Option cmd_format_options[] = {
	OPTION(WORD, "format", 0, &cmd_json, "FORMAT", "Print as", OPTION_WORDS(formats),
	       .row.default_value = "text"),
	OPTION_END,
};

gboolean cmd_no_arguments(char **arguments, GError **error)
{
	if (!arguments[0])
		return TRUE;
	return error_set_usage(error, "unexpected argument '%s'", arguments[0]);
}

int cmd_printed(void)
{
	if (!ui_flush())
		return EXIT_FAILED;
	crash_set_output(CRASH_ALL_OUT);
	return EXIT_DONE;
}

static char *describe(void)
{
	GString *text = g_string_new("Commands:\n");

	for (guint i = 0; commands[i]; i++)
		if (commands[i]->summary)
			g_string_append_printf(text, "  %-14s %s\n", commands[i]->name,
					       commands[i]->summary);
	g_string_append(
		text,
		"\nRun 'ctprof COMMAND --help' for its options.\n\n"
		"Examples:\n"
		"  ctprof stat -- sleep 1               what changes on this host in a second\n"
		"  ctprof capture                       write a snapshot of this host\n"
		"  ctprof --plugins=procfs capture -o before.ctprof.zst\n"
		"  ctprof memory processes              which processes use the memory\n"
		"  ctprof metric-list                   what is measured, and what it means\n"
		"  ctprof doctor                        what works here, and how to fix the rest\n\n"
		"Exit status: 0 done, 1 failed, 2 usage error, 3 --fail-on condition met,\n"
		"4 done, without a plugin that crashed or did not return.");
	return g_string_free(text, FALSE);
}

const Command *cmd_find(const char *name)
{
	for (guint i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

const Command *const *cmd_list(void)
{
	return commands;
}

void cmd_list_tables(const Command *command, const Option *of_plugins,
		     const Option *ret_tables[COMMAND_MAX_TABLES])
{
	guint n = 0;

	ret_tables[n++] = help_options;
	if (!command)
		ret_tables[n++] = main_options;
	else if (command->options)
		ret_tables[n++] = command->options;
	for (guint i = 0; command && i < COMMAND_MAX_SHARED && command->shared[i]; i++)
		ret_tables[n++] = command->shared[i];
	if (of_plugins)
		ret_tables[n++] = of_plugins;
	ret_tables[n++] = global_options;
	ret_tables[n] = NULL;
}

static int fail_usage(const GError *error, const Command *command)
{
	ui_error("%s (see 'ctprof %s%s--help')", error->message, command ? command->name : "",
		 command ? " " : "");
	return EXIT_USAGE;
}

static int print_help(const Command *command, const Option *const *tables, FILE *stream)
{
	g_autofree char *text = describe();
	g_autofree char *usage =
		command ? g_strdup_printf("%s [OPTION…]%s%s", command->name,
					  command->arguments[0] ? " " : "", command->arguments)
			: g_strdup("[OPTION…] COMMAND [OPTION…]");
	const char *summary =
		command ? command->summary
			: "Takes snapshots of every thread on a Linux host, and shows "
			  "what changed between two.";

	help_print(usage, summary, tables, command ? command->help : text, stream);
	return stream == stdout ? cmd_printed() : EXIT_USAGE;
}

struct task {
	const Command *command;
	char **arguments;
};

static int run_task(gpointer data, GError **error)
{
	const struct task *task = data;

	return task->command->run(&globals, task->arguments, error);
}

static int run_supervised(const Command *command, char **arguments)
{
	struct task task = {command, arguments};
	gboolean is_here = unsupervised || command->supervises;
	g_autoptr(GError) error = NULL;
	int status = is_here ? run_task(&task, &error) : supervise_run(run_task, &task, NULL);

	if (error)
		status = error_report(error);
	if (status == EXIT_FAILED)
		crash_reraise();
	return supervise_status(status);
}

/* Options that every command has, and --help, are read first: they determine the
 * plugins, and thereby which other options exist. */
static gboolean is_early(const Option *option)
{
	return option == help_options || option->is_early ||
	       (option >= global_options && option < global_options + G_N_ELEMENTS(global_options));
}

/* Reads the options that every command has; *ret_unknown: whether there are options
 * that are not in the tables. */
static gboolean read_early(const Option *const *tables, char **words, gboolean *ret_unknown,
			   GError **error)
{
	CommandLine line = {.tables = tables, .words = words};
	enum line_part part;
	LineWord word;

	*ret_unknown = FALSE;
	while ((part = line_next(&line, &word)) != LINE_END) {
		*ret_unknown |= part == LINE_UNKNOWN;
		if (part == LINE_OPTION && is_early(word.option) && !line_store(&word, NULL, error))
			return FALSE;
	}
	return TRUE;
}

/* Reads the other options; words that are not options are appended to arguments. */
static gboolean read_late(const Command *command, const Option *const *tables, char **words,
			  GPtrArray *arguments, GError **error)
{
	const char *note = command->plugin_options && globals.plugins
				   ? ": --plugins may exclude the plugin that has it"
				   : "";
	g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
	CommandLine line = {.tables = tables, .words = words};
	gboolean is_divided = FALSE;
	enum line_part part;
	LineWord word;

	while ((part = line_next(&line, &word)) != LINE_END) {
		if (command->has_sides && line.only_arguments && !is_divided) {
			is_divided = TRUE;
			g_ptr_array_add(arguments, g_strdup("--"));
		}
		if (part == LINE_UNKNOWN) {
			line_fail_unknown(&line, &word, note, error);
			return FALSE;
		}
		if (part == LINE_ARGUMENT)
			g_ptr_array_add(arguments, g_strdup(word.text));
		else if (!is_early(word.option) && !line_store(&word, settings, error))
			return FALSE;
	}
	g_ptr_array_add(arguments, NULL);
	/* Appended after those of -O, so that a long option of the command overrides them. */
	while (settings->len > 0)
		texts_append(&globals.settings, g_ptr_array_steal_index(settings, 0));
	return TRUE;
}

/* Reading the plugins' options takes a process: do so only if one is used, or for --help. */
static int add_plugin_options(const Command *command, const Option **tables)
{
	const Option *of_plugins = NULL;

	/* Faulty plugins are reported when the command runs. */
	ui_set_verbosity(help && !quiet ? 0 : -1);
	int status =
		plugin_options_fetch(&globals, command->plugin_options, !unsupervised, &of_plugins);
	cmd_list_tables(command, of_plugins, tables);
	if (status == EXIT_FAILED)
		crash_reraise();
	return status;
}

/* Finds a program next to ctprof in a build tree, or else relative to the installed ctprof, whose
 * prefix may differ from the one it was built for.  With raised privileges, only the path given at
 * build time is used, as ctprof may have been started by a link anywhere. */
static char *find_program(const char *name)
{
	g_autofree char *here = root_build_tree();
	g_autofree char *dir = root_program_dir();
	g_autofree char *path = here  ? g_build_filename(here, name, NULL)
				: dir ? g_build_filename(dir, CTPROF_FROM_BINDIR, name, NULL)
				      : NULL;

	return path && !getauxval(AT_SECURE) && g_file_test(path, G_FILE_TEST_EXISTS)
		       ? g_steal_pointer(&path)
		       : g_build_filename(CTPROF_PLUGINDIR, name, NULL);
}

/* Executes the program of a command with the whole command line; returns only on failure. */
static int run_program(const Command *command)
{
	g_autofree char *path = find_program(command->program);

	execv(path, all_words);
	ui_error("%s cannot be started: %s: %s%s", command->name, path, g_strerror(errno),
		 errno == ENOENT ? "; it comes with the files for developers of plugins "
				   "(Debian: apt install ctprof-dev)"
				 : "");
	return EXIT_FAILED;
}

static int run_command(const Command *command, char **words)
{
	const Option *tables[COMMAND_MAX_TABLES];
	g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *program = g_strdup_printf("ctprof %s", command->name);
	g_autoptr(GError) error = NULL;
	gboolean unknown;

	g_set_prgname(program);
	cmd_list_tables(command, NULL, tables);
	if (!read_early(tables, words, &unknown, &error))
		return fail_usage(error, command);
	supervise_limit_ms = plugin_timeout_ns / NS_PER_MS;
	if (command->plugin_options && (unknown || help)) {
		int status = add_plugin_options(command, tables);

		if (status != EXIT_DONE && !help)
			return supervise_status(status);
	}
	if (help)
		return print_help(command, tables, stdout);
	if (!read_late(command, tables, words, arguments, &error))
		return fail_usage(error, command);
	ui_set_verbosity(quiet ? -1 : verbosity);
	return command->program ? run_program(command)
				: run_supervised(command, (char **)arguments->pdata);
}

static int fail_command(const char *name)
{
	Nearest nearest = {.typed = name};

	for (guint i = 0; commands[i]; i++)
		if (commands[i]->summary)
			nearest_try(&nearest, commands[i]->name);
	nearest_try(&nearest, "--version");
	if (nearest.n == 0 && g_file_test(name, G_FILE_TEST_EXISTS)) {
		ui_error("'%s' is a file: expected a command before it, as in 'ctprof show %s' "
			 "(see 'ctprof --help')",
			 name, name);
		return EXIT_USAGE;
	}
	g_autofree char *hint = nearest_hint(&nearest, "");
	ui_error("unknown command '%s'%s (see 'ctprof --help')", name, hint);
	return EXIT_USAGE;
}

/* words: the command's name and the words after it. */
static int dispatch(const Option *const *tables, char **words)
{
	gboolean is_help = g_strcmp0(words[0], "help") == 0;
	char **rest = words + (is_help ? 1 : 0);

	if (!rest[0])
		return print_help(NULL, tables, is_help ? stdout : stderr);
	const Command *command = cmd_find(rest[0]);
	if (!command)
		return fail_command(rest[0]);
	/* "ctprof help COMMAND" and "ctprof -h COMMAND" are "ctprof COMMAND --help". */
	help |= is_help;
	return run_command(command, rest + 1);
}

/* Fails for an unknown option before the command; names the commands that have such an
 * option. */
static int fail_early(const CommandLine *line, const LineWord *word)
{
	g_autoptr(GString) owners = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	for (guint i = 0; commands[i]; i++) {
		const Option *tables[COMMAND_MAX_TABLES];

		cmd_list_tables(commands[i], NULL, tables);
		if (commands[i]->summary && line_find(tables, word->shown))
			g_string_append_printf(owners, "%s%s", owners->len ? ", " : "",
					       commands[i]->name);
	}
	if (owners->len > 0)
		error_set_usage(&error, "%s: must come after its command: %s", word->shown,
				owners->str);
	else
		line_fail_unknown(line, word, ": options of a command come after it", &error);
	return fail_usage(error, NULL);
}

static void raise_file_limit(void)
{
	struct rlimit files;

	/* A batch keeps a descriptor open for each of its processes. */
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* Opens closed standard streams, so that a file opened later does not become one; in
 * the wrong direction, so that using a closed stream still fails. */
static void occupy_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int program_run(const Command *const *list, char **argv)
{
	const Option *tables[COMMAND_MAX_TABLES];
	CommandLine line = {.tables = tables, .words = argv + 1};
	g_autoptr(GError) error = NULL;
	enum line_part part;
	LineWord word;

	commands = list;
	all_words = argv;
	occupy_standard_streams();
	setlocale(LC_ALL, "");
	g_set_prgname("ctprof");
	crash_init();
	limits_init();
	/* A process that ignores SIGCHLD does not get the status of its
	 * children. */
	signal(SIGCHLD, SIG_DFL);
	raise_file_limit();
	cmd_list_tables(NULL, NULL, tables);
	while ((part = line_next(&line, &word)) == LINE_OPTION)
		if (!line_store(&word, NULL, &error))
			return fail_usage(error, NULL);
	if (part == LINE_UNKNOWN)
		return fail_early(&line, &word);
	if (help && part == LINE_END)
		return print_help(NULL, tables, stdout);
	if (version) {
		puts("ctprof " CTPROF_VERSION);
		return cmd_printed();
	}
	return dispatch(tables, part == LINE_END ? line.words : line.words - 1);
}
