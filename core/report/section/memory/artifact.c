/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "artifact.h"

#include <string.h>

#include "base/texts.h"
#include "frame/units.h"
#include "report/fold/fold.h"

static void append_rollup(GString *text, const GArray *rollup)
{
	for (guint i = 0; i < rollup->len; i++) {
		const MapItem *item = &g_array_index(rollup, MapItem, i);

		g_string_append(text, i ? ",\n      " : "\n      ");
		texts_append_json(text, item->key, strlen(item->key));
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
	texts_append_json(text, command, strlen(command));
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
