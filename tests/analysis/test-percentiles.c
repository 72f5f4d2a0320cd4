/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests histograms: the bounds of buckets, percentiles, and counts between two readings. */
#include <math.h>
#include <string.h>

#include "frame/percentile.h"

/* Every value is within the bounds of its bucket, and the bounds are powers of 2^(1/4). */
static void test_bounds(void)
{
	static const guint64 values[] = {
		0,          1, 2,    3,      4,          5,          7,
		8,          9, 1000, 999999, 3000000000, G_MAXINT64, G_MAXUINT64 - 1,
		G_MAXUINT64};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		guint32 bucket = ctprof_bucket_of(values[i]);

		g_assert_cmpuint(bucket, <, CTPROF_BUCKETS);
		g_assert_cmpuint(ctprof_bucket_least(bucket), <=, values[i]);
		g_assert_cmpuint(ctprof_bucket_most(bucket), >=, values[i]);
	}
	for (guint32 i = 1; i < 200; i++) {
		guint64 most = ctprof_bucket_most(i);
		gdouble bound = pow(2, ((gdouble)i - 1) / 4);

		g_assert_cmpfloat((gdouble)most, <=, bound * (1 + 1e-15));
		g_assert_cmpfloat((gdouble)most + 1, >, bound);
	}
}

static void test_bound_is_included(void)
{
	for (guint32 i = 20; i < CTPROF_BUCKETS - 1; i++) {
		g_assert_cmpuint(ctprof_bucket_of(ctprof_bucket_most(i)), ==, i);
		g_assert_cmpuint(ctprof_bucket_of(ctprof_bucket_most(i) + 1), ==, i + 1);
	}
}

/* The expected values are ranks among 100 000 values in order, independent of the code. */
static void test_percentiles(void)
{
	static const struct {
		const char *suffix;
		guint64 value;
	} cases[] = {
		{":p50", 50000},   {":p90", 90000},  {":p99", 99000},
		{":p99.9", 99900}, {":max", 100000},
	};
	Histogram histogram = {{0}};

	for (guint64 value = 1; value <= 100000; value++)
		histogram.counts[ctprof_bucket_of(value)]++;
	g_assert_cmpuint(histogram_count(&histogram), ==, 100000);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_value value;

		percentile_value(percentile_at(cases[i].suffix), &histogram, &value);
		g_assert_cmpuint(value.type, ==, CTPROF_VALUE_NUMBER);
		g_assert_cmpint(value.min, <=, (gint64)cases[i].value);
		g_assert_cmpuint(value.number, >=, cases[i].value);
		g_assert_cmpuint(value.number, <, cases[i].value * 119 / 100 + 1);
	}
}

static void test_no_values(void)
{
	const Histogram none = {{0}};
	struct ctprof_value value;

	percentile_value(percentile_at(":p99"), &none, &value);
	g_assert_cmpuint(value.type, ==, CTPROF_VALUE_ABSENT);
}

static void test_names(void)
{
	static const char *const cases[][2] = {
		{"run_delay:p99", "run_delay"},     {"run_delay:p99.9", "run_delay"},
		{"run_delay:max", "run_delay"},     {"run_delay", "run_delay"},
		{"run_delay:p98", "run_delay:p98"}, {"run_delay:pct", "run_delay:pct"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *metric = percentile_metric(cases[i][0]);

		g_assert_cmpstr(metric, ==, cases[i][1]);
	}
	g_assert_cmpstr(percentile_at(":p99.9>5ms")->suffix, ==, ":p99.9");
	g_assert_cmpstr(percentile_at(":p99>5ms")->suffix, ==, ":p99");
}

static guint64 store(Arena *arena, guint small, guint large)
{
	Histogram histogram = {{0}};

	histogram.counts[ctprof_bucket_of(100)] = small;
	histogram.counts[ctprof_bucket_of(1000000)] = large;
	return (guint64)(uintptr_t)buckets_store(arena, &histogram);
}

static void test_since(void)
{
	g_autoptr(Arena) arena = arena_new();
	Histogram histogram = {{0}};
	guint64 since = histogram_since(arena, store(arena, 3, 1), store(arena, 3, 8));

	g_assert_cmpuint(since, !=, 0);
	buckets_add(&histogram, (const void *)(uintptr_t)since);
	g_assert_cmpuint(histogram_count(&histogram), ==, 7);
	g_assert_cmpuint(histogram.counts[ctprof_bucket_of(1000000)], ==, 7);
	/* If a bucket decreased, the two readings are not of the same thing. */
	g_assert_cmpuint(histogram_since(arena, store(arena, 3, 1), store(arena, 2, 8)), ==, 0);
}

/* Files may have any keys; those that are not numbers of buckets are ignored. */
static void test_foreign_keys(void)
{
	struct {
		struct ctprof_map map;
		struct ctprof_map_entry more[5];
	} foreign = {.map = {.n = 6}};
	static const char *const keys[] = {"258", "-1", "", "9999", "4x", "40"};
	struct ctprof_map_entry *entries = foreign.map.entries;
	Histogram histogram = {{0}};

	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		entries[i] = (struct ctprof_map_entry){
			.key = keys[i], .key_len = (guint32)strlen(keys[i]), .number = 5};
	buckets_add(&histogram, &foreign.map);
	g_assert_cmpuint(histogram_count(&histogram), ==, 5);
	g_assert_cmpuint(histogram.counts[40], ==, 5);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/percentiles/bounds", test_bounds);
	g_test_add_func("/percentiles/bound-is-included", test_bound_is_included);
	g_test_add_func("/percentiles/ranks", test_percentiles);
	g_test_add_func("/percentiles/none", test_no_values);
	g_test_add_func("/percentiles/names", test_names);
	g_test_add_func("/percentiles/since", test_since);
	g_test_add_func("/percentiles/foreign-keys", test_foreign_keys);
	return g_test_run();
}
