/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of one file on their way into the analysis. */
#pragma once

#include "report/report.h"
#include "snapshot/context.h"

typedef struct report_side {
	Analysis *analysis;
	guint index;
	Context *context;
	const GArray *hidden; /* gint32: processes of ctprof itself; NULL: none */
} ReportSide;

/* A LoadRows. */
gboolean report_side_take(gpointer side, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error);

/* Notes when the side was captured, and what it lacks. */
void report_side_note(AnalysisOptions *options, guint side, const Context *context);
/* Call once the rows of both sides are in the analysis: relates the two captures.  window: the
 * option by which they must be of one boot; NULL: need not. */
gboolean report_relate(AnalysisOptions *options, Analysis *analysis, const Context *baseline,
		       const Context *candidate, const char *window, GError **error);
