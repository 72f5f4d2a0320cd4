/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From snapshot files, several runs, or this host, to a drawn report. */
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
	const char *const *files;        /* one, or two to compare; one with .compare: a window */
	const char *const *names;        /* theirs, or of the sides, in the report; NULL: files */
	const GPtrArray *sides[2];       /* instead, SavedRun *: runs of two sides, or of one */
	const CapturingRequest *capture; /* instead: this host now, without a file */
	const GArray *hidden;            /* gint32: processes to leave out; NULL: none */
	gboolean is_window;              /* one recording, of which two samples are compared */
	gboolean must_be_window;         /* two captures of one boot, else it is an error */
	const CommandFacts *command;     /* the command of stat; NULL: none has ended */
	Presentation how;
	/* Called before anything is drawn; NULL: nothing to do. */
	gboolean (*finished)(const Analysis *analysis, GError **error);
} ReportRun;

/* Reads what is to be reported, prints the report's warnings, draws the report.  ret_met:
 * whether --fail-on is met. */
gboolean report_run(Globals *globals, const ReportRun *run, gboolean *ret_met, GError **error);
