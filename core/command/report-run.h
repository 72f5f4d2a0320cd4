/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a report of snapshot files, of several runs, or of this host, and draws it. */
#pragma once

#include <glib.h>

#include "plugin/session.h"
#include "present.h"
#include "report/report.h"
#include "road/capturing.h"
#include "road/load.h"

/* --at and --sample; --from and --to. */
extern const Option sample_options[];
extern const Option window_options[];

typedef struct report_run {
	const AnalysisOptions *options;
	const char *const *files;        /* one; two to compare; one with .compare for a window */
	const char *const *names;        /* of the files or sides, to be shown; NULL: files */
	const GPtrArray *sides[2];       /* instead of files, SavedRun *: runs of one or two
					  * sides */
	const CapturingRequest *capture; /* instead of files: this host now */
	const GArray *hidden;            /* gint32: processes to leave out; NULL: none */
	gboolean is_window;              /* one recording, two of whose samples are compared */
	gboolean must_be_window;         /* two captures of one boot are required */
	const CommandFacts *command;     /* the command of stat; NULL: no command has ended */
	Presentation how;
	/* Called before anything is drawn; NULL: nothing to do. */
	gboolean (*finished)(const Analysis *analysis, GError **error);
} ReportRun;

/* Reads what is to be reported, prints the report's warnings and draws the report.  ret_met:
 * whether --fail-on is met. */
gboolean report_run(Globals *globals, const ReportRun *run, gboolean *ret_met, GError **error);
