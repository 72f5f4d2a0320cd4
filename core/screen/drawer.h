/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a report as lines of text: as the sink that draws tables has them. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "guard/output.h"
#include "plugin/plugin.h"

typedef struct drawer {
	Plugin *sink;
	Output *output; /* in memory */
	guint width;    /* columns they may take */
} Drawer;

/* Add to lines (char *, owned): what is said above a report, and one section of it. */
gboolean drawer_titles(const Drawer *drawer, const struct ctprof_report *report, GPtrArray *lines,
		       GError **error);
gboolean drawer_section(const Drawer *drawer, const struct ctprof_report *report,
			const struct ctprof_report_section *section, GPtrArray *lines,
			GError **error);
/* A sentence, on as many lines as it takes, with what no terminal should get escaped. */
gboolean drawer_text(const Drawer *drawer, const char *text, GPtrArray *lines, GError **error);
/* NULL: the report does not have it. */
const struct ctprof_report_section *drawer_find(const struct ctprof_report *report,
						const char *section);
/* The place of a field, or -1. */
gint drawer_field(const struct ctprof_report_section *section, const char *name);
/* The newest value of a line's field. */
const struct ctprof_value *drawer_value(const struct ctprof_report *report,
					const struct ctprof_report_line *line, gint field);
