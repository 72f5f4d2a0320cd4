/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the files of several runs to a drawn report. */
#pragma once

#include <glib.h>

#include "plugin/session.h"
#include "present.h"
#include "report/plan/options.h"

typedef struct runs_run {
	const AnalysisOptions *options;
	const GPtrArray *sides[2]; /* SavedRun *, for each side; [1] may be empty */
	Presentation how;
} RunsRun;

/* Reads the files one run after the other, tests, draws the report.  ret_met: whether
 * --fail-on is met. */
gboolean runs_run(const Globals *globals, const RunsRun *run, gboolean *ret_met, GError **error);
