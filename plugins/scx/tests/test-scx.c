/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "tests/harvest.h"

#define DIRECTORY "kernel/sched_ext/"

static const struct dependence files[] = {
	{DIRECTORY "state", "sched_ext.state"},
	{DIRECTORY "switch_all", "sched_ext.switch_all"},
	{DIRECTORY "nr_rejected", "sched_ext.nr_rejected"},
	{DIRECTORY "hotplug_seq", "sched_ext.hotplug_seq"},
	{DIRECTORY "enable_seq", "sched_ext.enable_seq"},
	{DIRECTORY "root/ops", "sched_ext.ops"},
};

static void write_all(const Tree *tree, const char *text)
{
	for (guint i = 0; i < G_N_ELEMENTS(files); i++)
		tree_write(tree, files[i].file, text);
}

static void test_recorded(void)
{
	g_autofree char *root = fixture_path("7.2.13+deb14-amd64-scx");

	if (!root)
		return;
	g_autofree char *sys = g_build_filename(root, "sys", NULL);
	struct field_trip trip = {.sys = sys, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	static const char *const values[][2] = {
		{"sched_ext.state", "enabled"}, {"sched_ext.switch_all", "1"},
		{"sched_ext.nr_rejected", "0"}, {"sched_ext.hotplug_seq", "1"},
		{"sched_ext.enable_seq", "1"},  {"sched_ext.ops", "simple"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		g_assert_cmpstr(harvest_value(h, values[i][0]), ==, values[i][1]);
}

static void test_each_file_alone(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	write_all(tree, " 7\n");
	check_dependences(tree, &trip, files, G_N_ELEMENTS(files), "");
}

/* With only the state there, the numbers are absent; none of them is 0. */
static void test_state_only(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	tree_write(tree, files[0].file, "enabled\n");
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(h, "sched_ext.state"), ==, "enabled");
	for (guint i = 1; i < G_N_ELEMENTS(files); i++)
		g_assert_cmpstr(harvest_value(h, files[i].metrics), ==, "!10");
}

static void test_garbage(void)
{
	static const char *const texts[] = {"", " \n", "\xff\xfe", "-1\n", "1 2\n"};
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	for (guint t = 0; t < G_N_ELEMENTS(texts); t++) {
		write_all(tree, texts[t]);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, "sched_ext.enable_seq"), ==, "!50");
		if (t < 2)
			g_assert_cmpstr(harvest_value(h, "sched_ext.state"), ==, "!50");
	}
}

static void test_not_built(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_autofree char *fails = harvest_findings(&trip);

	g_assert_cmpint(h->started, ==, -EOPNOTSUPP);
	g_assert_cmpstr(h->error, ==, "CONFIG_SCHED_CLASS_EXT is not set");
	g_assert_true(g_str_has_prefix(fails, "scx 30 CONFIG_SCHED_CLASS_EXT is not set|"));
}

static void test_not_loaded(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	tree_write(tree, files[0].file, "disabled\n");
	g_autofree char *partly = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(partly, "scx 20 no BPF scheduler is loaded"));
	write_all(tree, "1\n");
	g_autofree char *works = harvest_findings(&trip);
	g_assert_cmpstr(works, ==, "scx 10 |\n");
}

static void test_live(void)
{
	struct field_trip trip = {.sys = "/sys", .live = TRUE, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);

	if (h->started != 0) {
		g_test_skip(h->error);
		return;
	}
	g_assert_cmpstr(harvest_value(h, "sched_ext.state"), !=, "!10");
	g_assert_true(g_ascii_isdigit(harvest_value(h, "sched_ext.enable_seq")[0]));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scx/recorded", test_recorded);
	g_test_add_func("/scx/each-file-alone", test_each_file_alone);
	g_test_add_func("/scx/state-only", test_state_only);
	g_test_add_func("/scx/garbage", test_garbage);
	g_test_add_func("/scx/not-built", test_not_built);
	g_test_add_func("/scx/not-loaded", test_not_loaded);
	g_test_add_func("/scx/live", test_live);
	g_test_add_func("/scx/readme", check_readme);
	return g_test_run();
}
