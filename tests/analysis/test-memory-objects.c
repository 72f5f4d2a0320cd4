/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests ctprof memory: the ledger, shared objects, tmpfs, SysV, one process. */
#include <string.h>

#include "memory-kit.h"

static void check_table(const MemoryKit *kit, const char *section, const char *fields,
			const char *expected)
{
	g_autofree char *dump = memory_kit_dump(kit, section, fields);

	g_assert_cmpstr(dump, ==, expected);
}

/* Checks the coverage of the totals, as "NOUN EXACT APPROXIMATE MISSING". */
static void check_coverage(const MemoryKit *kit, const char *name, const char *expected)
{
	const struct ctprof_report_section *section = memory_kit_section(kit, name);
	g_autofree char *coverage = g_strdup_printf(
		"%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
		section->covered, section->n_exact, section->n_approximate, section->n_missing);

	g_assert_cmpuint(section->flags, ==, CTPROF_SECTION_HAS_COVERAGE);
	g_assert_cmpstr(coverage, ==, expected);
}

/* Draws each order of the list; expects the first field of each line, joined in one line. */
struct order_case {
	const char *sort, *lines;
};

static void check_orders(MemoryKit *kit, const char *view, const char *table, const char *field,
			 const struct order_case *cases)
{
	const char *const *orders = section_find(view, TRUE)->orders;
	guint n = 0;

	for (; cases[n].sort; n++) {
		kit->options.sort = cases[n].sort;
		memory_kit_draw(kit, view);
		g_autofree char *dump = memory_kit_dump(kit, table, field);
		char *total = strstr(dump, "\n=");

		g_test_message("%s", cases[n].sort);
		if (total)
			*total = '\0';
		g_assert_cmpstr(g_strstrip(g_strdelimit(dump, "\n", ' ')), ==, cases[n].lines);
	}
	/* Every order of the view must be among the cases. */
	for (guint i = 0; orders[i]; i++)
		g_assert_cmpstr(orders[i], ==, i < n ? cases[i].sort : NULL);
	kit->options.sort = NULL;
}

/* ---- ledger ---------------------------------------------------------------------- */

static void add_part(MemoryKit *kit, const char *name, const char *cells)
{
	memory_kit_row(kit, "memory-ledger", name, 0, cells);
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
	memory_kit_draw(&kit, "ledger");
	check_table(&kit, "meminfo", "name bytes ram_percent",
		    "MemTotal 1000 100.0%\nMemFree 100 10.0%\nZswap - -\n"
		    "VmallocTotal 999999 -\n");
	check_table(&kit, "physical", "name bytes ram_percent",
		    "allocated 900 90.0%\n  lru 500 50.0%\n  residual ~150 15.0%\n");
	check_table(&kit, "shmem", "name bytes ram_percent", "total 200 20.0%\n  rest ~20 2.0%\n");
	check_table(&kit, "swap", "name bytes ram_percent", "total 0 -\n");
	check_coverage(&kit, "meminfo", "values 3 0 1");
	check_coverage(&kit, "physical", "values 2 1 0");
	g_assert_null(memory_kit_section(&kit, "lenses"));
	g_assert_null(memory_kit_section(&kit, "nvidia"));
}

/* The total stays above its parts. */
static void test_ledger_orders(void)
{
	static const struct order_case meminfo[] = {{"kernel", "MemTotal Zswap Buffers Dirty"},
						    {"size", "MemTotal Dirty Buffers Zswap"},
						    {"name", "Buffers Dirty MemTotal Zswap"},
						    {NULL, NULL}};
	static const struct order_case physical[] = {{"kernel", "allocated   slab   lru"},
						     {"size", "allocated   slab   lru"},
						     {"name", "allocated   lru   slab"},
						     {NULL, NULL}};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_part(&kit, "meminfo.MemTotal", "ledger_bytes=1000");
	add_part(&kit, "meminfo.Zswap", "");
	add_part(&kit, "meminfo.Buffers", "ledger_bytes=1");
	add_part(&kit, "meminfo.Dirty", "ledger_bytes=2");
	add_part(&kit, "physical.allocated", "ledger_bytes=5");
	add_part(&kit, "physical.slab", "ledger_bytes=7");
	add_part(&kit, "physical.lru", "ledger_bytes=6");
	check_orders(&kit, "ledger", "meminfo", "name", meminfo);
	check_orders(&kit, "ledger", "physical", "name", physical);
}

/* There is a section for each captured way of counting, with a note that they do not add up. */
static void test_lenses(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_part(&kit, "meminfo.MemTotal", "ledger_bytes=1000");
	memory_kit_row(&kit, "memory", NULL, 1, "memory_state=exact;pss_bytes=100");
	memory_kit_row(&kit, "memory", NULL, 2, "memory_state=not-applicable");
	memory_kit_capture(&kit, "memory-sysv");
	memory_kit_draw(&kit, "ledger");
	check_table(&kit, "lenses", "name bytes ram_percent",
		    "processes (PSS) 100 10.0%\nSysV segments (RSS) 0 0.0%\n");
	check_table(&kit, "lenses", "exact approximate missing", "1 0 0\n0 0 0\n");
	g_autofree char *notes = memory_kit_notes(&kit, "lenses");
	g_assert_nonnull(strstr(notes, "do not add them up"));
	memory_kit_row(&kit, "memory", NULL, 3, "memory_state=approximate");
	memory_kit_draw(&kit, "ledger");
	check_table(&kit, "lenses", "name bytes exact approximate missing",
		    "processes (PSS) ~100 1 0 1\nSysV segments (RSS) 0 0 0 0\n");
}

/* ---- shared objects ---------------------------------------------------------------- */

static void test_shared_orders(void)
{
	static const struct order_case cases[] = {
		/* vector 34 */
		{"pss", "pss rss none"},  {"rss", "rss pss none"},  {"uss", "none rss pss"},
		{"swap", "none pss rss"}, {"size", "rss none pss"}, {"processes", "pss none rss"},
		{"vmas", "pss none rss"}, {"name", "none pss rss"}, {NULL, NULL},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-shared", "rss", 0,
		       "object_pss_bytes=10;object_rss_bytes=20;object_processes=1;"
		       "object_uss_bytes=1;object_size_bytes=7");
	memory_kit_row(&kit, "memory-shared", "none", 0,
		       "object_processes=2;object_swap_bytes=1;object_uss_bytes=2;object_vmas=1");
	memory_kit_row(&kit, "memory-shared", "pss", 0,
		       "object_pss_bytes=20;object_rss_bytes=10;object_processes=3;object_vmas=2");
	check_orders(&kit, "shared", "shared", "object", cases);
	memory_kit_draw(&kit, "shared");
	check_table(&kit, "shared", "object pss", "pss 20\nrss 10\nnone -\n=total ~30\n");
}

static void test_consumers(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-shared", "a", 0, "object_pss_bytes=2");
	memory_kit_map(&kit, "object_consumers", "7 x=1536;8 y z=1023;9 w=104857600");
	memory_kit_row(&kit, "memory-shared", "b", 0, "object_pss_bytes=1");
	memory_kit_map(&kit, "object_consumers", "1 a=4;2 b=3;3 c=2;4 d=1;5 e=1");
	memory_kit_draw(&kit, "shared");
	check_table(&kit, "shared", "object consumers",
		    "a 9 w 100M, 7 x 1.5K, 8 y z 1023B\nb 1 a 4B, 2 b 3B, 3 c 2B, 2 more\n"
		    "=total -\n");
}

/* A segment is one line, whether or not a readable process maps it. */
static void test_segments_are_joined(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-shared", "/SYSV00000000 (deleted)", 0,
		       "object_kind=sysv;object_pss_bytes=9;object_rss_bytes=10;object_shmid=5");
	memory_kit_row(&kit, "memory-sysv", "sysv:5", 0,
		       "sysv_attaches=2;sysv_size_bytes=64;sysv_rss_bytes=8;sysv_swap_bytes=1");
	memory_kit_row(&kit, "memory-sysv", "sysv:6", 0,
		       "sysv_attaches=3;sysv_size_bytes=32;sysv_rss_bytes=16;sysv_swap_bytes=2");
	memory_kit_draw(&kit, "shared");
	check_table(&kit, "shared", "object kind pss rss size attaches",
		    "/SYSV00000000 (deleted) sysv 9 10 64 2\nsysv:6 sysv - 16 32 3\n"
		    "=total - ~9 - - -\n");
}

static void test_unread_are_told_of(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-shared", "a", 0, "object_pss_bytes=1");
	memory_kit_row(&kit, "memory", NULL, 1, "memory_state=exact");
	memory_kit_row(&kit, "memory", NULL, 2, "memory_state=not-applicable");
	memory_kit_draw(&kit, "shared");
	g_autofree char *none = memory_kit_notes(&kit, "shared");
	g_assert_cmpstr(none, ==, "");
	memory_kit_row(&kit, "memory", NULL, 3, "memory_state=approximate");
	memory_kit_draw(&kit, "shared");
	g_autofree char *some = memory_kit_notes(&kit, "shared");
	g_assert_true(g_str_has_prefix(some, "1 process could not be read"));
	check_coverage(&kit, "shared", "processes 1 0 1");
	check_table(&kit, "shared", "object pss", "a 1\n=total ~1\n");
	/* Counts of a source that reads the mappings take precedence. */
	memory_kit_row(&kit, "memory-swap", "*", 0, "swap_unreadable=0;swap_readable=7");
	memory_kit_draw(&kit, "shared");
	check_coverage(&kit, "shared", "processes 7 0 0");
	check_table(&kit, "shared", "object pss", "a 1\n=total 1\n");
}

/* ---- SysV, tmpfs ------------------------------------------------------------------- */

/* vector 35 */
static void test_sysv(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_capture(&kit, "memory-sysv");
	memory_kit_draw(&kit, "sysv");
	check_table(&kit, "sysv", "segment size rss", "=total 0 0\n");
	memory_kit_row(&kit, "memory-sysv", "sysv:1", 0,
		       "sysv_owner=0;sysv_attaches=2;sysv_size_bytes=4194304;"
		       "sysv_rss_bytes=2097152;sysv_swap_bytes=0;sysv_key=0x00000000");
	memory_kit_row(&kit, "memory-sysv", "sysv:9", 0,
		       "sysv_size_bytes=1;sysv_rss_bytes=3145728");
	memory_kit_draw(&kit, "sysv");
	check_table(&kit, "sysv", "segment key owner attaches size rss swap",
		    "sysv:9 - - - 1 3145728 -\n"
		    "sysv:1 0x00000000 0 2 4194304 2097152 0\n"
		    "=total - - - 4194305 5242880 ~0\n");
	check_coverage(&kit, "sysv", "segments 1 1 0");
}

/* IDs are sorted as numbers. */
static void test_sysv_orders(void)
{
	static const struct order_case cases[] = {
		{"rss", "sysv:9 sysv:10 sysv:2"},  {"size", "sysv:2 sysv:9 sysv:10"},
		{"swap", "sysv:10 sysv:2 sysv:9"}, {"attaches", "sysv:2 sysv:10 sysv:9"},
		{"id", "sysv:2 sysv:9 sysv:10"},   {NULL, NULL},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-sysv", "sysv:10", 0,
		       "sysv_rss_bytes=5;sysv_size_bytes=1;sysv_swap_bytes=1;sysv_attaches=2");
	memory_kit_row(&kit, "memory-sysv", "sysv:9", 0,
		       "sysv_rss_bytes=5;sysv_size_bytes=1;sysv_attaches=1");
	memory_kit_row(&kit, "memory-sysv", "sysv:2", 0,
		       "sysv_size_bytes=9;sysv_swap_bytes=0;sysv_attaches=3");
	check_orders(&kit, "sysv", "sysv", "segment", cases);
}

static void test_tmpfs(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-tmpfs", "/run", 0,
		       "tmpfs_used_bytes=10;tmpfs_limit_bytes=40;tmpfs_files=3");
	memory_kit_row(&kit, "memory-tmpfs", "/tmp", 0,
		       "tmpfs_used_bytes=30;tmpfs_limit_bytes=18446744073709551615");
	memory_kit_row(&kit, "memory-tmpfs", "/far", 0, "");
	memory_kit_draw(&kit, "tmpfs");
	check_table(&kit, "tmpfs", "mount used limit used_percent files",
		    "/tmp 30 max - -\n/run 10 40 25.0% 3\n/far - - - -\n=total ~40 - - -\n");
	g_assert_null(memory_kit_section(&kit, "files"));
	check_coverage(&kit, "tmpfs", "mounts 2 0 1");
}

static void add_file(MemoryKit *kit, const char *path, guint depth, const char *kind,
		     guint64 allocated)
{
	g_autofree char *cells =
		g_strdup_printf("file_depth=%u;file_kind=%s;file_allocated_bytes=%" G_GUINT64_FORMAT
				";file_logical_bytes=1",
				depth, kind, allocated);

	memory_kit_row(kit, "memory-files", path, 0, cells);
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
	memory_kit_row(&kit, "memory-tmpfs", "/mnt", 0, "tmpfs_used_bytes=35");
	add_file(&kit, "/mnt", 0, "mount", 0);
	add_file(&kit, "/mnt/d", 1, "dir", 0);
	add_file(&kit, "/mnt/d/a", 2, "file", 10);
	add_file(&kit, "/mnt/b", 1, "file", 20);
	add_file(&kit, "/mnt/other", 1, "file", 5);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.filter = (char *)(uintptr_t)cases[i].filter;
		memory_kit_draw(&kit, "tmpfs");
		check_table(&kit, "files", "entry allocated allocated_subtree kind", cases[i].dump);
	}
}

static void test_tmpfs_orders(void)
{
	static const struct order_case mounts[] = {
		{"used", "/tmp /run /far"},
		{"limit", "/far /run /tmp"},
		{"files", "/run /far /tmp"},
		{"name", "/far /run /tmp"},
		{"allocated", "/tmp /run /far"},
		{"logical", "/tmp /run /far"},
		{NULL, NULL},
	};
	static const struct order_case files[] = {
		{"used", "/tmp   b   a"},
		{"limit", "/tmp   b   a"},
		{"files", "/tmp   b   a"},
		{"name", "/tmp   a   b"},
		{"allocated", "/tmp   b   a"},
		{"logical", "/tmp   a   b"},
		{NULL, NULL},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_row(&kit, "memory-tmpfs", "/run", 0,
		       "tmpfs_used_bytes=10;tmpfs_limit_bytes=40;tmpfs_files=3");
	memory_kit_row(&kit, "memory-tmpfs", "/tmp", 0, "tmpfs_used_bytes=30;tmpfs_files=1");
	memory_kit_row(&kit, "memory-tmpfs", "/far", 0, "tmpfs_limit_bytes=41;tmpfs_files=2");
	memory_kit_row(&kit, "memory-files", "/tmp", 0, "file_depth=0");
	memory_kit_row(&kit, "memory-files", "/tmp/a", 0,
		       "file_depth=1;file_allocated_bytes=1;file_logical_bytes=9");
	memory_kit_row(&kit, "memory-files", "/tmp/b", 0,
		       "file_depth=1;file_allocated_bytes=2;file_logical_bytes=1");
	check_orders(&kit, "tmpfs", "tmpfs", "mount", mounts);
	check_orders(&kit, "tmpfs", "files", "entry", files);
	check_coverage(&kit, "files", "files 2 0 1");
	/* Files that the walk could not read are counted, but not listed. */
	memory_kit_row(&kit, "memory-files", "*", 0, "files_unreadable=4");
	memory_kit_draw(&kit, "tmpfs");
	check_coverage(&kit, "files", "files 2 0 5");
	check_table(&kit, "files", "entry allocated", "/tmp -\n  b 2\n  a 1\n=total ~3\n");
}

/* Small directories are folded into one line with their contents; the sums stay the same. */
static void test_files_fold(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.fold = TRUE;
	memory_kit_row(&kit, "memory-tmpfs", "/mnt", 0, "tmpfs_used_bytes=1016");
	add_file(&kit, "/mnt", 0, "mount", 0);
	add_file(&kit, "/mnt/big", 1, "file", 1000);
	add_file(&kit, "/mnt/d", 1, "dir", 1);
	add_file(&kit, "/mnt/d/e", 2, "dir", 5);
	add_file(&kit, "/mnt/d/e/f", 3, "file", 10);
	memory_kit_draw(&kit, "tmpfs");
	check_table(&kit, "files", "entry allocated_subtree folded",
		    "/mnt 1016 -\n  big 1000 -\n  d 16 2\n=total 1016 -\n");
	check_coverage(&kit, "files", "files 5 0 0");
}

/* The depths in a third party's file may be arbitrary. */
static void test_files_of_any_depth(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	memory_kit_capture(&kit, "memory-tmpfs");
	add_file(&kit, "/a", 7, "file", 1);
	add_file(&kit, "/a/b", 4000000000u, "file", 2);
	add_file(&kit, "/c", 7, "file", 4);
	add_file(&kit, "/", 0, "file", 8);
	memory_kit_draw(&kit, "tmpfs");
	check_table(&kit, "files", "path allocated_subtree", "/ 8\n/c 4\n/a 3\n  /a/b 2\n=- 15\n");
}

/* ---- one process ----------------------------------------------------------------- */

static void test_process(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.pid = 42;
	memory_kit_row(&kit, "memory", NULL, 1, "memory_state=exact;pss_bytes=9");
	memory_kit_row(&kit, "memory", NULL, 42, "ppid=1;memory_state=exact;pss_bytes=6");
	memory_kit_row(&kit, "memory-mappings", "42 [heap]", 0,
		       "mapping_pid=42;mapping_kind=heap;mapping_label=[heap];mapping_vmas=1;"
		       "mapping_pss_bytes=2");
	memory_kit_row(&kit, "memory-mappings", "42 /a b.so", 0,
		       "mapping_pid=42;mapping_kind=file;mapping_label=/a b.so;mapping_vmas=4;"
		       "mapping_pss_bytes=4");
	memory_kit_row(&kit, "memory-mappings", "421 x", 0, "mapping_pid=421;mapping_pss_bytes=9");
	memory_kit_row(&kit, "memory-mappings", "42 *", 0, "mapping_read_ns=1234567");
	memory_kit_draw(&kit, "process");
	check_table(&kit, "processes", "pid pss", "42 6\n");
	check_table(&kit, "mappings", "kind vmas pss object",
		    "file 4 4 /a b.so\nheap 1 2 [heap]\n=- - 6 total\n");
	g_autofree char *notes = memory_kit_notes(&kit, "mappings");
	g_assert_cmpstr(notes, ==, "Reading them took 1.234 ms.\n");
	check_coverage(&kit, "mappings", "processes 1 0 0");
	check_coverage(&kit, "processes", "processes 1 0 0");
}

static void test_process_orders(void)
{
	static const struct order_case cases[] = {
		{"pss", "b a"},  {"rss", "a b"},  {"uss", "a b"},  {"swap", "b a"},
		{"size", "a b"}, {"vmas", "b a"}, {"name", "a b"}, {NULL, NULL},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.pid = 4;
	memory_kit_row(&kit, "memory", NULL, 4, "memory_state=approximate");
	memory_kit_row(&kit, "memory-mappings", "4 b", 0,
		       "mapping_pid=4;mapping_label=b;mapping_pss_bytes=2;mapping_rss_bytes=2;"
		       "mapping_swap_bytes=1;mapping_vmas=2");
	memory_kit_row(&kit, "memory-mappings", "4 a", 0,
		       "mapping_pid=4;mapping_label=a;mapping_pss_bytes=1;mapping_rss_bytes=3;"
		       "mapping_uss_bytes=1;mapping_size_bytes=1;mapping_vmas=1");
	check_orders(&kit, "process", "mappings", "object", cases);
	check_coverage(&kit, "processes", "processes 0 1 0");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/ledger/parts", test_ledger);
	g_test_add_func("/memory/ledger/orders", test_ledger_orders);
	g_test_add_func("/memory/ledger/lenses", test_lenses);
	g_test_add_func("/memory/shared/orders", test_shared_orders);
	g_test_add_func("/memory/shared/consumers", test_consumers);
	g_test_add_func("/memory/shared/segments", test_segments_are_joined);
	g_test_add_func("/memory/shared/unread", test_unread_are_told_of);
	g_test_add_func("/memory/sysv", test_sysv);
	g_test_add_func("/memory/sysv/orders", test_sysv_orders);
	g_test_add_func("/memory/tmpfs/mounts", test_tmpfs);
	g_test_add_func("/memory/tmpfs/orders", test_tmpfs_orders);
	g_test_add_func("/memory/tmpfs/files", test_files);
	g_test_add_func("/memory/tmpfs/fold", test_files_fold);
	g_test_add_func("/memory/tmpfs/any depth", test_files_of_any_depth);
	g_test_add_func("/memory/process", test_process);
	g_test_add_func("/memory/process/orders", test_process_orders);
	return g_test_run();
}
