/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "artifact.h"

#include <string.h>

static void append_string(GString *text, const char *bytes)
{
	g_autofree char *valid = g_utf8_make_valid(bytes, -1);

	g_string_append_c(text, '"');
	for (const char *p = valid; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_printf(text, "\\%c", *p);
		else if ((guchar)*p < ' ')
			g_string_append_printf(text, "\\u%04x", (guint)(guchar)*p);
		else
			g_string_append_c(text, *p);
	}
	g_string_append_c(text, '"');
}

static gint compare_fields(gconstpointer a, gconstpointer b)
{
	const ArtifactField *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void append_rollup(GString *text, const GArray *rollup)
{
	g_autoptr(GArray) fields =
		g_array_sized_new(FALSE, FALSE, sizeof(ArtifactField), rollup->len);

	g_array_append_vals(fields, rollup->data, rollup->len);
	g_array_sort(fields, compare_fields);
	g_string_append_c(text, '{');
	for (guint i = 0; i < fields->len; i++) {
		const ArtifactField *field = &g_array_index(fields, ArtifactField, i);

		g_string_append(text, i ? ",\n      " : "\n      ");
		append_string(text, field->name);
		g_string_append_printf(text, ": %" G_GUINT64_FORMAT, field->bytes);
	}
	g_string_append(text, fields->len ? "\n    }" : "}");
}

char *artifact_format(const ArtifactRecord *records, guint n)
{
	GString *text = g_string_new(n ? "[" : "null");

	for (guint i = 0; i < n; i++) {
		g_string_append(text, i ? ",\n  {\n    \"Command\": " : "\n  {\n    \"Command\": ");
		append_string(text, records[i].command);
		g_string_append_printf(text,
				       ",\n    \"Pid\": %d,\n    \"SharedSwapPss\": "
				       "%" G_GUINT64_FORMAT ",\n    \"Rollup\": ",
				       records[i].pid, records[i].shared_swap_pss);
		append_rollup(text, records[i].rollup);
		g_string_append(text, "\n  }");
	}
	g_string_append(text, n ? "\n]" : "");
	return g_string_free(text, FALSE);
}
