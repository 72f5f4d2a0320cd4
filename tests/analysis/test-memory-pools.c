/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests ctprof memory: its first screen, the areas of all processes, and who maps an object. */
#include <string.h>

#include "memory-kit.h"

#define MIB (1024 * 1024)

static void add_process(MemoryKit *kit, gint32 pid, const char *name, const char *cgroup, guint pss,
			guint uss)
{
	g_autofree char *cells = g_strdup_printf("pcomm=%s;cgroup=%s;user=u%d;memory_state=exact;"
						 "pss_bytes=%u;uss_bytes=%u;swap_pss_bytes=0",
						 name, cgroup, pid % 2, pss, uss);

	memory_kit_row(kit, "memory", NULL, pid, cells);
}

static void add_ram(MemoryKit *kit, const char *name, guint64 mib)
{
	g_autofree char *cells = g_strdup_printf("ledger_bytes=%" G_GUINT64_FORMAT, mib * MIB);

	memory_kit_row(kit, "memory-ledger", name, 0, cells);
}

static void add_host(MemoryKit *kit)
{
	add_process(kit, 1, "init", "/init.scope", 10, 10);
	add_process(kit, 20, "postgres", "/system.slice/postgresql@15.service", 300, 200);
	add_process(kit, 21, "postgres", "/system.slice/postgresql@15.service", 400, 200);
	add_process(kit, 30, "worker-1", "/a/b", 50, 50);
	add_process(kit, 31, "worker-2", "/a/b", 60, 60);
	add_process(kit, 40, "refused", "/", 0, 0);
	memory_kit_row(kit, "memory", NULL, 41,
		       "pcomm=refused;cgroup=/;memory_state=approximate;rss_bytes=5");
	memory_kit_row(kit, "memory", NULL, 2, "pcomm=kthreadd;memory_state=not-applicable");
}

static void check_pools(MemoryKit *kit, const char *fields, const char *expected)
{
	memory_kit_draw(kit, "pools");
	g_autofree char *dump = memory_kit_dump(kit, "pools", fields);
	g_assert_cmpstr(dump, ==, expected);
}

/* Returns the columns shown in text output, in order. */
static char *list_shown(const MemoryKit *kit, const char *name)
{
	const struct ctprof_report_section *section = memory_kit_section(kit, name);
	GString *text = g_string_new(NULL);

	for (guint64 i = 0; i < section->n_fields; i++)
		if (!(section->fields[i].flags & CTPROF_FIELD_HIDDEN))
			g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "",
					       section->fields[i].name);
	return g_string_free(text, FALSE);
}

static void test_keys(void)
{
	static const struct {
		PoolBy by;
		const char *dump;
	} cases[] = {
		{POOL_BY_NAME, "postgres 2 700 400 300 postgresql@15\n"
			       "worker-{N} 2 110 110 0 a/b\n"
			       "init 1 10 10 0 init\n"
			       "refused 2 ~0 ~0 ~0 -\n"
			       "=total 7 ~820 ~520 ~300 -\n"},
		{POOL_BY_UNIT, "postgresql@15 2 700 400 300 postgresql@15\n"
			       "a/b 2 110 110 0 a/b\n"
			       "init 1 10 10 0 init\n"
			       "- 2 ~0 ~0 ~0 -\n"
			       "=total 7 ~820 ~520 ~300 -\n"},
		{POOL_BY_CGROUP, "/system.slice/postgresql@15.service 2 700 400 300 postgresql@15\n"
				 "/a/b 2 110 110 0 a/b\n"
				 "/init.scope 1 10 10 0 init\n"
				 "/ 2 ~0 ~0 ~0 -\n"
				 "=total 7 ~820 ~520 ~300 -\n"},
		{POOL_BY_USER, "u1 3 470 270 200 a/b\n"
			       "u0 3 350 250 100 -\n"
			       "- 1 - - - -\n"
			       "=total 7 ~820 ~520 ~300 -\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_host(&kit);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.pool_by = cases[i].by;
		check_pools(&kit, "pool processes pss uss shared unit", cases[i].dump);
	}
	const struct ctprof_report_section *section = memory_kit_section(&kit, "pools");
	g_assert_cmpuint(section->n_exact, ==, 6);
	g_assert_cmpuint(section->n_approximate, ==, 1);
}

/* Pools beyond the limit have a line of their own, and so does ctprof; the total includes all. */
static void test_rest(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_host(&kit);
	kit.options.limit = 1;
	kit.options.own[0] = 1;
	check_pools(&kit, "pool processes pss",
		    "postgres 2 700\n=2 more 4 ~110\n=ctprof itself 1 10\n=total 7 ~820\n");
	g_autofree char *notes = memory_kit_notes(&kit, "pools");
	g_assert_nonnull(strstr(notes, "without ctprof the PSS of others"));
	kit.options.own[0] = 0;
	memory_kit_draw(&kit, "pools");
	g_autofree char *without = memory_kit_notes(&kit, "pools");
	g_assert_null(strstr(without, "without ctprof"));
}

/* A column without values is not shown. */
static void test_columns(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, "a", "/", 5, 5);
	memory_kit_draw(&kit, "pools");
	g_autofree char *few = list_shown(&kit, "pools");
	g_assert_cmpstr(few, ==, "pool processes pss uss ram_percent");
	add_process(&kit, 2, "b", "/system.slice/b.service", 9, 5);
	memory_kit_row(&kit, "memory", NULL, 3,
		       "pcomm=c;cgroup=/;memory_state=exact;pss_bytes=1;uss_bytes=1;"
		       "swap_pss_bytes=4");
	memory_kit_draw(&kit, "pools");
	g_autofree char *all = list_shown(&kit, "pools");
	g_assert_cmpstr(all, ==, "pool processes pss uss shared swap unit ram_percent");
}

static void test_sides(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, "grows", "/", 100, 100);
	add_process(&kit, 2, "goes", "/", 40, 40);
	kit.side = 1;
	add_process(&kit, 1, "grows", "/", 700, 700);
	add_process(&kit, 3, "comes", "/", 50, 50);
	kit.options.elapsed_s = 30;
	kit.options.sort = "change";
	check_pools(&kit, "pool processes pss pss_before pss_change",
		    "grows 1 700 100 1200.0%\ncomes 1 50 0 100.0%\ngoes 0 0 40 -80.0%\n"
		    "=total 2 750 140 1220.0%\n");
}

static void test_host(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, "a", "/", 1, 1);
	add_ram(&kit, "meminfo.MemTotal", 16 * 1024);
	add_ram(&kit, "meminfo.MemFree", 8 * 1024);
	add_ram(&kit, "meminfo.MemAvailable", 10 * 1024);
	add_ram(&kit, "meminfo.Cached", 3 * 1024);
	add_ram(&kit, "meminfo.Shmem", 1024);
	add_ram(&kit, "meminfo.Dirty", 512);
	add_ram(&kit, "meminfo.AnonPages", 4 * 1024);
	add_ram(&kit, "meminfo.PageTables", 8); /* too little to be mentioned */
	add_ram(&kit, "meminfo.SwapTotal", 0);
	memory_kit_draw(&kit, "pools");
	g_autofree char *notes = memory_kit_notes(&kit, "host");
	g_autofree char *dump = memory_kit_dump(&kit, "host", "name bytes");
	g_assert_cmpstr(notes, ==,
			"16.00 GiB · 8.00 free · 2.00 file cache (0.50 dirty) · 4.00 anonymous\n"
			"1.00 shared · 10.00 available · no swap\n");
	g_assert_nonnull(strstr(dump, "kernel 8388608\n"));
	g_assert_nonnull(strstr(dump, "file_cache 2147483648\n"));
	g_auto(GStrv) lines = g_strsplit(notes, "\n", -1);
	for (char **at = lines; *at; at++)
		g_assert_cmpint(g_utf8_strlen(*at, -1), <=, 78);
}

/* ---- areas ---- */

static void test_areas(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 7, "java", "/", 1, 1);
	memory_kit_row(&kit, "memory-mappings", "7 [heap]", 0,
		       "mapping_pid=7;mapping_label=[heap];mapping_rss_bytes=50;mapping_vmas=2");
	memory_kit_row(&kit, "memory-mappings", "8 <anonymous>", 0,
		       "mapping_pid=8;mapping_label=<anonymous>;mapping_rss_bytes=90");
	/* These are not areas: an object, and the cost of reading a process. */
	memory_kit_row(&kit, "memory-mappings", "7 /lib/x", 0,
		       "mapping_pid=7;mapping_label=/lib/x;mapping_inode=5;mapping_rss_bytes=99");
	memory_kit_row(&kit, "memory-mappings", "7 *", 0, "mapping_pid=7;mapping_read_ns=4");
	memory_kit_draw(&kit, "areas");
	g_autofree char *dump = memory_kit_dump(&kit, "areas", "pid name area rss vmas");
	g_assert_cmpstr(dump, ==, "8 - <anonymous> 90 -\n7 java [heap] 50 2\n=- - total 140 -\n");
}

/* ---- who maps an object ---- */

static void add_object(MemoryKit *kit, const char *name, const char *consumers)
{
	memory_kit_row(kit, "memory-shared", name, 0, "object_pss_bytes=9;object_processes=4");
	memory_kit_map(kit, "object_consumers", consumers);
}

static void test_consumers(void)
{
	static const struct {
		const char *object, *dump;
	} cases[] = {
		{"/lib/libc.so.6", "/lib/libc.so.6 2 b c 5\n/lib/libc.so.6 10 a 4\n"
				   "/lib/libc.so.6 3 d 3\n/lib/libc.so.6 4 e 2\n"},
		{"lib/x", "/lib/x 10 a 1\n"},
		/* An object name does not match longer names that contain it. */
		{"/lib/x", "/lib/x 10 a 1\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_capture(&kit, "memory-shared");
	add_object(&kit, "/lib/libc.so.6", "10 a=4;2 b c=5;3 d=3;4 e=2");
	add_object(&kit, "/lib/x", "10 a=1");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.object = cases[i].object;
		memory_kit_draw(&kit, "object");
		g_autofree char *dump = memory_kit_dump(&kit, "consumers", "object pid name pss");
		g_assert_cmpstr(dump, ==, cases[i].dump);
		g_assert_cmpuint(memory_kit_section(&kit, "shared")->n_lines, ==, 2);
	}
	kit.options.object = NULL;
	memory_kit_draw(&kit, "shared");
	g_assert_null(memory_kit_section(&kit, "consumers"));
	/* Output for machines always has them; people do not see that section. */
	kit.options.for_machines = TRUE;
	memory_kit_draw(&kit, "shared");
	const struct ctprof_report_section *all = memory_kit_section(&kit, "consumers");
	g_assert_cmpuint(all->n_lines, ==, 5);
	g_assert_true((all->flags & CTPROF_SECTION_TOLD) != 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/pools/keys", test_keys);
	g_test_add_func("/memory/pools/rest", test_rest);
	g_test_add_func("/memory/pools/columns", test_columns);
	g_test_add_func("/memory/pools/sides", test_sides);
	g_test_add_func("/memory/pools/host", test_host);
	g_test_add_func("/memory/areas", test_areas);
	g_test_add_func("/memory/consumers", test_consumers);
	return g_test_run();
}
