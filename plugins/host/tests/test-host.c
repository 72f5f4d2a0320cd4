/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../parse.h"
#include "tests/harvest.h"

#define N_OF(array) G_N_ELEMENTS(array)

static void test_colon(void)
{
	static const struct {
		const char *text;
		gboolean first_block;
		const char *value;
	} cases[] = {
		{"a\t: 1\nkey\t: some value \n", FALSE, "some value"},
		{"key:\nkey: 2\n", FALSE, "2"},
		{"keys: 1\n key : 3\n", FALSE, "3"},
		{"a: 1\n\nkey: 4\n", FALSE, "4"},
		{"a: 1\n\nkey: 4\n", TRUE, NULL},
		{"a: 1\n \t\nkey: 4\n", TRUE, NULL},
		{"key 4\n", FALSE, NULL},
		{"", FALSE, NULL},
	};

	for (guint i = 0; i < N_OF(cases); i++) {
		struct text value = {NULL, 0};
		gboolean found = host_parse_colon(cases[i].text, strlen(cases[i].text), "key",
						  cases[i].first_block, &value);

		g_assert_cmpint(found, ==, cases[i].value != NULL);
		if (found)
			g_assert_true(text_equal(value, cases[i].value));
	}
}

static void test_amount(void)
{
	static const struct {
		const char *text, *unit;
		gint64 value; /* -1: rejected */
	} cases[] = {
		{"984024 kB", "kB", 984024}, {"0", NULL, 0},     {"984024", "kB", -1},
		{"984024 MB", "kB", -1},     {"1 kB", NULL, -1}, {"1 kB x", "kB", -1},
		{"-1 kB", "kB", -1},         {"", NULL, -1},     {"kB", "kB", -1},
	};

	for (guint i = 0; i < N_OF(cases); i++) {
		guint64 value = G_MAXUINT64;
		struct text text = {cases[i].text, strlen(cases[i].text)};

		host_parse_amount(text, cases[i].unit, &value);
		g_assert_cmpint((gint64)value, ==, cases[i].value);
	}
}

static void test_since(void)
{
	static const struct {
		const char *release;
		gboolean since; /* whether it is 5.14 or later */
	} cases[] = {
		{"5.14.0", TRUE},  {"5.14", TRUE}, {"5.13.19", FALSE}, {"6.1.0-50-amd64", TRUE},
		{"4.19.1", FALSE}, {"6", FALSE},   {"", FALSE},        {"x.y", FALSE},
		{"5.x", FALSE},    {"6.", FALSE},  {".14", FALSE},
	};

	for (guint i = 0; i < N_OF(cases); i++) {
		struct text text = {cases[i].release, strlen(cases[i].release)};

		g_assert_cmpint(host_parse_is_since(text, 5, 14), ==, cases[i].since);
	}
}

static void test_config(void)
{
	static const struct {
		const char *text, *answer;
	} cases[] = {
		{"CONFIG_A=y\nCONFIG_TASK_XACCT=y\n", "on"},
		{"  CONFIG_TASK_XACCT=y", "on"},
		{"# CONFIG_TASK_XACCT is not set\n", "off"},
		{"CONFIG_TASK_XACCT=m\n", "unknown"},
		{"CONFIG_TASK_XACCT_MORE=y\nNO_CONFIG_TASK_XACCT=y\n", "unknown"},
		{"#CONFIG_TASK_XACCT is not set\n", "unknown"},
		{"# CONFIG_TASK_XACCT\n", "unknown"},
		{"", "unknown"},
	};

	for (guint i = 0; i < N_OF(cases); i++)
		g_assert_cmpstr(host_parse_config(cases[i].text, strlen(cases[i].text),
						  "CONFIG_TASK_XACCT"),
				==, cases[i].answer);
}

struct expected {
	const char *metric, *value;
};

static void check_values(const struct field_trip *trip, const struct expected *table, gsize n)
{
	g_autoptr(Harvest) h = harvest_new(trip);

	for (gsize i = 0; i < n; i++) {
		const char *value = harvest_value(h, table[i].metric);

		if (strcmp(value, table[i].value) != 0)
			g_error("%s is '%s', not '%s'", table[i].metric, value, table[i].value);
	}
}

static void test_recorded(void)
{
	static const struct expected table[] = {
		{"host.cpu_model", "QEMU TCG CPU version 2.5+"},
		{"host.cpu_vendor", "AuthenticAMD"},
		{"host.total_memory_kib", "984024"},
		{"host.hugepages_total", "0"},
		{"host.hugepages_size_kib", "2048"},
		{"host.thp_enabled", "[always] madvise never"},
		{"host.thp_defrag", "!10"},
		{"host.sched_tunables", "sched_autogroup_enabled=1 sched_schedstats=1"},
		{"host.online_cpus", "2"},
		{"host.numa_nodes", "1"},
		{"host.cpufreq_governor", "!10"},
		{"host.kernel_name", "Linux"},
		{"host.kernel_release", "7.2.13+deb14-amd64"},
		{"host.kernel_cmdline",
		 "console=ttyS0 panic=-1 rdinit=/init loglevel=4 random.trust_cpu=1 tsc=reliable  "
		 "delayacct schedstats=enable psi=1"},
		{"host.task_delayacct", "on"},
		{"host.config_task_xacct", "unknown"},
		{"host.psi_enabled", "1"},
		{"host.ptrace_scope", "0"},
		{"host.perf_event_paranoid", "3"},
		{"host.boot_id", "0c5e1c76-6852-4b52-9721-7358c2bfe358"},
		/* Values of a recorded tree are never mixed with those of the running kernel. */
		{"host.arch", "!10"},
		{"host.page_size", "!10"},
		{"host.user_hz", "!10"},
	};
	g_autofree char *root = fixture_path("7.2.13+deb14-amd64-scx");

	if (!root)
		return;
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	g_autofree char *sys = g_build_filename(root, "sys", NULL);
	struct field_trip trip = {.proc = proc, .sys = sys, .scope = CTPROF_SCOPE_HOST};
	check_values(&trip, table, N_OF(table));
}

static void test_recorded_plain(void)
{
	static const struct expected table[] = {
		{"host.task_delayacct", "runtime_off"},
		{"host.sched_schedstats", "0"},
		{"host.online_cpus", "!10"}, /* there is no sys tree */
	};
	g_autofree char *root = fixture_path("6.12.107+deb13-amd64-plain");

	if (!root)
		return;
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	struct field_trip trip = {.proc = proc, .scope = CTPROF_SCOPE_HOST};
	check_values(&trip, table, N_OF(table));
}

/* Every file that a value comes from, except the governor's, which may be missing. */
#define CPU "sys/devices/system/cpu/"

static const struct {
	const char *file, *text, *metrics;
} whole[] = {
	{"proc/cpuinfo", "processor\t: 0\nmodel name\t: M 1\nvendor_id\t: V\n\n",
	 "host.cpu_model host.cpu_vendor"},
	{"proc/meminfo",
	 "MemTotal: 10 kB\nHugePages_Total: 1\nHugePages_Free: 2\nHugepagesize: 2048 kB\n",
	 "host.total_memory_kib host.hugepages_*"},
	{"proc/cmdline", "quiet\n", "host.kernel_cmdline"},
	{"proc/pressure/cpu", "some\n", "host.psi_enabled"},
	{"proc/sys/kernel/ostype", "Linux\n", "host.kernel_name"},
	{"proc/sys/kernel/osrelease", "4.19.0\n", "host.kernel_release"},
	{"proc/sys/kernel/arch", "x86_64\n", "host.arch"},
	{"proc/sys/kernel/task_delayacct", "1\n", "host.task_delayacct"},
	{"proc/sys/kernel/yama/ptrace_scope", "1\n", "host.ptrace_scope"},
	{"proc/sys/kernel/perf_event_paranoid", "-1\n", "host.perf_event_paranoid"},
	{"proc/sys/kernel/random/boot_id", "a-b\n", "host.boot_id"},
	{"sys/kernel/mm/transparent_hugepage/enabled", "[never]\n", "host.thp_enabled"},
	{"sys/kernel/mm/transparent_hugepage/defrag", "[never]\n", "host.thp_defrag"},
	{"sys/kernel/security/lsm", "capability,yama\n", "host.lsm"},
	{"sys/devices/system/node/online", "0-1\n", "host.numa_nodes"},
	{"sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n",
	 "host.clocksource"},
	{CPU "online", "0-1,3\n", "host.online_cpus host.cores host.sockets host.cpufreq_governor"},
	{CPU "possible", "0-7\n", "host.cpus_possible"},
	{CPU "present", "0-3\n", "host.cpus_present"},
	{CPU "smt/active", "1\n", "host.smt_active"},
	{CPU "cpu0/topology/core_cpus_list", "0-1\n", "host.cores"},
	{CPU "cpu1/topology/core_cpus_list", "0-1\n", "host.cores"},
	{CPU "cpu3/topology/core_cpus_list", "3\n", "host.cores"},
	{CPU "cpu0/topology/package_cpus_list", "0-1,3\n", "host.sockets"},
	{CPU "cpu1/topology/package_cpus_list", "0-1,3\n", "host.sockets"},
	{CPU "cpu3/topology/package_cpus_list", "0-1,3\n", "host.sockets"},
};

static void write_whole(const Tree *tree, const char *only_text)
{
	for (guint i = 0; i < N_OF(whole); i++)
		tree_write(tree, whole[i].file, only_text ? only_text : whole[i].text);
}

static void test_each_file_alone(void)
{
	struct dependence table[N_OF(whole)];
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *proc = g_build_filename(tree, "proc", NULL);
	g_autofree char *sys = g_build_filename(tree, "sys", NULL);
	struct field_trip trip = {.proc = proc, .sys = sys, .scope = CTPROF_SCOPE_HOST};
	static const struct expected values[] = {
		{"host.cores", "2"},
		{"host.sockets", "1"},
		{"host.online_cpus", "3"},
		{"host.cpus_possible", "8"},
		{"host.numa_nodes", "2"},
		{"host.hugepages_free", "2"},
		{"host.perf_event_paranoid", "-1"},
		{"host.smt_active", "1"},
		{"host.cpufreq_governor", "1=powersave"},
		{"host.ctprof_version", CTPROF_VERSION},
	};

	write_whole(tree, NULL);
	tree_write(tree, CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	check_values(&trip, values, N_OF(values));
	for (guint i = 0; i < N_OF(whole); i++)
		table[i] = (struct dependence){whole[i].file, whole[i].metrics};
	check_dependences(tree, &trip, table, N_OF(table),
			  "host.sched_tunables host.config_task_xacct host.ctprof_version");
}

static void test_garbage(void)
{
	static const char *const texts[] = {"", "\n", "\xff\xfe\x01-", "5-3\n"};
	static const char *const numbers[] = {
		"host.online_cpus",      "host.cores",          "host.sockets",
		"host.numa_nodes",       "host.smt_active",     "host.ptrace_scope",
		"host.cpufreq_governor", "host.task_delayacct", "host.cpus_present",
	};
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *proc = g_build_filename(tree, "proc", NULL);
	g_autofree char *sys = g_build_filename(tree, "sys", NULL);
	struct field_trip trip = {.proc = proc, .sys = sys, .scope = CTPROF_SCOPE_HOST};

	for (guint t = 0; t < N_OF(texts); t++) {
		write_whole(tree, texts[t]);
		g_autoptr(Harvest) h = harvest_new(&trip);
		for (guint i = 0; i < N_OF(numbers); i++)
			g_assert_cmpstr(harvest_value(h, numbers[i]), ==, "!50");
		g_assert_true(harvest_value(h, "host.total_memory_kib")[0] == '!');
		g_assert_cmpint(strcmp(harvest_value(h, "host.thp_enabled"), "!50") == 0, ==,
				t < 2);
	}
}

static void test_delayacct(void)
{
	static const struct {
		const char *sysctl, *osrelease, *value;
	} cases[] = {
		{"1\n", "6.1.0\n", "on"},
		{"0\n", "6.1.0\n", "runtime_off"},
		{"2\n", "6.1.0\n", "!50"},
		{NULL, "6.1.0\n", "config_off"},
		/* Before 5.14 there is no such sysctl, whether or not the kernel counts. */
		{NULL, "5.13.2\n", "!10"},
	};

	for (guint i = 0; i < N_OF(cases); i++) {
		g_autoptr(Tree) tree = tree_new();
		struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};

		tree_write(tree, "sys/kernel/osrelease", cases[i].osrelease);
		if (cases[i].sysctl)
			tree_write(tree, "sys/kernel/task_delayacct", cases[i].sysctl);
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, "host.task_delayacct"), ==, cases[i].value);
	}
}

/* A gzip file that is truncated or invalid provides no value. */
static void test_config_gz(void)
{
	static const struct {
		const char *base64;
		gsize cut;
		const char *value;
	} cases[] = {
		{"H4sIAAAAAAACA3P293PzdI+PsK3kcoYwQxyDveMjHJ2dQ4BiABUfzpcfAAAA", 0, "on"},
		{"H4sIAAAAAAACA3P293PzdI+PsK3kcoYwQxyDveMjHJ2dQ4BiABUfzpcfAAAA", 9, "unknown"},
		{"H4sIAAAAAAACA1NWcPb3c/N0jw9xDPaOj3B0dg5RyCxWyMsvUShOLeECAJXGBCofAAAA", 0, "off"},
		{"Q09ORklHX1RBU0tfWEFDQ1Q9eQo=", 0, "unknown"},
	};
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = g_build_filename(tree, "config.gz", NULL);
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};

#ifndef HAVE_ZLIB
	g_test_skip("built without zlib");
	return;
#endif
	for (guint i = 0; i < N_OF(cases); i++) {
		gsize len;
		g_autofree guchar *bytes = g_base64_decode(cases[i].base64, &len);

		g_assert_true(g_file_set_contents(path, (char *)bytes, (gssize)(len - cases[i].cut),
						  NULL));
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_assert_cmpstr(harvest_value(h, "host.config_task_xacct"), ==, cases[i].value);
	}
}

/* Only regular files named sched_* are read, and an empty one has no value. */
static void test_tunables(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autofree char *long_text = g_strnfill(5000, 'x');
	g_autofree char *link = g_build_filename(tree, "sys/kernel/sched_link", NULL);

	tree_write(tree, "sys/kernel/sched_a", " 1 2\n");
	tree_write(tree, "sys/kernel/sched_empty", "\n");
	tree_write(tree, "sys/kernel/other", "3\n");
	tree_write(tree, "sys/kernel/sched_domain/cpu0", "4\n");
	g_assert_cmpint(symlink("other", link), ==, 0);
	g_autoptr(Harvest) few = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(few, "host.sched_tunables"), ==, "sched_a=1 2");

	tree_write(tree, "sys/kernel/sched_a", long_text);
	g_autoptr(Harvest) cut = harvest_new(&trip);
	g_assert_cmpuint(strlen(harvest_value(cut, "host.sched_tunables")), ==,
			 strlen("sched_a=") + 4096);

	for (guint i = 0; i < 100; i++) {
		g_autofree char *path = g_strdup_printf("sys/kernel/sched_%u", i);

		tree_write(tree, path, long_text);
	}
	g_autoptr(Harvest) many = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(many, "host.sched_tunables"), ==, "!50");
}

/* The old topology names and the version line are used if the new files are missing. */
static void test_fallbacks(void)
{
	static const struct expected values[] = {
		{"host.kernel_name", "Linux"},  {"host.kernel_release", "4.19.0"},
		{"host.task_delayacct", "!10"}, {"host.cores", "1"},
		{"host.sockets", "1"},
	};
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *sys = g_build_filename(tree, "sys", NULL);
	struct field_trip trip = {.proc = tree, .sys = sys, .scope = CTPROF_SCOPE_HOST};

	tree_write(tree, "version", "Linux version 4.19.0 (a@b) #1\n");
	tree_write(tree, CPU "online", "0\n");
	tree_write(tree, CPU "cpu0/topology/thread_siblings_list", "0\n");
	tree_write(tree, CPU "cpu0/topology/core_siblings_list", "0\n");
	check_values(&trip, values, N_OF(values));
}

/* Values that only a running kernel can provide are put if it is one. */
static void test_live_meaning(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) recorded = harvest_new(&trip);

	trip.live = TRUE;
	g_autoptr(Harvest) live = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(recorded, "host.psi_enabled"), ==, "!10");
	g_assert_cmpstr(harvest_value(live, "host.psi_enabled"), ==, "0");
	g_assert_cmpstr(harvest_value(recorded, "host.arch"), ==, "!10");
	g_assert_true(harvest_value(live, "host.arch")[0] != '!');
	g_assert_cmpint(atoll(harvest_value(live, "host.page_size")), ==, sysconf(_SC_PAGESIZE));
}

static void test_live(void)
{
	struct field_trip trip = {
		.proc = "/proc", .sys = "/sys", .live = TRUE, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_autofree char *online = g_strdup_printf("%ld", sysconf(_SC_NPROCESSORS_ONLN));
	GHashTableIter each;
	gpointer name, value;

	g_assert_cmpstr(harvest_value(h, "host.online_cpus"), ==, online);
	g_assert_cmpstr(harvest_value(h, "host.kernel_name"), ==, "Linux");
	g_assert_true(g_ascii_isdigit(harvest_value(h, "host.total_memory_kib")[0]));
	g_hash_table_iter_init(&each, h->values);
	while (g_hash_table_iter_next(&each, &name, &value))
		g_test_message("%s %s", (char *)name, (char *)value);
}

static void test_findings(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *proc = g_build_filename(tree, "proc", NULL);
	g_autofree char *sys = g_build_filename(tree, "sys", NULL);
	struct field_trip trip = {.proc = proc, .sys = sys, .scope = CTPROF_SCOPE_HOST};

	g_autofree char *fails = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(fails, "host 30 "));
	write_whole(tree, NULL);
	g_autofree char *no_config = harvest_findings(&trip);
	g_assert_nonnull(strstr(no_config, "CONFIG_IKCONFIG_PROC"));
	tree_write(tree, "proc/config.gz", "");
	g_autofree char *works = harvest_findings(&trip);
	g_assert_cmpstr(works, ==, "host 10 |\n");
	tree_write(tree, "sys/kernel/security/lsm", NULL);
	g_autofree char *no_lsm = harvest_findings(&trip);
	g_assert_nonnull(strstr(no_lsm, "securityfs"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host/parse/colon", test_colon);
	g_test_add_func("/host/parse/amount", test_amount);
	g_test_add_func("/host/parse/since", test_since);
	g_test_add_func("/host/parse/config", test_config);
	g_test_add_func("/host/recorded", test_recorded);
	g_test_add_func("/host/recorded-plain", test_recorded_plain);
	g_test_add_func("/host/each-file-alone", test_each_file_alone);
	g_test_add_func("/host/garbage", test_garbage);
	g_test_add_func("/host/delayacct", test_delayacct);
	g_test_add_func("/host/config-gz", test_config_gz);
	g_test_add_func("/host/tunables", test_tunables);
	g_test_add_func("/host/fallbacks", test_fallbacks);
	g_test_add_func("/host/live-meaning", test_live_meaning);
	g_test_add_func("/host/live", test_live);
	g_test_add_func("/host/findings", test_findings);
	g_test_add_func("/host/readme", check_readme);
	return g_test_run();
}
