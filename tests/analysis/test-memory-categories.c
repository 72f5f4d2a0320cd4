/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests memory by category: ctprof memory, show and compare have one table; and the artifact. */
#include <string.h>

#include "memory-kit.h"

#define FIELDS "category processes pss pss_swap pss_total exact approximate missing"
#define SECTION "memory-categories"

static void add_process(MemoryKit *kit, gint32 pid, const char *cells)
{
	memory_kit_row(kit, "memory", NULL, pid, cells);
}

/* Adds a rollup as captured by the smaps plugin, without the plugin memory. */
static void add_rollup(MemoryKit *kit, gint32 pid, const char *cells, const char *entries)
{
	memory_kit_row(kit, "smaps", NULL, pid, cells);
	if (entries)
		memory_kit_map(kit, "smaps_rollup_kib", entries);
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
	memory_kit_row(kit, "memory-swap", "1", 0,
		       "swap_shared_bytes=1000;swap_shared_by_name_bytes=500");
	/* These are for a process that is not in the snapshot, and for no process. */
	memory_kit_row(kit, "memory-swap", "11", 0, "swap_shared_bytes=5000");
	memory_kit_row(kit, "memory-swap", "1e1", 0, "swap_shared_bytes=5000");
	memory_kit_row(kit, "memory-swap", "*", 0, "swap_unreadable=2");
}

static const char table[] = "[{\"match\": \"^/a\", \"name\": \"as\"},"
			    " {\"match\": \"^/n\", \"name\": \"nobody\"},"
			    " {\"match\": \"^/b\", \"name\": \"bs\"}]";

/* Draws the table and its notes, which must be the same in show and ctprof memory. */
static char *draw(MemoryKit *kit)
{
	char section[] = SECTION;

	memory_kit_draw(kit, "categories");
	g_autofree char *dump = memory_kit_dump(kit, "categories", FIELDS);
	g_autofree char *notes = memory_kit_notes(kit, "categories");
	const struct ctprof_report_section *of_view = memory_kit_section(kit, "categories");
	guint64 n[] = {of_view->n_exact, of_view->n_approximate, of_view->n_missing};
	kit->options.sections = section;
	memory_kit_draw(kit, NULL);
	kit->options.sections = NULL;
	g_autofree char *shown = memory_kit_dump(kit, SECTION, FIELDS);
	g_autofree char *notes_shown = memory_kit_notes(kit, SECTION);
	const struct ctprof_report_section *of_show = memory_kit_section(kit, SECTION);

	g_assert_cmpuint(kit->report->n_sections, ==, 1);
	g_assert_cmpuint(kit->report->n_warnings, ==, 0);
	g_assert_cmpstr(dump, ==, shown);
	g_assert_cmpstr(notes, ==, notes_shown);
	g_assert_cmpuint(of_show->n_exact, ==, n[0]);
	g_assert_cmpuint(of_show->n_approximate, ==, n[1]);
	g_assert_cmpuint(of_show->n_missing, ==, n[2]);
	return g_strconcat(dump, notes, NULL);
}

static void check(MemoryKit *kit, const char *expected)
{
	g_autofree char *text = draw(kit);

	g_assert_cmpstr(text, ==, expected);
}

static void test_sums(void)
{
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	char filter[] = "^as";
	g_auto(MemoryKit) kit;

	fill(&kit);
	kit.options.categories = categories;
	check(&kit, "as 3 ~107 ~1010 ~1117 1 1 1\n"
		    "bs 1 50 0 50 1 0 0\n"
		    "other 1 - - - 0 0 1\n"
		    "=total 5 ~157 ~1010 ~1167 2 1 2\n"
		    "No PSS of 2 processes (pid 4, 5): counted as missing, not in any sum.\n"
		    "The mappings of 2 processes could not be read: the shares of shared swap may "
		    "be too large.\n");
	g_assert_cmpuint(memory_kit_section(&kit, SECTION)->n_missing, ==, 2);
	kit.options.swap_share = SHARE_BY_NAME;
	kit.options.filter = filter;
	memory_kit_draw(&kit, "categories");
	g_autofree char *dump = memory_kit_dump(&kit, "categories", FIELDS);
	g_assert_cmpstr(dump, ==, "as 3 ~107 ~510 ~617 1 1 1\n=total 3 ~107 ~510 ~617 1 1 1\n");
}

static void test_saturated(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, "memory_state=exact;pss_bytes=18446744073709551615;swap_pss_bytes=1");
	add_process(&kit, 2, "memory_state=exact;pss_bytes=1;swap_pss_bytes=1");
	check(&kit, "other 2 18446744073709551615 2 18446744073709551615 2 0 0\n"
		    "=total 2 18446744073709551615 2 18446744073709551615 2 0 0\n");
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
	const Section *view = section_find("categories", TRUE);
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.categories = categories;
	add_process(&kit, 1, "memory_state=exact;cmdline=/a;pss_bytes=1;swap_pss_bytes=2");
	add_process(&kit, 2, "memory_state=exact;cmdline=/b;pss_bytes=9;swap_pss_bytes=1");
	add_process(&kit, 3, "memory_state=inaccessible;cmdline=/c");
	add_process(&kit, 4, "memory_state=inaccessible;cmdline=/d");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.sort = cases[i].sort;
		memory_kit_draw(&kit, "categories");
		g_autofree char *dump = memory_kit_dump(&kit, "categories", "category");
		*strstr(dump, "\n=") = '\0';
		g_assert_cmpstr(view->orders[i], ==, cases[i].sort);
		g_assert_cmpstr(g_strdelimit(dump, "\n", ' '), ==, cases[i].lines);
	}
	g_assert_null(view->orders[G_N_ELEMENTS(cases)]);
}

static void test_without_a_table(void)
{
	char filter[] = "nonesuch";
	g_auto(MemoryKit) kit;

	fill(&kit);
	memory_kit_draw(&kit, "categories");
	g_autofree char *dump = memory_kit_dump(&kit, "categories", FIELDS);
	g_assert_cmpstr(dump, ==,
			"other 5 ~157 ~1010 ~1167 2 1 2\n=total 5 ~157 ~1010 ~1167 2 1 2\n");
	kit.options.filter = filter;
	memory_kit_draw(&kit, "categories");
	g_autofree char *none = memory_kit_dump(&kit, "categories", FIELDS);
	g_assert_cmpstr(none, ==, "=total 0 - - - 0 0 0\n");
}

/* The shares were not captured, although there may be some. */
static void test_without_shares(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1,
		    "memory_state=exact;cmdline=/a;pss_bytes=1;swap_pss_bytes=2;swap_bytes=5");
	check(&kit, "other 1 1 2 3 1 0 0\n=total 1 1 2 3 1 0 0\n"
		    "Sums exclude swapped-out shared memory: capture with --memory=shared.\n");
	/* No swap is in use. */
	memory_kit_row(&kit, "memory-ledger", "swap.used", 0, "ledger_bytes=0");
	check(&kit, "other 1 1 2 3 1 0 0\n=total 1 1 2 3 1 0 0\n");
}

/* The plugin memory is not required: the name and the rollup suffice. */
static void test_rollups(void)
{
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.categories = categories;
	add_rollup(&kit, 50, "pcomm=/a", "Pss=2;SwapPss=1;Swap=4");
	/* vector 60: without SwapPss */
	add_rollup(&kit, 60, "pcomm=b", "Pss=7");
	/* Kernel threads, as stored in older files, in current files, and by states. */
	add_rollup(&kit, 70, "pcomm=/n", "");
	add_rollup(&kit, 71, "pcomm=/n;smaps_rollup_kib=!", NULL);
	add_rollup(&kit, 72, "pcomm=/n;smaps_state=not-applicable", NULL);
	/* A process without a rollup. */
	add_rollup(&kit, 80, "pcomm=/a", NULL);
	add_rollup(&kit, 81, "pcomm=/a;smaps_state=inaccessible", NULL);
	check(&kit, "as 3 ~2048 ~1024 ~3072 1 0 2\n"
		    "other 1 7168 - - 0 1 0\n"
		    "=total 4 ~9216 ~1024 ~10240 1 1 2\n"
		    "No PSS of 2 processes (pid 80, 81): counted as missing, not in any sum.\n"
		    "Sums exclude swapped-out shared memory: capture with --memory=shared.\n");
}

/* Fills a host with many processes, captured in one of several ways. */
static void fill_host(MemoryKit *kit, gboolean as_root, gboolean by_memory)
{
	memory_kit_init(kit);
	for (gint32 pid = 1; pid <= 20; pid++) {
		gboolean is_read = as_root || pid > 18;
		g_autofree char *amounts =
			g_strdup_printf(";pss_bytes=%d;swap_pss_bytes=%d", pid * 1024, 2048);
		g_autofree char *cells =
			g_strdup_printf("pcomm=/%s;memory_state=%s%s", pid % 2 ? "a" : "b",
					is_read ? "exact" : "approximate", is_read ? amounts : "");
		g_autofree char *name = g_strdup_printf("pcomm=/%s", pid % 2 ? "a" : "b");
		g_autofree char *entries = g_strdup_printf("Pss=%d;SwapPss=2", pid);

		if (by_memory)
			add_process(kit, pid, cells);
		else
			add_rollup(kit, pid, name, is_read ? entries : NULL);
	}
}

/* The table is the same in every command, no matter which user and plugin captured it. */
static void test_ways(void)
{
	static const char *const expected[] = {
		"as 10 ~19456 ~2048 ~21504 1 0 9\nbs 10 ~20480 ~2048 ~22528 1 0 9\n"
		"=total 20 ~39936 ~4096 ~44032 2 0 18\n"
		"No PSS of 18 processes (pid 1, 2, 3, 4, 5, 6, 7, 8, …): counted as missing, not in any "
		"sum.\n",
		"as 10 102400 20480 122880 10 0 0\nbs 10 112640 20480 133120 10 0 0\n"
		"=total 20 215040 40960 256000 20 0 0\n",
	};
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);

	for (guint i = 0; i < 4; i++) {
		g_auto(MemoryKit) kit;

		fill_host(&kit, i >= 2, i % 2 == 1);
		kit.options.categories = categories;
		g_test_message("case %u", i);
		check(&kit, expected[i / 2]);
	}
}

/* ---- two sides ---- */

static void test_compare(void)
{
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	g_auto(MemoryKit) kit;
	char filter[] = "^bs$";

	memory_kit_init(&kit);
	kit.options.categories = categories;
	add_process(&kit, 10, "memory_state=exact;cmdline=/a;pss_bytes=100;swap_pss_bytes=0");
	add_process(&kit, 20, "memory_state=exact;cmdline=/c;pss_bytes=9;swap_pss_bytes=9");
	kit.side = 1;
	add_process(&kit, 11, "memory_state=exact;cmdline=/a 2;pss_bytes=150;swap_pss_bytes=10");
	add_process(&kit, 12, "memory_state=exact;cmdline=/b;pss_bytes=7;swap_pss_bytes=0");
	add_process(&kit, 20, "memory_state=exact;cmdline=/c;pss_bytes=9;swap_pss_bytes=9");
	check(&kit, "as 1 100>150 0>10 100>160 1 0 0\n"
		    "bs 0>1 0>7 0 0>7 0>1 0 0\n"
		    "other 1 9 9 18 1 0 0\n"
		    "=total 2>3 109>166 9>19 118>185 2>3 0 0\n");
	const struct ctprof_cell *cell =
		memory_kit_cell(memory_kit_section(&kit, SECTION), 0, "pss");
	g_assert_cmpuint(cell->flags, ==, CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT);
	g_assert_cmpfloat(cell->delta, ==, 50);
	kit.options.changed = TRUE;
	check(&kit, "as 1 100>150 0>10 100>160 1 0 0\n"
		    "bs 0>1 0>7 0 0>7 0>1 0 0\n"
		    "=total 2>3 109>166 9>19 118>185 2>3 0 0\n");
	kit.options.filter = filter;
	check(&kit, "bs 0>1 0>7 0 0>7 0>1 0 0\n=total 0>1 0>7 0 0>7 0>1 0 0\n");
}

/* Values missing on one side are reported for that side. */
static void test_compare_gaps(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, "memory_state=exact;pss_bytes=5;swap_pss_bytes=1;swap_bytes=1");
	add_process(&kit, 2, "memory_state=exact;pss_bytes=5;swap_pss_bytes=1;swap_bytes=1");
	kit.side = 1;
	add_process(&kit, 1, "memory_state=exact;pss_bytes=5;swap_pss_bytes=1");
	add_process(&kit, 2, "memory_state=approximate");
	check(&kit,
	      "other 2 10>~5 2>~1 12>~6 2>1 0 0>1\n=total 2 10>~5 2>~1 12>~6 2>1 0 0>1\n"
	      "Baseline: Sums exclude swapped-out shared memory: capture with --memory=shared.\n"
	      "Candidate: No PSS of 1 process (pid 2): counted as missing, not in any sum.\n");
	g_assert_cmpuint(memory_kit_section(&kit, SECTION)->n_exact, ==, 1);
	g_assert_cmpuint(memory_kit_section(&kit, SECTION)->n_missing, ==, 1);
}

/* The largest change comes first. */
static void test_compare_orders(void)
{
	g_autoptr(Categories) categories = categories_parse(table, strlen(table), NULL);
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.categories = categories;
	kit.options.sort = "pss";
	for (kit.side = 0; kit.side < 2; kit.side++) {
		add_process(&kit, 1, "memory_state=exact;cmdline=/a;pss_bytes=1000");
		add_process(&kit, 2,
			    kit.side == 0 ? "memory_state=exact;cmdline=/b;pss_bytes=90"
					  : "memory_state=exact;cmdline=/b;pss_bytes=10");
		add_process(&kit, 3,
			    kit.side == 0 ? "memory_state=exact;cmdline=/c;pss_bytes=1"
					  : "memory_state=exact;cmdline=/c;pss_bytes=50");
	}
	memory_kit_draw(&kit, "categories");
	g_autofree char *dump = memory_kit_dump(&kit, "categories", "category pss");
	g_assert_cmpstr(dump, ==, "bs 90>10\nother 1>50\nas 1000\n=total 1091>1060\n");
}

/* ---- where it is shown ---- */

/* The section is shown only on request: with a table, or by name. */
static void test_asked_for(void)
{
	g_autoptr(Categories) categories = categories_new();
	const char *const pids[] = {"2", NULL};
	char named[] = SECTION, others[] = "host-metrics";
	const struct {
		char *sections;
		Categories *categories;
		const char *const *pids;
		const char *pss;
	} cases[] = {
		{NULL, NULL, NULL, NULL},
		{others, NULL, NULL, NULL},
		{named, NULL, NULL, "~157\n=~157\n"},
		{others, categories, NULL, "~157\n=~157\n"},
		{named, NULL, pids, "50\n=50\n"},
	};
	g_auto(MemoryKit) kit;

	fill(&kit);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.sections = cases[i].sections;
		kit.options.categories = cases[i].categories;
		kit.options.pids = cases[i].pids;
		memory_kit_draw(&kit, NULL);
		g_autofree char *dump = memory_kit_section(&kit, SECTION)
						? memory_kit_dump(&kit, SECTION, "pss")
						: NULL;
		g_test_message("case %u", i);
		g_assert_cmpstr(dump, ==, cases[i].pss);
	}
}

/* The artifact contains only processes with a rollup; vector 52. */
static void test_artifact(void)
{
	g_auto(MemoryKit) kit;

	fill(&kit);
	memory_kit_draw(&kit, "categories");
	g_autofree char *none = analysis_artifact(kit.analysis);
	g_assert_cmpstr(none, ==, "null");
	memory_kit_row(&kit, "memory", NULL, 9, "cmdline=/a 1");
	memory_kit_map(&kit, "smaps_rollup_kib", "Rss=884;Pss=385;SwapPss=0");
	memory_kit_row(&kit, "memory-swap", "9", 0, "swap_shared_bytes=1000");
	memory_kit_draw(&kit, "categories");
	g_autofree char *text = analysis_artifact(kit.analysis);
	g_assert_cmpstr(text, ==,
			"[\n"
			"  {\n"
			"    \"Command\": \"/a 1\",\n"
			"    \"Pid\": 9,\n"
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
	g_test_add_func("/memory/categories/saturated", test_saturated);
	g_test_add_func("/memory/categories/orders", test_orders);
	g_test_add_func("/memory/categories/without-a-table", test_without_a_table);
	g_test_add_func("/memory/categories/without-shares", test_without_shares);
	g_test_add_func("/memory/categories/rollups", test_rollups);
	g_test_add_func("/memory/categories/ways to capture", test_ways);
	g_test_add_func("/memory/categories/compare", test_compare);
	g_test_add_func("/memory/categories/compare gaps", test_compare_gaps);
	g_test_add_func("/memory/categories/compare orders", test_compare_orders);
	g_test_add_func("/memory/categories/asked-for", test_asked_for);
	g_test_add_func("/memory/categories/artifact", test_artifact);
	return g_test_run();
}
