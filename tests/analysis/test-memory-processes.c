/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests ctprof memory processes: the tree, its sums, filters, and coverage. */
#include <string.h>

#include "memory-kit.h"
#include "report/section/memory/tree.h"

#define N_PROCESSES 60
#define N_FORESTS 150
#define N_GONE 10

static void add_process(MemoryKit *kit, gint32 pid, guint64 ppid, const char *more)
{
	g_autofree char *cells = g_strdup_printf(
		"ppid=%" G_GUINT64_FORMAT ";pcomm=p%d;memory_state=exact;%s", ppid, pid, more);

	memory_kit_row(kit, "memory", NULL, pid, cells);
}

static void check_dump(MemoryKit *kit, const char *fields, const char *expected)
{
	memory_kit_draw(kit, "processes");
	g_autofree char *dump = memory_kit_dump(kit, "processes", fields);
	g_assert_cmpstr(dump, ==, expected);
}

/* vector 32 */
static void test_tree(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 9, 99, "pss_bytes=5");
	add_process(&kit, 1, 0, "pss_bytes=10");
	add_process(&kit, 3, 2, "pss_bytes=30");
	add_process(&kit, 7, 7, "pss_bytes=1");
	add_process(&kit, 2, 1, "pss_bytes=20");
	check_dump(&kit, "pid pss pss_subtree",
		   "1 10 60\n  2 20 50\n    3 30 30\n9 5 5\n7 1 1\n=- 66 66\n");
	kit.options.flat = TRUE;
	check_dump(&kit, "pid pss", "3 30\n2 20\n1 10\n9 5\n7 1\n=- 66\n");
}

/* Reused PIDs can make a process its own ancestor. */
static void test_cycle(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 30, 20, "pss_bytes=1");
	add_process(&kit, 20, 10, "pss_bytes=2");
	add_process(&kit, 10, 30, "pss_bytes=4");
	add_process(&kit, 40, 20, "pss_bytes=8");
	check_dump(&kit, "pid pss_subtree", "10 15\n  20 11\n    40 8\n    30 1\n=- 15\n");
}

static void test_orders(void)
{
	static const struct {
		const char *sort, *dump;
	} cases[] = {
		{"pss", "3 2 4 1 5 6"}, {"uss", "5 1 2 3 4 6"},  {"rss", "4 1 2 3 5 6"},
		{"eps", "2 3 4 1 5 6"}, {"swap", "2 1 3 4 5 6"}, {"anon", "1 2 3 4 5 6"},
		{"pid", "1 2 3 4 5 6"}, {"name", "6 1 2 3 4 5"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.flat = TRUE;
	add_process(&kit, 1, 0, "pss_bytes=5;rss_bytes=9;swap_pss_bytes=0");
	add_process(&kit, 2, 0, "pss_bytes=20;swap_pss_bytes=100");
	add_process(&kit, 3, 0, "pss_bytes=30;swap_pss_bytes=0");
	add_process(&kit, 4, 0, "pss_bytes=20;rss_bytes=10;swap_pss_bytes=0");
	add_process(&kit, 5, 0, "pss_bytes=0;uss_bytes=1;swap_pss_bytes=0");
	add_process(&kit, 6, 0, "pcomm=a");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.sort = cases[i].sort;
		memory_kit_draw(&kit, "processes");
		g_autofree char *dump = memory_kit_dump(&kit, "processes", "pid");
		char *total = strstr(dump, "\n=");
		g_assert_nonnull(total);
		*total = '\0';
		g_test_message("%s", cases[i].sort);
		g_assert_cmpstr(g_strdelimit(dump, "\n", ' '), ==, cases[i].dump);
	}
}

/* A value that could not be read is never 0 or another number. */
static void test_absent(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, 0, "pss_bytes=10;rss_bytes=100;pss_anon_bytes=7;pss_shmem_bytes=1");
	add_process(&kit, 2, 1, "memory_state=approximate;rss_bytes=50;anonymous_bytes=40");
	add_process(&kit, 3, 1, "memory_state=inaccessible");
	add_process(&kit, 4, 1, "memory_state=not-applicable");
	add_process(&kit, 5, 1, "memory_state=skipped;rss_bytes=1");
	check_dump(&kit, "pid pss pss_subtree rss rss_subtree anon anon_subtree shmem memory_state",
		   "1 10 ~10 100 ~151 7 ~47 1 exact\n"
		   "  2 - - 50 50 ~40 ~40 - approximate\n"
		   "  3 - - - - - - - inaccessible\n"
		   "  5 - - 1 1 - - - skipped\n"
		   "=- ~10 ~10 ~151 ~151 ~47 ~47 ~1 -\n");
	const struct ctprof_report_section *table = memory_kit_section(&kit, "processes");
	g_assert_cmpuint(table->flags, ==, CTPROF_SECTION_HAS_COVERAGE);
	g_assert_cmpuint(table->n_exact, ==, 1);
	g_assert_cmpuint(table->n_approximate, ==, 2);
	g_assert_cmpuint(table->n_missing, ==, 1);
	g_autofree char *notes = memory_kit_notes(&kit, "processes");
	g_assert_nonnull(strstr(notes, "PSS missing for 1 process: the kernel refused"));
	g_assert_nonnull(strstr(notes, "CAP_PERFMON"));
	kit.options.all = kit.options.is_warned = TRUE;
	memory_kit_draw(&kit, "processes");
	g_autofree char *told = memory_kit_notes(&kit, "processes");
	g_assert_cmpstr(told, ==, "");
	g_autofree char *all = memory_kit_dump(&kit, "processes", "pid");
	g_assert_nonnull(strstr(all, "  4\n"));
	g_assert_cmpuint(memory_kit_section(&kit, "processes")->n_missing, ==, 1);
}

/* A process that has all requested values counts as complete. */
static void test_coverage(void)
{
	static const struct {
		const char *states[3];
		guint64 exact, approximate, missing;
	} cases[] = {
		{{"exact", "exact", "exact"}, 3, 0, 0},              /* vector 28 */
		{{"exact", "approximate", "inaccessible"}, 1, 1, 1}, /* vector 29 */
		{{"skipped", "timeout", "unheard of"}, 0, 2, 1},
		{{"exact", "not-applicable", "not-applicable"}, 1, 0, 0}, /* vector 63 */
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(MemoryKit) kit;

		memory_kit_init(&kit);
		for (gint32 pid = 1; pid <= 3; pid++) {
			g_autofree char *cells =
				g_strdup_printf("memory_state=%s", cases[i].states[pid - 1]);

			memory_kit_row(&kit, "memory", NULL, pid, cells);
		}
		memory_kit_draw(&kit, "processes");
		const struct ctprof_report_section *table = memory_kit_section(&kit, "processes");
		g_assert_cmpstr(table->covered, ==, "processes");
		g_assert_cmpuint(table->n_exact, ==, cases[i].exact);
		g_assert_cmpuint(table->n_approximate, ==, cases[i].approximate);
		g_assert_cmpuint(table->n_missing, ==, cases[i].missing);
	}
}

/* Kernel threads have no memory: they are hidden, and do not make a sum incomplete. */
static void test_kernel_threads_are_in_no_coverage(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 1, 0, "pss_bytes=10");
	add_process(&kit, 2, 0, "memory_state=not-applicable");
	add_process(&kit, 3, 2, "memory_state=not-applicable;pss_bytes=100");
	add_process(&kit, 4, 2, "pss_bytes=1");
	check_dump(&kit, "pid pss pss_subtree", "1 10 10\n^2 - 1\n  4 1 1\n=- 11 11\n");
}

static void test_filter(void)
{
	static const struct {
		const char *filter;
		gboolean flat;
		const char *dump;
	} cases[] = {
		/* vector 46 */
		{"^batch-[ab]$", TRUE, "batch-b 20\nbatch-a 10\n=2 processes match 30\n"},
		/* vector 47 */
		{"^batch-[ab]$", FALSE,
		 "^mnt 5 40\n  batch-b 20 20\n  batch-a 10 10\n=2 processes match 30 30\n"},
		/* vector 48: a match below a match is counted once */
		{"^batch-r", FALSE,
		 "batch-root 20 30\n  batch-root-child 10 10\n=2 processes match 30 30\n"},
		{"^batch-root$", FALSE, "batch-root 20 30\n=1 process matches 20 30\n"},
		{"^12$", FALSE, "^mnt 5 40\n  batch-a 10 10\n=1 process matches 10 10\n"},
		{"nobody", TRUE, "batch-b 20\n=1 process matches 20\n"},
		{"--socket", TRUE, "other 5\n=1 process matches 5\n"},
		{"none", FALSE, "=0 processes match 0 0\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 11, 0, "pcomm=mnt;pss_bytes=5");
	add_process(&kit, 12, 11, "pcomm=batch-a;pss_bytes=10");
	add_process(&kit, 13, 11, "pcomm=batch-b;pss_bytes=20;user=nobody");
	add_process(&kit, 14, 11, "pcomm=other;pss_bytes=5;cmdline=x --socket");
	add_process(&kit, 15, 0, "pcomm=batch-root;pss_bytes=20");
	add_process(&kit, 16, 15, "pcomm=batch-root-child;pss_bytes=10");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.filter = (char *)(uintptr_t)cases[i].filter;
		kit.options.flat = cases[i].flat;
		memory_kit_draw(&kit, "processes");
		g_autofree char *dump = memory_kit_dump(
			&kit, "processes", cases[i].flat ? "name pss" : "name pss pss_subtree");
		/* The text of the total is in the column of the command. */
		g_autofree char *totals = memory_kit_dump(&kit, "processes", "command");
		g_autoptr(GString) text = g_string_new(dump);
		g_string_replace(text, "=-", strrchr(totals, '='), 0);
		g_string_replace(text, "match\n", "match", 0);
		g_string_replace(text, "matches\n", "matches", 0);
		g_test_message("%s", cases[i].filter);
		g_assert_cmpstr(text->str, ==, cases[i].dump);
	}
}

static void test_threshold(void)
{
	static const struct {
		guint64 ram, largest, threshold;
	} cases[] = {
		{10000, 1000, 30},                   /* vector 44 */
		{10000, 100000, 100}, {0, 1000, 30}, /* RAM unknown */
		{10000, 0, 0},        {99, 1000, 0}, {G_MAXUINT64, G_MAXUINT64, G_MAXUINT64 / 100},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpuint(tree_threshold(cases[i].ram, cases[i].largest), ==,
				 cases[i].threshold);
}

/* vector 45: folds only processes below the threshold, here 100, but never a root, a leaf, or a
 * requested process.  Folded processes are included in every sum. */
static void test_fold(void)
{
	static const struct {
		const char *filter, *dump;
	} cases[] = {
		{NULL, "1 1 ~90206 -\n  2 90000 90000 -\n  3 50 105 -\n    7 55 55 -\n"
		       "  4 20 99 3\n  10 1 ~1 -\n    11 - - -\n9 1 1 -\n=- ~90207 ~90207 -\n"},
		{"^p6$", "^1 1 ~90206 -\n  ^4 20 99 -\n    ^5 29 79 -\n      6 40 40 -\n"
			 "=- 40 40 -\n"},
	};
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.fold = TRUE;
	memory_kit_row(&kit, "memory-ledger", "meminfo.MemTotal", 0, "ledger_bytes=10000");
	add_process(&kit, 1, 0, "pss_bytes=1");
	add_process(&kit, 2, 1, "pss_bytes=90000");
	add_process(&kit, 3, 1, "pss_bytes=50");
	add_process(&kit, 7, 3, "pss_bytes=55");
	add_process(&kit, 4, 1, "pss_bytes=20");
	add_process(&kit, 5, 4, "pss_bytes=29");
	add_process(&kit, 6, 5, "pss_bytes=40");
	add_process(&kit, 8, 5, "pss_bytes=10");
	add_process(&kit, 9, 0, "pss_bytes=1");
	add_process(&kit, 10, 1, "pss_bytes=1");
	add_process(&kit, 11, 10, "memory_state=approximate");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.filter = (char *)(uintptr_t)cases[i].filter;
		check_dump(&kit, "pid pss pss_subtree folded", cases[i].dump);
	}
}

static void test_limit(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.limit = 2;
	for (gint32 pid = 1; pid <= 5; pid++)
		add_process(&kit, pid, 0, "pss_bytes=1");
	check_dump(&kit, "pid pss", "1 1\n2 1\n=- 5\n");
	g_assert_cmpuint(memory_kit_section(&kit, "processes")->n_cut, ==, 3);
}

/* PSS, its swap, and its share of the shared memory that is swapped out. */
static void test_effective(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.flat = TRUE;
	add_process(&kit, 1, 0, "pss_bytes=10;swap_pss_bytes=3");
	add_process(&kit, 2, 0, "pss_bytes=5");
	check_dump(&kit, "pid eps", "1 ~13\n2 -\n=- ~13\n");
	memory_kit_row(&kit, "memory-ledger", "swap.used", 0, "ledger_bytes=0");
	check_dump(&kit, "pid eps", "1 13\n2 -\n=- ~13\n");
	memory_kit_row(&kit, "memory-swap", "1", 0,
		       "swap_shared_bytes=100;swap_shared_by_name_bytes=50");
	memory_kit_row(&kit, "memory-swap", "*", 0, "swap_unreadable=1");
	check_dump(&kit, "pid eps", "1 113\n2 -\n=- ~113\n");
	kit.options.swap_share = SHARE_BY_NAME;
	check_dump(&kit, "pid eps", "1 63\n2 -\n=- ~63\n");
}

/* ---- two sides ---------------------------------------------------------------- */

static void fill_sides(MemoryKit *kit)
{
	memory_kit_init(kit);
	add_process(kit, 1, 0, "pss_bytes=10");
	add_process(kit, 2, 1, "pss_bytes=20");
	add_process(kit, 3, 1, "pss_bytes=5");
	add_process(kit, 4, 1, "pss_bytes=7;cmdline=old");
	kit->side = 1;
	add_process(kit, 1, 0, "pss_bytes=10");
	add_process(kit, 2, 3, "pss_bytes=120");
	add_process(kit, 3, 1, "pss_bytes=5");
	add_process(kit, 5, 3, "pss_bytes=30;cmdline=new");
}

/* The tree is the candidate's, with exited processes added; the largest change comes first. */
static void test_sides(void)
{
	static const struct {
		gboolean changed, flat;
		const char *filter, *dump;
	} cases[] = {
		{FALSE, FALSE, NULL,
		 "1 10 42>165 [p1]\n  3 5 25>155 [p3]\n    2 20>120 20>120 [p2]\n"
		 "    5 ->30 ->30 new\n  4 7>- 7>- old\n=- 42>165 42>165 total\n"},
		{TRUE, FALSE, NULL,
		 "^1 10 42>165 [p1]\n  ^3 5 25>155 [p3]\n    2 20>120 20>120 [p2]\n"
		 "    5 ->30 ->30 new\n  4 7>- 7>- old\n=- 42>165 42>165 total\n"},
		{TRUE, FALSE, "^p[34]$",
		 "^1 10 42>165 [p1]\n  4 7>- 7>- old\n"
		 "=- 12>5 32>155 2 processes match\n"},
		{FALSE, TRUE, NULL,
		 "2 20>120 [p2]\n5 ->30 new\n4 7>- old\n1 10 [p1]\n3 5 [p3]\n"
		 "=- 42>165 total\n"},
	};
	g_auto(MemoryKit) kit;

	fill_sides(&kit);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kit.options.changed = cases[i].changed;
		kit.options.flat = cases[i].flat;
		kit.options.filter = (char *)(uintptr_t)cases[i].filter;
		g_test_message("case %u", i);
		check_dump(&kit, cases[i].flat ? "pid pss command" : "pid pss pss_subtree command",
			   cases[i].dump);
	}
	const struct ctprof_report_section *table = memory_kit_section(&kit, "processes");
	/* A PID is a name: another one is not a change of a number. */
	g_assert_cmpuint(memory_kit_cell(table, 0, "pid")->flags, ==, CTPROF_CELL_SAME);
	const struct ctprof_cell *cell = memory_kit_cell(table, 0, "pss");
	g_assert_cmpuint(cell->flags, ==, CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT);
	g_assert_cmpfloat(cell->delta, ==, 100);
	g_assert_cmpfloat(cell->pct, ==, 500);
}

/* A value missing on one side is a gap there; a process missing on a side is not. */
static void test_sides_lack_apart(void)
{
	g_auto(MemoryKit) kit;

	fill_sides(&kit);
	add_process(&kit, 6, 0, "memory_state=approximate;rss_bytes=9");
	kit.side = 0;
	add_process(&kit, 6, 0, "pss_bytes=1");
	check_dump(&kit, "pid pss pss_subtree memory_state",
		   "1 10 42>165 exact\n  3 5 25>155 exact\n    2 20>120 20>120 exact\n"
		   "    5 ->30 ->30 ->exact\n  4 7>- 7>- exact>-\n6 1>- 1>- exact>approximate\n"
		   "=- 43>~165 43>~165 -\n");
	const struct ctprof_report_section *table = memory_kit_section(&kit, "processes");
	g_assert_cmpuint(table->n_exact, ==, 5);
	g_assert_cmpuint(table->n_approximate, ==, 1);
	const struct ctprof_cell *total = memory_kit_cell(table, table->n_lines - 1, "pss");
	g_assert_cmpuint(total->value[1].missing, ==, 1);
	g_assert_true(total->flags & CTPROF_CELL_PARTIAL);
	g_assert_false(total->flags & CTPROF_CELL_HAS_PCT);
}

/* A reused PID is a different process, with other children. */
static void test_reused_pid(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	add_process(&kit, 7, 0, "pss_bytes=1;cmdline=before;start_time_clock_ticks=5");
	add_process(&kit, 8, 7, "pss_bytes=2;cmdline=child;start_time_clock_ticks=6");
	kit.side = 1;
	add_process(&kit, 7, 0, "pss_bytes=4;cmdline=after;start_time_clock_ticks=90");
	add_process(&kit, 8, 7, "pss_bytes=8;cmdline=other;start_time_clock_ticks=91");
	check_dump(&kit, "command pss pss_subtree",
		   "after ->4 ->12\n  other ->8 ->8\nbefore 1>- 3>-\n  child 2>- 2>-\n"
		   "=total 3>12 3>12\n");
}

/* Only processes that are small on both sides are folded. */
static void test_sides_fold(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	kit.options.fold = TRUE;
	for (kit.side = 0; kit.side < 2; kit.side++) {
		add_process(&kit, 1, 0, "pss_bytes=1");
		add_process(&kit, 2, 1, "pss_bytes=90000");
		add_process(&kit, 3, 1, "pss_bytes=1");
		add_process(&kit, 4, 3, kit.side == 0 ? "pss_bytes=1" : "pss_bytes=9000");
		add_process(&kit, 5, 1, "pss_bytes=1");
		add_process(&kit, 6, 5, "pss_bytes=1");
	}
	check_dump(&kit, "pid pss_subtree folded",
		   "1 90005>99004 -\n  3 2>9001 -\n    4 1>9000 -\n  2 90000 -\n  5 2 1\n"
		   "=- 90005>99004 -\n");
}

/* ---- laws, on forests of any shape ------------------------------------------- */

static void add_random_process(MemoryKit *kit, gint32 pid)
{
	static const char *const states[] = {"exact", "exact", "approximate", "inaccessible",
					     "not-applicable"};
	const char *state = states[g_test_rand_int_range(0, G_N_ELEMENTS(states))];
	g_autoptr(GString) cells = g_string_new(NULL);

	g_string_printf(cells, "memory_state=%s;pcomm=x", state);
	if (g_test_rand_int_range(0, 10) > 0)
		g_string_append_printf(cells, ";ppid=%d",
				       g_test_rand_int_range(0, N_PROCESSES + 5));
	if (strcmp(state, "exact") == 0)
		g_string_append_printf(cells, ";pss_bytes=%d", g_test_rand_int_range(0, 1000));
	if (strcmp(state, "approximate") == 0)
		g_string_append_printf(cells, ";rss_bytes=%d", g_test_rand_int_range(0, 1000));
	if (g_test_rand_int_range(0, 50) == 0)
		g_string_append(cells, ";uss_bytes=18446744073709551615");
	memory_kit_row(kit, "memory", NULL, pid, cells->str);
}

/* The trees of the roots, and all processes, add up to the total, including missing values. */
static void check_sums(const struct ctprof_report_section *table, guint side, const char *own,
		       const char *tree)
{
	Amount of_own = {0}, of_roots = {0};
	guint64 last = table->n_lines - 1;

	for (guint64 i = 0; i < last; i++) {
		const struct ctprof_value *amount = &memory_kit_cell(table, i, own)->value[side];
		const struct ctprof_value *subtree = &memory_kit_cell(table, i, tree)->value[side];

		if (amount->type != CTPROF_VALUE_ABSENT)
			amount_add(&of_own, amount);
		if (table->lines[i].depth == 0 && subtree->type != CTPROF_VALUE_ABSENT)
			amount_add(&of_roots, subtree);
	}
	const struct ctprof_value *total = &memory_kit_cell(table, last, own)->value[side];
	const struct ctprof_value *of_trees = &memory_kit_cell(table, last, tree)->value[side];
	g_assert_cmpuint(of_own.number, ==, of_roots.number);
	g_assert_cmpuint(total->number, ==, of_own.number);
	g_assert_cmpuint(of_trees->number, ==, of_own.number);
	g_assert_cmpuint(of_trees->type, ==, total->type);
	g_assert_cmpuint(of_trees->flags, ==, total->flags);
	g_assert_cmpuint(of_trees->n, ==, total->n);
	g_assert_cmpuint(of_trees->missing, ==, total->missing);
}

static void check_forest(MemoryKit *kit, guint n_processes)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	guint64 depth = 0;

	memory_kit_draw(kit, "processes");
	const struct ctprof_report_section *table = memory_kit_section(kit, "processes");
	g_assert_cmpuint(table->n_lines, ==, n_processes + 1);
	for (guint i = 0; i < n_processes; i++) {
		guint64 pid = memory_kit_cell(table, i, "pid")->value[0].number;

		g_assert_true(g_hash_table_add(seen, GINT_TO_POINTER((gint)pid)));
		g_assert_cmpuint(table->lines[i].depth, <=, i == 0 ? 0 : depth + 1);
		depth = table->lines[i].depth;
	}
	for (guint side = 0; side <= (kit->options.compare ? 1u : 0u); side++) {
		check_sums(table, side, "pss", "pss_subtree");
		check_sums(table, side, "uss", "uss_subtree");
		check_sums(table, side, "rss", "rss_subtree");
	}
}

static void test_laws(void)
{
	for (guint n = 0; n < N_FORESTS; n++) {
		g_auto(MemoryKit) kit;

		memory_kit_init(&kit);
		kit.options.all = TRUE;
		for (gint32 pid = 1; pid <= N_PROCESSES; pid++)
			add_random_process(&kit, pid);
		check_forest(&kit, N_PROCESSES);
		/* On this side some processes have exited, and some have other parents. */
		kit.side = 1;
		for (gint32 pid = N_GONE + 1; pid <= N_PROCESSES + N_GONE; pid++)
			add_random_process(&kit, pid);
		check_forest(&kit, N_PROCESSES + N_GONE);
	}
}

/* A chain of 200 000 processes is walked without recursion. */
static void test_deep_chain(void)
{
	g_auto(MemoryKit) kit;

	memory_kit_init(&kit);
	for (gint32 pid = 1; pid <= 200000; pid++)
		add_process(&kit, pid, (guint64)pid - 1, "pss_bytes=1");
	memory_kit_draw(&kit, "processes");
	const struct ctprof_report_section *table = memory_kit_section(&kit, "processes");
	g_assert_cmpuint(memory_kit_cell(table, 0, "pss_subtree")->value[0].number, ==, 200000);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/processes/tree", test_tree);
	g_test_add_func("/memory/processes/a cycle's smallest pid is a root", test_cycle);
	g_test_add_func("/memory/processes/orders", test_orders);
	g_test_add_func("/memory/processes/absent is not 0", test_absent);
	g_test_add_func("/memory/processes/coverage", test_coverage);
	g_test_add_func("/memory/processes/kernel threads", test_kernel_threads_are_in_no_coverage);
	g_test_add_func("/memory/processes/filter", test_filter);
	g_test_add_func("/memory/processes/threshold", test_threshold);
	g_test_add_func("/memory/processes/fold", test_fold);
	g_test_add_func("/memory/processes/limit", test_limit);
	g_test_add_func("/memory/processes/effective size", test_effective);
	g_test_add_func("/memory/processes/two sides", test_sides);
	g_test_add_func("/memory/processes/two sides lack apart", test_sides_lack_apart);
	g_test_add_func("/memory/processes/a pid used again", test_reused_pid);
	g_test_add_func("/memory/processes/two sides folded", test_sides_fold);
	g_test_add_func("/memory/processes/sums of any forest", test_laws);
	g_test_add_func("/memory/processes/a deep chain", test_deep_chain);
	return g_test_run();
}
