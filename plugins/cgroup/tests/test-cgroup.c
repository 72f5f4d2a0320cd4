/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/harvest.h"

#define UNLIMITED "18446744073709551615"
#define PRESSURE                                                                                   \
	"some avg10=0.25 avg60=1.50 avg300=2.00 total=11\n"                                        \
	"full avg10=0.01 avg60=0.02 avg300=0.03 total=7\n"

/* The only metric of the host; all others are of a cgroup. */
#define HOST_CPU "cpu.host_usage_ns"

struct expected {
	const char *path, *metric, *value;
};

static void check_values(const char *cgroup_root, const struct expected *table, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		struct field_trip trip = {
			.cgroup = cgroup_root, .scope = CTPROF_SCOPE_CGROUP, .path = table[i].path};
		g_autoptr(Harvest) h = harvest_new(&trip);
		const char *value = harvest_value(h, table[i].metric);

		if (strcmp(value, table[i].value) != 0)
			g_error("%s of %s is '%s', not '%s'", table[i].metric, table[i].path, value,
				table[i].value);
	}
}

#define HIGH "/lab.slice/high.service"
#define CAPPED "/lab.slice/capped.service"
#define LIMITED "/lab.slice/max.service"

static void test_recorded(void)
{
	static const struct expected table[] = {
		{HIGH, "cpu.usage_usec", "3705073"},
		{HIGH, "memory.current", "25329664"},
		{HIGH, "memory.high", "25165824"},
		{HIGH, "memory.low", "8388608"},
		{HIGH, "memory.min", "4194304"},
		{HIGH, "memory.max", UNLIMITED},
		{HIGH, "memory.events", "high=316 low=0 max=0 oom=0 oom_group_kill=0 oom_kill=0"},
		{HIGH, "memory.swap_current", "27820032"},
		{HIGH, "memory.swap_events", "fail=3 high=0 max=0"},
		{HIGH, "memory.zswap_current", "0"},
		{HIGH, "pids.current", "1"},
		{HIGH, "pids.max", UNLIMITED},
		{HIGH, "io.stat",
		 "254:16 dbytes=0 254:16 dios=0 254:16 rbytes=117493760 254:16 rios=28685 "
		 "254:16 wbytes=132534272 254:16 wios=32357"},
		{HIGH, "cgroup_stat", "nr_descendants=0 nr_dying_descendants=0"},
		{HIGH, "psi.cpu.some.avg10", "2545"},
		{HIGH, "psi.cpu.full.total_usec", "4937284"},
		{HIGH, "psi.irq.full.total_usec", "!10"},
		{CAPPED, "cpu.max_quota_us", "20000"},
		{CAPPED, "cpu.max_period_us", "100000"},
		{CAPPED, "cpu.weight", "50"},
		{CAPPED, "cpu.nr_periods", "128"},
		{CAPPED, "cpu.nr_throttled", "96"},
		{CAPPED, "cpu.throttled_usec", "4348548"},
		{LIMITED, "memory.max", "16777216"},
		{LIMITED, "pids.max", "50"},
		{"/lab.slice/odd\\x2dname with blank.scope", "cpu.weight_nice", "-5"},
		/* The root cgroup has neither limits nor memory.current. */
		{"/", "cpu.usage_usec", "26776000"},
		{"/", "memory.current", "!10"},
		{"/", "cpu.max_period_us", "!10"},
	};
	g_autofree char *root = fixture_path("6.1.0-50-amd64");

	if (!root)
		return;
	g_autofree char *cgroup = g_build_filename(root, "cgroup", NULL);
	check_values(cgroup, table, G_N_ELEMENTS(table));
}

/* Every file of a unified cgroup, as this kernel shows it. */
static const struct {
	const char *file, *text, *metrics;
} whole[] = {
	{"cpu.stat", "usage_usec 5\nnr_periods 3\nnr_throttled 1\nthrottled_usec 2\n",
	 "cpu.usage_usec cpu.nr_periods cpu.nr_throttled cpu.throttled_usec"},
	{"cpu.max", "max 100000\n", "cpu.max_quota_us cpu.max_period_us"},
	{"cpu.weight", "100\n", "cpu.weight"},
	{"cpu.weight.nice", "0\n", "cpu.weight_nice"},
	{"memory.current", "4096\n", "memory.current"},
	{"memory.max", "max\n", "memory.max"},
	{"memory.high", "0\n", "memory.high"},
	{"memory.low", "0\n", "memory.low"},
	{"memory.min", "max\n", "memory.min"},
	{"memory.stat", "anon 1\nfile 2\n", "memory.stat"},
	{"memory.events", "low 0\n", "memory.events"},
	{"memory.peak", "8192\n", "memory.peak"},
	{"memory.swap.current", "1\n", "memory.swap_current"},
	{"memory.swap.max", "max\n", "memory.swap_max"},
	{"memory.swap.events", "high 0\n", "memory.swap_events"},
	{"memory.zswap.current", "1\n", "memory.zswap_current"},
	{"memory.zswap.max", "max\n", "memory.zswap_max"},
	{"pids.current", "3\n", "pids.current"},
	{"pids.max", "max\n", "pids.max"},
	{"pids.peak", "4\n", "pids.peak"},
	{"cpu.pressure", PRESSURE, "psi.cpu.*"},
	{"memory.pressure", PRESSURE, "psi.memory.*"},
	{"io.pressure", PRESSURE, "psi.io.*"},
	{"irq.pressure", "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n", "psi.irq.*"},
	{"io.stat", "8:0 rbytes=1\n", "io.stat"},
	{"cgroup.stat", "nr_descendants 0\n", "cgroup_stat"},
};

static void write_whole(const Tree *tree, const char *dir, const char *only_text)
{
	for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
		g_autofree char *path = g_strconcat(dir, "/", whole[i].file, NULL);

		tree_write(tree, path, only_text ? only_text : whole[i].text);
	}
}

static void test_each_file_alone(void)
{
	struct dependence table[G_N_ELEMENTS(whole)];
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	struct field_trip trip = {.cgroup = tree, .scope = CTPROF_SCOPE_CGROUP, .path = "/a/b"};

	tree_write(tree, "cgroup.controllers", "cpu\n");
	write_whole(tree, "a/b", NULL);
	for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
		g_ptr_array_add(paths, g_strconcat("a/b/", whole[i].file, NULL));
		table[i] = (struct dependence){g_ptr_array_index(paths, i), whole[i].metrics};
	}
	check_dependences(tree, &trip, table, G_N_ELEMENTS(table), "");
}

/* A file without a sensible value gives no value, and in particular not 0. */
static void test_garbage(void)
{
	static const char *const texts[] = {"", "\n", "-\n", "\xff\xfe\x01",
					    "99999999999999999999\n"};
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.cgroup = tree, .scope = CTPROF_SCOPE_CGROUP, .path = "/a"};

	tree_write(tree, "cgroup.controllers", "");
	for (guint t = 0; t < G_N_ELEMENTS(texts); t++) {
		GHashTableIter each;
		gpointer name, value;

		write_whole(tree, "a", texts[t]);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_hash_table_iter_init(&each, h->values);
		while (g_hash_table_iter_next(&each, &name, &value)) {
			/* These are only in v1. */
			if (strcmp(name, HOST_CPU) == 0 || strcmp(name, "memory.failcnt") == 0)
				continue;
			/* An empty io.stat is valid: nothing was read or written. */
			gboolean idle = t < 2 && strcmp(name, "io.stat") == 0;

			g_assert_cmpstr(value, ==, idle ? "" : "!50");
		}
	}
}

static void test_unwanted_not_read(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.cgroup = tree,
				  .scope = CTPROF_SCOPE_CGROUP,
				  .path = "/a",
				  .want = "cpu.nr_throttled cpu.usage_usec"};

	tree_write(tree, "cgroup.controllers", "");
	write_whole(tree, "a", NULL);
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(h, "cpu.nr_throttled"), ==, "1");
	g_assert_cmpuint(fake_host_opens(h->fake, "cpu.stat"), ==, 1);
	g_assert_cmpuint(fake_host_opens(h->fake, "cpu.max"), ==, 0);
	g_assert_cmpuint(fake_host_opens(h->fake, "memory.current"), ==, 0);
}

/* A path that cannot be a directory below the mount is recognised, and not opened. */
static void test_odd_paths(void)
{
	static const struct expected table[] = {
		{"/a", "memory.current", "4096"},
		{"/gone", "memory.current", "!30"},
		{"/a (deleted)", "memory.current", "!30"},
		{"/a (deleted)", "psi.io.full.avg10", "!30"},
		{"/../a", "memory.current", "!10"},
		{"/a/../a", "memory.current", "!10"},
		{"", "memory.current", "!50"},
		{"a", "memory.current", "!50"},
		/* A cgroup with the name of a v1 controller is not a v1 hierarchy. */
		{"/pids", "memory.current", "4096"},
		{"/bare", "pids.current", "!10"},
	};
	g_autoptr(Tree) tree = tree_new();

	tree_write(tree, "cgroup.controllers", "");
	write_whole(tree, "a", NULL);
	write_whole(tree, "a (deleted)", NULL);
	write_whole(tree, "pids", NULL);
	write_whole(tree, "pids/bare", NULL);
	tree_write(tree, "bare/cpu.stat", "usage_usec 1\n");
	check_values(tree, table, G_N_ELEMENTS(table));
}

static void test_denied(void)
{
	static const struct expected table[] = {
		{"/a", "memory.current", "!20"},
		{"/a", "memory.max", UNLIMITED},
		{"/b", "memory.max", "!20"},
	};
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *file = g_build_filename(tree, "a", "memory.current", NULL);
	g_autofree char *dir = g_build_filename(tree, "b", NULL);

	if (geteuid() == 0) {
		g_test_skip("root is denied nothing");
		return;
	}
	tree_write(tree, "cgroup.controllers", "");
	write_whole(tree, "a", NULL);
	write_whole(tree, "b", NULL);
	g_assert_cmpint(chmod(file, 0), ==, 0);
	g_assert_cmpint(chmod(dir, 0), ==, 0);
	check_values(tree, table, G_N_ELEMENTS(table));
	g_assert_cmpint(chmod(dir, 0700), ==, 0);
}

/* Writes v1 controllers as a hybrid host mounts them. */
static void write_v1(const Tree *tree)
{
	tree_write(tree, "cpuacct/a/cpuacct.usage", "7654321\n");
	tree_write(tree, "cpu/a/cpu.stat", "nr_periods 9\nnr_throttled 5\nthrottled_time 6789\n");
	tree_write(tree, "cpu/a/cpu.cfs_quota_us", "-1\n");
	tree_write(tree, "cpu/a/cpu.cfs_period_us", "100000\n");
	tree_write(tree, "cpu/a/cpu.shares", "512\n");
	tree_write(tree, "cpu/cpu.shares", "1024\n");
	tree_write(tree, "memory/a/memory.usage_in_bytes", "4096\n");
	tree_write(tree, "memory/a/memory.limit_in_bytes", "9223372036854771712\n");
	tree_write(tree, "memory/a/memory.max_usage_in_bytes", "8192\n");
	tree_write(tree, "memory/a/memory.failcnt", "12\n");
	tree_write(tree, "memory/a/memory.oom_control",
		   "oom_kill_disable 0\nunder_oom 1\noom_kill 3\n");
	/* Before Linux 4.13. */
	tree_write(tree, "memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
	tree_write(tree, "memory/memory.usage_in_bytes", "77\n");
	tree_write(tree, "memory/memory.max_usage_in_bytes", "5\n");
	tree_write(tree, "pids/a/pids.current", "2\n");
	tree_write(tree, "pids/a/pids.max", "10\n");
}

static const struct expected v1_values[] = {
	{"/a", "cpu.nr_periods", "9"},
	{"/a", "cpu.nr_throttled", "5"},
	{"/a", "cpu.throttled_usec", "6"},
	{"/a", "cpu.max_quota_us", UNLIMITED},
	{"/a", "cpu.max_period_us", "100000"},
	{"/a", "memory.current", "4096"},
	{"/a", "memory.max", UNLIMITED},
	{"/a", "memory.peak", "8192"},
	/* In v1 the kernel shows this file for the root, but charges nothing to it. */
	{"/", "memory.current", "77"},
	{"/", "memory.peak", "!70"},
	{"/a", "pids.current", "2"},
	{"/a", "pids.max", "10"},
	{"/a", "memory.high", "!10"},
	{"/a", "cpu.weight", "50"},
	{"/", "cpu.weight", "!70"},
	{"/a", "cpu.weight_nice", "!10"},
	{"/a", "memory.events", "oom_kill=3"},
	{"/", "memory.events", "!10"},
	{"/a", "memory.failcnt", "12"},
};

static void test_hybrid(void)
{
	static const struct expected unified[] = {
		{"/a", "cpu.usage_usec", "42"}, /* the unified file takes precedence */
		{"/a", "psi.cpu.some.total_usec", "11"},
		{"/b", "cpu.usage_usec", "43"},
		{"/b", "memory.current", "!10"},  /* no such path under the v1 mount */
		{"/c", "cpu.nr_throttled", "50"}, /* only one of two is missing here */
		{"/c", "cpu.throttled_usec", "6"},
		/* A cgroup that is only in v1: it exists, and has the values of its controller. */
		{"/v", "memory.current", "3"},
		{"/v", "memory.high", "!10"},
		{"/v", "cpu.usage_usec", "!10"},
		{"/gone", "memory.high", "!30"},
	};
	g_autoptr(Tree) tree = tree_new();

	write_v1(tree);
	tree_write(tree, "unified/cgroup.controllers", "");
	tree_write(tree, "unified/a/cpu.stat", "usage_usec 42\n");
	tree_write(tree, "unified/b/cpu.stat", "usage_usec 43\n");
	tree_write(tree, "unified/c/cpu.stat", "usage_usec 44\nnr_throttled 50\n");
	tree_write(tree, "cpu/c/cpu.stat", "nr_throttled 5\nthrottled_time 6789\n");
	tree_write(tree, "memory/v/memory.usage_in_bytes", "3\n");
	tree_write(tree, "unified/a/cpu.pressure", PRESSURE);
	check_values(tree, v1_values, G_N_ELEMENTS(v1_values));
	check_values(tree, unified, G_N_ELEMENTS(unified));
}

static void test_v1_only(void)
{
	static const struct expected more[] = {
		{"/a", "cpu.usage_usec", "7654"},
		{"/a", "psi.cpu.some.total_usec", "!10"},
		{"/b", "cpu.usage_usec", "!10"},
	};
	g_autoptr(Tree) tree = tree_new();

	write_v1(tree);
	check_values(tree, v1_values, G_N_ELEMENTS(v1_values));
	check_values(tree, more, G_N_ELEMENTS(more));
}

/* Mount points and the visible part of the tree come from mountinfo. */
static void test_mountinfo(void)
{
	static const struct {
		const char *line, *path, *value;
	} cases[] = {
		{"9 8 0:1 / /mnt/c\\040g rw - cgroup2 none rw\n", "/x", "4096"},
		{"9 8 0:1 /ct /mnt/c\\040g rw - cgroup2 none rw\n", "/ct/x", "4096"},
		{"9 8 0:1 /ct /mnt/c\\040g rw - cgroup2 none rw\n", "/x", "!10"},
		{"9 8 0:1 /.. /mnt/c\\040g rw - cgroup2 none rw\n", "/../x", "4096"},
		/* The mount that shows the whole tree is used, at any position. */
		{"9 8 0:1 /ct /mnt/part rw - cgroup2 none rw\n"
		 "7 8 0:1 / /mnt/c\\040g rw shared:1 - cgroup2 none rw\n",
		 "/x", "4096"},
		{"7 8 0:1 / /mnt/c\\040g rw - cgroup2 none rw\n"
		 "9 8 0:1 /ct /mnt/part rw - cgroup2 none rw\n",
		 "/x", "4096"},
		/* Without a mount, the contents of the cgroup root are used. */
		{"9 8 0:1 / /mnt rw - tmpfs none rw\n", "/y", "77"},
	};
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *cgroup = g_build_filename(tree, "usual", NULL);
	g_autofree char *link = g_build_filename(tree, "self/root", NULL);

	write_whole(tree, "mnt/c g/x", NULL);
	tree_write(tree, "usual/cgroup.controllers", "");
	tree_write(tree, "usual/y/memory.current", "77\n");
	tree_write(tree, "self/mountinfo", "");
	g_assert_cmpint(symlink(tree, link), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct field_trip trip = {.proc = tree,
					  .cgroup = cgroup,
					  .live = TRUE,
					  .scope = CTPROF_SCOPE_CGROUP,
					  .path = cases[i].path};

		tree_write(tree, "self/mountinfo", cases[i].line);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, "memory.current"), ==, cases[i].value);
	}
}

static void check_host_cpu(struct field_trip *trip, const char *value)
{
	trip->scope = CTPROF_SCOPE_HOST;
	g_autoptr(Harvest) h = harvest_new(trip);
	g_assert_cmpstr(harvest_value(h, HOST_CPU), ==, value);
}

/* Only the root of cpuacct has the exact time of all threads, no other cgroup. */
static void test_host_cpu(void)
{
	static const struct {
		const char *line, *value;
		gboolean is_top;
	} mounted[] = {
		{"9 8 0:1 / /mnt/c rw - cgroup none rw,cpuacct\n", "15100000001", TRUE},
		{"9 8 0:1 / /mnt/c rw - cgroup none rw,cpuacct\n", "!10", FALSE},
		{"9 8 0:1 /box /mnt/c rw - cgroup none rw,cpuacct\n", "!10", FALSE},
		{"9 8 0:1 / /mnt/c rw - cgroup2 none rw\n", "!10", TRUE},
	};
	g_autoptr(Tree) v1 = tree_new();
	g_autoptr(Tree) v2 = tree_new();
	g_autofree char *link = g_build_filename(v1, "self/root", NULL);
	struct field_trip recorded = {.cgroup = v1}, unified = {.cgroup = v2};

	tree_write(v2, "cgroup.controllers", "cpu\n");
	tree_write(v2, "cpu.stat", "usage_usec 5\n");
	check_host_cpu(&unified, "!10");
	tree_write(v1, "cpuacct/a/cpuacct.usage", "7\n");
	check_host_cpu(&recorded, "!10");
	tree_write(v1, "cpuacct/cpuacct.usage", "-\n");
	check_host_cpu(&recorded, "!50");
	tree_write(v1, "cpuacct/cpuacct.usage", "15100000001\n");
	check_host_cpu(&recorded, "15100000001");
	tree_write(v1, "mnt/c/cpuacct.usage", "15100000001\n");
	tree_write(v1, "mnt/c/release_agent", "\n");
	tree_write(v1, "self/mountinfo", "");
	g_assert_cmpint(symlink(v1, link), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(mounted); i++) {
		struct field_trip live = {.proc = v1, .live = TRUE};

		tree_write(v1, "self/mountinfo", mounted[i].line);
		if (i > 0 && mounted[i - 1].is_top && !mounted[i].is_top)
			tree_write(v1, "mnt/c/release_agent", NULL);
		check_host_cpu(&live, mounted[i].value);
	}
}

static void test_findings(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.cgroup = tree, .scope = CTPROF_SCOPE_CGROUP, .path = "/"};
	g_autoptr(Harvest) none = harvest_new(&trip);
	g_autofree char *fails = harvest_findings(&trip);

	g_assert_cmpint(none->started, ==, -EOPNOTSUPP);
	g_assert_cmpstr(none->error, ==, "no cgroup file system is mounted");
	g_assert_true(g_str_has_prefix(fails, "cgroup 30 "));
	tree_write(tree, "cgroup.controllers", "cpuset cpu io pids\n");
	g_autofree char *no_memory = harvest_findings(&trip);
	g_assert_nonnull(strstr(no_memory, "cgroup_disable=memory"));
	tree_write(tree, "cgroup.controllers", "cpuset cpu io memory pids\n");
	g_autofree char *no_psi = harvest_findings(&trip);
	g_assert_nonnull(strstr(no_psi, "psi=1"));
	tree_write(tree, "cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	g_autofree char *no_full = harvest_findings(&trip);
	g_assert_nonnull(strstr(no_full, "psi.cpu.full is absent"));
	tree_write(tree, "cpu.pressure", PRESSURE);
	g_autofree char *works = harvest_findings(&trip);
	g_assert_cmpstr(works, ==, "cgroup 10 |\n");
	tree_write(tree, "cgroup.controllers", NULL);
	tree_write(tree, "unified/cgroup.controllers", "");
	tree_write(tree, "memory/memory.usage_in_bytes", "1\n");
	g_autofree char *hybrid = harvest_findings(&trip);
	g_assert_nonnull(strstr(hybrid, "cgroup 20 "));
	g_assert_nonnull(strstr(hybrid, "systemd.unified_cgroup_hierarchy=1"));
}

/* The root cgroup exists wherever there are cgroups, and has used CPU time. */
static void test_live(void)
{
	struct field_trip trip = {.proc = "/proc",
				  .cgroup = "/sys/fs/cgroup",
				  .live = TRUE,
				  .scope = CTPROF_SCOPE_CGROUP,
				  .path = "/"};
	g_autoptr(Harvest) h = harvest_new(&trip);

	if (h->started != 0) {
		g_test_skip(h->error);
		return;
	}
	g_assert_cmpuint(g_ascii_strtoull(harvest_value(h, "cpu.usage_usec"), NULL, 10), >, 0);
	g_test_message("memory.current %s, pids.current %s, psi.cpu.some.total_usec %s",
		       harvest_value(h, "memory.current"), harvest_value(h, "pids.current"),
		       harvest_value(h, "psi.cpu.some.total_usec"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroup/recorded", test_recorded);
	g_test_add_func("/cgroup/each-file-alone", test_each_file_alone);
	g_test_add_func("/cgroup/garbage", test_garbage);
	g_test_add_func("/cgroup/unwanted-not-read", test_unwanted_not_read);
	g_test_add_func("/cgroup/odd-paths", test_odd_paths);
	g_test_add_func("/cgroup/denied", test_denied);
	g_test_add_func("/cgroup/hybrid", test_hybrid);
	g_test_add_func("/cgroup/v1-only", test_v1_only);
	g_test_add_func("/cgroup/mountinfo", test_mountinfo);
	g_test_add_func("/cgroup/host-cpu", test_host_cpu);
	g_test_add_func("/cgroup/findings", test_findings);
	g_test_add_func("/cgroup/live", test_live);
	g_test_add_func("/cgroup/readme", check_readme);
	return g_test_run();
}
