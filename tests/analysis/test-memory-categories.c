/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ctprof memory categories: its sums, what they lack, and the artifact. */
#include <string.h>

#include "memory-kit.h"

#define FIELDS "category processes pss pss_swap pss_total exact approximate missing"

static void add_process(MemoryKit *kit, gint32 pid, const char *cells)
{
	memory_kit_row(kit, MEMORY_PROCESSES, NULL, pid, cells);
}

static void add_share(MemoryKit *kit, const char *name, const char *cells)
{
	memory_kit_row(kit, MEMORY_SWAP, name, 0, cells);
}

static void fill(MemoryKit *kit)
{
	memory_kit_init(kit);
	add_process(kit, 1, "memory_state=exact;cmdline=/a 1;pss_bytes=100;swap_pss_bytes=10");
	add_process(kit, 2, "memory_state=exact;cmdline=/b;pss_bytes=50;swap_pss_bytes=0");
	add_process(kit, 3, "memory_state=exact;pcomm=/a;pss_bytes=7");
	add_process(kit, 4, "memory_state=approximate;cmdline=/c;rss_bytes=999");
	add_process(kit, 5, "memory_state=inaccessible;cmdline=/a");
	add_process(kit, 6, "memory_state=not-applicable;pcomm=/a");
	add_share(kit, "1", "swap_shared_bytes=1000;swap_shared_by_name_bytes=500");
	add_share(kit, "*", "swap_unreadable=2");
}

static const char table[] = "[{\"match\": \"^/a\", \"name\": \"as\"},"
			    " {\"match\": \"^/n\", \"name\": \"nobody\"},"
			    " {\"match\": \"^/b\", \"name\": \"bs\"}]";

static void check(MemoryKit *kit, const char *expected)
{
	memory_kit_draw(kit, memory_draft_categories, NULL);
	g_autofree char *dump = memory_kit_dump(kit, "categories", FIELDS);
	g_assert_cmpstr(dump, ==, expected);
}

static void test_sums(void)
{
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	g_auto(MemoryKit) kit;

	fill(&kit);
	kit.options.categories = categories;
	check(&kit, "as 3 ~107 ~1010 ~1117 1 1 1\n"
		    "bs 1 50 0 50 1 0 0\n"
		    "other 1 - - - 0 0 1\n"
		    "=total 5 ~157 ~1010 ~1167 2 1 2\n");
	g_assert_cmpuint(memory_kit_table(&kit, "categories")->table.n_missing, ==, 2);
	g_autofree char *notes = memory_kit_notes(&kit, "categories");
	g_assert_cmpstr(notes, ==,
			"2 processes could not be read in full: the sums lack what they take.\n");
	kit.options.swap_by_name = TRUE;
	kit.options.filter = "^as";
	check(&kit, "as 3 ~107 ~510 ~617 1 1 1\n=total 3 ~107 ~510 ~617 1 1 1\n");
}

static void test_orders(void)
{
	static const struct {
		const char *sort, *lines;
	} cases[] = {
		{"table", "as bs other"}, {"pss", "bs as other"},       {"swap", "as bs other"},
		{"total", "bs as other"}, {"processes", "other as bs"}, {"name", "as bs other"},
	};
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.categories = categories;
	add_process(&kit, 1, "memory_state=exact;cmdline=/a;pss_bytes=1;swap_pss_bytes=2");
	add_process(&kit, 2, "memory_state=exact;cmdline=/b;pss_bytes=9;swap_pss_bytes=1");
	add_process(&kit, 3, "memory_state=inaccessible;cmdline=/c");
	add_process(&kit, 4, "memory_state=inaccessible;cmdline=/d");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.sort = cases[i].sort;
		memory_kit_draw(&kit, memory_draft_categories, memory_categories_sort);
		g_autofree char *dump = memory_kit_dump(&kit, "categories", "category");
		*strstr(dump, "\n=") = '\0';
		g_assert_cmpstr(memory_categories_sort(i), ==, cases[i].sort);
		g_assert_cmpstr(g_strdelimit(dump, "\n", ' '), ==, cases[i].lines);
	}
	g_assert_null(memory_categories_sort(G_N_ELEMENTS(cases)));
}

static void test_without_a_table(void)
{
	g_auto(MemoryKit) kit;

	fill(&kit);
	check(&kit, "other 5 ~157 ~1010 ~1167 2 1 2\n=total 5 ~157 ~1010 ~1167 2 1 2\n");
}

/* Nobody was asked for the shares, and there may be some. */
static void test_without_shares(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1,
		    "memory_state=exact;cmdline=/a;pss_bytes=1;swap_pss_bytes=2;swap_bytes=5");
	check(&kit, "other 1 1 2 3 1 0 0\n=total 1 1 2 3 1 0 0\n");
	g_autofree char *notes = memory_kit_notes(&kit, "categories");
	g_assert_cmpstr(notes, ==,
			"Swap of shared memory is in no sum: capture with --memory=shared.\n");
	/* There is none. */
	memory_kit_row(&kit, MEMORY_LEDGER, "swap.used", 0, "ledger_bytes=0");
	memory_kit_draw(&kit, memory_draft_categories, NULL);
	g_autofree char *known = memory_kit_notes(&kit, "categories");
	g_assert_cmpstr(known, ==, "");
}

/* Only who has a rollup is in it; vector 52. */
static void test_artifact(void)
{
	g_auto(MemoryKit) kit;

	fill(&kit);
	g_autofree char *none = memory_format_artifact(&kit.data, FALSE);
	g_assert_cmpstr(none, ==, "null");
	MemoryRow *row = memory_kit_row(&kit, MEMORY_PROCESSES, NULL, 1, "cmdline=/a 1");
	memory_kit_map(&kit, row, PROCESS_ROLLUP, "Rss=884;Pss=385;SwapPss=0");
	g_autofree char *text = memory_format_artifact(&kit.data, FALSE);
	g_assert_cmpstr(text, ==,
			"[\n"
			"  {\n"
			"    \"Command\": \"/a 1\",\n"
			"    \"Pid\": 1,\n"
			"    \"SharedSwapPss\": 1000,\n"
			"    \"Rollup\": {\n"
			"      \"Pss\": 394240,\n"
			"      \"Rss\": 905216,\n"
			"      \"SwapPss\": 0\n"
			"    }\n"
			"  }\n"
			"]");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/categories/sums", test_sums);
	g_test_add_func("/memory/categories/orders", test_orders);
	g_test_add_func("/memory/categories/without-a-table", test_without_a_table);
	g_test_add_func("/memory/categories/without-shares", test_without_shares);
	g_test_add_func("/memory/categories/artifact", test_artifact);
	return g_test_run();
}
