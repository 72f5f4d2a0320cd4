/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of ctprof, and code that they share. */
#pragma once

#include <glib.h>

#include "base/error.h"
#include "command-line.h"
#include "plugin/session.h"

#define COMMAND_MAX_SHARED 7

typedef struct command {
	const char *name;
	const char *arguments; /* after the options, in the usage line */
	const char *summary;   /* one line for ctprof --help; NULL: not listed */
	const char *help;      /* paragraphs below the options of --help */
	const Option *options; /* own ones; NULL: none */
	/* Tables of options shared with other commands; ended by NULL, or full. */
	const Option *shared[COMMAND_MAX_SHARED];
	enum plugin_options plugin_options;
	gboolean has_sides;             /* "--" among the arguments separates two sides */
	enum completion arguments_from; /* what completion offers for its arguments */
	/* run() calls no plugin itself: it supervises processes that do. */
	gboolean supervises;
	/* The file of another program that takes the whole command line; NULL: run() is called. */
	const char *program;
	/* arguments: the rest of the command line, NULL-terminated.  Returns as a SuperviseStep
	 * does (guard/supervise.h). */
	int (*run)(Globals *globals, char **arguments, GError **error);
} Command;

/* Used by plugin-check, too, which is another program. */
extern const Command cmd_plugin_check;

/* Returns the command of that name, or NULL. */
const Command *cmd_find(const char *name);
/* Returns all commands, NULL after the last. */
const Command *const *cmd_list(void);
/* Lists the tables of a command's options (NULL: those of ctprof itself) in ret_tables, NULL after
 * the last; of_plugins: those of plugins, or NULL. */
#define COMMAND_MAX_TABLES (COMMAND_MAX_SHARED + 5)
void cmd_list_tables(const Command *command, const Option *of_plugins,
		     const Option *ret_tables[COMMAND_MAX_TABLES]);

/* Fails if there is an argument. */
gboolean cmd_no_arguments(char **arguments, GError **error);
/* Returns EXIT_DONE if all output was written: plugins can no longer affect the status. */
int cmd_printed(void);
#define OPTION_PID(variable, help)                                                                 \
	OPTION(COUNT, "pid", 'p', variable, "PID", help, .many = TRUE, .row.least = 1,             \
	       .row.most = G_MAXINT32)
/* --format of the commands that print without a sink, and whether it is
 * JSON. */
extern const Option cmd_format_options[];
extern gboolean cmd_json;
/* Options of plugin-check, which is a program of its own. */
extern char **cmd_check_pids;
extern guint64 cmd_check_timeout_s;
