/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command-line.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/texts.h"

gboolean option_takes_value(const Option *option)
{
	return option->row.type != CTPROF_OPTION_BOOL &&
	       !(option->row.flags & CTPROF_OPTION_OPTIONAL);
}

/* ---- reading ------------------------------------------------------------ */

static const Option *find(const Option *const *tables, const char *name, gsize length, char letter)
{
	for (; *tables; tables++)
		for (const Option *option = *tables; option->row.name; option++)
			if (letter ? option->letter == letter
				   : strncmp(option->row.name, name, length) == 0 &&
					     !option->row.name[length])
				return option;
	return NULL;
}

const Option *line_find(const Option *const *tables, const char *word)
{
	if (g_str_has_prefix(word, "--"))
		return find(tables, word + 2, strcspn(word + 2, "="), 0);
	return word[1] && !word[2] ? find(tables, NULL, 0, word[1]) : NULL;
}

static const char *take_word(CommandLine *line)
{
	return *line->words ? *line->words++ : NULL;
}

static enum line_part take_long(CommandLine *line, LineWord *word)
{
	const char *equals = strchr(word->text, '=');

	g_snprintf(word->shown, sizeof word->shown, "%.*s",
		   equals ? (int)(equals - word->text) : G_MAXINT16, word->text);
	word->option = line_find(line->tables, word->text);
	if (equals)
		word->value = equals + 1;
	else if (word->option && option_takes_value(word->option))
		word->value = take_word(line);
	return word->option ? LINE_OPTION : LINE_UNKNOWN;
}

static enum line_part take_letter(CommandLine *line, LineWord *word)
{
	const char *rest = line->letters + 1;

	g_snprintf(word->shown, sizeof word->shown, "-%c", *line->letters);
	word->option = find(line->tables, NULL, 0, *line->letters);
	line->letters = word->option ? rest : NULL;
	if (!word->option)
		return LINE_UNKNOWN;
	if (option_takes_value(word->option)) {
		word->value = *rest ? rest : take_word(line);
		line->letters = NULL;
	}
	return LINE_OPTION;
}

enum line_part line_next(CommandLine *line, LineWord *ret_word)
{
	*ret_word = (LineWord){0};
	if (line->letters && *line->letters)
		return take_letter(line, ret_word);
	ret_word->text = take_word(line);
	if (!ret_word->text)
		return LINE_END;
	if (line->only_arguments || ret_word->text[0] != '-' || !ret_word->text[1])
		return LINE_ARGUMENT;
	if (strcmp(ret_word->text, "--") == 0) {
		line->only_arguments = TRUE;
		return line_next(line, ret_word);
	}
	if (ret_word->text[1] == '-')
		return take_long(line, ret_word);
	line->letters = ret_word->text + 1;
	return take_letter(line, ret_word);
}

/* ---- storing ------------------------------------------------------------ */

static void store(const Option *option, const char *value)
{
	if (option->many) {
		texts_append(option->variable, g_strdup(value));
		return;
	}
	switch (option->row.type) {
	case CTPROF_OPTION_WORD:
		*(gint *)option->variable = option_find_word(&option->row, value);
		break;
	case CTPROF_OPTION_TIME:
	case CTPROF_OPTION_SIZE:
	case CTPROF_OPTION_COUNT:
		*(guint64 *)option->variable = g_ascii_strtoull(value, NULL, 10);
		break;
	case CTPROF_OPTION_REAL:
		*(gdouble *)option->variable = g_ascii_strtod(value, NULL);
		break;
	default:
		g_free(*(char **)option->variable);
		*(char **)option->variable = g_strdup(value);
	}
}

static gboolean store_flag(const LineWord *word, GError **error)
{
	gboolean *flag = word->option->variable;

	if (word->value)
		return error_set_usage(error, "%s: takes no value", word->shown);
	*flag = word->option->many ? *flag + 1 : TRUE;
	return TRUE;
}

gboolean line_store(const LineWord *word, GPtrArray *settings, GError **error)
{
	const Option *option = word->option;
	const struct ctprof_option *row = &option->row;
	const char *value = word->value;

	if (row->type == CTPROF_OPTION_BOOL && option->variable)
		return store_flag(word, error);
	if (!value)
		value = row->type == CTPROF_OPTION_BOOL ? "yes" : row->default_value;
	if (!value || (!word->value && option_takes_value(option)))
		return error_set_usage(error, "%s: expected %s after it", word->shown,
				       option_placeholder(row));
	g_autofree char *checked = option_normalise(row, word->shown, value, error);
	if (!checked)
		return FALSE;
	if (option->variable)
		store(option, checked);
	for (char **setting = option->settings; setting && *setting; setting++)
		g_ptr_array_add(settings, g_strconcat(*setting, "=", value, NULL));
	return TRUE;
}

void line_fail_unknown(const CommandLine *line, const LineWord *word, const char *note,
		       GError **error)
{
	gboolean is_long = g_str_has_prefix(word->shown, "--");
	Nearest nearest = {.typed = word->shown + 2};

	for (const Option *const *table = line->tables; is_long && *table; table++)
		for (const Option *option = *table; option->row.name; option++)
			if (!option->synonym)
				nearest_try(&nearest, option->row.name);
	g_autofree char *hint = nearest_hint(&nearest, "--");
	error_set_usage(error, "unknown option '%s'%s", word->shown, hint[0] ? hint : note);
}
