/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms written as their growth, and read again. */
#include <errno.h>
#include <glib.h>

#include "../growth.h"

#define N 3

static const char *const keys[N] = {"0", "101", "46"};

/* A histogram of these counts; the ones that are 0 are left out. */
static struct ctprof_map *make_map(const guint64 counts[N])
{
	struct ctprof_map *map = g_malloc0(sizeof *map + N * sizeof map->entries[0]);

	for (guint i = 0; i < N; i++)
		if (counts[i] > 0)
			map->entries[map->n++] = (struct ctprof_map_entry){
				.key = keys[i],
				.key_len = (guint32)strlen(keys[i]),
				.number = counts[i],
			};
	return map;
}

static void set(const struct kept_rows *rows, struct kept_row *row, const guint64 counts[N])
{
	g_autofree struct ctprof_map *map = make_map(counts);

	g_assert_cmpint(kept_set(rows, row, 0, CTPROF_PRESENT, (uintptr_t)map), ==, 0);
}

static struct kept_row *make_row(struct kept_rows *rows)
{
	static const struct ctprof_target target = {
		.struct_size = sizeof target, .tid = 1, .tgid = 1};

	g_assert_cmpint(kept_set_type(rows, 0, CTPROF_TYPE_MAP), ==, 0);
	return kept_append(rows, &target, 0);
}

static void test_written(void)
{
	static const struct {
		guint64 before[N], after[N];
		const char *text; /* NULL: cannot be written as growth */
	} cases[] = {
		{{1, 2, 3}, {1, 2, 4}, "[46,1]"}, {{0, 2, 0}, {7, 4, 1}, "[0,7,101,2,46,1]"},
		{{0, 0, 0}, {0, 0, 5}, "[46,5]"}, {{1, 2, 3}, {1, 2, 3}, "[]"},
		{{1, 2, 3}, {1, 1, 9}, NULL},     {{1, 2, 3}, {9, 0, 9}, NULL},
		{{1, 2, 3}, {0, 0, 0}, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct ctprof_map *after = make_map(cases[i].after);
		struct kept_rows rows = {0};
		struct kept_row *row = make_row(&rows);
		struct json json;

		g_assert_cmpint(json_init(&json, 64), ==, 0);
		g_assert_false(growth_write(&json, row, 0, (uintptr_t)after));
		set(&rows, row, cases[i].before);
		g_assert_cmpint(growth_write(&json, row, 0, (uintptr_t)after), ==, !!cases[i].text);
		g_autofree char *text = g_strndup(json.data, json.used);
		g_assert_cmpstr(text, ==, cases[i].text ? cases[i].text : "");
		json_free(&json);
		kept_rows_free(&rows);
	}
}

static void assert_counts(const struct kept_row *row, const guint64 counts[N])
{
	const struct ctprof_map *map = (const struct ctprof_map *)(uintptr_t)row->values[0];
	g_autofree struct ctprof_map *expected = make_map(counts);

	g_assert_cmpuint(map->n, ==, expected->n);
	for (guint i = 0; i < map->n; i++) {
		g_assert_cmpstr(map->entries[i].key, ==, expected->entries[i].key);
		g_assert_cmpuint(map->entries[i].number, ==, expected->entries[i].number);
	}
}

static void test_added(void)
{
	guint64 growth[CTPROF_BUCKETS] = {[0] = 7, [46] = 1};
	struct kept_rows rows = {0};
	struct kept_row *row = make_row(&rows);

	g_assert_cmpint(growth_add(&rows, row, 0, growth), ==, -EBADMSG);
	set(&rows, row, (const guint64[N]){0, 2, 3});
	g_assert_cmpint(growth_add(&rows, row, 0, growth), ==, 0);
	assert_counts(row, (const guint64[N]){7, 2, 4});
	growth[46] = G_MAXUINT64 - 3;
	g_assert_cmpint(growth_add(&rows, row, 0, growth), ==, -EBADMSG);
	assert_counts(row, (const guint64[N]){7, 2, 4});
	kept_rows_free(&rows);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/snapshot/growth/written", test_written);
	g_test_add_func("/snapshot/growth/added", test_added);
	return g_test_run();
}
