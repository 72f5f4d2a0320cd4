/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "past.h"

#include <math.h>
#include <string.h>

#include "base/bars.h"

typedef struct past_window {
	guint64 realtime_ns;
	gdouble seconds;
} PastWindow;

struct past {
	GArray *windows;    /* PastWindow */
	GHashTable *series; /* see key_of() -> GArray of gdouble, NAN: none */
	GPtrArray *keys;    /* of series, as they came */
};

Past *past_new(void)
{
	Past *past = g_new0(Past, 1);

	past->windows = g_array_new(FALSE, FALSE, sizeof(PastWindow));
	past->keys = g_ptr_array_new();
	past->series = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_array_unref);
	return past;
}

void past_free(Past *past)
{
	g_array_unref(past->windows);
	g_hash_table_unref(past->series);
	g_ptr_array_unref(past->keys);
	g_free(past);
}

void past_begin(Past *past, guint64 realtime_ns, gdouble seconds)
{
	const PastWindow window = {realtime_ns, seconds};

	g_array_append_val(past->windows, window);
}

guint past_windows(const Past *past)
{
	return past->windows->len;
}

gdouble past_end(const Past *past, guint window)
{
	return (gdouble)g_array_index(past->windows, PastWindow, window).realtime_ns / 1e9;
}

gdouble past_seconds(const Past *past, guint window)
{
	return g_array_index(past->windows, PastWindow, window).seconds;
}

/* A pool may have any name, also "host". */
static char *key_of(const char *subject, const char *measure)
{
	return subject ? g_strconcat(measure, "\n", subject, NULL) : g_strdup(measure);
}

void past_note(Past *past, const char *subject, const char *measure, gdouble value)
{
	g_autofree char *key = key_of(subject, measure);
	GArray *series = g_hash_table_lookup(past->series, key);
	gdouble none = NAN;

	if (!series) {
		series = g_array_new(FALSE, FALSE, sizeof none);
		g_ptr_array_add(past->keys, key);
		g_hash_table_insert(past->series, g_steal_pointer(&key), series);
	}
	while (series->len < past->windows->len)
		g_array_append_val(series, none);
	g_array_index(series, gdouble, past->windows->len - 1) = value;
}

static const GArray *find(const Past *past, const char *subject, const char *measure)
{
	g_autofree char *key = key_of(subject, measure);

	return g_hash_table_lookup(past->series, key);
}

static gdouble value_at(const GArray *series, guint window)
{
	return series && window < series->len ? g_array_index(series, gdouble, window) : NAN;
}

gdouble past_value(const Past *past, guint window, const char *subject, const char *measure)
{
	return value_at(find(past, subject, measure), window);
}

gboolean past_worst(const Past *past, const char *subject, const char *measure, guint *ret_window)
{
	const GArray *series = find(past, subject, measure);
	gdouble worst = NAN;

	for (guint i = 0; i < past->windows->len; i++) {
		gdouble value = value_at(series, i);

		if (isnan(value) || value <= worst)
			continue;
		worst = value;
		*ret_window = i;
	}
	return !isnan(worst);
}

const char *past_next(const Past *past, const char *measure, guint *at)
{
	while (*at < past->keys->len) {
		const char *key = g_ptr_array_index(past->keys, (*at)++);

		if (g_str_has_prefix(key, measure) && key[strlen(measure)] == '\n')
			return key + strlen(measure) + 1;
	}
	return NULL;
}

static gint compare_values(gconstpointer a, gconstpointer b)
{
	gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

	return (x > y) - (x < y);
}

gboolean past_spread(const Past *past, const char *subject, const char *measure,
		     PastSpread *ret_spread)
{
	const GArray *series = find(past, subject, measure);
	g_autofree gdouble *sorted = g_new(gdouble, past->windows->len);
	guint n = 0;

	for (guint i = 0; i < past->windows->len; i++)
		if (!isnan(value_at(series, i)))
			sorted[n++] = value_at(series, i);
	if (n < 2)
		return FALSE;
	qsort(sorted, n, sizeof sorted[0], compare_values);
	*ret_spread = (PastSpread){
		.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
		/* The nearest rank. */
		.p95 = sorted[(n * 95 + 99) / 100 - 1],
		.most = sorted[n - 1],
		.n = n,
	};
	return TRUE;
}

char *past_draw(const Past *past, const char *subject, const char *measure)
{
	const GArray *series = find(past, subject, measure);
	PastSpread spread;

	if (!past_spread(past, subject, measure, &spread))
		return NULL;
	GString *text = g_string_new(NULL);
	for (guint i = 0; i < past->windows->len; i++)
		bars_append(text, value_at(series, i), spread.most);
	return g_string_free(text, FALSE);
}
