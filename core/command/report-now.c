/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-now.h"

#include "guard/limits.h"

struct now {
	const ReportRun *run;
	Analysis *analysis;
	Output *output;
	gboolean *ret_met;
};

static gboolean take_now(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			 GError **error)
{
	const struct now *now = data;

	return analysis_add(now->analysis, 0, registry, rows, error);
}

static gboolean finish_now(gpointer data, const Session *session, GError **error)
{
	const struct now *now = data;

	return analysis_bind(now->analysis, 0, session->registry, error) &&
	       report_present(session, now->run, now->analysis, now->output, now->ret_met, error);
}

gboolean report_now(Globals *globals, const CapturingRequest *request, const ReportRun *run,
		    gboolean *ret_met, GError **error)
{
	g_autoptr(Analysis) analysis = analysis_new(run->options, error);
	g_autoptr(Output) output = analysis ? presenting_open_output(error) : NULL;
	struct now now = {run, analysis, output, ret_met};
	CapturingRequest own = *request;

	if (!output)
		return FALSE;
	run->options->realtime_ns[0] = (guint64)g_get_real_time() * 1000;
	own.sink = (char *)(uintptr_t)presenting_sink();
	own.each = take_now;
	own.finished = finish_now;
	own.data = &now;
	limits_set_memory();
	return capturing_run(globals, &own, error);
}
