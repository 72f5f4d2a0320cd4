/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>

#include "../schedulers.h"

static char *events_text(const char *text)
{
	struct text rest = text_of(text), name;
	GString *out = g_string_new(NULL);
	uint64_t number;
	bool valid;

	while (events_take(&rest, &name, &number, &valid)) {
		g_string_append_printf(out, "%.*s", (int)name.len, name.p);
		if (valid)
			g_string_append_printf(out, "=%" G_GUINT64_FORMAT, number);
		g_string_append(out, valid ? (events_is_duration(name) ? " ns;" : ";") : "?;");
	}
	return g_string_free(out, FALSE);
}

static void test_events(void)
{
	static const struct {
		const char *text, *events;
	} cases[] = {
		{"SCX_EV_SELECT_CPU_FALLBACK 0\nSCX_EV_BYPASS_DURATION 35111522\n",
		 "SCX_EV_SELECT_CPU_FALLBACK=0;SCX_EV_BYPASS_DURATION=35111522 ns;"},
		/* Names that no kernel has yet; the largest number; a missing line end. */
		{"A 18446744073709551615\n\n X_DURATION  7",
		 "A=18446744073709551615;X_DURATION=7 ns;"},
		{"A 18446744073709551616\nB -1\nC x\nD\nE 1 2\nF 3\n", "A?;B?;C?;D?;E?;F=3;"},
		{"", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *events = events_text(cases[i].text);

		g_assert_cmpstr(events, ==, cases[i].events);
	}
}

static void test_version(void)
{
	static const struct {
		const char *ops, *version; /* NULL: none */
	} cases[] = {
		{"layered_1.0.5_gabc_x86_64", "1.0.5_gabc_x86_64"},
		{"my_sched_2", "2"},
		{"x86_sched", NULL},
		{"simple", NULL},
		{"simple_", NULL},
		{"_1", NULL},
		{"", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text version = {"", 0};
		gboolean found = scheduler_version(text_of(cases[i].ops), &version);
		g_autofree char *text = g_strndup(version.p, version.len);

		g_assert_cmpstr(found ? text : NULL, ==, cases[i].version);
	}
}

static void test_cgroup(void)
{
	g_assert_cmpuint(scheduler_cgroup("sub-4711"), ==, 4711);
	g_assert_cmpuint(scheduler_cgroup("sub-"), ==, 0);
	g_assert_cmpuint(scheduler_cgroup("sub-x"), ==, 0);
	g_assert_cmpuint(scheduler_cgroup("sub"), ==, 0);
	g_assert_cmpuint(scheduler_cgroup(".."), ==, 0);
}

static void add(struct schedulers *all, const char *ops, char *place)
{
	struct scheduler *one = &all->list[all->n++];

	g_strlcpy(one->ops, ops, sizeof one->ops);
	one->place = place;
}

static const char *nearest(const struct schedulers *all, const char *cgroup)
{
	const struct scheduler *one = schedulers_nearest(all, text_of(cgroup));

	return one ? one->ops : NULL;
}

static void test_nearest(void)
{
	static struct schedulers all;
	char root[] = "/", outer[] = "/a", inner[] = "/a/b";

	g_assert_null(nearest(&all, "/"));
	add(&all, "root", root);
	add(&all, "inner", inner);
	add(&all, "outer", outer);
	g_assert_cmpstr(nearest(&all, "/"), ==, "root");
	g_assert_cmpstr(nearest(&all, "/ab"), ==, "root");
	g_assert_cmpstr(nearest(&all, "/a"), ==, "outer");
	g_assert_cmpstr(nearest(&all, "/a/bc"), ==, "outer");
	g_assert_cmpstr(nearest(&all, "/a/b"), ==, "inner");
	g_assert_cmpstr(nearest(&all, "/a/b/c"), ==, "inner");
	/* If the cgroup of a scheduler is unknown, it may be the nearest one of any thread. */
	add(&all, "somewhere", NULL);
	g_assert_null(nearest(&all, "/a/b/c"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scx/parse/events", test_events);
	g_test_add_func("/scx/parse/version", test_version);
	g_test_add_func("/scx/parse/cgroup", test_cgroup);
	g_test_add_func("/scx/parse/nearest", test_nearest);
	return g_test_run();
}
