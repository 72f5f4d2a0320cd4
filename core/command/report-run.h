/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From snapshot files to a drawn report. */
#pragma once

#include <glib.h>

#include "plugin/session.h"
#include "present.h"
#include "report/report.h"

typedef struct report_run {
	AnalysisOptions *options;
	const char *const *files;    /* one, or two to compare */
	const GArray *hidden;        /* gint32: processes to leave out; NULL: none */
	gboolean must_be_window;     /* two captures of one boot, else it is an error */
	const CommandFacts *command; /* what stat ran; NULL: nothing */
	Presentation how;
	/* Before anything is drawn; NULL: nothing to do. */
	gboolean (*finished)(const Analysis *analysis, GError **error);
} ReportRun;

/* Reads the files, prints the report's warnings, draws it.  ret_met: whether
 * --fail-on is met. */
gboolean report_run(const Globals *globals, const ReportRun *run, gboolean *ret_met,
		    GError **error);
