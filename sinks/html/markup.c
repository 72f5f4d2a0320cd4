/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "markup.h"

#include <math.h>
#include <string.h>

#include "utf8.h"

#define ENDING ".ctprof"

void markup_put(FILE *stream, const char *bytes)
{
	static const struct utf8_escape entities[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\0', NULL}};

	utf8_put(stream, bytes, entities);
}

void markup_put_in(FILE *stream, const char *before, const char *bytes, const char *after)
{
	fputs(before, stream);
	markup_put(stream, bytes ? bytes : "");
	fputs(after, stream);
}

static void put_span(FILE *stream, const char *text, gboolean *is_open)
{
	fputs(*is_open ? "</span> <span>" : "<span>", stream);
	markup_put(stream, text);
	*is_open = TRUE;
}

/* Returns the label of a sentence, which other sinks show as a column; NULL: none. */
static const char *label_of(const struct ctprof_piece *piece)
{
	const struct ctprof_term *first = piece->n_terms > 0 ? piece->terms : NULL;

	return first && first->form == CTPROF_TERM_LABEL ? first->text : NULL;
}

void markup_put_sentence(FILE *stream, const struct ctprof_sentence *sentence,
			 const char *otherwise, const char *known)
{
	struct ctprof_sentence part = {.struct_size = sizeof part, .n_pieces = 1};
	gboolean is_open = FALSE;

	if (!sentence)
		markup_put(stream, otherwise);
	for (guint64 i = 0; sentence && i < sentence->n_pieces; i++) {
		char said[DRAWING_SENTENCE];
		const char *text = said;

		part.pieces = BORDER_AT(sentence->pieces, i);
		drawing_say(&part, 0, said);
		if (label_of(part.pieces)) {
			put_span(stream, label_of(part.pieces), &is_open);
			text += strcspn(text, " ");
		} else if (known && i == 0 && g_str_has_prefix(text, known)) {
			text += strlen(known);
		}
		text += is_open ? 0 : strspn(text, ", ");
		if (!text[0])
			continue;
		if (!is_open || part.pieces->flags & CTPROF_PIECE_APART || label_of(part.pieces))
			put_span(stream, text + strspn(text, " "), &is_open);
		else
			markup_put(stream, text);
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

void markup_put_notes(FILE *stream, const struct ctprof_report_section *section)
{
	for (guint64 i = 0; i < section->n_notes; i++)
		markup_put_in(stream, "<p class=\"note\">", section->notes[i], "</p>\n");
}

void markup_open_scroll(FILE *stream, const char *name)
{
	markup_put_in(stream, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
		      name, "\">");
}

char *markup_name_file(const char *file)
{
	g_autofree char *name = g_path_get_basename(file ? file : "-");
	char *end = strstr(name, ENDING);

	if (end && end > name)
		memmove(end, end + strcspn(end, "@"), strlen(end + strcspn(end, "@")) + 1);
	return g_steal_pointer(&name);
}

/* Cuts off the time of a sample in a recording: "@2026-11-22T03:12:05Z". */
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
	/* Two samples of one recording have the same name. */
	return drawing_is_compare(report) && !g_str_equal(first, second)
		       ? g_strdup_printf("%s → %s", first, second)
		       : g_steal_pointer(&first);
}

guint64 markup_find_role(const struct ctprof_report_section *section, guint32 role)
{
	guint64 i = 0;

	while (i < section->n_fields && drawing_field_role(BORDER_AT(section->fields, i)) != role)
		i++;
	return i;
}

guint64 markup_find_field(const struct ctprof_report_section *section, const char *name)
{
	guint64 i = 0;

	while (i < section->n_fields && strcmp(BORDER_AT(section->fields, i)->name, name) != 0)
		i++;
	return i;
}

const struct ctprof_report_section *markup_find_section(const struct ctprof_report *report,
							const char *name)
{
	for (guint64 i = 0; i < report->n_sections; i++)
		if (strcmp(BORDER_AT(report->sections, i)->name, name) == 0)
			return BORDER_AT(report->sections, i);
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

double markup_number_of(const struct ctprof_report *report, const struct ctprof_report_line *line,
			guint64 field)
{
	return markup_number(markup_newest(report, drawing_cell_of(line, field)));
}
