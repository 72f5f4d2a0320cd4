/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "artifact.h"

#include "report/fold/fold.h"
#include "report/fold/units.h"

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

static void append_rollup(GString *text, const GArray *rollup)
{
	for (guint i = 0; i < rollup->len; i++) {
		const MapItem *item = &g_array_index(rollup, MapItem, i);

		g_string_append(text, i ? ",\n      " : "\n      ");
		append_string(text, item->key);
		g_string_append_printf(text, ": %" G_GUINT64_FORMAT,
				       fold_multiply_saturated(item->number, KIB));
	}
	g_string_append(text, rollup->len ? "\n    }" : "}");
}

void artifact_add(GString *text, const char *command, gint32 pid, guint64 shared_swap_pss,
		  const GArray *rollup)
{
	g_string_append(text, text->len ? "," : "[");
	g_string_append(text, "\n  {\n    \"Command\": ");
	append_string(text, command);
	g_string_append_printf(text,
			       ",\n    \"Pid\": %d,\n    \"SharedSwapPss\": "
			       "%" G_GUINT64_FORMAT ",\n    \"Rollup\": {",
			       pid, shared_swap_pss);
	append_rollup(text, rollup);
	g_string_append(text, "\n  }");
}

void artifact_end(GString *text)
{
	g_string_append(text, text->len ? "\n]" : "null");
}
