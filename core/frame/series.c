/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "series.h"

#include <math.h>
#include <string.h>

#include "base/bars.h"

typedef struct window {
	guint64 realtime_ns;
	gdouble seconds;
} Window;

struct series {
	guint most;
	char *of_subjects;
	GArray *windows;    /* Window */
	GHashTable *by_key; /* see key_of() -> GArray of gdouble, from the first window on */
	GPtrArray *keys;    /* the keys of by_key, in the order of their first value */
};

Series *series_new(guint most, const char *of_subjects)
{
	Series *self = g_new0(Series, 1);

	self->most = most;
	self->of_subjects = g_strdup(of_subjects);
	self->windows = g_array_new(FALSE, FALSE, sizeof(Window));
	self->keys = g_ptr_array_new();
	self->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_array_unref);
	return self;
}

void series_free(Series *self)
{
	g_array_unref(self->windows);
	g_ptr_array_unref(self->keys);
	g_hash_table_unref(self->by_key);
	g_free(self->of_subjects);
	g_free(self);
}

void series_clear(Series *self)
{
	g_array_set_size(self->windows, 0);
	g_ptr_array_set_size(self->keys, 0);
	g_hash_table_remove_all(self->by_key);
}

static void forget_window(Series *self)
{
	guint kept = 0;

	g_array_remove_index(self->windows, 0);
	for (guint i = 0; i < self->keys->len; i++) {
		char *key = g_ptr_array_index(self->keys, i);
		GArray *values = g_hash_table_lookup(self->by_key, key);

		/* The last element is never NAN. */
		if (values->len == 1) {
			g_hash_table_remove(self->by_key, key);
			continue;
		}
		g_array_remove_index(values, 0);
		g_ptr_array_index(self->keys, kept++) = key;
	}
	g_ptr_array_set_size(self->keys, (gint)kept);
}

void series_begin(Series *self, guint64 realtime_ns, gdouble seconds)
{
	const Window window = {realtime_ns, seconds};

	if (self->windows->len == self->most)
		forget_window(self);
	g_array_append_val(self->windows, window);
}

guint series_windows(const Series *self)
{
	return self->windows->len;
}

gdouble series_end(const Series *self, guint window)
{
	return (gdouble)g_array_index(self->windows, Window, window).realtime_ns / 1e9;
}

gdouble series_seconds(const Series *self, guint window)
{
	return g_array_index(self->windows, Window, window).seconds;
}

/* A pool may have any name, including "host". */
static char *key_of(const char *subject, const char *measure)
{
	return subject ? g_strconcat(measure, "\n", subject, NULL) : g_strdup(measure);
}

void series_note(Series *self, const char *subject, const char *measure, gdouble value)
{
	gdouble none = NAN;

	if (isnan(value) ||
	    (subject && self->of_subjects && strcmp(measure, self->of_subjects) != 0))
		return;
	g_autofree char *key = key_of(subject, measure);
	GArray *values = g_hash_table_lookup(self->by_key, key);
	if (!values) {
		values = g_array_new(FALSE, FALSE, sizeof none);
		g_ptr_array_add(self->keys, key);
		g_hash_table_insert(self->by_key, g_steal_pointer(&key), values);
	}
	while (values->len < self->windows->len)
		g_array_append_val(values, none);
	g_array_index(values, gdouble, self->windows->len - 1) = value;
}

static const GArray *find(const Series *self, const char *subject, const char *measure)
{
	g_autofree char *key = key_of(subject, measure);

	return g_hash_table_lookup(self->by_key, key);
}

static gdouble value_at(const GArray *values, guint window)
{
	return values && window < values->len ? g_array_index(values, gdouble, window) : NAN;
}

gdouble series_value(const Series *self, guint window, const char *subject, const char *measure)
{
	return value_at(find(self, subject, measure), window);
}

gboolean series_worst(const Series *self, const char *subject, const char *measure,
		      guint *ret_window)
{
	const GArray *values = find(self, subject, measure);
	gdouble worst = NAN;

	for (guint i = 0; values && i < values->len; i++) {
		gdouble value = value_at(values, i);

		if (isnan(value) || value <= worst)
			continue;
		worst = value;
		*ret_window = i;
	}
	return !isnan(worst);
}

const char *series_next(const Series *self, const char *measure, guint *at)
{
	while (*at < self->keys->len) {
		const char *key = g_ptr_array_index(self->keys, (*at)++);

		if (g_str_has_prefix(key, measure) && key[strlen(measure)] == '\n')
			return key + strlen(measure) + 1;
	}
	return NULL;
}

/* ---- spread ---- */

static gint compare_values(gconstpointer a, gconstpointer b)
{
	gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

	return (x > y) - (x < y);
}

Spread spread_of(const gdouble *values, guint n)
{
	g_autofree gdouble *sorted = g_new(gdouble, (gsize)n + 1);
	Spread spread = {NAN, NAN, NAN, NAN, 0};

	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			sorted[spread.n++] = values[i];
	if (spread.n == 0)
		return spread;
	qsort(sorted, spread.n, sizeof sorted[0], compare_values);
	spread.least = sorted[0];
	spread.median = (sorted[(spread.n - 1) / 2] + sorted[spread.n / 2]) / 2;
	/* By the nearest-rank method. */
	spread.p95 = sorted[(spread.n * 95 + 99) / 100 - 1];
	spread.most = sorted[spread.n - 1];
	return spread;
}

Spread series_spread(const Series *self, const char *subject, const char *measure)
{
	const GArray *values = find(self, subject, measure);

	return spread_of(values ? (const gdouble *)(const void *)values->data : NULL,
			 values ? values->len : 0);
}

char *series_draw(const Series *self, const char *subject, const char *measure, guint n)
{
	const GArray *values = find(self, subject, measure);
	guint end = self->windows->len, from = n > 0 && n < end ? end - n : 0;

	if (series_spread(self, subject, measure).n < 2)
		return NULL;
	while (n > 0 && from < values->len && isnan(value_at(values, from)))
		from++;
	guint known = MIN(from, values->len);
	Spread drawn = spread_of(&g_array_index(values, gdouble, known), values->len - known);
	GString *text = g_string_new(NULL);
	for (guint i = from; i < end; i++)
		bars_append(text, value_at(values, i), drawn.most);
	return g_string_free(text, FALSE);
}
