/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "option.h"

#include <math.h>
#include <string.h>

#include "error.h"
#include "nearest.h"

#define NS_PER_S 1e9
/* Longer than any sensible time, and small enough for a double to hold whole
 * nanoseconds. */
#define MAX_TIME_NS 1e15

/* Returns the text in the form of host->option(), or NULL if it is not a value
 * of the type. */
typedef char *(*NormaliseFn)(const struct ctprof_option *row, const char *text);

const struct ctprof_option_word *option_word(const struct ctprof_option *row, guint i)
{
	return (const void *)((const char *)row->words + (gsize)i * row->words->struct_size);
}

gint option_find_word(const struct ctprof_option *row, const char *name)
{
	for (guint i = 0; i < row->n_words; i++)
		if (strcmp(option_word(row, i)->name, name) == 0)
			return (gint)i;
	return -1;
}

static gboolean is_in_range(const struct ctprof_option *row, gdouble value)
{
	return value >= (gdouble)row->least && (row->most == 0 || value <= (gdouble)row->most);
}

/* ---- one grammar a type ------------------------------------------------- */

static char *normalise_bool(const struct ctprof_option *row, const char *text)
{
	(void)row;
	return strcmp(text, "yes") == 0  ? g_strdup("1")
	       : strcmp(text, "no") == 0 ? g_strdup("0")
					 : NULL;
}

static char *normalise_word(const struct ctprof_option *row, const char *text)
{
	return option_find_word(row, text) >= 0 ? g_strdup(text) : NULL;
}

static char *normalise_time(const struct ctprof_option *row, const char *text)
{
	static const struct {
		const char *unit;
		gdouble ns;
	} units[] = {{"", NS_PER_S},         {"s", NS_PER_S},        {"ms", NS_PER_S / 1000},
		     {"us", NS_PER_S / 1e6}, {"min", 60 * NS_PER_S}, {"m", 60 * NS_PER_S},
		     {"h", 3600 * NS_PER_S}};
	char *unit;
	gdouble value = g_ascii_strtod(text, &unit);

	for (guint i = 0; g_ascii_isdigit(text[0]) && i < G_N_ELEMENTS(units); i++) {
		gdouble ns = value * units[i].ns;

		if (strcmp(unit, units[i].unit) == 0 && ns <= MAX_TIME_NS && is_in_range(row, ns))
			return g_strdup_printf("%.0f", ns);
	}
	return NULL;
}

static char *normalise_size(const struct ctprof_option *row, const char *text)
{
	static const struct {
		const char *unit;
		guint shift;
	} units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	gsize digits = strspn(text, "0123456789");
	g_autofree char *number = g_strndup(text, digits);

	for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
		guint64 value;

		if (strcmp(text + digits, units[i].unit) == 0 &&
		    g_ascii_string_to_unsigned(number, 10, 0, G_MAXUINT64 >> units[i].shift, &value,
					       NULL) &&
		    is_in_range(row, (gdouble)(value << units[i].shift)))
			return g_strdup_printf("%" G_GUINT64_FORMAT, value << units[i].shift);
	}
	return NULL;
}

static char *normalise_count(const struct ctprof_option *row, const char *text)
{
	guint64 value;

	if (!g_ascii_string_to_unsigned(text, 10, row->least, row->most ? row->most : G_MAXUINT64,
					&value, NULL))
		return NULL;
	return g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

static char *normalise_real(const struct ctprof_option *row, const char *text)
{
	char *end;
	gdouble value = g_ascii_strtod(text, &end);

	return end != text && !*end && isfinite(value) && is_in_range(row, value) ? g_strdup(text)
										  : NULL;
}

static char *normalise_path(const struct ctprof_option *row, const char *text)
{
	(void)row;
	return g_strdup(text);
}

static char *normalise_text(const struct ctprof_option *row, const char *text)
{
	(void)row;
	return g_utf8_validate(text, -1, NULL) ? g_strdup(text) : NULL;
}

static const struct kind {
	guint32 type;
	NormaliseFn normalise;
	const char *placeholder;
	const char *expected; /* NULL: see describe_expected() */
} kinds[] = {
	{CTPROF_OPTION_BOOL, normalise_bool, "YES|NO", "yes or no"},
	{CTPROF_OPTION_WORD, normalise_word, "WORD", NULL},
	{CTPROF_OPTION_TIME, normalise_time, "TIME", NULL},
	{CTPROF_OPTION_SIZE, normalise_size, "SIZE", "a size such as 512MiB or 4GiB"},
	{CTPROF_OPTION_COUNT, normalise_count, "N", NULL},
	{CTPROF_OPTION_REAL, normalise_real, "NUMBER", NULL},
	{CTPROF_OPTION_PATH, normalise_path, "FILE", "a file"},
	{CTPROF_OPTION_TEXT, normalise_text, "TEXT", "text in UTF-8"},
};

static const struct kind *kind_of(const struct ctprof_option *row)
{
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (kinds[i].type == row->type)
			return &kinds[i];
	return NULL;
}

/* ---- what users read ---------------------------------------------------- */

/* Returns "auto, always or never"; explained: each with its help in parentheses. */
static char *list_words(const struct ctprof_option *row, gboolean explained)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < row->n_words; i++) {
		const struct ctprof_option_word *word = option_word(row, i);

		g_string_append(text, i == 0 ? "" : i + 1 < row->n_words ? ", " : " or ");
		g_string_append(text, word->name);
		if (explained && word->help)
			g_string_append_printf(text, " (%s)", word->help);
	}
	return g_string_free(text, FALSE);
}

char *option_describe(const struct ctprof_option *row)
{
	g_autofree char *words = list_words(row, TRUE);

	return g_strconcat(
		row->help, words[0] ? ": " : "", words, row->default_value ? " (default: " : "",
		row->default_value ? row->default_value : "", row->default_value ? ")" : "", NULL);
}

const char *option_placeholder(const struct ctprof_option *row)
{
	return row->placeholder ? row->placeholder : kind_of(row)->placeholder;
}

/* Returns " from 1 to 1024" or " from 1 on", in the unit called name. */
static char *describe_range(const struct ctprof_option *row, gdouble unit, const char *name)
{
	gdouble least = (gdouble)row->least / unit, most = (gdouble)row->most / unit;

	if (row->most)
		return g_strdup_printf(" from %g%s to %.12g%s", least, name, most, name);
	return g_strdup_printf(" from %g%s on", least, name);
}

static char *describe_expected(const struct ctprof_option *row)
{
	gboolean is_time = row->type == CTPROF_OPTION_TIME;

	if (kind_of(row)->expected)
		return g_strdup(kind_of(row)->expected);
	if (row->type == CTPROF_OPTION_WORD)
		return list_words(row, FALSE);
	g_autofree char *range = describe_range(row, is_time ? NS_PER_S : 1, is_time ? "s" : "");
	if (is_time && row->most == 0 && row->least <= 1)
		return g_strdup("a time such as 500ms or 2s");
	return g_strconcat(is_time                           ? "a time such as 500ms or 2s,"
			   : row->flags & CTPROF_OPTION_LIST ? "numbers"
							     : "a number",
			   range, NULL);
}

static void fail(const struct ctprof_option *row, const char *shown, const char *text,
		 const char *part, GError **error)
{
	g_autofree char *expected = describe_expected(row);
	Nearest nearest = {.typed = part};

	for (guint i = 0; i < row->n_words; i++)
		nearest_try(&nearest, option_word(row, i)->name);
	g_autofree char *hint = nearest_hint(&nearest, "");
	error_set_usage(error, "%s '%s': expected %s%s%s", shown, text,
			row->flags & CTPROF_OPTION_LIST ? "a list of " : "", expected, hint);
}

char *option_normalise(const struct ctprof_option *row, const char *shown, const char *text,
		       GError **error)
{
	gboolean is_list = row->flags & CTPROF_OPTION_LIST;
	g_auto(GStrv) parts = is_list ? g_strsplit(text, ",", -1)
				      : g_strdupv((char *[]){(char *)(uintptr_t)text, NULL});

	if (is_list && !parts[0])
		fail(row, shown, text, text, error);
	for (guint i = 0; parts[i]; i++) {
		char *part = kind_of(row)->normalise(row, parts[i]);

		if (!part) {
			fail(row, shown, text, parts[i], error);
			return NULL;
		}
		g_free(parts[i]);
		parts[i] = part;
	}
	return parts[0] ? g_strjoinv(",", parts) : NULL;
}

/* ---- rows of plugins ---------------------------------------------------- */

gboolean option_is_name(const char *name)
{
	return name && g_ascii_islower(name[0]) && strlen(name) <= 32 &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static const char *find_word_fault(const struct ctprof_option *row)
{
	if ((row->type == CTPROF_OPTION_WORD) != (row->n_words > 0))
		return "it has words but is not of type WORD, or is of type WORD and has no words";
	if (row->n_words > 0 && (!row->words || row->words->struct_size < sizeof *row->words))
		return "its words are missing";
	for (guint i = 0; i < row->n_words; i++) {
		const char *name = option_word(row, i)->name;

		if (!name || !name[0] || strpbrk(name, ", \t\n"))
			return "one of its words is empty, or has a blank or a comma";
	}
	return NULL;
}

const char *option_find_fault(const struct ctprof_option *row)
{
	if (!option_is_name(row->name) || (row->long_name && !option_is_name(row->long_name)))
		return "its name is not [a-z][a-z0-9-]{0,31}";
	if (!kind_of(row))
		return "its type is unknown";
	if (!row->help)
		return "it has no help";
	if ((row->flags & CTPROF_OPTION_OPTIONAL) && !row->default_value)
		return "its value is optional, but has no default";
	const char *fault = find_word_fault(row);
	g_autofree char *value =
		!fault && row->default_value
			? option_normalise(row, row->name, row->default_value, NULL)
			: NULL;
	return fault                          ? fault
	       : row->default_value && !value ? "its default is not one of its values"
					      : NULL;
}
