/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of ctprof, and what they share. */
#pragma once

#include <glib.h>

#include "base/exit.h"
#include "plugin/session.h"

#define COMMAND_MAX_SHARED 5

typedef struct command {
	const char *name;
	const char *arguments;       /* behind the options, in the usage line */
	const char *summary;         /* one line for ctprof --help; NULL: not listed */
	const char *help;            /* paragraphs below the options of --help */
	const GOptionEntry *entries; /* own options */
	/* Tables of options it has in common with others; ended by NULL, or full. */
	const GOptionEntry *shared[COMMAND_MAX_SHARED];
	/* run() calls no plugin itself, but supervises processes that do. */
	gboolean supervises;
	/* arguments: what is left of the command line, NULL-terminated. */
	int (*run)(Globals *globals, char **arguments);
} Command;

extern const Command cmd_capture;
extern const Command cmd_compare;
extern const Command cmd_complete;
extern const Command cmd_doctor;
extern const Command cmd_memory;
extern const Command cmd_plugin_check;
extern const Command cmd_plugins;
extern const Command cmd_metric_list;
extern const Command cmd_show;
extern const Command cmd_stat;

/* The command of that name, or NULL. */
const Command *cmd_find(const char *name);
/* All commands, NULL behind the last. */
const Command *cmd_nth(guint n);
/* The options every command has. */
const GOptionEntry *cmd_global_entries(void);

/* Says the error, and gives the exit status it stands for. */
int cmd_fail(const GError *error);
/* Fails when there is an argument. */
gboolean cmd_no_arguments(char **arguments, GError **error);
/* EXIT_DONE when all that was printed has arrived; no plugin can spoil it now. */
int cmd_printed(void);
/* Whether format (NULL: text) is "json"; an error unless it is that or "text". */
gboolean cmd_wants_json(const char *format, gboolean *ret_json, GError **error);
