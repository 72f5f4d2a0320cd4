/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runs-run.h"

#include "base/error.h"
#include "base/ui.h"
#include "guard/userfile.h"
#include "report-run.h"
#include "report/join/runs.h"
#include "report/section/verdicts.h"
#include "run-set.h"

/* One run is analysed at a time; only the values of the others are kept. */
static gboolean take_run(const Session *session, const AnalysisOptions *options, guint side,
			 guint number, const SavedRun *saved, GError **error)
{
	const char *const files[] = {saved->before, saved->after, NULL};
	AnalysisOptions own = *options;
	g_autoptr(Recording) first = report_open(session, saved->before, error);

	if (!first)
		return FALSE;
	/* A recording has a beginning and an end. */
	const ReportRun run = {
		.options = &own,
		.files = files,
		.first = first,
		.hidden = saved->own,
		.must_be_window = saved->after || recording_n_samples(first) > 1,
		.is_run = TRUE,
	};

	own.compare = run.must_be_window;
	own.may_be_window = own.compare;
	own.command = saved->facts.wall_ns > 0 ? &saved->facts : NULL;
	own.files[0] = files[0];
	own.files[1] = files[1];
	g_autoptr(Analysis) analysis = analysis_new(&own, error);
	if (!analysis || !report_load(session, &run, analysis, error) ||
	    !analysis_collect(analysis, side, number, own.command, error)) {
		g_prefix_error(error, "%s: ", saved->before);
		return FALSE;
	}
	return TRUE;
}

static gboolean take_runs(const Session *session, const RunsRun *run,
			  const AnalysisOptions *options, GError **error)
{
	for (guint side = 0; side < G_N_ELEMENTS(run->sides); side++)
		for (guint i = 0; i < run->sides[side]->len; i++)
			if (!take_run(session, options, side, i,
				      g_ptr_array_index(run->sides[side], i), error))
				return FALSE;
	return TRUE;
}

/* Differences of setup are above the table. */
static gboolean draw(const Session *session, const RunsRun *run, const Analysis *analysis,
		     const struct ctprof_report *report, Output *output, GError **error)
{
	for (guint64 i = 0; i < report->n_warnings; i++)
		if (!presenting_is_default() ||
		    !g_str_has_prefix(report->warnings[i], VERDICTS_SETUP))
			ui_warning("%s", report->warnings[i]);
	return report_draw(session, analysis, report, &run->how, output, error);
}

/* Opens all files the user names, while the process still has the user's rights;
 * returns the output. */
static Output *open_files(const RunsRun *run, GError **error)
{
	for (guint side = 0; side < G_N_ELEMENTS(run->sides); side++) {
		for (guint i = 0; i < run->sides[side]->len; i++) {
			const SavedRun *saved = g_ptr_array_index(run->sides[side], i);

			userfile_keep(saved->before, 0);
			if (saved->after)
				userfile_keep(saved->after, 0);
		}
	}
	return presenting_open_output(error);
}

gboolean runs_run(const Globals *globals, const RunsRun *run, gboolean *ret_met, GError **error)
{
	const guint n[] = {run->sides[0]->len, run->sides[1]->len};
	AnalysisOptions options = *run->options;
	g_autoptr(Runs) runs = runs_new(n);

	options.runs = runs;
	options.compare = n[1] > 0;
	options.may_be_window = FALSE;
	g_autoptr(Analysis) analysis = analysis_new(&options, error);
	g_autoptr(Output) output = analysis ? open_files(run, error) : NULL;
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;
	if (!session || !take_runs(session, run, &options, error))
		return FALSE;
	const struct ctprof_report *report = analysis_judge_runs(analysis);
	*ret_met = analysis_failed(analysis);
	return draw(session, run, analysis, report, output, error);
}
