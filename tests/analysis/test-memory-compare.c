/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests ctprof memory of two snapshots: the ledger, shared objects, tmpfs, SysV, one process. */
#include "memory-kit.h"

#define LEDGER "memory-ledger"
#define TMPFS "memory-tmpfs"
#define FILES "memory-files"
#define SYSV "memory-sysv"
#define SHARED "memory-shared"
#define MAPPINGS "memory-mappings"

static const struct {
	const char *view, *table, *fields, *sort;
	gboolean changed;
	struct {
		guint side;
		const char *group, *name, *cells;
	} rows[9];
	const char *dump, *coverage;
} compared[] = {
	/* In the kernel's order; shares refer to each side's RAM. */
	{"ledger",
	 "meminfo",
	 "name bytes ram_percent",
	 NULL,
	 FALSE,
	 {{0, LEDGER, "meminfo.MemTotal", "ledger_bytes=1000"},
	  {0, LEDGER, "meminfo.MemFree", "ledger_bytes=100"},
	  {1, LEDGER, "meminfo.MemTotal", "ledger_bytes=2000"},
	  {1, LEDGER, "meminfo.MemFree", "ledger_bytes=100;ledger_estimate=1"},
	  {1, LEDGER, "meminfo.Zswap", "ledger_bytes=20"}},
	 "MemTotal 1000>2000 100.0%\nMemFree 100>~100 10.0%>5.0%\nZswap ->20 ->1.0%\n",
	 "values 2 1 0"},
	/* The largest change comes first; unchanged lines are left out. */
	{"ledger",
	 "physical",
	 "name bytes",
	 "size",
	 TRUE,
	 {{0, LEDGER, "physical.allocated", "ledger_bytes=90"},
	  {0, LEDGER, "physical.slab", "ledger_bytes=60"},
	  {0, LEDGER, "physical.lru", "ledger_bytes=5"},
	  {0, LEDGER, "physical.stacks", "ledger_bytes=25"},
	  {1, LEDGER, "physical.slab", "ledger_bytes=61"},
	  {1, LEDGER, "physical.allocated", "ledger_bytes=120"},
	  {1, LEDGER, "physical.lru", "ledger_bytes=34"},
	  {1, LEDGER, "physical.stacks", "ledger_bytes=25"}},
	 "allocated 90>120\n  lru 5>34\n  slab 60>61\n",
	 "values 4 0 0"},
	{"ledger",
	 "lenses",
	 "name bytes exact missing",
	 NULL,
	 FALSE,
	 {{0, LEDGER, "meminfo.MemTotal", "ledger_bytes=10"},
	  {0, SYSV, "sysv:1", "sysv_rss_bytes=3"},
	  {1, LEDGER, "meminfo.MemTotal", "ledger_bytes=10"},
	  {1, SYSV, "sysv:1", "sysv_rss_bytes=4"},
	  {1, SYSV, "sysv:2", ""}},
	 "SysV segments (RSS) 3>~4 1 0>1\n",
	 NULL},
	/* An object on one side only is not a gap in the other side's sum. */
	{"shared",
	 "shared",
	 "object kind pss rss",
	 NULL,
	 FALSE,
	 {{0, SHARED, "same", "object_kind=file;object_pss_bytes=50;object_rss_bytes=60"},
	  {0, SHARED, "gone", "object_kind=file;object_pss_bytes=5;object_rss_bytes=6"},
	  {1, SHARED, "same", "object_kind=file;object_pss_bytes=50;object_rss_bytes=60"},
	  {1, SHARED, "new", "object_kind=memfd;object_pss_bytes=7;object_rss_bytes=8"}},
	 "new memfd ->7 ->8\ngone file 5>- 6>-\nsame file 50 60\n=total - 55>57 -\n",
	 NULL},
	/* A segment is an object on the side where a process maps it. */
	{"shared",
	 "shared",
	 "object kind pss rss size attaches shmid",
	 "name",
	 FALSE,
	 {{0, SHARED, "/SYSV", "object_kind=sysv;object_pss_bytes=9;object_shmid=5"},
	  {0, SYSV, "sysv:5", "sysv_rss_bytes=8;sysv_size_bytes=64;sysv_attaches=2"},
	  {0, SYSV, "sysv:7", "sysv_rss_bytes=1;sysv_size_bytes=32;sysv_attaches=0"},
	  {1, SHARED, "/SYSV", "object_kind=sysv;object_pss_bytes=9;object_shmid=7"},
	  {1, SYSV, "sysv:5", "sysv_rss_bytes=8;sysv_size_bytes=64;sysv_attaches=0"},
	  {1, SYSV, "sysv:7", "sysv_rss_bytes=1;sysv_size_bytes=32;sysv_attaches=1"}},
	 "/SYSV sysv 9 - 64>32 2>1 7\nsysv:5 sysv - ->8 ->64 ->0 -\n"
	 "sysv:7 sysv - 1>- 32>- 0>- -\n=total - ~9 - - - -\n",
	 NULL},
	/* A value denied on one side is not a change; an object on one side only is. */
	{"shared",
	 "shared",
	 "object pss inode",
	 NULL,
	 FALSE,
	 {{0, SHARED, "refused", "object_kind=file;object_pss_bytes=500;object_inode=3"},
	  {0, SHARED, "grown", "object_kind=file;object_pss_bytes=5;object_inode=4"},
	  {0, SHARED, "gone", "object_kind=file;object_pss_bytes=3;object_inode=5"},
	  {1, SHARED, "refused", "object_kind=file;object_inode=3"},
	  {1, SHARED, "grown", "object_kind=file;object_pss_bytes=7;object_inode=6"}},
	 "gone 3>- 5\ngrown 5>7 6\nrefused 500>- 3\n=total 508>~7 -\n",
	 NULL},
	/* An owner is a name: a different owner is not a change of a number. */
	{"sysv",
	 "sysv",
	 "segment owner rss swap",
	 NULL,
	 TRUE,
	 {{0, SYSV, "sysv:9", "sysv_owner=7;sysv_rss_bytes=5;sysv_swap_bytes=0"},
	  {0, SYSV, "sysv:10", "sysv_owner=7;sysv_rss_bytes=6;sysv_swap_bytes=0"},
	  {1, SYSV, "sysv:9", "sysv_owner=7;sysv_rss_bytes=9;sysv_swap_bytes=0"},
	  {1, SYSV, "sysv:10", "sysv_owner=8;sysv_rss_bytes=6;sysv_swap_bytes=0"},
	  {1, SYSV, "sysv:11", "sysv_owner=8;sysv_rss_bytes=5"}},
	 "sysv:11 8 ->5 -\nsysv:9 7 5>9 0\n=total - 11>20 0>~0\n",
	 "segments 0 3 0"},
	{"tmpfs",
	 "tmpfs",
	 "mount used limit used_percent",
	 NULL,
	 FALSE,
	 {{0, TMPFS, "/run", "tmpfs_used_bytes=10;tmpfs_limit_bytes=40"},
	  {0, TMPFS, "/tmp", "tmpfs_used_bytes=30;tmpfs_limit_bytes=40"},
	  {1, TMPFS, "/tmp", "tmpfs_used_bytes=31;tmpfs_limit_bytes=18446744073709551615"},
	  {1, TMPFS, "/run", "tmpfs_used_bytes=20;tmpfs_limit_bytes=40"}},
	 "/run 10>20 40 25.0%>50.0%\n/tmp 30>31 40>max 75.0%>-\n=total 40>51 - -\n",
	 "mounts 2 0 0"},
	/* A new file is below its directory, although it was read last. */
	{"tmpfs",
	 "files",
	 "entry kind allocated_subtree",
	 "name",
	 FALSE,
	 {{0, TMPFS, "/t", "tmpfs_used_bytes=1"},
	  {0, FILES, "/t", "file_depth=0;file_kind=mount;file_allocated_bytes=0"},
	  {0, FILES, "/t/d", "file_depth=1;file_kind=dir;file_allocated_bytes=1"},
	  {0, FILES, "/t/z", "file_depth=1;file_kind=file;file_allocated_bytes=4"},
	  {1, TMPFS, "/t", "tmpfs_used_bytes=1"},
	  {1, FILES, "/t", "file_depth=0;file_kind=mount;file_allocated_bytes=0"},
	  {1, FILES, "/t/d", "file_depth=1;file_kind=dir;file_allocated_bytes=1"},
	  {1, FILES, "/t/d/n", "file_depth=2;file_kind=file;file_allocated_bytes=2"}},
	 "/t mount 5>3\n  d dir 1>3\n    n file ->2\n  z file 4>-\n=total - 5>3\n",
	 NULL},
	/* A directory whose changes cancel out is shown because of its contents. */
	{"tmpfs",
	 "files",
	 "entry allocated_subtree",
	 NULL,
	 TRUE,
	 {{0, TMPFS, "/t", "tmpfs_used_bytes=1"},
	  {0, FILES, "/t", "file_depth=0;file_allocated_bytes=0;file_logical_bytes=0"},
	  {0, FILES, "/t/a", "file_depth=1;file_allocated_bytes=3;file_logical_bytes=3"},
	  {0, FILES, "/t/b", "file_depth=1;file_allocated_bytes=4;file_logical_bytes=4"},
	  {1, TMPFS, "/t", "tmpfs_used_bytes=1"},
	  {1, FILES, "/t", "file_depth=0;file_allocated_bytes=0;file_logical_bytes=0"},
	  {1, FILES, "/t/b", "file_depth=1;file_allocated_bytes=3;file_logical_bytes=3"},
	  {1, FILES, "/t/a", "file_depth=1;file_allocated_bytes=4;file_logical_bytes=4"}},
	 "^/t 7\n  a 3>4\n  b 4>3\n=total 7\n",
	 "files 3 0 0"},
	{"process",
	 "mappings",
	 "object kind vmas pss inode",
	 NULL,
	 FALSE,
	 {{0, MAPPINGS, "42 [heap]",
	   "mapping_kind=heap;mapping_label=[heap];mapping_vmas=1;mapping_pss_bytes=2"},
	  {0, MAPPINGS, "42 /lib",
	   "mapping_kind=file;mapping_label=/lib;mapping_pss_bytes=9;mapping_inode=1"},
	  {0, MAPPINGS, "421 x", "mapping_label=x;mapping_pss_bytes=9"},
	  {1, MAPPINGS, "42 /lib",
	   "mapping_kind=file;mapping_label=/lib;mapping_pss_bytes=9;mapping_inode=2"},
	  {1, MAPPINGS, "42 [heap]",
	   "mapping_kind=heap;mapping_label=[heap];mapping_vmas=1;mapping_pss_bytes=8"}},
	 "[heap] heap 1 2>8 -\n/lib file - 9 2\n=total - - 11>17 -\n",
	 "processes 1 0 0"},
};

static void check_coverage(const struct ctprof_report_section *section, const char *expected)
{
	g_autofree char *coverage = g_strdup_printf(
		"%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
		section->covered, section->n_exact, section->n_approximate, section->n_missing);

	g_assert_cmpstr(coverage, ==, expected);
}

static void test_compare(gconstpointer data)
{
	guint c = GPOINTER_TO_UINT(data);
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.sort = compared[c].sort;
	kit.options.changed = compared[c].changed;
	kit.options.pid = g_str_equal(compared[c].view, "process") ? 42 : 0;
	for (guint i = 0; i < G_N_ELEMENTS(compared[c].rows) && compared[c].rows[i].group; i++) {
		kit.side = compared[c].rows[i].side;
		memory_kit_row(&kit, compared[c].rows[i].group, compared[c].rows[i].name, 0,
			       compared[c].rows[i].cells);
	}
	memory_kit_draw(&kit, compared[c].view);
	g_autofree char *dump = memory_kit_dump(&kit, compared[c].table, compared[c].fields);
	g_assert_cmpstr(dump, ==, compared[c].dump);
	if (compared[c].coverage)
		check_coverage(memory_kit_section(&kit, compared[c].table), compared[c].coverage);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(compared); i++) {
		g_autofree char *path =
			g_strdup_printf("/memory/compare/%u %s", i, compared[i].table);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test_compare);
	}
	return g_test_run();
}
