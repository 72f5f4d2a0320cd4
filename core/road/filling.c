/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filling.h"

#include "base/error.h"
#include "guard/crash.h"

Filling *filling_new(const AnalysisOptions *options, GError **error)
{
	g_autoptr(Filling) filling = g_new0(Filling, 1);

	filling->options = *options;
	filling->contexts[0] = context_new();
	filling->contexts[1] = context_new();
	filling->analysis = analysis_new(&filling->options, error);
	return filling->analysis ? g_steal_pointer(&filling) : NULL;
}

void filling_free(Filling *filling)
{
	g_clear_pointer(&filling->analysis, analysis_free);
	g_clear_pointer(&filling->options.past, series_free);
	g_clear_pointer(&filling->options.host_past, series_free);
	g_clear_pointer(&filling->options.marks, g_array_unref);
	context_free(filling->contexts[0]);
	context_free(filling->contexts[1]);
	g_free(filling);
}

/* ---- rows ------------------------------------------------------------------------------ */

gboolean filling_take(Filling *filling, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error)
{
	if (crash_fail_interrupted(error))
		return FALSE;
	context_note_rows(filling->contexts[side], registry, rows);
	return analysis_add(filling->analysis, side, registry, rows, error);
}

gboolean filling_end_side(Filling *filling, guint side, const Registry *registry,
			  const LoadFacts *facts, GError **error)
{
	if (facts)
		context_note_facts(filling->contexts[side], facts);
	return analysis_bind(filling->analysis, side, registry, error);
}

/* A TakeRows. */
static gboolean take_sample(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			    GError **error)
{
	for (const SampleSide *to = data; to->filling; to++)
		if ((!to->of_host || rows->scope == CTPROF_SCOPE_HOST) &&
		    !filling_take(to->filling, to->side, registry, rows, error))
			return FALSE;
	return TRUE;
}

Loaded *filling_read(Recording *recording, guint sample, guint n_exits, const SampleSide *sides,
		     GError **error)
{
	gboolean is_whole = FALSE;

	for (const SampleSide *to = sides; to->filling; to++)
		is_whole |= !to->of_host;
	g_autoptr(Loaded) loaded = (is_whole ? recording_read : recording_read_host)(
		recording, sample, n_exits, take_sample, (gpointer)(uintptr_t)sides, error);
	for (const SampleSide *to = sides; loaded && to->filling; to++)
		if (!filling_end_side(to->filling, to->side, loaded->registry, &loaded->facts,
				      error))
			return NULL;
	return g_steal_pointer(&loaded);
}

/* ---- captures -------------------------------------------------------------------------- */

/* Two captures of one boot are a window, unless the user wants totals; why: the reason why they are
 * not; NULL: they are. */
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

gboolean filling_relate(AnalysisOptions *options, Analysis *analysis, Context *const contexts[2],
			const char *window, GError **error)
{
	ContextSpan span = {.seconds = 0};
	const Context *baseline = contexts[0], *candidate = contexts[1];
	g_autoptr(GPtrArray) differences = context_compare(baseline, candidate);

	for (guint i = 0; i < differences->len; i++)
		analysis_add_difference(analysis, g_ptr_array_index(differences, i));
	for (guint side = 0; side < G_N_ELEMENTS(options->captures); side++)
		options->captures[side] = context_capture(contexts[side]);
	options->is_whole_host = context_is_whole(baseline) && context_is_whole(candidate);
	return take_span(options, window, context_span(baseline, candidate, &span), &span, error);
}
