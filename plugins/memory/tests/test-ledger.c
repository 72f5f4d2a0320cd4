/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <string.h>

#include "../ledger.h"
#include "../nvidia.h"

/* Returns "key=bytes" of every entry. */
static char *meminfo_text(const char *text)
{
	g_autofree struct meminfo *info = g_new0(struct meminfo, 1);
	GString *out = g_string_new(NULL);

	meminfo_parse(text, strlen(text), info);
	for (guint i = 0; i < info->n; i++)
		g_string_append_printf(out, "%s%.*s=%" G_GUINT64_FORMAT, i ? " " : "",
				       (int)info->entries[i].key.len, info->entries[i].key.p,
				       info->entries[i].bytes);
	if (info->saturated)
		g_string_append(out, " saturated");
	return g_string_free(out, FALSE);
}

static void test_meminfo(void)
{
	static const struct {
		const char *text, *entries;
	} cases[] = {
		/* vector 1 */
		{"MemTotal: 1024 kB\n", "MemTotal=1048576"},
		/* vectors 2, 3 */
		{"HugePages_Total: 3\nHugePages_Free: 2\nHugepagesize: 2048 kB\n",
		 "HugePages_Total=6291456 HugePages_Free=4194304 Hugepagesize=2097152"},
		/* vector 4 */
		{"HugePages_Total: 3\n", "HugePages_Total=0"},
		/* The unit is kB, no matter what follows the number. */
		{"Hugepagesize: 2\nHugePages_Rsvd: 1", "Hugepagesize=2048 HugePages_Rsvd=2048"},
		/* vector 5 */
		{"Foo: 12\nFoo2: abc kB\nFoo 12 kB\n\nLast: 1 kB", "Foo=12 Last=1024"},
		{"A: 1 KB\nB: 1 kBx\nC: 1 MB\n", "A=1 B=1 C=1"},
		{"B: 1 kB\nA: 2 kB\nB: 3 kB\n", "B=1024 A=2048"},
		{"Active(anon):   7 kB\n", "Active(anon)=7168"},
		{"X: 18446744073709551615 kB\n", "X=18446744073709551615 saturated"},
		{"X: 18446744073709551616 kB\n: 1 kB\n", ""},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *entries = meminfo_text(cases[i].text);

		g_assert_cmpstr(entries, ==, cases[i].entries);
	}
}

static void test_meminfo_bounds(void)
{
	g_autofree struct meminfo *info = g_new0(struct meminfo, 1);
	g_autoptr(GString) text = g_string_new("a\0b: 1\n");
	g_autofree char *key = g_strnfill(MEMINFO_KEY_MAX + 1, 'k');

	g_string_append_len(text, "a\0b: 1\n", 7);
	g_string_append_printf(text, "%s: 1\n", key);
	for (guint i = 0; i < MEMINFO_MAX + 9; i++)
		g_string_append_printf(text, "key%u: %u\n", i, i);
	meminfo_parse(text->str, text->len, info);
	g_assert_cmpuint(info->n, ==, MEMINFO_MAX);
	g_assert_true(text_equal(info->entries[0].key, "key0"));
}

/* Returns "name=bytes", "name~bytes" for an estimate, "name!reason". */
static char *ledger_text(const struct ledger *ledger)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];

		g_string_append_printf(out, "%s%s", i ? " " : "", row->name);
		if (row->amount.absent)
			g_string_append_printf(out, "!%u", row->amount.absent);
		else
			g_string_append_printf(out, "%c%" G_GUINT64_FORMAT,
					       row->estimate ? '~' : '=', row->amount.bytes);
	}
	return g_string_free(out, FALSE);
}

static void test_physical(void)
{
	static const struct {
		const char *meminfo, *rows;
	} cases[] = {
		/* vector 6 */
		{"MemTotal: 1000\nMemFree: 100\nActive(anon): 200\nInactive(anon): 100\n"
		 "Active(file): 100\nInactive(file): 90\nUnevictable: 10\nSlab: 100\nHugetlb: 100\n"
		 "KernelStack: 20\nPageTables: 20\nPercpu: 10\n",
		 "physical.allocated=900 physical.lru=500 physical.slab=100 physical.hugetlb=100 "
		 "physical.kernel=50 physical.residual~150"},
		/* vector 7 */
		{"MemTotal: 1000\n", ""},
		{"MemFree: 1000\n", ""},
		{"MemTotal: 1000\nMemFree: 1001\n", ""},
		/* vector 8 */
		{"MemTotal: 1000\nMemFree: 500\nSlab: 600\n",
		 "physical.allocated=500 physical.lru!10 physical.slab=600 physical.hugetlb!10 "
		 "physical.kernel!10 physical.excess~100"},
		{"MemTotal: 1000\nMemFree: 500\nSlab: 500\n",
		 "physical.allocated=500 physical.lru!10 physical.slab=500 physical.hugetlb!10 "
		 "physical.kernel!10 physical.residual~0"},
		/* vector 9: measured on Linux 6.18. */
		{"MemTotal: 24684084 kB\nMemFree: 23208488 kB\nActive(anon): 370568 kB\n"
		 "Slab: 546816 kB\nHugetlb: 0 kB\nKernelStack: 481712 kB\nPageTables: 7228 kB\n"
		 "Percpu: 976 kB\n",
		 "physical.allocated=1511010304 physical.lru=379461632 physical.slab=559939584 "
		 "physical.hugetlb=0 physical.kernel=501673984 physical.residual~69935104"},
		{"MemTotal: 100\nMemFree: 0\nPercpu: 1\nZswap: 2\nBalloon: 3\nGPUActive: 4\n"
		 "GPUReclaim: 5\nUnaccepted: 6\nHardwareCorrupted: 7\nSecPageTables: 8\n"
		 "ShadowCallStack: 9\nSlab: 18446744073709551615\n",
		 "physical.allocated=100 physical.lru!10 physical.slab=18446744073709551615 "
		 "physical.hugetlb!10 physical.kernel=45 physical.excess~18446744073709551515"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct meminfo *info = g_new0(struct meminfo, 1);
		g_autofree struct ledger *ledger = g_new0(struct ledger, 1);

		meminfo_parse(cases[i].meminfo, strlen(cases[i].meminfo), info);
		ledger_add_physical(ledger, info);
		g_autofree char *rows = ledger_text(ledger);
		g_assert_cmpstr(rows, ==, cases[i].rows);
	}
}

static void test_shmem(void)
{
	static const struct amount unknown = {.absent = CTPROF_ABSENT_SKIPPED};
	static const struct amount ten = {.bytes = 10}, fifty = {.bytes = 50};
	const struct {
		const char *meminfo;
		struct ledger_shmem parts;
		const char *rows;
	} cases[] = {
		{"Shmem: 100\n",
		 {.tmpfs = ten, .memfd = ten, .sysv = fifty, .anonymous = ten},
		 "shmem.total=100 shmem.tmpfs=10 shmem.memfd~10 shmem.sysv=50 shmem.anonymous~10 "
		 "shmem.rest~20"},
		/* Unknown amounts count as part of the rest. */
		{"Shmem: 100\n",
		 {.tmpfs = ten, .memfd = unknown, .sysv = unknown, .anonymous = unknown},
		 "shmem.total=100 shmem.tmpfs=10 shmem.memfd!60 shmem.sysv!60 shmem.anonymous!60 "
		 "shmem.rest~90"},
		{"Shmem: 100\n",
		 {.tmpfs = fifty,
		  .partial = true,
		  .memfd = fifty,
		  .sysv = ten,
		  .anonymous = unknown},
		 "shmem.total=100 shmem.tmpfs~50 shmem.memfd~50 shmem.sysv=10 shmem.anonymous!60 "
		 "shmem.excess~10"},
		{"Cached: 100\n", {.tmpfs = ten}, ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct meminfo *info = g_new0(struct meminfo, 1);
		g_autofree struct ledger *ledger = g_new0(struct ledger, 1);

		meminfo_parse(cases[i].meminfo, strlen(cases[i].meminfo), info);
		ledger_add_shmem(ledger, info, &cases[i].parts);
		g_autofree char *rows = ledger_text(ledger);
		g_assert_cmpstr(rows, ==, cases[i].rows);
	}
}

static void test_swap(void)
{
	static const struct {
		const char *meminfo, *mm_stat, *rows;
	} cases[] = {
		{"SwapTotal: 100\nSwapFree: 40\nSwapCached: 3\nZswap: 5\nZswapped: 20\n", "",
		 "swap.total=100 swap.used=60 swap.cached=3 swap.zswap_pool=5 swap.zswap_stored=20"},
		{"SwapTotal: 100\n", "", "swap.total=100"},
		{"SwapTotal: 1\nSwapFree: 2\n", "", "swap.total=1"},
		{"", "4096 64 12288 0 12288 0 0 0 0\n",
		 "swap.zram7_stored=4096 swap.zram7_compressed=64 swap.zram7_memory=12288"},
		{"", "4096 64\n", ""},
		{"", "4096 -64 12288\n", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct meminfo *info = g_new0(struct meminfo, 1);
		g_autofree struct ledger *ledger = g_new0(struct ledger, 1);

		meminfo_parse(cases[i].meminfo, strlen(cases[i].meminfo), info);
		ledger_add_swap(ledger, info);
		ledger_add_zram(ledger, 7, cases[i].mm_stat, strlen(cases[i].mm_stat));
		g_autofree char *rows = ledger_text(ledger);
		g_assert_cmpstr(rows, ==, cases[i].rows);
	}
}

static void test_ledger_bounds(void)
{
	g_autofree struct ledger *ledger = g_new0(struct ledger, 1);
	const char *mm_stat = "1 2 3\n";

	for (guint i = 0; i < LEDGER_ROWS_MAX; i++)
		ledger_add_zram(ledger, i, mm_stat, strlen(mm_stat));
	g_assert_cmpuint(ledger->n, ==, LEDGER_ROWS_MAX);
}

static void test_nvidia(void)
{
	static const struct {
		const char *text;
		guint64 pools;
		bool good;
	} params[] = {
		/* vector 49 */
		{"Mobile: 4294967295\nEnableSystemMemoryPools: 529\n", 529, true},
		{"EnableSystemMemoryPools: 0\n", 0, true},
		{"Mobile: 1\n", 0, false},
		{"EnableSystemMemoryPools: x\n", 0, false},
		{"", 0, false},
	};
	static const struct {
		const char *name;
		guint64 node, order;
		bool good;
	} names[] = {
		/* vector 50 */
		{"nv-sysmem-alloc-node-3-order-9-417", 3, 9, true},
		{"nv-sysmem-alloc-node-0-order-0", 0, 0, true},
		{"nv-sysmem-alloc-node-3-order-9x", 0, 0, false},
		{"nv-sysmem-alloc-node--order-9", 0, 0, false},
		{"dentry-12", 0, 0, false},
		{"", 0, 0, false},
	};
	static const struct {
		const char *text;
		guint64 node, objects;
		bool good;
	} counts[] = {
		/* vector 51 */
		{"0 11 13 17\n", 1, 13, true},
		{"0 11 13 17\n5 1 2 3\n", 1, 15, true},
		{"0 11 13 17\n", 3, 0, false},
		{"0 11 13 17\n0 1\n", 1, 0, false},
		{"0 x\n", 0, 0, false},
		{"0 11\n", G_MAXUINT64, 0, false},
		{"", 0, 0, true},
	};
	guint64 a, b;

	for (guint i = 0; i < G_N_ELEMENTS(params); i++) {
		g_assert_true(nvidia_parse_params(params[i].text, strlen(params[i].text), &a) ==
			      params[i].good);
		g_assert_true(!params[i].good || a == params[i].pools);
	}
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		struct text name = {names[i].name, strlen(names[i].name)};

		g_assert_true(nvidia_parse_pool(name, &a, &b) == names[i].good);
		g_assert_true(!names[i].good || (a == names[i].node && b == names[i].order));
	}
	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_assert_true(nvidia_parse_count(counts[i].text, strlen(counts[i].text),
						 counts[i].node, &a) == counts[i].good);
		g_assert_true(!counts[i].good || a == counts[i].objects);
	}
	g_assert_true(nvidia_pool_bytes(13, 9, 4096, &a));
	g_assert_cmpuint(a, ==, 27262976);
	g_assert_false(nvidia_pool_bytes(G_MAXUINT64, 0, 4096, &a));
	g_assert_false(nvidia_pool_bytes(1, 64, 4096, &a));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/meminfo", test_meminfo);
	g_test_add_func("/memory/meminfo/bounds", test_meminfo_bounds);
	g_test_add_func("/memory/ledger/physical", test_physical);
	g_test_add_func("/memory/ledger/shmem", test_shmem);
	g_test_add_func("/memory/ledger/swap", test_swap);
	g_test_add_func("/memory/ledger/bounds", test_ledger_bounds);
	g_test_add_func("/memory/nvidia", test_nvidia);
	return g_test_run();
}
