/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unmeasured.h"

/* What is known of a field: whether a line has it, else why none does. */
struct field {
	gboolean is_there, is_seen;
	const char *why;
};

static void note_cell(struct field *field, const struct ctprof_cell *cell)
{
	for (unsigned int side = 0; side < 2; side++) {
		const struct ctprof_value *value = &cell->value[side];

		field->is_there = field->is_there || value->type != CTPROF_VALUE_ABSENT;
		if (!field->why)
			field->why = markup_why(value);
	}
	field->is_seen = TRUE;
}

/* Names under why and what they need: "unsupported [SCHEDSTATS]" -> "a, b". */
static void note_field(GHashTable *reasons, GPtrArray *order,
		       const struct ctprof_report_field *field, const char *why)
{
	g_autofree char *reason =
		g_strdup_printf("%s%s%s", why, field->tags[0] ? " " : "", field->tags);
	GString *names = g_hash_table_lookup(reasons, reason);

	if (!names) {
		names = g_string_new(NULL);
		g_ptr_array_add(order, g_strdup(reason));
		g_hash_table_insert(reasons, g_strdup(reason), names);
	}
	g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", field->name);
}

static void note_section(GHashTable *reasons, GPtrArray *order,
			 const struct ctprof_report_section *section)
{
	g_autofree struct field *fields = g_new0(struct field, section->n_fields + 1);

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = drawing_line(section, i);

		for (guint64 c = 0; c < line->n_cells && line->first + c < section->n_fields; c++)
			note_cell(&fields[line->first + c], drawing_cell(line, c));
	}
	for (guint64 i = 0; i < section->n_fields; i++)
		if (fields[i].is_seen && !fields[i].is_there && fields[i].why)
			note_field(reasons, order, drawing_field(section, i), fields[i].why);
}

static void free_string(gpointer data)
{
	g_string_free(data, TRUE);
}

void unmeasured_put(FILE *stream, const struct ctprof_report *report)
{
	g_autoptr(GHashTable) reasons =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_string);
	g_autoptr(GPtrArray) order = g_ptr_array_new_with_free_func(g_free);

	for (guint64 i = 0; i < report->n_sections; i++)
		if (drawing_has(drawing_section(report, i), CTPROF_SECTION_METRICS))
			note_section(reasons, order, drawing_section(report, i));
	if (order->len == 0)
		return;
	fputs("<details id=\"unmeasured\"><summary><h2>Not measured here</h2></summary>\n"
	      "<p class=\"note\">No row has a value for these metrics: they are absent, not 0.</p>\n<dl>\n",
	      stream);
	for (guint i = 0; i < order->len; i++) {
		const GString *names = g_hash_table_lookup(reasons, g_ptr_array_index(order, i));

		fputs("<dt>", stream);
		markup_put(stream, g_ptr_array_index(order, i));
		fputs("</dt><dd>", stream);
		markup_put(stream, names->str);
		fputs("</dd>\n", stream);
	}
	fputs("</dl></details>\n", stream);
}
