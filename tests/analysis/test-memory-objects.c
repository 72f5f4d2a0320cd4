/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ctprof memory: the ledger, shared objects, tmpfs, SysV, one process. */
#include <string.h>

#include "memory-kit.h"

static void check_table(const MemoryKit *kit, const char *table, const char *fields,
			const char *expected)
{
	g_autofree char *dump = memory_kit_dump(kit, table, fields);

	g_assert_cmpstr(dump, ==, expected);
}

/* ---- ledger ---------------------------------------------------------------------- */

static void add_part(MemoryKit *kit, const char *name, const char *cells)
{
	memory_kit_row(kit, MEMORY_LEDGER, name, 0, cells);
}

static void test_ledger(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_part(&kit, "meminfo.MemTotal", "ledger_bytes=1000");
	add_part(&kit, "meminfo.MemFree", "ledger_bytes=100");
	add_part(&kit, "meminfo.Zswap", "");
	add_part(&kit, "meminfo.VmallocTotal", "ledger_bytes=999999");
	add_part(&kit, "physical.allocated", "ledger_bytes=900");
	add_part(&kit, "physical.lru", "ledger_bytes=500");
	add_part(&kit, "physical.residual", "ledger_bytes=150;ledger_estimate=1");
	add_part(&kit, "shmem.total", "ledger_bytes=200");
	add_part(&kit, "shmem.rest", "ledger_bytes=20;ledger_estimate=1");
	add_part(&kit, "swap.total", "ledger_bytes=0");
	add_part(&kit, "unheard.of", "ledger_bytes=7");
	memory_kit_draw(&kit, memory_draft_ledger, NULL);
	check_table(&kit, "meminfo", "name bytes ram_percent",
		    "MemTotal 1000 100.0%\nMemFree 100 10.0%\nZswap - -\n"
		    "VmallocTotal 999999 -\n");
	check_table(&kit, "physical", "name bytes ram_percent",
		    "allocated 900 90.0%\n  lru 500 50.0%\n  residual ~150 15.0%\n");
	check_table(&kit, "shmem", "name bytes ram_percent", "total 200 20.0%\n  rest ~20 2.0%\n");
	check_table(&kit, "swap", "name bytes ram_percent", "total 0 -\n");
	g_assert_null(memory_kit_table(&kit, "lenses"));
	g_assert_null(memory_kit_table(&kit, "nvidia"));
}

/* A section for each way to count, said not to add up; only what was captured. */
static void test_lenses(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_part(&kit, "meminfo.MemTotal", "ledger_bytes=1000");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 1, "memory_state=exact;pss_bytes=100");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 2, "memory_state=not-applicable");
	kit.data.captured[MEMORY_SYSV] = TRUE;
	memory_kit_draw(&kit, memory_draft_ledger, NULL);
	check_table(&kit, "lenses", "name bytes ram_percent",
		    "processes (PSS) 100 10.0%\nSysV segments (RSS) 0 0.0%\n");
	g_autofree char *notes = memory_kit_notes(&kit, "lenses");
	g_assert_nonnull(strstr(notes, "must not be added"));
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 3, "memory_state=approximate");
	memory_kit_draw(&kit, memory_draft_ledger, NULL);
	check_table(&kit, "lenses", "name bytes", "processes (PSS) ~100\nSysV segments (RSS) 0\n");
}

/* ---- shared objects ---------------------------------------------------------------- */

static void test_shared_orders(void)
{
	static const struct {
		const char *sort, *dump;
	} cases[] = {
		{NULL, "pss 20\nrss 10\nnone -\n=total ~30\n"},
		{"pss", "pss 20\nrss 10\nnone -\n=total ~30\n"},
		{"rss", "rss 10\npss 20\nnone -\n=total ~30\n"},
		{"swap", "none -\npss 20\nrss 10\n=total ~30\n"},
		{"processes", "pss 20\nnone -\nrss 10\n=total ~30\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, MEMORY_SHARED, "rss", 0,
		       "object_pss_bytes=10;object_rss_bytes=20;object_processes=1");
	memory_kit_row(&kit, MEMORY_SHARED, "none", 0, "object_processes=2;object_swap_bytes=1");
	memory_kit_row(&kit, MEMORY_SHARED, "pss", 0,
		       "object_pss_bytes=20;object_rss_bytes=10;object_processes=3");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.sort = cases[i].sort;
		memory_kit_draw(&kit, memory_draft_shared, memory_shared_sort);
		check_table(&kit, "shared", "object pss", cases[i].dump);
	}
}

static void test_consumers(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_map(&kit, memory_kit_row(&kit, MEMORY_SHARED, "a", 0, "object_pss_bytes=2"),
		       SHARED_CONSUMERS, "7 x=1536;8 y z=1023;9 w=104857600");
	memory_kit_map(&kit, memory_kit_row(&kit, MEMORY_SHARED, "b", 0, "object_pss_bytes=1"),
		       SHARED_CONSUMERS, "1 a=4;2 b=3;3 c=2;4 d=1;5 e=1");
	memory_kit_draw(&kit, memory_draft_shared, memory_shared_sort);
	check_table(&kit, "shared", "object consumers",
		    "a 7 x 1.5K, 8 y z 1023B, 9 w 100M\nb 1 a 4B, 2 b 3B, 3 c 2B, 2 more\n"
		    "=total -\n");
}

/* A segment is one line, whether somebody readable maps it or not. */
static void test_segments_are_joined(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, MEMORY_SHARED, "/SYSV00000000 (deleted)", 0,
		       "object_kind=sysv;object_pss_bytes=9;object_rss_bytes=10;object_shmid=5");
	memory_kit_row(&kit, MEMORY_SYSV, "sysv:5", 0,
		       "sysv_attaches=2;sysv_size_bytes=64;sysv_rss_bytes=8;sysv_swap_bytes=1");
	memory_kit_row(&kit, MEMORY_SYSV, "sysv:6", 0,
		       "sysv_attaches=3;sysv_size_bytes=32;sysv_rss_bytes=16;sysv_swap_bytes=2");
	memory_kit_draw(&kit, memory_draft_shared, memory_shared_sort);
	check_table(&kit, "shared", "object kind pss rss size attaches",
		    "/SYSV00000000 (deleted) sysv 9 10 64 2\nsysv:6 sysv - 16 32 3\n"
		    "=total - ~9 - - -\n");
}

static void test_unread_are_told_of(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, MEMORY_SHARED, "a", 0, "object_pss_bytes=1");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 1, "memory_state=exact");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 2, "memory_state=not-applicable");
	memory_kit_draw(&kit, memory_draft_shared, memory_shared_sort);
	g_autofree char *none = memory_kit_notes(&kit, "shared");
	g_assert_cmpstr(none, ==, "");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 3, "memory_state=approximate");
	memory_kit_draw(&kit, memory_draft_shared, memory_shared_sort);
	g_autofree char *some = memory_kit_notes(&kit, "shared");
	g_assert_true(g_str_has_prefix(some, "1 process could not be read"));
}

/* ---- SysV, tmpfs ------------------------------------------------------------------- */

static void test_sysv(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_draw(&kit, memory_draft_sysv, NULL);
	check_table(&kit, "sysv", "segment size rss", "=total 0 0\n");
	memory_kit_row(&kit, MEMORY_SYSV, "sysv:1", 0,
		       "sysv_owner=0;sysv_attaches=2;sysv_size_bytes=4194304;"
		       "sysv_rss_bytes=2097152;sysv_swap_bytes=0;sysv_key=0x00000000");
	memory_kit_row(&kit, MEMORY_SYSV, "sysv:9", 0, "sysv_size_bytes=1;sysv_rss_bytes=3145728");
	memory_kit_draw(&kit, memory_draft_sysv, NULL);
	check_table(&kit, "sysv", "segment key owner attaches size rss swap",
		    "sysv:9 - - - 1 3145728 -\n"
		    "sysv:1 0x00000000 0 2 4194304 2097152 0\n"
		    "=total - - - 4194305 5242880 ~0\n");
}

static void test_tmpfs(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, MEMORY_TMPFS, "/run", 0,
		       "tmpfs_used_bytes=10;tmpfs_limit_bytes=40;tmpfs_files=3");
	memory_kit_row(&kit, MEMORY_TMPFS, "/tmp", 0,
		       "tmpfs_used_bytes=30;tmpfs_limit_bytes=18446744073709551615");
	memory_kit_row(&kit, MEMORY_TMPFS, "/far", 0, "");
	memory_kit_draw(&kit, memory_draft_tmpfs, NULL);
	check_table(&kit, "tmpfs", "mount used limit used_percent files",
		    "/tmp 30 max - -\n/run 10 40 25.0% 3\n/far - - - -\n=total ~40 - - -\n");
	g_assert_null(memory_kit_table(&kit, "files"));
}

static void add_file(MemoryKit *kit, const char *path, guint depth, const char *kind,
		     guint64 allocated)
{
	g_autofree char *cells =
		g_strdup_printf("file_depth=%u;file_kind=%s;file_allocated_bytes=%" G_GUINT64_FORMAT
				";file_logical_bytes=1",
				depth, kind, allocated);

	memory_kit_row(kit, MEMORY_FILES, path, 0, cells);
}

static void test_files(void)
{
	static const struct {
		const char *filter, *dump;
	} cases[] = {
		{NULL, "/mnt 0 35 mount\n  b 20 20 file\n  d 0 10 dir\n    a 10 10 file\n"
		       "  other 5 5 file\n=total 35 35 -\n"},
		{"/[ab]$", "^/mnt 0 35 mount\n  b 20 20 file\n  ^d 0 10 dir\n"
			   "    a 10 10 file\n=total 30 30 -\n"},
		{"/d", "^/mnt 0 35 mount\n  d 0 10 dir\n    a 10 10 file\n=total 10 10 -\n"},
		{"mnt", "/mnt 0 35 mount\n  b 20 20 file\n  d 0 10 dir\n    a 10 10 file\n"
			"  other 5 5 file\n=total 35 35 -\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, MEMORY_TMPFS, "/mnt", 0, "tmpfs_used_bytes=35");
	add_file(&kit, "/mnt", 0, "mount", 0);
	add_file(&kit, "/mnt/d", 1, "dir", 0);
	add_file(&kit, "/mnt/d/a", 2, "file", 10);
	add_file(&kit, "/mnt/b", 1, "file", 20);
	add_file(&kit, "/mnt/other", 1, "file", 5);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.filter = cases[i].filter;
		memory_kit_draw(&kit, memory_draft_tmpfs, NULL);
		check_table(&kit, "files", "entry allocated allocated_subtree kind", cases[i].dump);
	}
}

/* Depths of a file that somebody else made need not make sense. */
static void test_files_of_any_depth(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_file(&kit, "/a", 7, "file", 1);
	add_file(&kit, "/a/b", 4000000000u, "file", 2);
	add_file(&kit, "/c", 7, "file", 4);
	add_file(&kit, "/", 0, "file", 8);
	memory_kit_draw(&kit, memory_draft_tmpfs, NULL);
	check_table(&kit, "files", "path allocated_subtree", "/ 8\n/c 4\n/a 3\n  /a/b 2\n=- 15\n");
}

/* ---- one process ----------------------------------------------------------------- */

static void test_process(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.pid = 42;
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 1, "memory_state=exact;pss_bytes=9");
	memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 42, "ppid=1;memory_state=exact;pss_bytes=6");
	memory_kit_row(&kit, MEMORY_MAPPINGS, "42 [heap]", 0,
		       "mapping_pid=42;mapping_kind=heap;mapping_label=[heap];mapping_vmas=1;"
		       "mapping_pss_bytes=2");
	memory_kit_row(&kit, MEMORY_MAPPINGS, "42 /a b.so", 0,
		       "mapping_pid=42;mapping_kind=file;mapping_label=/a b.so;mapping_vmas=4;"
		       "mapping_pss_bytes=4");
	memory_kit_row(&kit, MEMORY_MAPPINGS, "421 x", 0, "mapping_pid=421;mapping_pss_bytes=9");
	memory_kit_row(&kit, MEMORY_MAPPINGS, "42 *", 0, "mapping_read_ns=1234567");
	memory_kit_draw(&kit, memory_draft_process, NULL);
	check_table(&kit, "processes", "pid pss", "42 6\n");
	check_table(&kit, "mappings", "kind vmas pss object",
		    "file 4 4 /a b.so\nheap 1 2 [heap]\n=- - 6 total\n");
	g_autofree char *notes = memory_kit_notes(&kit, "mappings");
	g_assert_cmpstr(notes, ==, "Reading them took 1.234 ms.\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/ledger/parts", test_ledger);
	g_test_add_func("/memory/ledger/lenses", test_lenses);
	g_test_add_func("/memory/shared/orders", test_shared_orders);
	g_test_add_func("/memory/shared/consumers", test_consumers);
	g_test_add_func("/memory/shared/segments", test_segments_are_joined);
	g_test_add_func("/memory/shared/unread", test_unread_are_told_of);
	g_test_add_func("/memory/sysv", test_sysv);
	g_test_add_func("/memory/tmpfs/mounts", test_tmpfs);
	g_test_add_func("/memory/tmpfs/files", test_files);
	g_test_add_func("/memory/tmpfs/any depth", test_files_of_any_depth);
	g_test_add_func("/memory/process", test_process);
	return g_test_run();
}
