/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feed.h"

#include "filling.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

void feed_clear(Feed *feed)
{
	for (guint i = 0; i < G_N_ELEMENTS(feed->samples); i++)
		g_clear_pointer(&feed->samples[i], sample_free);
	g_clear_pointer(&feed->taken, sample_free);
}

void feed_push(Feed *feed, Sample *sample)
{
	g_clear_pointer(&feed->samples[0], sample_free);
	feed->samples[0] = feed->samples[1];
	feed->samples[1] = sample;
}

gboolean feed_is_ready(const Feed *feed)
{
	return feed->samples[0] != NULL;
}

/* Returns the name of a sample for people: "17:12:05". */
static const char *name_of(const Sample *sample)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_local((gint64)(sample->realtime_ns / NS_PER_S));
	g_autofree char *name = time ? g_date_time_format(time, "%H:%M:%S") : g_strdup("?");

	return g_intern_string(name);
}

gboolean feed_load(const Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error)
{
	options->own[0] = feed->own[0];
	options->own[1] = feed->own[1];
	for (guint i = 0; i < G_N_ELEMENTS(feed->samples); i++) {
		options->files[i] = name_of(feed->samples[i]);
		if (!analysis_add_moment(analysis, i, feed->samples[i]->moment, error))
			return FALSE;
	}
	Context *const contexts[] = {feed->samples[0]->context, feed->samples[1]->context};
	return filling_relate(options, analysis, contexts, NULL, error);
}

guint64 feed_memory_time(const Feed *feed, const Demand *demand)
{
	const Sample *sample = feed->memory(feed, demand, NULL);

	return sample ? sample->realtime_ns : 0;
}

gboolean feed_load_memory(const Feed *feed, const Demand *demand, Analysis *analysis,
			  AnalysisOptions *options, GError **error)
{
	g_autoptr(GError) why = NULL;
	const Sample *sample = feed->memory(feed, demand, &why);

	options->files[0] = feed->memory_of;
	if (why) {
		g_propagate_error(error, g_steal_pointer(&why));
		return FALSE;
	}
	if (!sample && feed->memory_due(feed, demand) == 0)
		return FALSE;
	/* If no sample has memory, the analysis reports what is missing. */
	return analysis_add_moment(analysis, 0, (sample ? sample : feed->samples[1])->moment,
				   error);
}
