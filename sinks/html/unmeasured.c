/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

/* Returns why a field has no value, and what it needs: "unsupported [SCHEDSTATS]"; NULL: it has a
 * value, or no line has the field.  The caller frees it. */
static char *reason_of(const struct ctprof_report_section *section, guint64 field)
{
	const char *tags = BORDER_AT(section->fields, field)->tags, *why = NULL;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_cell *cell =
			drawing_cell_of(BORDER_AT(section->lines, i), field);

		for (unsigned int side = 0; side < 2; side++) {
			if (cell->value[side].type != CTPROF_VALUE_ABSENT)
				return NULL;
			why = why ? why : drawing_absence(&cell->value[side]);
		}
	}
	return why ? g_strdup_printf("%s%s%s", why, tags[0] ? " " : "", tags) : NULL;
}

/* Adds the names of fields to their reasons. */
static void note_section(GPtrArray *reasons, GHashTable *names,
			 const struct ctprof_report_section *section)
{
	for (guint64 i = 0; i < section->n_fields; i++) {
		char *reason = reason_of(section, i);
		GString *known = reason ? g_hash_table_lookup(names, reason) : NULL;

		if (known) {
			g_string_append_printf(known, ", %s", BORDER_AT(section->fields, i)->name);
			g_free(reason);
		} else if (reason) {
			g_ptr_array_add(reasons, reason);
			g_hash_table_insert(names, reason,
					    g_string_new(BORDER_AT(section->fields, i)->name));
		}
	}
}

static void free_string(gpointer data)
{
	g_string_free(data, TRUE);
}

void unmeasured_put(FILE *stream, const struct ctprof_report *report)
{
	g_autoptr(GPtrArray) reasons = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) names =
		g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_string);

	for (guint64 i = 0; i < report->n_sections; i++)
		if (drawing_has(BORDER_AT(report->sections, i), CTPROF_SECTION_METRICS))
			note_section(reasons, names, BORDER_AT(report->sections, i));
	if (reasons->len == 0)
		return;
	fputs("<details id=\"unmeasured\"><summary><h2>Not measured here</h2></summary>\n"
	      "<p class=\"note\">No row has a value for these metrics: they are absent, not 0.</p>\n<dl>\n",
	      stream);
	for (guint i = 0; i < reasons->len; i++) {
		const char *reason = g_ptr_array_index(reasons, i);
		const GString *known = g_hash_table_lookup(names, reason);

		markup_put_in(stream, "<dt>", reason, "</dt>");
		markup_put_in(stream, "<dd>", known->str, "</dd>\n");
	}
	fputs("</dl></details>\n", stream);
}
