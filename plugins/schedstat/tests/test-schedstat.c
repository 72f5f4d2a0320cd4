/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harvest.h"

#define BALANCE_0 "0 0 0 0 0 0 0 0 0 0 0 "
#define LAST "0 0 2 0 0 0 0 0 0 3 4 0\n"
#define DOMAIN(name, level, mask)                                                                  \
	name " " level " " mask " 1 0 0 0 0 0 0 5 0 0 0 " BALANCE_0 "6 0 0 0 0 0 0 7 0 0 0 " LAST
#define CPU(number) "cpu" number " 1 0 2 3 40 30 600 700 8\n"
#define FILE_17                                                                                    \
	"version 17\ntimestamp 1\n" CPU("0") DOMAIN("domain0", "SMT", "3")                         \
		DOMAIN("domain1", "PKG", "f") CPU("1") DOMAIN("domain0", "SMT", "3")
#define SYSCTL "sys/kernel/sched_schedstats"
#define MISSING "proc/schedstat does not exist: CONFIG_SCHEDSTATS is not set"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static Tree *tree_of(const char *text, const char *sysctl)
{
	Tree *tree = tree_new();

	if (text)
		tree_write(tree, "schedstat", text);
	if (sysctl)
		tree_write(tree, SYSCTL, sysctl);
	return tree;
}

static void check_values(const char *proc, const char *const (*values)[2], gsize n)
{
	struct field_trip trip = {.proc = proc, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);

	for (gsize i = 0; i < n; i++)
		g_assert_cmpstr(harvest_value(h, values[i][0]), ==, values[i][1]);
}

/* Values are summed over both CPUs, and over the domains of a level. */
static void test_host(void)
{
	static const char *const values[][2] = {
		{"schedstat.yields", "2"},
		{"schedstat.wakeups", "80"},
		{"schedstat.wakeups_local", "60"},
		{"schedstat.run_time_ns", "1200"},
		{"schedstat.balance.busy", "PKG=1 SMT=2"},
		{"schedstat.balance.idle", "PKG=0 SMT=0"},
		{"schedstat.pulled.busy", "PKG=5 SMT=10"},
		{"schedstat.pulled.newidle", "PKG=7 SMT=14"},
		{"schedstat.pushed", "PKG=2 SMT=4"},
		{"schedstat.wake_remote", "PKG=3 SMT=6"},
		{"schedstat.wake_affine", "PKG=4 SMT=8"},
	};
	g_autoptr(Tree) tree = tree_of(FILE_17, "1\n");

	check_values(tree, values, G_N_ELEMENTS(values));
}

/* A single CPU has no domains and so no levels, which is not an error. */
static void test_one_cpu(void)
{
	static const char *const values[][2] = {
		{"schedstat.wakeups", "40"},
		{"schedstat.pushed", ""},
	};
	g_autoptr(Tree) tree = tree_of("version 17\ntimestamp 1\n" CPU("0"), NULL);

	check_values(tree, values, G_N_ELEMENTS(values));
}

/* A counter that is off is absent, although the file has a number. */
static void test_off(void)
{
	static const char *const values[][2] = {
		{"schedstat.yields", "!10"},       {"schedstat.wakeups", "!10"},
		{"schedstat.run_time_ns", "1200"}, {"schedstat.delay_ns", "1400"},
		{"schedstat.timeslices", "16"},    {"schedstat.pushed", "!10"},
	};
	g_autoptr(Tree) tree = tree_of(FILE_17, "0\n");
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autofree char *findings = harvest_findings(&trip);

	check_values(tree, values, G_N_ELEMENTS(values));
	g_assert_cmpstr(findings, ==,
			"schedstat 20 only run time, delay and timeslices: "
			"kernel.sched_schedstats is 0|sysctl kernel.sched_schedstats=1\n"
			"schedstat-cpus 20 only run time, delay and timeslices: "
			"kernel.sched_schedstats is 0|sysctl kernel.sched_schedstats=1\n"
			"schedstat-domains 30 kernel.sched_schedstats is 0|"
			"sysctl kernel.sched_schedstats=1\n");
}

static void test_on(void)
{
	g_autoptr(Tree) tree = tree_of(FILE_17, "1\n");
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autofree char *findings = harvest_findings(&trip);

	g_assert_cmpstr(findings, ==,
			"schedstat 10 |\nschedstat-cpus 10 |\nschedstat-domains 10 |\n");
}

static void test_refused(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{NULL, MISSING},
		{"", "proc/schedstat does not begin with its version"},
		{"cpu0 1\n", "proc/schedstat does not begin with its version"},
		{"version 14\n", "proc/schedstat has version 14 (known are 15 to 17)"},
		{"version 18\n", "proc/schedstat has version 18 (known are 15 to 17)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Tree) tree = tree_of(cases[i].text, NULL);
		struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
		g_autoptr(Harvest) h = harvest_new(&trip);
		g_autofree char *findings = harvest_findings(&trip);
		g_autofree char *first = g_strdup_printf("schedstat 30 %s|", cases[i].error);

		g_assert_cmpint(h->started, ==, -EOPNOTSUPP);
		g_assert_cmpstr(h->error, ==, cases[i].error);
		g_assert_true(g_str_has_prefix(findings, first));
	}
}

/* Values that are not reliable have a reason. */
static void test_spoilt(void)
{
	static const struct {
		const char *text, *metric, *value;
	} cases[] = {
		/* The file is truncated: 8 may have been 80. */
		{"version 17\ncpu0 1 0 2 3 4 5 6 7 8", "schedstat.timeslices", "!50"},
		{"version 17\ncpu0 1 0 2 3 4 5 6 7 8\ncpu1 1 0 2\n", "schedstat.yields", "!50"},
		{"version 17\ncpu0 1 0 2 3 4 5 6 7 8\ndomain0 MC 3 1\n", "schedstat.pushed", "!50"},
		{"version 17\ncpu0 1 0 2 3 4 5 6 7 8\ndomain0 MC 3 1\n", "schedstat.yields", "1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const value[1][2] = {{cases[i].metric, cases[i].value}};
		g_autoptr(Tree) tree = tree_of(cases[i].text, NULL);

		check_values(tree, value, 1);
	}
}

static void test_too_many_levels(void)
{
	g_autoptr(GString) text = g_string_new("version 17\n" CPU("0"));

	for (guint i = 0; i < 17; i++) {
		g_autofree char *name = g_strdup_printf("domain%u L%u 3 ", i, i);

		g_string_append(text, name);
		g_string_append(text, BALANCE_0 BALANCE_0 BALANCE_0 LAST);
	}
	const char *const value[1][2] = {{"schedstat.pushed", "!50"}};
	g_autoptr(Tree) tree = tree_of(text->str, NULL);
	check_values(tree, value, 1);
}

static void test_recorded(void)
{
	static const struct {
		const char *kernel, *metric, *value;
	} cases[] = {
		{"6.1.0-50-amd64", "schedstat.wakeups_local", "19958"},
		{"6.1.0-50-amd64", "schedstat.balance.busy", "domain0=589"},
		{"6.12.107+deb13-amd64", "schedstat.balance.busy", "domain0=548"},
		{"6.12.107+deb13-amd64-plain", "schedstat.wakeups", "!10"},
		{"6.12.107+deb13-amd64-plain", "schedstat.timeslices", "33650"},
		{"7.2.13+deb14-amd64-scx", "schedstat.balance.busy", "MC=206"},
		{"7.2.13+deb14-amd64-scx", "schedstat.pulled.busy", "MC=183"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const value[1][2] = {{cases[i].metric, cases[i].value}};
		g_autofree char *root = fixture_path(cases[i].kernel);

		if (!root)
			return;
		g_autofree char *proc = g_build_filename(root, "proc", NULL);
		check_values(proc, value, 1);
	}
}

/* ---- objects --------------------------------------------------------------- */

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

#define ALL_CPUS "schedstat-cpus cpu0;"
#define ALL_DOMAINS "schedstat-domains cpu0 domain0;schedstat-domains cpu0 domain1;"

static void test_objects(void)
{
	static const struct {
		const char *want, *objects;
		guint opened;
	} cases[] = {
		{NULL, ALL_CPUS ALL_DOMAINS "schedstat-cpus cpu1;schedstat-domains cpu1 domain0;",
		 1},
		{"cpu_wakeups", ALL_CPUS "schedstat-cpus cpu1;", 1},
		{"domain_cpus", ALL_DOMAINS "schedstat-domains cpu1 domain0;", 1},
		{"schedstat.wakeups", "", 0},
	};
	g_autoptr(Tree) tree = tree_of(FILE_17, "1\n");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint room = 1; room <= 6; room++) {
			g_autoptr(FakeHost) fake = fake_host_new(tree, NULL, NULL, FALSE);

			if (cases[i].want)
				fake_host_want(fake, cases[i].want);
			g_autofree char *objects = objects_text(fake, room);
			g_assert_cmpstr(objects, ==, cases[i].objects);
			g_assert_cmpuint(fake_host_opens(fake, "schedstat"), ==, cases[i].opened);
		}
}

static void test_object_values(void)
{
	g_autoptr(Tree) tree = tree_of(FILE_17, "1\n");
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_OBJECT};
	g_autoptr(Harvest) h = harvest_new(&trip);
	gint64 cpu = fake_host_find_object(h->fake, "schedstat-cpus", "cpu1");
	gint64 domain = fake_host_find_object(h->fake, "schedstat-domains", "cpu0 domain1");

	g_assert_cmpint(cpu, >=, 0);
	g_assert_cmpint(domain, >=, 0);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)cpu, "cpu_wakeups_local"), ==, 30);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)domain, "domain_busy_pulled"), ==, 5);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)domain, "domain_newidle_balances"), ==, 6);
	g_assert_cmpuint(fake_host_u64(h->fake, (guint64)domain, "domain_wake_affine"), ==, 4);
	g_assert_cmpuint(fake_host_state(h->fake, (guint64)domain, "domain_idle_imbalance"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpstr(fake_host_string(h->fake, (guint64)domain, "domain_level"), ==, "PKG");
	g_assert_cmpstr(fake_host_string(h->fake, (guint64)domain, "domain_cpus"), ==, "0,1,2,3");
}

static void test_live(void)
{
	struct field_trip trip = {.proc = "/proc", .live = TRUE, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);

	if (h->started != 0) {
		g_test_skip(h->error);
		return;
	}
	g_assert_true(g_ascii_isdigit(harvest_value(h, "schedstat.run_time_ns")[0]));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/schedstat/host", test_host);
	g_test_add_func("/schedstat/one-cpu", test_one_cpu);
	g_test_add_func("/schedstat/off", test_off);
	g_test_add_func("/schedstat/on", test_on);
	g_test_add_func("/schedstat/refused", test_refused);
	g_test_add_func("/schedstat/spoilt", test_spoilt);
	g_test_add_func("/schedstat/too-many-levels", test_too_many_levels);
	g_test_add_func("/schedstat/recorded", test_recorded);
	g_test_add_func("/schedstat/objects", test_objects);
	g_test_add_func("/schedstat/object-values", test_object_values);
	g_test_add_func("/schedstat/live", test_live);
	g_test_add_func("/schedstat/readme", check_readme);
	return g_test_run();
}
