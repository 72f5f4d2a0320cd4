/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "markup.h"

#include <math.h>
#include <string.h>

#include "ctprof/words.h"
#include "label.h"

#define ENDING ".ctprof"

void markup_put_label(FILE *stream, const char *text)
{
	static const struct {
		char sign;
		const char *entity;
	} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

	for (;;) {
		size_t n = strcspn(text, "&<>\"");

		fwrite(text, 1, n, stream);
		text += n;
		if (!*text)
			return;
		for (guint i = 0; i < G_N_ELEMENTS(entities); i++)
			if (*text == entities[i].sign)
				fputs(entities[i].entity, stream);
		text++;
	}
}

void markup_put(FILE *stream, const char *bytes)
{
	g_autoptr(GString) text = g_string_new(NULL);

	label_append(text, bytes);
	markup_put_label(stream, text->str);
}

/* A number that was padded belongs to the word before it: "pressure   3 %". */
static gboolean is_padded(const char *piece)
{
	return g_ascii_isdigit(piece[0]) && g_str_has_suffix(piece, " %");
}

void markup_put_pieces(FILE *stream, const char *text)
{
	g_auto(GStrv) pieces = g_strsplit(text, "  ", -1);
	gboolean is_open = FALSE;

	for (guint i = 0; pieces[i]; i++) {
		const char *piece = g_strstrip(pieces[i]);

		if (!piece[0])
			continue;
		if (is_open)
			fputs(is_padded(piece) ? " " : "</span> <span>", stream);
		else
			fputs("<span>", stream);
		markup_put(stream, piece);
		is_open = TRUE;
	}
	fputs(is_open ? "</span>" : "", stream);
}

void markup_put_time(FILE *stream, GDateTime *time, const char *format, gboolean is_zoned)
{
	if (!time)
		return;
	g_autoptr(GDateTime) utc = g_date_time_to_utc(time);
	g_autofree char *machine = g_date_time_format(utc, "%FT%TZ");
	g_autofree char *shown = g_date_time_format(time, format);
	g_autofree char *zone = g_date_time_format(time, is_zoned ? " %Z" : "");

	fprintf(stream, "<time datetime=\"%s\">", machine);
	markup_put(stream, shown);
	markup_put(stream, zone);
	fputs("</time>", stream);
}

char *markup_name_file(const char *file)
{
	g_autofree char *name = g_path_get_basename(file ? file : "-");
	char *end = strstr(name, ENDING);

	if (end && end > name)
		memmove(end, end + strcspn(end, "@"), strlen(end + strcspn(end, "@")) + 1);
	return g_steal_pointer(&name);
}

/* Which sample of a recording it is: "@2026-11-22T03:12:05Z". */
static void drop_time(char *name)
{
	char *at = strrchr(name, '@');

	if (at && g_ascii_isdigit(at[1]) && g_str_has_suffix(at, "Z"))
		*at = '\0';
}

char *markup_name_files(const struct ctprof_report *report)
{
	g_autofree char *first = markup_name_file(report->files[0]);
	g_autofree char *second = markup_name_file(report->files[1]);

	drop_time(first);
	drop_time(second);
	/* Two samples of one recording have one name. */
	return drawing_is_compare(report) && !g_str_equal(first, second)
		       ? g_strdup_printf("%s → %s", first, second)
		       : g_steal_pointer(&first);
}

guint64 markup_find_field(const struct ctprof_report_section *section, const char *name)
{
	guint64 i = 0;

	while (i < section->n_fields && strcmp(drawing_field(section, i)->name, name) != 0)
		i++;
	return i;
}

const struct ctprof_report_section *markup_find_section(const struct ctprof_report *report,
							const char *name)
{
	for (guint64 i = 0; i < report->n_sections; i++)
		if (strcmp(drawing_section(report, i)->name, name) == 0)
			return drawing_section(report, i);
	return NULL;
}

const struct ctprof_value *markup_newest(const struct ctprof_report *report,
					 const struct ctprof_cell *cell)
{
	return &cell->value[drawing_is_compare(report) ? 1 : 0];
}

double markup_number(const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_REAL)
		return value->real;
	return value->type == CTPROF_VALUE_NUMBER ? (double)value->number : NAN;
}

#define WORD(number, word) [(number) / CTPROF_ABSENT_UNSUPPORTED] = (word),

const char *markup_why(const struct ctprof_value *value)
{
	static const char *const words[] = {CTPROF_ABSENCE_WORDS(WORD)};
	/* The reasons are multiples of the first. */
	guint32 why = value->why / CTPROF_ABSENT_UNSUPPORTED;

	return why < G_N_ELEMENTS(words) ? words[why] : NULL;
}
