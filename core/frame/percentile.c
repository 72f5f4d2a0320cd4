/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "percentile.h"

#include <math.h>
#include <string.h>

const Percentile percentiles[] = {
	{":p50", 0.5, FALSE},    {":p90", 0.9, TRUE},  {":p99", 0.99, FALSE},
	{":p99.9", 0.999, TRUE}, {":max", 1.0, FALSE}, {NULL, 0, FALSE},
};

const Percentile *percentile_at(const char *text)
{
	const Percentile *found = NULL;

	/* Find the longest match: ":p99.9" begins with ":p99". */
	for (const Percentile *one = percentiles; one->suffix; one++)
		if (g_str_has_prefix(text, one->suffix) &&
		    !g_ascii_isalnum(text[strlen(one->suffix)]) &&
		    (!found || strlen(one->suffix) > strlen(found->suffix)))
			found = one;
	return found;
}

char *percentile_metric(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && percentile_at(colon) ? g_strndup(name, (gsize)(colon - name))
					     : g_strdup(name);
}

guint64 histogram_count(const Histogram *histogram)
{
	guint64 n = 0;

	for (guint32 i = 0; i < CTPROF_BUCKETS; i++)
		n = n > G_MAXUINT64 - histogram->counts[i] ? G_MAXUINT64 : n + histogram->counts[i];
	return n;
}

static gint64 bound(guint64 value)
{
	return (gint64)MIN(value, (guint64)G_MAXINT64);
}

void percentile_value(const Percentile *percentile, const Histogram *histogram,
		      struct ctprof_value *value)
{
	gdouble rank = ceil(percentile->share * (gdouble)histogram_count(histogram));
	gdouble below = 0;

	value->type = CTPROF_VALUE_ABSENT;
	for (guint32 i = 0; i < CTPROF_BUCKETS; i++) {
		below += (gdouble)histogram->counts[i];
		if (histogram->counts[i] == 0 || below < rank)
			continue;
		value->type = CTPROF_VALUE_NUMBER;
		value->number = ctprof_bucket_most(i);
		value->min = bound(ctprof_bucket_least(i));
		value->max = bound(ctprof_bucket_most(i));
		return;
	}
}

struct ctprof_histogram *histogram_draw(const Histogram *histogram)
{
	guint n = 0;

	for (guint32 i = 0; i < CTPROF_BUCKETS; i++)
		n += histogram->counts[i] > 0;
	struct ctprof_histogram *drawn =
		g_malloc0(sizeof *drawn + n * sizeof(struct ctprof_bucket));
	struct ctprof_bucket *buckets = (void *)(drawn + 1);
	*drawn = (struct ctprof_histogram){.struct_size = sizeof *drawn, .buckets = buckets};
	for (guint32 i = 0; i < CTPROF_BUCKETS; i++) {
		if (histogram->counts[i] == 0)
			continue;
		buckets[drawn->n++] = (struct ctprof_bucket){
			.struct_size = sizeof *buckets,
			.number = i,
			.least = ctprof_bucket_least(i),
			.most = ctprof_bucket_most(i),
			.count = histogram->counts[i],
		};
	}
	return drawn;
}

guint64 histogram_since(Arena *arena, guint64 before, guint64 after)
{
	Histogram old = {{0}}, new = {{0}};

	buckets_add(&old, (const void *)(uintptr_t)before);
	buckets_add(&new, (const void *)(uintptr_t)after);
	for (guint32 i = 0; i < CTPROF_BUCKETS; i++) {
		if (new.counts[i] < old.counts[i])
			return 0;
		new.counts[i] -= old.counts[i];
	}
	return (guint64)(uintptr_t)buckets_store(arena, &new);
}
