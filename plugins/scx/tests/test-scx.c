/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/harvest.h"

#define DIRECTORY "kernel/sched_ext/"

static const struct dependence files[] = {
	{DIRECTORY "state", "sched_ext.state"},
	{DIRECTORY "switch_all", "sched_ext.switch_all"},
	{DIRECTORY "nr_rejected", "sched_ext.nr_rejected"},
	{DIRECTORY "hotplug_seq", "sched_ext.hotplug_seq"},
	{DIRECTORY "enable_seq", "sched_ext.enable_seq"},
	{DIRECTORY "root/ops", "sched_ext.ops sched_ext.version"},
	{DIRECTORY "root/events", "sched_ext.events sched_ext.durations"},
};

#define EVENTS "SCX_EV_DISPATCH_KEEP_LAST 5\nSCX_EV_BYPASS_DURATION 700\n"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static void write_all(const Tree *tree, const char *text)
{
	for (guint i = 0; i < G_N_ELEMENTS(files); i++)
		tree_write(tree, files[i].file,
			   g_str_has_suffix(files[i].file, "events") ? EVENTS : text);
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
		{"sched_ext.state", "enabled"},
		{"sched_ext.switch_all", "1"},
		{"sched_ext.nr_rejected", "0"},
		{"sched_ext.hotplug_seq", "1"},
		{"sched_ext.enable_seq", "1"},
		{"sched_ext.ops", "simple"},
		{"sched_ext.version", "!70"},
		{"sched_ext.durations", "SCX_EV_BYPASS_DURATION=35111522"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		g_assert_cmpstr(harvest_value(h, values[i][0]), ==, values[i][1]);
	g_assert_nonnull(strstr(harvest_value(h, "sched_ext.events"),
				"SCX_EV_BYPASS_DISPATCH=24 SCX_EV_DISPATCH_KEEP_LAST=0 "));
}

static void test_each_file_alone(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	write_all(tree, " 7\n");
	tree_write(tree, DIRECTORY "root/ops", "layered_1.0.5\n");
	check_dependences(tree, &trip, files, G_N_ELEMENTS(files), "");
}

/* If only the state is there, the numbers are absent, not 0. */
static void test_state_only(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

	tree_write(tree, files[0].file, "enabled\n");
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(h, "sched_ext.state"), ==, "enabled");
	for (guint i = 1; i < G_N_ELEMENTS(files); i++) {
		g_auto(GStrv) metrics = g_strsplit(files[i].metrics, " ", -1);

		for (char **metric = metrics; *metric; metric++)
			g_assert_cmpstr(harvest_value(h, *metric), ==, "!10");
	}
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
	g_assert_nonnull(strstr(fails, "scx-threads 30 CONFIG_SCHED_CLASS_EXT is not set|"));
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
	g_assert_cmpstr(works, ==, "scx 10 |\nscx-schedulers 10 |\nscx-threads 10 |\n");
}

/* ---- events ---------------------------------------------------------------- */

static void test_events(void)
{
	static const struct {
		const char *text, *events, *durations;
	} cases[] = {
		{EVENTS, "SCX_EV_DISPATCH_KEEP_LAST=5", "SCX_EV_BYPASS_DURATION=700"},
		{"NEW 1\n", "NEW=1", ""},
		{"", "!50", "!50"},
		{"NEW x\n", "!50", "!50"},
		{"NEW 1\nNEW 2\n", "!50", "!50"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Tree) tree = tree_new();
		struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_HOST};

		tree_write(tree, DIRECTORY "root/events", cases[i].text);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, "sched_ext.events"), ==, cases[i].events);
		g_assert_cmpstr(harvest_value(h, "sched_ext.durations"), ==, cases[i].durations);
	}
}

/* ---- schedulers ------------------------------------------------------------ */

static Tree *tree_of_schedulers(guint64 first, guint64 second)
{
	g_autofree char *outer =
		g_strdup_printf(DIRECTORY "root/sub/sub-%" G_GUINT64_FORMAT, first);
	g_autofree char *inner = g_strdup_printf("%s/sub/sub-%" G_GUINT64_FORMAT, outer, second);
	g_autofree char *outer_ops = g_strdup_printf("%s/ops", outer);
	g_autofree char *inner_ops = g_strdup_printf("%s/ops", inner);
	g_autofree char *inner_events = g_strdup_printf("%s/events", inner);
	Tree *tree = tree_new();

	tree_write(tree, DIRECTORY "state", "enabled\n");
	tree_write(tree, DIRECTORY "root/ops", "simple\n");
	tree_write(tree, DIRECTORY "root/events", EVENTS);
	tree_write(tree, DIRECTORY "root/sub/power", "no scheduler");
	tree_write(tree, outer_ops, "outer\n");
	tree_write(tree, inner_ops, "inner\n");
	tree_write(tree, inner_events, "SCX_EV_DISPATCH_KEEP_LAST 9\n");
	return tree;
}

static gint64 events_of(const Harvest *h, const char *object, const char *expected)
{
	gint64 row = fake_host_find_object(h->fake, "scx-schedulers", object);

	g_assert_cmpint(row, >=, 0);
	if (expected)
		g_assert_cmpstr(fake_host_string(h->fake, (guint64)row, "scheduler_events"), ==,
				expected);
	else
		g_assert_cmpuint(fake_host_state(h->fake, (guint64)row, "scheduler_events"), ==,
				 CTPROF_ABSENT_UNSUPPORTED);
	return row;
}

/* In a recorded tree, the paths of the cgroups are unknown. */
static void test_recorded_schedulers(void)
{
	g_autoptr(Tree) tree = tree_of_schedulers(71, 72);
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_OBJECT};
	g_autoptr(Harvest) h = harvest_new(&trip);

	g_assert_cmpuint(fake_host_rows(h->fake), ==, 3);
	(void)events_of(h, "simple /", "SCX_EV_DISPATCH_KEEP_LAST=5");
	(void)events_of(h, "outer cgroup 71", NULL);
	gint64 row = events_of(h, "inner cgroup 72", "SCX_EV_DISPATCH_KEEP_LAST=9");
	g_assert_cmpuint(fake_host_state(h->fake, (guint64)row, "scheduler_cgroup"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
}

static void test_no_schedulers(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.sys = tree, .scope = CTPROF_SCOPE_OBJECT};

	tree_write(tree, DIRECTORY "state", "disabled\n");
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpint(h->started, ==, 0);
	g_assert_cmpuint(fake_host_rows(h->fake), ==, 0);
}

/* Makes a cgroup of our own, whose number is its inode; NULL after g_test_skip(). */
static char *make_cgroup(guint64 *ret_number)
{
	static const char *const tops[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	struct statfs fs;
	struct stat st;

	for (gsize i = 0; i < G_N_ELEMENTS(tops); i++) {
		g_autofree char *path = g_strdup_printf("%s/ctprof-test-%d", tops[i], getpid());

		if (statfs(tops[i], &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC ||
		    mkdir(path, 0755) < 0)
			continue;
		g_assert_cmpint(stat(path, &st), ==, 0);
		*ret_number = st.st_ino;
		return g_steal_pointer(&path);
	}
	g_test_skip("no cgroup can be created in cgroup2");
	return NULL;
}

static void test_places(void)
{
	guint64 number = 0;
	g_autofree char *directory = make_cgroup(&number);

	if (!directory)
		return;
	const char *cgroup = strrchr(directory, '/');
	g_autoptr(Tree) tree = tree_of_schedulers(number, 1);
	struct field_trip trip = {.sys = tree,
				  .cgroup = "/sys/fs/cgroup",
				  .live = TRUE,
				  .scope = CTPROF_SCOPE_OBJECT};
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpint(rmdir(directory), ==, 0);
	g_autofree char *object = g_strdup_printf("outer %s", cgroup);
	gint64 row = events_of(h, object, NULL);

	g_assert_cmpstr(fake_host_string(h->fake, (guint64)row, "scheduler_cgroup"), ==, cgroup);
}

/* ---- threads ------------------------------------------------------------------ */

/* Returns the label of a thread in that cgroup; "!REASON": absent. */
static char *label_of(const Tree *sys, const char *top, const char *cgroup)
{
	const struct ctprof_source_ops *ops = ctprof_plugin_entry_v1()->ops;
	g_autoptr(Tree) proc = tree_new();
	g_autofree char *line = g_strdup_printf("0::%s\n", cgroup);
	void *self = NULL;

	tree_write(proc, "42/task/42/cgroup", line);
	g_autoptr(FakeHost) fake = fake_host_new(proc, sys, top, top != NULL);
	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	g_assert_cmpint(ops->start(self), ==, 0);
	fake_host_add_thread(fake, 42, 42);
	g_assert_cmpint(ops->collect(self, NULL, fake_host_batch(fake, CTPROF_SCOPE_THREAD)), ==,
			0);
	ops->close(self);
	guint32 why = fake_host_state(fake, 0, "scheduler");
	return why == CTPROF_PRESENT ? g_strdup(fake_host_string(fake, 0, "scheduler"))
				     : g_strdup_printf("!%u", why);
}

static void test_threads(void)
{
	g_autoptr(Tree) tree = tree_new();

	tree_write(tree, DIRECTORY "state", "disabled\n");
	g_autofree char *none = label_of(tree, NULL, "/");
	g_assert_cmpstr(none, ==, "!70");
	tree_write(tree, DIRECTORY "root/ops", "simple\n");
	g_autofree char *root = label_of(tree, NULL, "/a");
	g_assert_cmpstr(root, ==, "simple");
	/* The cgroups of the other schedulers are unknown. */
	g_autoptr(Tree) nested = tree_of_schedulers(71, 72);
	g_autofree char *unknown = label_of(nested, NULL, "/a");
	g_assert_cmpstr(unknown, ==, "!10");
}

static void test_threads_of_cgroups(void)
{
	guint64 number = 0;
	g_autofree char *directory = make_cgroup(&number);

	if (!directory)
		return;
	const char *cgroup = strrchr(directory, '/');
	g_autofree char *ops =
		g_strdup_printf(DIRECTORY "root/sub/sub-%" G_GUINT64_FORMAT "/ops", number);
	g_autofree char *below = g_strconcat(cgroup, "/below", NULL);
	g_autoptr(Tree) tree = tree_new();

	tree_write(tree, DIRECTORY "root/ops", "simple\n");
	tree_write(tree, ops, "outer\n");
	g_autofree char *inside = label_of(tree, "/sys/fs/cgroup", below);
	g_assert_cmpstr(inside, ==, "outer");
	g_autofree char *outside = label_of(tree, "/sys/fs/cgroup", "/");
	g_assert_cmpint(rmdir(directory), ==, 0);
	g_assert_cmpstr(outside, ==, "simple");
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
	g_test_add_func("/scx/events", test_events);
	g_test_add_func("/scx/schedulers/recorded", test_recorded_schedulers);
	g_test_add_func("/scx/schedulers/none", test_no_schedulers);
	g_test_add_func("/scx/schedulers/places", test_places);
	g_test_add_func("/scx/threads/label", test_threads);
	g_test_add_func("/scx/threads/cgroups", test_threads_of_cgroups);
	g_test_add_func("/scx/live", test_live);
	g_test_add_func("/scx/readme", check_readme);
	return g_test_run();
}
