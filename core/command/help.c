/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "help.h"

#include <string.h>

#include "base/option.h"

#define GAP 5

/* "-o, --output=FILE", "--memory[=LIST]" */
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

/* If two options have the same name the first counts; synonyms are not
 * listed. */
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

static void print_table(const Option *const *tables, const Option *table, glong width, FILE *stream)
{
	for (const Option *option = table; option->row.name; option++) {
		g_autofree char *name = describe_name(option);
		g_autofree char *text = option_describe(&option->row);
		int pad = (int)(width + GAP - g_utf8_strlen(name, -1));

		if (!is_hidden(tables, option))
			fprintf(stream, "  %s%*s%s\n", name, pad, "", text);
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
