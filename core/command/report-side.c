/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-side.h"

#include "base/error.h"
#include "guard/crash.h"

/* Our own processes, and those they start.  The first one also started the command. */
static gboolean is_hidden(const ReportSide *side, const Registry *registry,
			  const struct ctprof_rows *rows, guint64 row)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, row);
	/* Older kernels do not report the process of ended threads. */
	gint32 process = target->tgid ? target->tgid : target->tid;
	guint64 parent = registry_number(registry, rows, row, "ppid");

	for (guint i = 0; i < side->hidden->len; i++) {
		gint32 hidden = g_array_index(side->hidden, gint32, i);

		if (hidden == process || (i > 0 && (guint64)hidden == parent))
			return TRUE;
	}
	return FALSE;
}

static gboolean add_rows(const ReportSide *side, const Registry *registry,
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

/* Passes on the rows between hidden ones, and those for what they cost. */
static gboolean add_seen_rows(const ReportSide *side, const Registry *registry,
			      const struct ctprof_rows *rows, GError **error)
{
	guint64 from = 0;

	for (guint64 i = 0; i < rows->n; i++) {
		if (!is_hidden(side, registry, rows, i))
			continue;
		analysis_add_own(side->analysis, side->index, registry, rows, i);
		if (!add_rows(side, registry, rows, from, i, error))
			return FALSE;
		from = i + 1;
	}
	return add_rows(side, registry, rows, from, rows->n, error);
}

gboolean report_side_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	ReportSide *side = data;

	if (crash_fail_interrupted(error))
		return FALSE;
	context_note_rows(side->context, registry, rows);
	if (side->hidden &&
	    (rows->scope == CTPROF_SCOPE_THREAD || rows->scope == CTPROF_SCOPE_EXIT))
		return add_seen_rows(side, registry, rows, error);
	return analysis_add(side->analysis, side->index, registry, rows, error);
}

/* Two captures of one boot are a window, unless the user wants totals; why: the
 * reason if they are not. */
static gboolean take_span(AnalysisOptions *options, const char *window, const char *why,
			  const ContextSpan *span, GError **error)
{
	if (window && (why || !span->of_one_boot))
		return error_set_usage(error, "%s: %s", window,
				       why ? why : "the boot of a capture is unknown");
	if (why && options->rate)
		return error_set_failed(error, "--rate: %s", why);
	options->elapsed_s = span->seconds;
	options->began = span->began;
	options->is_window = options->may_be_window && !why && span->of_one_boot;
	return TRUE;
}

void report_side_note(AnalysisOptions *options, guint side, const Context *context)
{
	options->now[side] = context_now(context);
	options->taken_s[side] = context_taken(context);
	options->realtime_ns[side] = context_realtime(context);
	options->unseen[side] = context_unseen(context);
}

gboolean report_relate(AnalysisOptions *options, Analysis *analysis, const Context *baseline,
		       const Context *candidate, const char *window, GError **error)
{
	ContextSpan span = {.seconds = 0};
	g_autoptr(GPtrArray) differences = context_compare(baseline, candidate);

	for (guint i = 0; i < differences->len; i++)
		analysis_differ(analysis, g_ptr_array_index(differences, i));
	report_side_note(options, 0, baseline);
	report_side_note(options, 1, candidate);
	options->is_whole_host = context_is_whole(baseline) && context_is_whole(candidate);
	return take_span(options, window, context_span(baseline, candidate, &span), &span, error);
}
