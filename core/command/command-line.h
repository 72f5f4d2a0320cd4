/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the command line by tables of options: types and words are those of
 * ctprof/plugin.h, for ctprof's own options and those of plugins.
 * "--name=value", "--name value", "-n value", "-nvalue", "-qv"; words after "--"
 * are not options.
 */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

/* How completion finds values, besides the row's words. */
enum completion {
	FROM_ROW,
	FROM_PLUGINS,
	FROM_METRICS,
	FROM_GROUPS,
	FROM_SECTIONS,
	FROM_REPORT_SINKS,
	FROM_WRITERS,
	FROM_TABULATORS,
	FROM_VIEWS,
	FROM_ORDERS,
	FROM_FINDINGS,
	FROM_SETTINGS,
	FROM_FILES,
	FROM_DIRECTORIES,
	FROM_SNAPSHOTS,
	FROM_COMMANDS,
	N_COMPLETIONS,
};

/* The plugins whose options a command takes as its own. */
enum plugin_options {
	NO_PLUGIN_OPTIONS,
	COST_PLUGIN_OPTIONS, /* CTPROF_OPTION_COST only */
	ALL_PLUGIN_OPTIONS,
};

typedef struct option {
	struct ctprof_option row; /* .name is used, not .long_name */
	char letter;              /* -x; 0: none */
	gboolean many;            /* repeatable: all values count */
	gboolean synonym;         /* another name of an option: accepted, but not listed */
	gboolean is_early;        /* read before plugins are loaded for their options */
	enum completion from;
	/*
	 * Receives the value.  BOOL: gboolean * (many: the number of times), WORD: gint *, the
	 * index among the words; TIME, SIZE, COUNT: guint64 *; REAL: gdouble *; others: char **.
	 * many: char ***, for any type except BOOL.
	 */
	gpointer variable;
	/* Options of plugins have this instead of variable: "PLUGIN.name" for each plugin with the
	 * option. */
	char **settings;
} Option;

/* type is BOOL, WORD …; further members follow the help: .row.words, .many … */
#define OPTION(type_, name_, letter_, variable_, placeholder_, help_, ...)                         \
	{                                                                                          \
		.row.struct_size = sizeof(struct ctprof_option),                                   \
		.row.type = CTPROF_OPTION_##type_, .row.name = name_,                              \
		.row.placeholder = placeholder_, .row.help = help_, .letter = letter_,             \
		.variable = variable_, __VA_ARGS__                                                 \
	}
#define OPTION_END                                                                                 \
	{                                                                                          \
		.row.name = NULL                                                                   \
	}
#define OPTION_WORD(name_, help_)                                                                  \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_option_word), .name = name_, .help = help_     \
	}
#define OPTION_WORDS(words_) .row.words = words_, .row.n_words = G_N_ELEMENTS(words_)

/* Whether a value must follow the option's name. */
gboolean option_takes_value(const Option *option);

enum line_part { LINE_OPTION, LINE_UNKNOWN, LINE_ARGUMENT, LINE_END };

typedef struct command_line {
	const Option *const *tables; /* tables, each ended by OPTION_END; NULL after the last */
	char **words;                /* words still to be read */
	const char *letters;         /* the rest of "-abc" */
	gboolean only_arguments;     /* after "--" */
} CommandLine;

/* One word of the line. */
typedef struct line_word {
	const char *text;     /* as typed */
	char shown[64];       /* the name of an option: "--smaps", "-n" */
	const Option *option; /* NULL: unknown */
	const char *value;    /* NULL: none */
} LineWord;

/* Reads the next part of the line.  A missing value is NULL. */
enum line_part line_next(CommandLine *line, LineWord *ret_word);
/* Returns the option of "--name", "--name=value" or "-n", or NULL. */
const Option *line_find(const Option *const *tables, const char *word);

/* Checks and stores the value of an option; settings: receives those of plugins,
 * "PLUGIN.name=value". */
gboolean line_store(const LineWord *word, GPtrArray *settings, GError **error);
/* Sets the error for a word that is not an option; note is added if no option
 * has a similar name. */
void line_fail_unknown(const CommandLine *line, const LineWord *word, const char *note,
		       GError **error);
