/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-run.h"

#include "base/error.h"
#include "base/ui.h"
#include "frame/units.h"
#include "guard/limits.h"
#include "report/join/runs.h"
#include "report/section/verdicts.h"
#include "road/run-set.h"

#define MAX_HITS 3

const Option sample_options[] = {
	OPTION(TEXT, "at", 0, &sample_choice.at, "TIME",
	       "The sample of a recording at TIME; with show, the window that ended there: 2026-11-22T03:12:00Z, 03:12 (local), +90s from "
	       "its start, -5m from its end, @NAME of a mark"),
	OPTION(TEXT, "sample", 0, &sample_choice.sample, "N",
	       "Sample N of a recording, from 0; negative: from the end",
	       .row.default_value = "-1"),
	OPTION_END,
};

const Option window_options[] = {
	OPTION(TEXT, "from", 0, &sample_choice.from, "TIME",
	       "Begin at TIME in a recording, in the format of show --at (default: its start)"),
	OPTION(TEXT, "to", 0, &sample_choice.to, "TIME", "End at TIME (default: its end)"),
	OPTION_END,
};

/* ---- several runs --------------------------------------------------------- */

/* One run is analysed at a time; of the others, only the values are kept. */
static gboolean take_run(const Session *session, const AnalysisOptions *options, guint side,
			 guint number, const SavedRun *saved, GError **error)
{
	const char *const files[] = {saved->before, saved->after, NULL};
	AnalysisOptions own = *options;
	g_autoptr(Recording) first = load_open(session, saved->before, error);

	if (!first)
		return FALSE;
	/* A recording of several samples has a beginning and an end. */
	own.compare = saved->after || recording_n_samples(first) > 1;
	own.may_be_window = own.compare;
	own.command = saved->facts.wall_ns > 0 ? &saved->facts : NULL;
	own.runs->of_schedulers |= saved->facts.scheduler != NULL;
	own.hidden = saved->own;
	own.files[0] = files[0];
	own.files[1] = files[1];
	const LoadRequest request = {
		.files = files, .first = first, .window = own.compare ? "BEFORE,AFTER" : NULL};
	g_autoptr(Filling) filling = filling_new(&own, error);
	if (!filling || !load_files(session, &request, filling, error) ||
	    !analysis_collect(filling->analysis, side, number, own.command, error)) {
		g_prefix_error(error, "%s: ", saved->before);
		return FALSE;
	}
	return TRUE;
}

static gboolean take_runs(const Session *session, const ReportRun *run,
			  const AnalysisOptions *options, GError **error)
{
	for (guint side = 0; side < G_N_ELEMENTS(run->sides); side++)
		for (guint i = 0; i < run->sides[side]->len; i++)
			if (!take_run(session, options, side, i,
				      g_ptr_array_index(run->sides[side], i), error))
				return FALSE;
	return TRUE;
}

/* ---- drawing ---------------------------------------------------------------- */

static void print_hit(const struct ctprof_report_hit *hit)
{
	g_autofree char *names =
		g_strjoin(" ", hit->names[0], hit->n_names > 1 ? hit->names[1] : NULL,
			  hit->n_names > 2 ? hit->names[2] : NULL, NULL);

	g_autofree char *q = hit->runs && hit->runs->flags & CTPROF_RUNS_HAS_Q
				     ? g_strdup_printf("q %.2g, ", hit->runs->q)
				     : g_strdup("");

	g_autofree char *value = unit_format(hit->unit, hit->value, hit->runs != NULL);
	g_autofree char *limit = unit_format(hit->unit, hit->limit, FALSE);

	if (hit->runs)
		ui_warning("--fail-on '%s': met by %s: %s by %s (limit %s), %sp %.2g",
			   hit->condition, names, hit->metric, value, limit, q, hit->runs->p);
	else
		/* A condition on all metrics does not name the one that met it. */
		ui_warning("--fail-on '%s': met by %s: %s%s%s", hit->condition, names,
			   strstr(hit->condition, hit->metric) ? "" : hit->metric,
			   strstr(hit->condition, hit->metric) ? "" : " by ", value);
}

/* Prints the first hits; JSON output has all. */
static void print_hits(const struct ctprof_report *report)
{
	for (guint64 i = 0; i < MIN(report->n_hits, MAX_HITS); i++)
		print_hit(&report->hits[i]);
	if (report->n_hits > MAX_HITS)
		ui_warning("--fail-on: met by %" G_GUINT64_FORMAT " more (--format json lists all)",
			   report->n_hits - MAX_HITS);
}

/* Differences of setup are shown above the table of runs. */
static void print_warnings(const ReportRun *run, const struct ctprof_report *report)
{
	gboolean shows_setup = run->sides[0] && presenting_is_default();

	for (guint64 i = 0; i < report->n_warnings; i++)
		if (!shows_setup || !g_str_has_prefix(report->warnings[i], VERDICTS_SETUP))
			ui_warning("%s", report->warnings[i]);
}

/* Finishes the analysis, prints its warnings and draws the report; fails if a condition could not
 * be judged. */
static gboolean present(const Session *session, const ReportRun *run, Analysis *analysis,
			Output *output, gboolean *ret_met, GError **error)
{
	const struct ctprof_report *report =
		run->sides[0] ? analysis_judge_runs(analysis) : analysis_finish(analysis, error);

	if (!report || (run->finished && !run->finished(analysis, error)))
		return FALSE;
	print_warnings(run, report);
	*ret_met = analysis_failed(analysis);
	print_hits(report);
	if (!presenting_draw(session, report, &run->how, output, error))
		return FALSE;
	return !analysis_unjudged(analysis) ||
	       error_set_failed(error, "%s", analysis_unjudged(analysis));
}

/* ---- this host ---------------------------------------------------------------- */

typedef struct now {
	const ReportRun *run;
	Filling *filling;
	Output *output;
	gboolean *ret_met;
} Now;

static gboolean take_now(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			 GError **error)
{
	const Now *now = data;

	return analysis_add(now->filling->analysis, 0, registry, rows, error);
}

static gboolean finish_now(gpointer data, const Session *session, GError **error)
{
	const Now *now = data;
	Analysis *analysis = now->filling->analysis;

	return analysis_bind(analysis, 0, session->registry, error) &&
	       present(session, now->run, analysis, now->output, now->ret_met, error);
}

static gboolean report_now(Globals *globals, Now *now, GError **error)
{
	CapturingRequest request = *now->run->capture;

	now->filling->options.captures[0].realtime_ns = (guint64)g_get_real_time() * 1000;
	request.sink = (char *)(uintptr_t)presenting_sink();
	request.each = take_now;
	request.finished = finish_now;
	request.data = now;
	limits_set_memory();
	return capturing_run(globals, &request, error);
}

/* ---- all of them ---------------------------------------------------------------- */

/* Opens all files the user names, while the process still has the user's rights;
 * returns the output. */
static Output *open_files(const ReportRun *run, GError **error)
{
	for (guint i = 0; run->files && i < G_N_ELEMENTS(run->sides) && run->files[i]; i++)
		load_keep(run->files[i]);
	for (guint side = 0; run->sides[0] && side < G_N_ELEMENTS(run->sides); side++)
		for (guint i = 0; i < run->sides[side]->len; i++) {
			const SavedRun *saved = g_ptr_array_index(run->sides[side], i);

			load_keep(saved->before);
			load_keep(saved->after);
		}
	return presenting_open_output(error);
}

static gboolean report_files(const Session *session, const ReportRun *run, Filling *filling,
			     GError **error)
{
	const LoadRequest request = {
		.files = run->files,
		.window = run->must_be_window ? "--window" : NULL,
		.has_past = !filling->options.view && !filling->options.metrics,
	};

	return load_files(session, &request, filling, error);
}

gboolean report_run(Globals *globals, const ReportRun *run, gboolean *ret_met, GError **error)
{
	const guint n[] = {run->sides[0] ? run->sides[0]->len : 0,
			   run->sides[1] ? run->sides[1]->len : 0};
	g_autoptr(Runs) runs = run->sides[0] ? runs_new(n) : NULL;
	AnalysisOptions options = *run->options;

	options.command = run->command;
	options.hidden = run->hidden;
	if (runs) {
		options.runs = runs;
		options.compare = n[1] > 0;
		options.may_be_window = FALSE;
	}
	g_autoptr(Filling) filling = filling_new(&options, error);
	g_autoptr(Output) output = filling ? open_files(run, error) : NULL;
	if (run->capture && output) {
		Now now = {run, filling, output, ret_met};

		return report_now(globals, &now, error);
	}
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;
	return session &&
	       (runs ? take_runs(session, run, &options, error)
		     : report_files(session, run, filling, error)) &&
	       present(session, run, filling->analysis, output, ret_met, error);
}
