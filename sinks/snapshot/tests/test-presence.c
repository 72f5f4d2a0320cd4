/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>

#include "../presence.h"
#include "ctprof/plugin.h"

#define N 20

/* Members m0, m1, ... */
static struct shape make_shape(guint n)
{
	struct shape shape = {0};

	for (guint i = 0; i < n; i++) {
		g_autofree char *name = g_strdup_printf("m%u", i);

		g_assert_cmpint(shape_add_field(&shape, name, VALUE_U64), ==, 0);
	}
	return shape;
}

static char *take_text(struct json *json)
{
	char *text = g_strndup(json->data, json->used);

	g_assert_cmpint(json->error, ==, 0);
	json->used = 0;
	return text;
}

static void assert_ref(struct presence *presence, struct json *json, const guint8 *states,
		       const char *expected)
{
	presence_write_ref(presence, json, states);
	g_autofree char *text = take_text(json);
	g_assert_cmpstr(text, ==, expected);
}

static void test_reasons(void)
{
	__attribute__((cleanup(json_free))) struct json json;
	__attribute__((cleanup(shape_free))) struct shape shape = make_shape(9);
	/* 25: a reason that only a newer host knows */
	static const guint8 states[N] = {60, 10, 70, 20, 30, 40, 50, 60, 25};

	g_assert_cmpint(json_init(&json, 0), ==, 0);
	presence_write_set(&json, &shape, states);
	g_autofree char *text = take_text(&json);
	g_assert_cmpstr(
		text, ==,
		"{\"unsupported\":[\"m1\",\"m8\"],\"denied\":[\"m3\"],\"vanished\":[\"m4\"],"
		"\"timeout\":[\"m5\"],\"invalid\":[\"m6\"],\"skipped\":[\"m0\",\"m7\"],"
		"\"inapplicable\":[\"m2\"]}");
}

static void test_equal_sets_share_a_number(void)
{
	__attribute__((cleanup(json_free))) struct json json;
	__attribute__((cleanup(shape_free))) struct shape shape = make_shape(2);
	__attribute__((cleanup(presence_clear))) struct presence presence;
	static const guint8 all[2] = {0, 0}, first[2] = {20, 0}, other[2] = {10, 0};

	presence_init(&presence, &shape);
	g_assert_cmpint(json_init(&json, 0), ==, 0);
	assert_ref(&presence, &json, first, "0");
	assert_ref(&presence, &json, first, "0");
	assert_ref(&presence, &json, all, "1");
	assert_ref(&presence, &json, first, "0");
	assert_ref(&presence, &json, other, "2");
	assert_ref(&presence, &json, all, "1");
	presence_write_sets(&presence, &json);
	g_autofree char *text = take_text(&json);
	g_assert_cmpstr(text, ==, "[{\"denied\":[\"m0\"]},{},{\"unsupported\":[\"m0\"]}]");
}

static void states_of_number(guint number, guint8 *states)
{
	for (guint bit = 0; bit < N; bit++)
		states[bit] = number >> bit & 1 ? CTPROF_ABSENT_DENIED : CTPROF_PRESENT;
}

/* Beyond the limit a row contains its set itself, and known sets keep their number. */
static void test_too_many_sets(void)
{
	__attribute__((cleanup(json_free))) struct json json;
	__attribute__((cleanup(shape_free))) struct shape shape = make_shape(N);
	__attribute__((cleanup(presence_clear))) struct presence presence;
	guint8 states[N];

	presence_init(&presence, &shape);
	g_assert_cmpint(json_init(&json, 0), ==, 0);
	for (guint i = 0; i < PRESENCE_MAX_SETS; i++) {
		g_autofree char *number = g_strdup_printf("%u", i);

		states_of_number(i, states);
		assert_ref(&presence, &json, states, number);
	}
	states_of_number(PRESENCE_MAX_SETS + 1, states);
	assert_ref(&presence, &json, states, "{\"denied\":[\"m0\",\"m16\"]}");
	assert_ref(&presence, &json, states, "{\"denied\":[\"m0\",\"m16\"]}");
	states_of_number(4711, states);
	assert_ref(&presence, &json, states, "4711");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/presence/reasons", test_reasons);
	g_test_add_func("/presence/shared", test_equal_sets_share_a_number);
	g_test_add_func("/presence/bound", test_too_many_sets);
	return g_test_run();
}
