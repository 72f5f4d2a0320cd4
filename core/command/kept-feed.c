/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kept-feed.h"

#include "road/filling.h"

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

/* "17:12:05", as people call it. */
static const char *name_of(const Sample *sample)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_local((gint64)(sample->realtime_ns / NS_PER_S));
	g_autofree char *name = time ? g_date_time_format(time, "%H:%M:%S") : g_strdup("?");

	return g_intern_string(name);
}

gboolean kept_feed_load(Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error)
{
	const KeptFeed *kept = (const KeptFeed *)feed;

	options->own[0] = kept->own[0];
	options->own[1] = kept->own[1];
	for (guint i = 0; i < G_N_ELEMENTS(kept->samples); i++) {
		options->files[i] = name_of(kept->samples[i]);
		if (!analysis_hold(analysis, i, kept->samples[i]->moment, error))
			return FALSE;
	}
	Context *const contexts[] = {kept->samples[0]->context, kept->samples[1]->context};
	return filling_relate(options, analysis, contexts, NULL, error);
}
