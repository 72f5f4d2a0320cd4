/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-run.h"

#include "base/error.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

#define MAX_HITS 3

/* Rows of one file on their way into the analysis. */
struct side {
	Analysis *analysis;
	guint index;
	Context *context;
	const GArray *hidden;
};

/* The parent of a process, 0: unknown. */
static gint32 parent_of(const Registry *registry, const struct ctprof_rows *rows, guint64 row)
{
	const Metric *metric = registry_named(registry, registry_row_of_scope(rows->scope), "ppid");
	gsize at = metric ? row * rows->n_slots + metric->index : 0;

	return metric && metric->type == CTPROF_TYPE_U64 && rows->states[at] == CTPROF_PRESENT &&
			       rows->values[at] <= G_MAXINT32
		       ? (gint32)rows->values[at]
		       : 0;
}

/* Processes of ours, and what these start.  The first of them also started the command. */
static gboolean is_hidden(const struct side *side, const Registry *registry,
			  const struct ctprof_rows *rows, guint64 row)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, row);
	/* Of what ended, older kernels do not tell the process. */
	gint32 process = target->tgid ? target->tgid : target->tid;
	gint32 parent = parent_of(registry, rows, row);

	for (guint i = 0; i < side->hidden->len; i++) {
		gint32 hidden = g_array_index(side->hidden, gint32, i);

		if (hidden == process || (i > 0 && hidden == parent))
			return TRUE;
	}
	return FALSE;
}

static gboolean add_rows(const struct side *side, const Registry *registry,
			 const struct ctprof_rows *rows, guint64 from, guint64 to, GError **error)
{
	struct ctprof_rows part = *rows;

	if (from == to)
		return TRUE;
	part.n = to - from;
	part.targets = ctprof_rows_target(rows, from);
	part.values += from * rows->n_slots;
	part.states += from * rows->n_slots;
	return analysis_add(side->analysis, side->index, registry, &part, error);
}

/* Hands on what lies between hidden rows. */
static gboolean add_seen_rows(const struct side *side, const Registry *registry,
			      const struct ctprof_rows *rows, GError **error)
{
	guint64 from = 0;

	for (guint64 i = 0; i < rows->n; i++) {
		if (!is_hidden(side, registry, rows, i))
			continue;
		if (!add_rows(side, registry, rows, from, i, error))
			return FALSE;
		from = i + 1;
	}
	return add_rows(side, registry, rows, from, rows->n, error);
}

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	struct side *side = data;

	if (crash_fail_interrupted(error))
		return FALSE;
	context_note_rows(side->context, registry, rows);
	if (side->hidden &&
	    (rows->scope == CTPROF_SCOPE_THREAD || rows->scope == CTPROF_SCOPE_EXIT))
		return add_seen_rows(side, registry, rows, error);
	return analysis_add(side->analysis, side->index, registry, rows, error);
}

static gboolean load_side(const Session *session, const char *file, struct side *side,
			  GError **error)
{
	g_autoptr(Loaded) loaded =
		load_file(presenting_reader(session), file, take_rows, side, error);

	if (!loaded)
		return FALSE;
	context_note_facts(side->context, &loaded->facts);
	return analysis_bind(side->analysis, side->index, loaded->registry, error);
}

/* Two captures of one boot are a window, unless the user wants totals; why: they
 * are not. */
static gboolean take_span(const ReportRun *run, const char *why, const ContextSpan *span,
			  GError **error)
{
	AnalysisOptions *options = run->options;

	if (run->must_be_window && (why || !span->of_one_boot))
		return error_set_usage(error, "--window: %s",
				       why ? why : "the boot of a capture is not known");
	if (why && options->rate)
		return error_set_failed(error, "--rate: %s", why);
	options->elapsed_s = span->seconds;
	options->began = span->began;
	options->is_window = options->may_be_window && !why && span->of_one_boot;
	return TRUE;
}

static gboolean load_files(const Session *session, const ReportRun *run, Analysis *analysis,
			   GError **error)
{
	AnalysisOptions *options = run->options;
	g_autoptr(Context) baseline = context_new();
	g_autoptr(Context) candidate = context_new();
	struct side sides[] = {
		{.analysis = analysis, .index = 0, .context = baseline, .hidden = run->hidden},
		{.analysis = analysis, .index = 1, .context = candidate, .hidden = run->hidden},
	};

	ContextSpan span = {.seconds = 0};

	if (!load_side(session, run->files[0], &sides[0], error))
		return FALSE;
	options->now = context_now(baseline);
	if (!options->compare)
		return TRUE;
	if (!load_side(session, run->files[1], &sides[1], error))
		return FALSE;
	g_autoptr(GPtrArray) differences = context_compare(baseline, candidate);
	for (guint i = 0; i < differences->len; i++)
		analysis_warn(analysis, g_ptr_array_index(differences, i));
	options->now = context_now(candidate);
	options->is_whole_host = context_is_whole(baseline) && context_is_whole(candidate);
	return take_span(run, context_span(baseline, candidate, &span), &span, error);
}

/* The first of them; JSON has all. */
static void tell_hits(const struct ctprof_report *report)
{
	for (guint64 i = 0; i < MIN(report->n_hits, MAX_HITS); i++) {
		const struct ctprof_report_hit *hit = &report->hits[i];
		g_autofree char *names =
			g_strjoin(" ", hit->names[0], hit->n_names > 1 ? hit->names[1] : NULL,
				  hit->n_names > 2 ? hit->names[2] : NULL, NULL);

		ui_warning("--fail-on '%s' holds in %s: %.6g %s", hit->condition, names, hit->value,
			   hit->unit);
	}
	if (report->n_hits > MAX_HITS)
		ui_warning("--fail-on holds in %" G_GUINT64_FORMAT
			   " more (--format json lists all)",
			   report->n_hits - MAX_HITS);
}

gboolean report_run(const Globals *globals, const ReportRun *run, gboolean *ret_met, GError **error)
{
	run->options->command = run->command;
	g_autoptr(Analysis) analysis = analysis_new(run->options, error);
	g_autoptr(Session) session = analysis ? presenting_open(globals, error) : NULL;

	presenting_limit_memory();
	if (!session || !load_files(session, run, analysis, error))
		return FALSE;
	const struct ctprof_report *report = analysis_finish(analysis, error);
	if (!report || (run->finished && !run->finished(analysis, error)))
		return FALSE;
	for (guint64 i = 0; i < report->n_warnings; i++)
		ui_warning("%s", report->warnings[i]);
	*ret_met = analysis_failed(analysis);
	tell_hits(report);
	if (!presenting_draw(session, report, &run->how, error))
		return FALSE;
	return !analysis_unjudged(analysis) ||
	       error_set_failed(error, "%s", analysis_unjudged(analysis));
}
