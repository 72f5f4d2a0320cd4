/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line, read by rows of options: the type and the words of each are
 * those of ctprof/plugin.h, for ctprof's own as for plugins'.  "--name=value",
 * "--name value", "-n value", "-nvalue", "-qv"; what is after "--" is no option.
 */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

/* Where completion looks for values, besides the row's words. */
enum completion {
	FROM_ROW,
	FROM_PLUGINS,
	FROM_METRICS,
	FROM_GROUPS,
	FROM_SECTIONS,
	FROM_DRAWERS,
	FROM_WRITERS,
	FROM_VIEWS,
	FROM_ORDERS,
	FROM_SETTINGS,
	FROM_FILES,
	FROM_DIRECTORIES,
	FROM_SNAPSHOTS,
	FROM_COMMANDS,
	N_COMPLETIONS,
};

typedef struct option {
	struct ctprof_option row; /* of name, not long_name */
	char letter;              /* -x; 0: none */
	gboolean many;            /* repeatable: all given count */
	enum completion from;
	/*
	 * Takes the value.  BOOL: gboolean * (many: a number), WORD: gint *, the
	 * place among the words; TIME, SIZE, COUNT: guint64 *; REAL: gdouble *; the
	 * rest char **.  many: char ***, of any type but BOOL.
	 */
	gpointer variable;
	/* Of a plugin's option, instead: "PLUGIN.name" for each that has it. */
	char **settings;
} Option;

/* type is BOOL, WORD …; further members after the help: .row.words, .many … */
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
	const Option *const *tables; /* each up to OPTION_END; NULL after the last */
	char **words;                /* what is still to be read */
	const char *letters;         /* the rest of "-abc" */
	gboolean only_arguments;     /* after "--" */
} CommandLine;

/* One word as the reader sees it. */
typedef struct line_word {
	const char *text;     /* as typed */
	char shown[64];       /* of an option: "--smaps", "-n" */
	const Option *option; /* NULL: unknown */
	const char *value;    /* NULL: none */
} LineWord;

/* The next part of the line.  A value that is missing is NULL. */
enum line_part line_next(CommandLine *line, LineWord *ret_word);
/* The option that "--name", "--name=value" or "-n" is, or NULL. */
const Option *line_find(const Option *const *tables, const char *word);

/* Checks and stores the value of a word that is an option; settings: where
 * those of plugins go, "PLUGIN.name=value". */
gboolean line_store(const LineWord *word, GPtrArray *settings, GError **error);
/* Appends a string, and takes it, to a list that is NULL while it is empty. */
void line_append(char ***list, char *value);
/* The error of a word that is not an option; note is added when no option's name
 * is near. */
void line_fail_unknown(const CommandLine *line, const LineWord *word, const char *note,
		       GError **error);
