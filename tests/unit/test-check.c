/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The criteria of plugin-check: paths of needs, symbols of shared objects. */
#include <string.h>

#include "check/elf.h"
#include "check/paths.h"

static const struct path_case {
	const char *need, *opened;
	gboolean covered, leads;
} path_cases[] = {
	{"proc/<tgid>/task/<tid>/io", "proc/12/task/13/io", TRUE, TRUE},
	{"proc/<tgid>/task/<tid>/io", "proc/12/task/13/stat", FALSE, FALSE},
	{"proc/<tgid>/task/<tid>/io", "proc/12/task", FALSE, TRUE},
	{"proc/<tgid>/task/<tid>/io", "proc", FALSE, TRUE},
	{"proc/<tgid>/task/<tid>/io", "sys/12/task/13/io", FALSE, FALSE},
	{"proc/<tgid>/map_files", "proc/12/map_files/1-2", TRUE, FALSE},
	{"proc/self/status", "proc/77/status", TRUE, TRUE},
	{"proc/self/status", "proc/78/status", FALSE, FALSE},
	{"proc/self/status", "proc/self/status", TRUE, TRUE},
	{"proc/sys/kernel/sched_*", "proc/sys/kernel/sched_x", TRUE, TRUE},
	{"proc/sys/kernel/sched_*", "proc/sys/kernel/panic", FALSE, FALSE},
	{"cgroup/<path>/memory.stat", "cgroup/memory.stat", TRUE, TRUE},
	{"cgroup/<path>/memory.stat", "cgroup/a/b/memory.stat", TRUE, TRUE},
	{"cgroup/<path>/memory.stat", "cgroup/a/b/cpu.stat", FALSE, TRUE},
	{"cgroup/<path>/memory.stat", "cgroup/memory.stat/memory.stat", TRUE, TRUE},
	{"cgroup/<path>", "cgroup/a", TRUE, TRUE},
	{"cgroup/cpu/<path>/cpu.stat", "cgroup/cpu,cpuacct/a/cpu.stat", TRUE, TRUE},
	{"cgroup/cpu/<path>/cpu.stat", "cgroup/pids/a/cpu.stat", FALSE, FALSE},
	{"proc", "proc/meminfo", TRUE, FALSE},
};

static void test_paths(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(path_cases); i++) {
		const struct path_case *c = &path_cases[i];

		g_test_message("%s of %s", c->opened, c->need);
		g_assert_cmpint(path_is_covered(c->need, c->opened, "77"), ==, c->covered);
		g_assert_cmpint(path_leads_to(c->need, c->opened, "77"), ==, c->leads);
	}
}

static void test_generalised(void)
{
	static const char *const cases[][2] = {
		{"proc/12/task/13/io", "proc/<tgid>/task/<tid>/io"},
		{"proc/12/status", "proc/<tgid>/status"},
		{"proc/meminfo", "proc/meminfo"},
		{"sys/12/task", "sys/12/task"},
		{"proc", "proc"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *general = path_generalise(cases[i][0]);

		g_assert_cmpstr(general, ==, cases[i][1]);
	}
}

/* Reads every symbol; returns whether the wanted one is exported. */
static gboolean exports(const guint8 *bytes, gsize len, const char *name)
{
	gboolean found = FALSE;
	const char *why;
	ElfView view;

	if (!elf_view_open(bytes, len, &view, &why))
		return FALSE;
	for (gsize i = 0; i < view.n_symbols; i++) {
		ElfSymbol symbol;

		if (elf_view_symbol(&view, i, &symbol))
			found |= symbol.defined && strcmp(symbol.name, name) == 0;
	}
	return found;
}

static void test_elf(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	gsize len;

	g_file_get_contents(g_getenv("TEST_PLUGIN"), &bytes, &len, &error);
	g_assert_no_error(error);
	g_assert_true(exports((guint8 *)bytes, len, "ctprof_plugin_entry_v1"));
	g_assert_false(exports((guint8 *)bytes, len, "ctprof_plugin_entry_v2"));
	/* A truncated file is refused, because the section headers are at its end. */
	for (gsize cut = 0; cut < len; cut += 1 + cut / 64) {
		g_autofree guint8 *part = g_memdup2(bytes, cut);

		g_assert_false(exports(part, cut, "ctprof_plugin_entry_v1"));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/check/paths/needs-cover-what-they-declare", test_paths);
	g_test_add_func("/check/paths/numbers-are-generalised", test_generalised);
	g_test_add_func("/check/elf/tells-exports-and-survives-cuts", test_elf);
	return g_test_run();
}
