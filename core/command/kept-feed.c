/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kept-feed.h"

#include "report-side.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

void kept_feed_clear(KeptFeed *kept)
{
	for (guint i = 0; i < G_N_ELEMENTS(kept->samples); i++)
		g_clear_pointer(&kept->samples[i], sample_free);
	g_clear_pointer(&kept->taken, sample_free);
}

void kept_feed_push(KeptFeed *kept, Sample *sample)
{
	g_clear_pointer(&kept->samples[0], sample_free);
	kept->samples[0] = kept->samples[1];
	kept->samples[1] = sample;
}

gboolean kept_feed_is_ready(const Feed *feed)
{
	return ((const KeptFeed *)feed)->samples[0] != NULL;
}

/* Rows of a sample on their way into the analysis. */
struct side {
	Analysis *analysis;
	guint index;
	Context *context;
};

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	const struct side *side = data;

	context_note_rows(side->context, registry, rows);
	return analysis_add(side->analysis, side->index, registry, rows, error);
}

static gboolean load_side(const Sample *sample, struct side *side, GError **error)
{
	context_note_facts(side->context, sample_facts(sample));
	return analysis_bind(side->analysis, side->index, sample_registry(sample), error) &&
	       sample_replay(sample, take_rows, side, error);
}

gboolean kept_feed_load_one(const Sample *sample, Analysis *analysis, GError **error)
{
	g_autoptr(Context) context = context_new();
	struct side side = {analysis, 0, context};

	return load_side(sample, &side, error);
}

/* "17:12:05", as people call it. */
static const char *name_of(const Sample *sample)
{
	guint64 ns = sample_facts(sample)->realtime_ns;
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_local((gint64)(ns / NS_PER_S));
	g_autofree char *name = time ? g_date_time_format(time, "%H:%M:%S") : g_strdup("?");

	return g_intern_string(name);
}

gboolean kept_feed_load(Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error)
{
	const KeptFeed *kept = (const KeptFeed *)feed;
	g_autoptr(Context) before = context_new();
	g_autoptr(Context) after = context_new();
	struct side sides[] = {{analysis, 0, before}, {analysis, 1, after}};

	for (guint i = 0; i < G_N_ELEMENTS(sides); i++) {
		options->files[i] = name_of(kept->samples[i]);
		if (!load_side(kept->samples[i], &sides[i], error))
			return FALSE;
	}
	return report_relate(options, analysis, before, after, NULL, error);
}
