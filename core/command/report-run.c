/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-run.h"

#include "base/error.h"
#include "base/ui.h"
#include "frame/units.h"
#include "guard/userfile.h"
#include "report-past.h"
#include "report-side.h"
#include "snapshot/context.h"
#include "snapshot/read.h"
#include "snapshot/when.h"

#define MAX_HITS 3

SampleChoice sample_choice;

const Option sample_options[] = {
	OPTION(TEXT, "at", 0, &sample_choice.at, "TIME",
	       "The sample of a recording at TIME; of show, the window that ended there: 2026-11-22T03:12:00Z, 03:12 (local), +90s from "
	       "its start, -5m from its end"),
	OPTION(TEXT, "sample", 0, &sample_choice.sample, "N",
	       "Sample N of a recording, from 0; negative: from the end",
	       .row.default_value = "-1"),
	OPTION_END,
};

const Option window_options[] = {
	OPTION(TEXT, "from", 0, &sample_choice.from, "TIME",
	       "Begin at TIME in a recording, in the format of --at of show (default: its start)"),
	OPTION(TEXT, "to", 0, &sample_choice.to, "TIME", "End at TIME (default: its end)"),
	OPTION_END,
};

Recording *report_open(const Session *session, const char *file, GError **error)
{
	g_autoptr(Recording) recording = recording_open(presenting_reader(session), file, error);

	if (recording && recording_damage(recording))
		ui_warning("%s: %s", file, recording_damage(recording));
	return g_steal_pointer(&recording);
}

static gboolean load_side(Recording *recording, guint sample, guint n_exits, ReportSide *side,
			  GError **error)
{
	g_autoptr(Loaded) loaded =
		recording_read(recording, sample, n_exits, report_side_take, side, error);

	if (!loaded)
		return FALSE;
	if (loaded->facts.note) {
		g_autofree char *when = when_name(recording, sample);
		g_autofree char *text = g_strdup_printf("before %s: %s", when, loaded->facts.note);

		analysis_warn(side->analysis, text);
	}
	context_note_facts(side->context, &loaded->facts);
	return analysis_bind(side->analysis, side->index, loaded->registry, error);
}

/* Chooses the sample of a report of one. */
static gboolean choose_sample(const Recording *recording, guint *ret_sample, GError **error)
{
	const SampleChoice *choice = &sample_choice;

	if (choice->at && choice->sample)
		return error_set_usage(error, "--at and --sample exclude each other");
	if (choice->at)
		return when_find(recording, "--at", choice->at, ret_sample, error);
	if (choice->sample)
		return when_find_number(recording, "--sample", choice->sample, ret_sample, error);
	*ret_sample = recording_n_samples(recording) - 1;
	return TRUE;
}

/* Chooses the two samples of a window within one recording. */
static gboolean choose_window(const Recording *recording, guint *ret_from, guint *ret_to,
			      GError **error)
{
	const SampleChoice *choice = &sample_choice;

	*ret_from = 0;
	*ret_to = recording_n_samples(recording) - 1;
	if (choice->from && !when_find(recording, "--from", choice->from, ret_from, error))
		return FALSE;
	if (choice->to && !when_find(recording, "--to", choice->to, ret_to, error))
		return FALSE;
	if (choice->at && !when_find(recording, "--at", choice->at, ret_to, error))
		return FALSE;
	/* No window ends at the first sample, but one begins there. */
	if (choice->at) {
		*ret_from = MAX(*ret_to, 1) - 1;
		*ret_to = MIN(*ret_from + 1, recording_n_samples(recording) - 1);
	}
	if (*ret_from < *ret_to)
		return TRUE;
	if (recording_n_samples(recording) == 1)
		return error_set_usage(error, "expected two snapshots, or a recording of several "
					      "samples ('ctprof show FILE' shows one)");
	return error_set_usage(error,
			       "--from, --to: both are in one sample, or in the wrong order");
}

/* ---- the past of a recording --------------------------------------------- */

/* For reports that have a first screen. */
static gboolean load_past(const ReportRun *run, Recording *recording, guint from, guint to,
			  GError **error)
{
	if (run->is_run || run->options->view || run->options->metrics || to < from + 2)
		return TRUE;
	return report_read_past(recording, from, to, run->options, run->hidden, error);
}

/* Of one sample those before it, as far as they cost little to read. */
static guint begin_of_past(const Recording *recording, guint sample)
{
	return recording_find_key(recording, sample - MIN(sample, 2 * PAST_WINDOWS));
}

/* ---- sides ------------------------------------------------------------------ */

/* Appends the sample of a recording to the file's name in the report. */
static void name_side(const ReportRun *run, guint side, const Recording *recording, guint sample)
{
	g_autofree char *when = when_name(recording, sample);
	g_autofree char *name = g_strdup_printf("%s@%s", run->files[0], when);

	run->options->files[side] = g_intern_string(name);
}

/* The file of a side: opened already, or ret_own. */
static Recording *open_side(const Session *session, const ReportRun *run, guint side,
			    Recording **ret_own, GError **error)
{
	if (side == 0 && run->first)
		return run->first;
	return *ret_own = report_open(session, run->files[side], error);
}

/* Both sides from one file: exits of all samples in between belong to the
 * window. */
static gboolean load_window(const Session *session, const ReportRun *run, ReportSide *sides,
			    GError **error)
{
	g_autoptr(Recording) own = NULL;
	Recording *recording = open_side(session, run, 0, &own, error);
	guint from, to;

	if (!recording || !choose_window(recording, &from, &to, error))
		return FALSE;
	name_side(run, 0, recording, from);
	name_side(run, 1, recording, to);
	return load_past(run, recording, from, to, error) &&
	       load_side(recording, from, 1, &sides[0], error) &&
	       load_side(recording, to, to - from, &sides[1], error);
}

static gboolean load_one(const Session *session, const ReportRun *run, guint index,
			 ReportSide *side, GError **error)
{
	g_autoptr(Recording) own = NULL;
	Recording *recording = open_side(session, run, index, &own, error);
	guint sample;

	return recording && choose_sample(recording, &sample, error) &&
	       (run->options->compare ||
		load_past(run, recording, begin_of_past(recording, sample), sample, error)) &&
	       load_side(recording, sample, 1, side, error);
}

gboolean report_load(const Session *session, const ReportRun *run, Analysis *analysis,
		     GError **error)
{
	AnalysisOptions *options = run->options;
	g_autoptr(Context) baseline = context_new();
	g_autoptr(Context) candidate = context_new();
	ReportSide sides[] = {
		{.analysis = analysis, .index = 0, .context = baseline, .hidden = run->hidden},
		{.analysis = analysis, .index = 1, .context = candidate, .hidden = run->hidden},
	};

	gboolean is_window = options->compare && !run->files[1];
	const char *window = run->is_run ? "BEFORE,AFTER" : "--window";
	if (!(is_window ? load_window(session, run, sides, error)
			: load_one(session, run, 0, &sides[0], error)))
		return FALSE;
	report_side_note(options, 0, baseline);
	if (context_is_redacted(baseline))
		analysis_warn(analysis, "the capture is redacted: names are pseudonyms");
	if (!options->compare)
		return TRUE;
	return (is_window || load_one(session, run, 1, &sides[1], error)) &&
	       report_relate(options, analysis, baseline, candidate,
			     run->must_be_window ? window : NULL, error);
}

static void tell_hit(const struct ctprof_report_hit *hit)
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

/* Reports the first ones; JSON has all. */
static void tell_hits(const struct ctprof_report *report)
{
	for (guint64 i = 0; i < MIN(report->n_hits, MAX_HITS); i++)
		tell_hit(&report->hits[i]);
	if (report->n_hits > MAX_HITS)
		ui_warning("--fail-on: met by %" G_GUINT64_FORMAT " more (--format json lists all)",
			   report->n_hits - MAX_HITS);
}

/* Opens all files the user names, while the process still has the user's rights;
 * returns the output. */
static Output *open_files(const ReportRun *run, GError **error)
{
	for (guint i = 0; i < (run->options->compare ? 2 : 1) && run->files[i]; i++)
		if (!g_str_equal(run->files[i], "-"))
			userfile_keep(run->files[i], 0);
	return presenting_open_output(error);
}

gboolean report_draw(const Session *session, const Analysis *analysis,
		     const struct ctprof_report *report, const Presentation *how, Output *output,
		     GError **error)
{
	tell_hits(report);
	if (!presenting_draw(session, report, how, output, error))
		return FALSE;
	return !analysis_unjudged(analysis) ||
	       error_set_failed(error, "%s", analysis_unjudged(analysis));
}

gboolean report_present(const Session *session, const ReportRun *run, Analysis *analysis,
			Output *output, gboolean *ret_met, GError **error)
{
	const struct ctprof_report *report = analysis_finish(analysis, error);

	if (!report || (run->finished && !run->finished(analysis, error)))
		return FALSE;
	for (guint64 i = 0; i < report->n_warnings; i++)
		ui_warning("%s", report->warnings[i]);
	*ret_met = analysis_failed(analysis);
	return report_draw(session, analysis, report, &run->how, output, error);
}

gboolean report_run(const Globals *globals, const ReportRun *run, gboolean *ret_met, GError **error)
{
	run->options->command = run->command;
	g_autoptr(Analysis) analysis = analysis_new(run->options, error);
	g_autoptr(Output) output = analysis ? open_files(run, error) : NULL;
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;

	gboolean ok = session && report_load(session, run, analysis, error) &&
		      report_present(session, run, analysis, output, ret_met, error);
	g_clear_pointer(&run->options->past, series_free);
	g_clear_pointer(&run->options->host_past, series_free);
	return ok;
}
