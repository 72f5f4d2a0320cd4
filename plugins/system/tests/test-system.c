/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/harvest.h"

#define STAT                                                                                       \
	"cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3\nintr 11\nctxt 12\nbtime 13\nprocesses 14\n"        \
	"procs_running 15\nprocs_blocked 16\nsoftirq 17\n"
#define LOADAVG "3.41 0.75 0.25 17/88 256\n"
#define VMSTAT "pgfault 20\npswpin 21\n"
#define DISKSTATS                                                                                  \
	" 8 0 sda 1 0 2 3 4 0 5 6 7 8 9\n 8 1 sda1 1 0 2 3 4 0 5 6 7 8 9\n"                        \
	" 8 16 sdb 1 0 2 3 4 0 5 6 7 8 9\n 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
#define MEMINFO "MemTotal: 64 kB\nMemAvailable: 32 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
#define NET "Inter-| x\n face | y\n lo: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n eth0: 1 2\n"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static Tree *tree_of_all(void)
{
	Tree *tree = tree_new();

	tree_write(tree, "stat", STAT);
	tree_write(tree, "loadavg", LOADAVG);
	tree_write(tree, "vmstat", VMSTAT);
	tree_write(tree, "meminfo", MEMINFO);
	tree_write(tree, "diskstats", DISKSTATS);
	tree_write(tree, "net/dev", NET);
	return tree;
}

static void test_each_file_alone(void)
{
	static const struct dependence table[] = {
		{"stat", "system.cpu.* system.intr system.ctxt system.btime system.proc* "
			 "system.softirq"},
		{"loadavg", "system.load.*"},
		{"vmstat", "system.vmstat.*"},
		{"meminfo", "system.memory.* system.swap.*"},
		{"diskstats", "system.disk.*"},
	};
	g_autoptr(Tree) tree = tree_of_all();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};

	check_dependences(tree, &trip, table, G_N_ELEMENTS(table), "");
}

/* Each file is opened once, and only if some value in it is wanted. */
static void test_opens(void)
{
	static const char *const paths[] = {"stat",      "loadavg", "vmstat",
					    "diskstats", "net/dev", "meminfo"};
	static const struct {
		const char *want;
		guint32 scope;
		guint opened; /* bits of paths */
	} cases[] = {
		{NULL, CTPROF_SCOPE_HOST, 47},
		{NULL, CTPROF_SCOPE_OBJECT, 24},
		{"system.vmstat.pgfault", CTPROF_SCOPE_HOST, 4},
		{"system.ctxt system.load.avg5", CTPROF_SCOPE_HOST, 3},
		{"system.memory.available", CTPROF_SCOPE_HOST, 32},
		{"disk_reads", CTPROF_SCOPE_OBJECT, 8},
		{"net_tx_drops", CTPROF_SCOPE_OBJECT, 16},
	};
	g_autoptr(Tree) tree = tree_of_all();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct field_trip trip = {
			.proc = tree, .scope = cases[i].scope, .want = cases[i].want};
		g_autoptr(Harvest) h = harvest_new(&trip);

		for (gsize p = 0; p < G_N_ELEMENTS(paths); p++) {
			guint expected = 0;

			/* The fake host compares the ends of paths: "vmstat" also ends in
			 * "stat". */
			for (gsize o = 0; o < G_N_ELEMENTS(paths); o++)
				expected += (cases[i].opened & 1u << o) != 0 &&
					    g_str_has_suffix(paths[o], paths[p]);
			g_assert_cmpuint(fake_host_opens(h->fake, paths[p]), ==, expected);
		}
	}
}

/* Values that are not reliable, or cannot be read, have a reason. */
static void test_spoilt(void)
{
	static const struct {
		const char *file, *text, *metric, *value;
	} cases[] = {
		{"stat", STAT, "system.ctxt", "12"},
		/* The file is truncated: 12 may have been 123. */
		{"stat", "cpu 1 2\nctxt 12", "system.ctxt", "!50"},
		{"stat", "cpu 1 2\nctxt 12", "system.cpu.user", "!50"},
		{"stat", "", "system.ctxt", "!10"},
		{"stat", "cpu 1 2\n", "system.cpu.user", "1"},
		{"stat", "cpu 1 2\n", "system.cpu.irq", "!10"},
		{"loadavg", "x y z\n", "system.load.avg1", "!50"},
		{"vmstat", "pgfault x\n", "system.vmstat.pgfault", "!50"},
		{"vmstat", "pgfault x\n", "system.load.avg1", "34100"},
		{"meminfo", MEMINFO, "system.memory.total", "64"},
		{"meminfo", "MemTotal: 6", "system.memory.total", "!50"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Tree) tree = tree_of_all();
		struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};

		tree_write(tree, cases[i].file, cases[i].text);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, cases[i].metric), ==, cases[i].value);
	}
}

/* ---- devices ----------------------------------------------------------- */

/* Returns "GROUP NAME;" of every object, in batches of at most room. */
static char *objects_text(FakeHost *fake, guint room)
{
	const struct ctprof_source_ops *ops = ctprof_plugin_entry_v1()->ops;
	GString *out = g_string_new(NULL);
	void *self = NULL;

	fake_host_room(fake, room);
	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	for (guint rows = 1; rows > 0;) {
		struct ctprof_batch *batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);

		g_assert_cmpint(ops->collect(self, NULL, batch), ==, 0);
		rows = fake_host_rows(fake);
		for (guint row = 0; row < rows; row++)
			g_string_append_printf(out, "%s %s;", fake_host_target(fake, row)->group,
					       fake_host_target(fake, row)->path);
	}
	ops->close(self);
	return g_string_free(out, FALSE);
}

static void test_devices(void)
{
	static const char all[] =
		"system-disks sda;system-disks sdb;system-net lo;system-net eth0;";
	g_autoptr(Tree) tree = tree_of_all();

	for (guint room = 1; room <= 5; room++) {
		g_autoptr(FakeHost) fake = fake_host_new(tree, NULL, NULL, FALSE);
		g_autofree char *objects = objects_text(fake, room);

		g_assert_cmpstr(objects, ==, all);
		g_assert_cmpuint(fake_host_opens(fake, "diskstats"), ==, 1);
		g_assert_cmpuint(fake_host_opens(fake, "net/dev"), ==, 1);
	}
}

static void test_device_values(void)
{
	static const struct {
		const char *group, *name, *metric;
		guint64 value; /* G_MAXUINT64: unsupported */
	} cases[] = {
		{"system-disks", "sdb", "disk_read_bytes", 1024},
		{"system-disks", "sdb", "disk_read_time", 3000},
		{"system-disks", "sdb", "disk_in_flight", 7},
		{"system-disks", "sdb", "disk_busy_time", 8000},
		{"system-net", "lo", "net_tx_drops", 8},
		{"system-net", "eth0", "net_rx_packets", 2},
		{"system-net", "eth0", "net_tx_bytes", G_MAXUINT64},
	};
	g_autoptr(Tree) tree = tree_of_all();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_OBJECT};
	g_autoptr(Harvest) h = harvest_new(&trip);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 row = fake_host_find_object(h->fake, cases[i].group, cases[i].name);

		g_assert_cmpint(row, >=, 0);
		if (cases[i].value == G_MAXUINT64)
			g_assert_cmpuint(fake_host_state(h->fake, (guint64)row, cases[i].metric),
					 ==, CTPROF_ABSENT_UNSUPPORTED);
		else
			g_assert_cmpuint(fake_host_u64(h->fake, (guint64)row, cases[i].metric), ==,
					 cases[i].value);
	}
}

/* A truncated line gives no object; a recorded tree may lack a file. */
static void test_devices_unread(void)
{
	g_autoptr(Tree) tree = tree_of_all();
	g_autoptr(FakeHost) fake = fake_host_new(tree, NULL, NULL, FALSE);

	tree_write(tree, "diskstats", "8 0 sda 1 2 3\n8 16 sd");
	tree_write(tree, "net/dev", NULL);
	g_autofree char *objects = objects_text(fake, 9);
	g_assert_cmpstr(objects, ==, "");
	g_assert_nonnull(strstr(fake_host_log(fake), "diskstats cannot be read"));
	g_assert_null(strstr(fake_host_log(fake), "net/dev"));
}

static void test_findings(void)
{
	g_autoptr(Tree) tree = tree_of_all();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autofree char *lacks = harvest_findings(&trip);

	/* This is the case for an old kernel, or one built with fewer features. */
	g_assert_nonnull(strstr(lacks, "system 20 system.vmstat.pgpgin and 26 more are absent: "
				       "the kernel does not count them|"));
	tree_write(tree, "loadavg", NULL);
	tree_write(tree, "diskstats", NULL);
	g_autofree char *partly = harvest_findings(&trip);
	g_assert_nonnull(strstr(partly, "system 20 proc/loadavg cannot be opened|"));
	g_assert_nonnull(strstr(partly, "\nsystem-disks 30 proc/diskstats cannot be opened|"));
	g_assert_null(strstr(partly, "system-net"));
	/* This is the case for subset=pid: the whole group is missing. */
	tree_write(tree, "stat", NULL);
	tree_write(tree, "vmstat", NULL);
	tree_write(tree, "meminfo", NULL);
	g_autofree char *fails = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(fails, "system 30 proc/stat cannot be opened|"));
}

/* ---- real kernels ------------------------------------------------------ */

static void test_recorded(void)
{
	static const char *const values[][2] = {
		{"system.cpu.user", "2241"},    {"system.cpu.nice", "105"},
		{"system.cpu.system", "1928"},  {"system.cpu.idle", "340"},
		{"system.cpu.iowait", "10"},    {"system.cpu.softirq", "10"},
		{"system.cpu.guest_nice", "0"}, {"system.cpu.online", "2"},
		{"system.ctxt", "36889"},       {"system.btime", "1795210110"},
		{"system.processes", "283"},    {"system.procs_running", "12"},
		{"system.procs_blocked", "0"},  {"system.softirq", "6958"},
		{"system.load.avg1", "43500"},  {"system.load.avg15", "3300"},
		{"system.load.runnable", "9"},  {"system.load.threads", "99"},
	};
	g_autofree char *root = fixture_path("7.2.13+deb14-amd64-scx");

	if (!root)
		return;
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	struct field_trip trip = {.proc = proc, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
		g_assert_cmpstr(harvest_value(h, values[i][0]), ==, values[i][1]);
	/* The kernel counts everything; the tree does not have the other files. */
	g_autofree char *findings = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(findings, "system 20 proc/diskstats "));
	g_assert_nonnull(strstr(findings, "\nsystem-disks 30 "));
}

/* This kernel counts every event, regardless of its configuration. */
static void test_recorded_vmstat(void)
{
	g_autofree char *root = fixture_path("7.2.13+deb14-amd64-scx");

	if (!root)
		return;
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	struct field_trip trip = {.proc = proc, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_autofree char *path = g_build_filename(proc, "vmstat", NULL);
	g_autofree char *text = NULL;
	GHashTableIter each;
	gpointer name, value;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_hash_table_iter_init(&each, h->values);
	while (g_hash_table_iter_next(&each, &name, &value)) {
		const char *key = (char *)name + strlen("system.vmstat.");
		g_autofree char *line = g_strdup_printf("\n%s %s\n", key, (char *)value);

		if (g_str_has_prefix(name, "system.vmstat.") && strcmp(key, "allocstall") != 0 &&
		    !strstr(text, line))
			g_error("%s is %s", (char *)name, (char *)value);
	}
}

/* Returns the number after a key in a file of the running kernel. */
static guint64 number_of(const char *path, const char *key)
{
	g_autofree char *text = NULL;
	g_autofree char *start = g_strdup_printf("\n%s ", key);

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	const char *line = strstr(text, start);
	g_assert_nonnull(line);
	return g_ascii_strtoull(line + strlen(start), NULL, 10);
}

/* Counters must be between two readings of the file by the test itself. */
static void test_live(void)
{
	static const char *const rows[][3] = {
		{"/proc/stat", "ctxt", "system.ctxt"},
		{"/proc/stat", "processes", "system.processes"},
		{"/proc/vmstat", "pgfault", "system.vmstat.pgfault"},
		{"/proc/vmstat", "pgpgin", "system.vmstat.pgpgin"},
	};
	struct field_trip trip = {.proc = "/proc", .live = TRUE, .scope = CTPROF_SCOPE_HOST};
	guint64 before[G_N_ELEMENTS(rows)];

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		before[i] = number_of(rows[i][0], rows[i][1]);
	g_autoptr(Harvest) h = harvest_new(&trip);
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		guint64 value = g_ascii_strtoull(harvest_value(h, rows[i][2]), NULL, 10);

		g_assert_cmpuint(value, >=, before[i]);
		g_assert_cmpuint(value, <=, number_of(rows[i][0], rows[i][1]));
	}
	g_assert_cmpuint(g_ascii_strtoull(harvest_value(h, "system.cpu.online"), NULL, 10), >=, 1);
	g_assert_true(g_ascii_isdigit(harvest_value(h, "system.load.avg1")[0]));
}

/* Returns the first number in the line of lo, which exists in each namespace. */
static guint64 loopback_bytes(void)
{
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents("/proc/net/dev", &text, NULL, NULL));
	const char *line = strstr(text, " lo:");
	g_assert_nonnull(line);
	return g_ascii_strtoull(line + strlen(" lo:"), NULL, 10);
}

static void test_live_net(void)
{
	struct field_trip trip = {.proc = "/proc", .live = TRUE, .scope = CTPROF_SCOPE_OBJECT};
	guint64 before = loopback_bytes();
	g_autoptr(Harvest) h = harvest_new(&trip);
	gint64 lo = fake_host_find_object(h->fake, "system-net", "lo");

	g_assert_cmpint(lo, >=, 0);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)lo, "net_rx_bytes"), >=, before);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)lo, "net_rx_bytes"), <=, loopback_bytes());
}

/* sysfs has a directory for each disk, with those of its partitions below. */
static void test_live_disks(void)
{
	struct field_trip trip = {.proc = "/proc", .live = TRUE, .scope = CTPROF_SCOPE_OBJECT};
	g_autoptr(GDir) dir = g_dir_open("/sys/block", 0, NULL);
	g_autoptr(Harvest) h = harvest_new(&trip);
	const char *disk;

	if (!dir) {
		g_test_skip("there is no /sys/block");
		return;
	}
	for (guint row = 0; row < fake_host_rows(h->fake); row++) {
		g_autofree char *path =
			g_strdup_printf("/sys/block/%s", fake_host_target(h->fake, row)->path);

		(void)g_strdelimit(path + strlen("/sys/block/"), "/", '!');
		if (strcmp(fake_host_target(h->fake, row)->group, "system-disks") == 0)
			g_assert_true(g_file_test(path, G_FILE_TEST_IS_DIR));
	}
	while ((disk = g_dir_read_name(dir)))
		if (!strchr(disk, '!') && !g_str_has_prefix(disk, "loop") &&
		    !g_str_has_prefix(disk, "ram") && !g_str_has_prefix(disk, "nbd"))
			g_assert_cmpint(fake_host_find_object(h->fake, "system-disks", disk), >=,
					0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/system/each-file-alone", test_each_file_alone);
	g_test_add_func("/system/opens", test_opens);
	g_test_add_func("/system/spoilt", test_spoilt);
	g_test_add_func("/system/devices", test_devices);
	g_test_add_func("/system/device-values", test_device_values);
	g_test_add_func("/system/devices-unread", test_devices_unread);
	g_test_add_func("/system/findings", test_findings);
	g_test_add_func("/system/recorded", test_recorded);
	g_test_add_func("/system/recorded-vmstat", test_recorded_vmstat);
	g_test_add_func("/system/live", test_live);
	g_test_add_func("/system/live-net", test_live_net);
	g_test_add_func("/system/live-disks", test_live_disks);
	g_test_add_func("/system/readme", check_readme);
	return g_test_run();
}
