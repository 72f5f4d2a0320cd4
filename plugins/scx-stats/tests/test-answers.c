/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that a scheduler's answers become objects and entries, and that no text breaks this. */
#include <glib.h>
#include <string.h>

#include "../stats.h"
#include "answers.h"

static struct stats_entries entries;

static char *text_of_entries(void)
{
	GString *out = g_string_new(NULL);

	for (guint kind = 0; kind < N_STATS_KINDS; kind++)
		for (gsize i = 0; i < entries.n[kind]; i++) {
			const struct ctprof_map_entry *entry = &entries.entries[kind][i];

			g_string_append_printf(out, "%u %.*s=", kind, (int)entry->key_len,
					       entry->key);
			if (kind == STATS_TEXTS)
				g_string_append_len(out, entry->text, entry->text_len);
			else
				g_string_append_printf(out, "%" G_GUINT64_FORMAT, entry->number);
			g_string_append(out, ";");
		}
	return g_string_free(out, FALSE);
}

static const char *take(struct stats *stats, const char *meta, const char *answer, char **ret_text)
{
	const char *why = stats_take_meta(stats, meta, strlen(meta));

	*ret_text = g_strdup(answer);
	return why ? why : stats_take_answer(stats, *ret_text, strlen(answer));
}

static void test_objects(void)
{
	static const struct {
		const char *name, *struct_name, *entries;
	} cases[] = {
		{"top", "Whole",
		 "0 at=18446744073709551615;0 by_cause.idle=3;0 by_cause.tick=0;3 mode=auto;"},
		{"first", "Group", "0 moves=1;"},
		{"groups/batch", "Group",
		 "0 moves=12;1 util=15025;2 lats.0=2;2 lats.1=2000;3 offset=-5;"},
		{"groups/rést \"x\"", "Group", "0 moves=0;0 offset=7;1 util=0;"},
	};
	struct stats stats = {.n = 0};
	g_autofree char *answer = NULL;

	g_assert_null(take(&stats, ANSWER(META_RESPONSE), ANSWER(STATS_RESPONSE), &answer));
	g_assert_cmpuint(stats.n, ==, G_N_ELEMENTS(cases));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text name = stats_struct(&stats, &stats.objects[i]);

		g_assert_cmpstr(stats.objects[i].name, ==, cases[i].name);
		g_assert_true(text_equal(name, cases[i].struct_name));
		stats_read(&stats, &stats.objects[i], &entries);
		g_autofree char *found = text_of_entries();
		g_assert_cmpstr(found, ==, cases[i].entries);
	}
	g_assert_false(stats.is_cut);
	stats_clear(&stats);
}

static void test_meanings(void)
{
	struct stats stats = {.n = 0};
	g_autofree char *answer = NULL;

	g_assert_null(take(&stats, ANSWER(META_RESPONSE), ANSWER(STATS_RESPONSE), &answer));
	stats_explain(&stats, &entries);
	g_autofree char *found = text_of_entries();
	g_assert_nonnull(strstr(found, "3 Group.util=CPU utilization %;"));
	g_assert_nonnull(strstr(found, "3 Whole.mode=how it decides;"));
	stats_clear(&stats);
}

/* Answers that are not statistics, and the reason. */
static void test_refused(void)
{
	static const struct {
		const char *meta, *answer, *why;
	} cases[] = {
		{"", "", "the answer is not JSON, or too large"},
		{"{\"errno\":0", "", "the answer is not JSON, or too large"},
		{ANSWER("{\"A\":\"\\u0000\"}"), "", "the answer is not JSON, or too large"},
		{ANSWER("{\"A\":\"\\ud800\"}"), "", "the answer is not JSON, or too large"},
		{ANSWER("{}") " x", "", "the answer is not JSON, or too large"},
		{"[]", "", "the answer has no errno"},
		{"{\"errno\":22,\"args\":{\"resp\":\"unknown command\"}}", "",
		 "the scheduler refuses the request"},
		{"{\"errno\":0,\"args\":{}}", "", "the answer has no response"},
		{ANSWER("{\"A\":{\"fields\":{}}}"), "",
		 "the scheduler does not mark its top-level struct"},
		{ANSWER(META_RESPONSE), ANSWER("[1,2]"),
		 "the answer does not match the scheduler's description"},
		{ANSWER(META_RESPONSE), "null", "the answer has no errno"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct stats stats = {.n = 0};
		g_autofree char *answer = NULL;

		g_assert_cmpstr(take(&stats, cases[i].meta, cases[i].answer, &answer), ==,
				cases[i].why);
		stats_clear(&stats);
	}
}

/* A struct that contains itself is listed down to the maximum depth. */
static void test_recursion(void)
{
	static const char meta[] = ANSWER("{\"A\":{\"top\":\"true\",\"fields\":{"
					  "\"a\":{\"datum\":{\"struct\":\"A\"}},"
					  "\"n\":{\"datum\":\"u64\"}}}}");
	struct stats stats = {.n = 0};
	g_autoptr(GString) inner = g_string_new("{\"n\":1}");
	g_autofree char *text = NULL;

	for (guint i = 0; i < 10; i++) {
		g_string_prepend(inner, "{\"n\":0,\"a\":");
		g_string_append(inner, "}");
	}
	g_autofree char *answer =
		g_strdup_printf("{\"errno\":0,\"args\":{\"resp\":%s}}", inner->str);
	g_assert_null(take(&stats, meta, answer, &text));
	g_assert_true(stats.is_cut);
	g_assert_cmpuint(stats.n, ==, 6);
	g_assert_cmpstr(stats.objects[5].name, ==, "a/a/a/a/a");
	stats_clear(&stats);
}

/* Text that is nested too deep, or too large, is rejected at limited cost. */
static void test_large(void)
{
	static const char *const units[] = {"[", "{\"a\":", "0,"};

	for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
		struct stats stats = {.n = 0};
		g_autoptr(GString) text = g_string_new(i == 2 ? "[" : "");

		for (guint n = 0; n < 200000; n++)
			g_string_append(text, units[i]);
		g_assert_cmpstr(stats_take_meta(&stats, text->str, text->len), ==,
				"the answer is not JSON, or too large");
		stats_clear(&stats);
	}
}

/* The same name twice gives one object, and one entry. */
static void test_twice(void)
{
	static const char answer[] =
		ANSWER("{\"at\":1,\"at\":2,\"by_cause\":{\"x\":1,\"x\":2},"
		       "\"groups\":{\"g\":{\"moves\":1},\"g\":{\"moves\":2}}}");
	struct stats stats = {.n = 0};
	g_autofree char *text = NULL;

	g_assert_null(take(&stats, ANSWER(META_RESPONSE), answer, &text));
	g_assert_cmpuint(stats.n, ==, 2);
	stats_read(&stats, &stats.objects[0], &entries);
	g_autofree char *found = text_of_entries();
	g_assert_cmpstr(found, ==, "0 at=1;0 by_cause.x=1;");
	stats_clear(&stats);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scx-stats/objects", test_objects);
	g_test_add_func("/scx-stats/meanings", test_meanings);
	g_test_add_func("/scx-stats/refused", test_refused);
	g_test_add_func("/scx-stats/recursion", test_recursion);
	g_test_add_func("/scx-stats/large", test_large);
	g_test_add_func("/scx-stats/twice", test_twice);
	return g_test_run();
}
