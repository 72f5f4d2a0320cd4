/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "help.h"

#include <string.h>
#include <sys/ioctl.h>

#include "base/option.h"

#define GAP 5
/* Longer lines are hard to read, on a wide terminal as well. */
#define MOST_WIDTH 100
#define LEAST_TEXT 20

/* Returns "-o, --output=FILE" or "--memory[=LIST]". */
static char *describe_name(const Option *option)
{
	gboolean has_value = option->row.type != CTPROF_OPTION_BOOL;
	gboolean optional = has_value && !option_takes_value(option);
	char letter[] = {'-', option->letter, ',', ' ', '\0'};

	return g_strconcat(option->letter ? letter : "", "--", option->row.name,
			   optional    ? "[="
			   : has_value ? "="
				       : "",
			   has_value ? option_placeholder(&option->row) : "", optional ? "]" : "",
			   NULL);
}

/* Hides synonyms, and options after the first one of the same name. */
static gboolean is_hidden(const Option *const *tables, const Option *option)
{
	g_autofree char *word = g_strconcat("--", option->row.name, NULL);

	return option->synonym || line_find(tables, word) != option;
}

static glong widest_name(const Option *const *tables)
{
	glong width = 0;

	for (const Option *const *table = tables; *table; table++)
		for (const Option *option = *table; option->row.name; option++) {
			g_autofree char *name = describe_name(option);

			width = MAX(width, g_utf8_strlen(name, -1));
		}
	return width;
}

/* Returns the width of lines: that of a narrow terminal, else MOST_WIDTH. */
static glong width_of(FILE *stream)
{
	struct winsize size = {0};
	gboolean is_narrow = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
			     size.ws_col < MOST_WIDTH;

	return is_narrow ? size.ws_col : MOST_WIDTH;
}

void help_wrap(const char *text, glong indent, FILE *stream)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	glong width = MAX(width_of(stream), indent + LEAST_TEXT), used = indent;

	for (guint i = 0; words[i]; i++) {
		glong length = g_utf8_strlen(words[i], -1);
		gboolean breaks = i > 0 && used + 1 + length > width;

		fprintf(stream, breaks ? "\n%*s" : "%*s", breaks ? (int)indent : i > 0, "");
		used = (breaks ? indent : used + (i > 0)) + length;
		fputs(words[i], stream);
	}
	fputc('\n', stream);
}

static void print_table(const Option *const *tables, const Option *table, glong width, FILE *stream)
{
	for (const Option *option = table; option->row.name; option++) {
		g_autofree char *name = describe_name(option);
		g_autofree char *text = option_describe(&option->row);
		int pad = (int)(width + GAP - g_utf8_strlen(name, -1));

		if (is_hidden(tables, option))
			continue;
		fprintf(stream, "  %s%*s", name, pad, "");
		help_wrap(text, 2 + width + GAP, stream);
	}
}

void help_print(const char *usage, const char *summary, const Option *const *tables,
		const char *text, FILE *stream)
{
	glong width = widest_name(tables);

	fprintf(stream, "Usage:\n  ctprof %s\n\n%s\n\nHelp Options:\n", usage, summary);
	print_table(tables, tables[0], width, stream);
	fputs("\nApplication Options:\n", stream);
	for (const Option *const *table = tables + 1; *table; table++)
		print_table(tables, *table, width, stream);
	fprintf(stream, "\n%s\n", text);
}
