/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sample.h"

Sample *sample_new(void)
{
	Sample *sample = g_new0(Sample, 1);

	sample->moment = moment_new();
	sample->context = context_new();
	return sample;
}

void sample_free(Sample *sample)
{
	moment_free(sample->moment);
	context_free(sample->context);
	g_clear_pointer(&sample->loaded, loaded_free);
	g_free(sample);
}

gboolean sample_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error)
{
	Sample *sample = data;

	context_note_rows(sample->context, registry, rows);
	return moment_take(sample->moment, registry, rows, error);
}

void sample_end(Sample *sample, const LoadFacts *facts)
{
	context_note_facts(sample->context, facts);
	sample->realtime_ns = facts->realtime_ns;
	sample->boottime_ns = facts->boottime_ns;
	sample->skew_ns = facts->skew_ns;
	moment_end(sample->moment);
}

void sample_adopt(Sample *sample, Loaded *loaded)
{
	sample->loaded = loaded;
	moment_bind(sample->moment, loaded->registry);
	sample_end(sample, &loaded->facts);
}

gboolean sample_has(const Sample *sample, const char *metrics)
{
	g_auto(GStrv) names = g_strsplit(metrics, ",", -1);

	for (guint i = 0; names[i]; i++)
		if (moment_has(sample->moment, names[i]))
			return TRUE;
	return FALSE;
}
