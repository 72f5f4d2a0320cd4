/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report of this host, while it is captured. */
#pragma once

#include "capture-options.h"
#include "report-run.h"

/* As report_run() does of files: captured as in the request, without one. */
gboolean report_now(Globals *globals, const CapturingRequest *request, const ReportRun *run,
		    gboolean *ret_met, GError **error);
