/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests changes between two values, and values derived from several. */
#include <math.h>
#include <string.h>

#include "frame/quantity.h"
#include "report/fold/amount.h"
#include "report/fold/fold.h"
#include "report/join/change.h"
#include "report/plan/sections.h"

static struct ctprof_value number(guint64 n)
{
	return (struct ctprof_value){.type = CTPROF_VALUE_NUMBER, .number = n};
}

static struct ctprof_value real(gdouble n)
{
	return (struct ctprof_value){.type = CTPROF_VALUE_REAL, .real = n};
}

static struct ctprof_value range(gint64 min, gint64 max)
{
	return (struct ctprof_value){.type = CTPROF_VALUE_RANGE, .min = min, .max = max};
}

static struct ctprof_value text(guint32 type, const char *winner)
{
	return (struct ctprof_value){.type = type, .text = winner, .count = 1, .n = 2};
}

static struct ctprof_value cpus(gint64 min, gint64 max, const char *list)
{
	return (struct ctprof_value){
		.type = CTPROF_VALUE_CPUS, .min = min, .max = max, .text = list};
}

static const struct ctprof_value absent = {.type = CTPROF_VALUE_ABSENT};
static const struct ctprof_value unlimited = {.type = CTPROF_VALUE_UNLIMITED};

/* Returns "S" for same or "D" for different, then delta and percent. */
static char *change_text(const struct ctprof_value *a, const struct ctprof_value *b, guint32 ladder)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct ctprof_cell change;

	change_between(a, b, ladder, &change);
	if (change.flags & CTPROF_CELL_SAME)
		g_string_append_c(out, 'S');
	if (change.flags & CTPROF_CELL_DIFFERS)
		g_string_append_c(out, 'D');
	if (change.flags & CTPROF_CELL_HAS_DELTA)
		g_string_append_printf(out, " %+g", change.delta);
	if (change.flags & CTPROF_CELL_HAS_PCT)
		g_string_append_printf(out, " %+g%%", change.pct);
	return g_strdup(out->str);
}

static void test_changes(void)
{
	const struct {
		struct ctprof_value a, b;
		guint32 ladder;
		const char *change;
	} cases[] = {
		{number(100), number(150), CTPROF_LADDER_NS, " +50 +50%"},
		{number(150), number(100), CTPROF_LADDER_NS, " -50 -33.3333%"},
		{number(7), number(7), CTPROF_LADDER_NS, "S +0 +0%"},
		{number(0), number(7), CTPROF_LADDER_NS, " +7"},
		{number(0), number(0), CTPROF_LADDER_NS, "S +0"},
		/* These are equal when converted to gdouble. */
		{number(G_MAXUINT64), number(G_MAXUINT64 - 1), CTPROF_LADDER_NS,
		 " -1 -5.42101e-18%"},
		{real(0.5), real(0.25), CTPROF_LADDER_RATIO, " -0.25"},
		{real(2), real(3), CTPROF_LADDER_NS, " +1 +50%"},
		/* An increase from a negative value is growth. */
		{real(-100), real(50), CTPROF_LADDER_BYTES, " +150 +150%"},
		{range(2, 8), range(4, 8), CTPROF_LADDER_NONE, " +1"},
		{range(0, 1), range(0, 2), CTPROF_LADDER_NONE, " +0.5"},
		{range(-5, 10), range(-5, 10), CTPROF_LADDER_NONE, "S +0"},
		{range(0, 4), range(1, 3), CTPROF_LADDER_NONE, "D"},
		{range(G_MININT64, G_MAXINT64), range(0, 0), CTPROF_LADDER_NONE, "D"},
		{text(CTPROF_VALUE_MODE, "R"), text(CTPROF_VALUE_MODE, "R"), CTPROF_LADDER_NONE,
		 "S"},
		{text(CTPROF_VALUE_MODE, "R"), text(CTPROF_VALUE_MODE, "S"), CTPROF_LADDER_NONE,
		 "D"},
		{text(CTPROF_VALUE_TEXT, "x"), text(CTPROF_VALUE_TEXT, "y"), CTPROF_LADDER_NONE,
		 "D"},
		{cpus(2, 8, NULL), cpus(2, 8, NULL), CTPROF_LADDER_NONE, "S +0"},
		{cpus(2, 8, NULL), cpus(8, 8, "0-7"), CTPROF_LADDER_NONE, " +3"},
		{cpus(2, 2, "0-1"), cpus(2, 2, "2-3"), CTPROF_LADDER_NONE, "D"},
		{number(1859), number(2431), CTPROF_LADDER_CENTIPERCENT, " +572"},
		{unlimited, unlimited, CTPROF_LADDER_BYTES, "S"},
		{unlimited, number(5), CTPROF_LADDER_BYTES, "D"},
		{absent, absent, CTPROF_LADDER_NS, "S"},
		{absent, number(0), CTPROF_LADDER_NS, ""},
		{number(0), absent, CTPROF_LADDER_NS, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = change_text(&cases[i].a, &cases[i].b, cases[i].ladder);

		g_test_message("case %" G_GSIZE_FORMAT, i);
		g_assert_cmpstr(change, ==, cases[i].change);
	}
}

/* Each change must come before the next one. */
static void test_order(void)
{
	const struct {
		struct ctprof_value a, b;
		guint32 ladder;
	} rows[] = {
		{number(10), number(110), CTPROF_LADDER_UNITLESS}, /* +1000 % */
		{number(1), number(3), CTPROF_LADDER_UNITLESS},    /* +200 % */
		{number(0), number(50000000), CTPROF_LADDER_NS},   /* large, from 0: as 100 % */
		{number(4), number(1), CTPROF_LADDER_NS},          /* -75 % */
		{number(0), number(500), CTPROF_LADDER_UNITLESS},  /* half of large, from 0 */
		{real(0.5), real(0.9), CTPROF_LADDER_RATIO},       /* 40 points */
		{number(100), number(110), CTPROF_LADDER_BYTES},   /* +10 % */
		{number(0), number(1000), CTPROF_LADDER_NS},       /* small, from 0 */
		{range(9, 9), range(43, 43), CTPROF_LADDER_NONE},  /* an ordinal */
		{number(0), number(0), CTPROF_LADDER_NS},          /* no change */
	};
	Standing last = {.class = 0};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		Standing at = {.class = 0};
		struct ctprof_cell change;

		change_between(&rows[i].a, &rows[i].b, rows[i].ladder, &change);
		change_classify(&change, rows[i].ladder, FALSE, &at);
		g_test_message("row %" G_GSIZE_FORMAT ": class %u, %g points", i, at.class,
			       at.points);
		g_assert_cmpint(standing_compare(&last, &at), <, 0);
		last = at;
	}
	g_assert_cmpuint(last.class, ==, 3);
}

static void test_filters(void)
{
	const ChangeFilter none = {.changed = FALSE}, changed = {.changed = TRUE},
			   pct = {.min_pct = 20}, time = {.min_deltas = {[DIMENSION_TIME] = 5e6}};
	const struct {
		struct ctprof_value a, b;
		guint32 ladder;
		const char *passes; /* '+': none, changed, pct, time lets it pass */
	} cases[] = {
		{number(5), number(5), CTPROF_LADDER_NS, "+---"},
		{absent, absent, CTPROF_LADDER_NS, "+---"},
		{number(100), number(110), CTPROF_LADDER_UNITLESS, "++-+"},
		{number(100), number(80), CTPROF_LADDER_UNITLESS, "++++"},
		{number(10000000), number(14000000), CTPROF_LADDER_NS, "+++-"},
		{number(0), number(1), CTPROF_LADDER_NS, "+++-"},
		{number(0), number(1), CTPROF_LADDER_TICKS, "++++"},
		{number(0), number(9000), CTPROF_LADDER_US, "++++"},
		{number(0), number(4000), CTPROF_LADDER_US, "+++-"},
		{real(0.5), real(0.6), CTPROF_LADDER_RATIO, "++-+"},
		{real(0.5), real(0.8), CTPROF_LADDER_RATIO, "++++"},
		{range(1, 1), range(5, 5), CTPROF_LADDER_NONE, "++-+"},
		{text(CTPROF_VALUE_MODE, "R"), text(CTPROF_VALUE_MODE, "S"), CTPROF_LADDER_NONE,
		 "++++"},
		{absent, number(5), CTPROF_LADDER_UNITLESS, "++-+"},
		{absent, number(5), CTPROF_LADDER_NS, "++--"},
	};
	const ChangeFilter *filters[] = {&none, &changed, &pct, &time};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char passes[G_N_ELEMENTS(filters) + 1] = "";
		struct ctprof_cell change;

		change_between(&cases[i].a, &cases[i].b, cases[i].ladder, &change);
		for (guint f = 0; f < G_N_ELEMENTS(filters); f++)
			passes[f] = change_passes(&change, cases[i].ladder, filters[f]) ? '+' : '-';
		g_test_message("case %" G_GSIZE_FORMAT, i);
		g_assert_cmpstr(passes, ==, cases[i].passes);
	}
}

static void test_derived(void)
{
	static const struct {
		const char *name;
		guint64 inputs[QUANTITY_INPUTS];
		gdouble value; /* NAN: none */
	} cases[] = {
		{"affine_success_ratio", {1, 4}, 0.25},
		{"affine_success_ratio", {0, 0}, NAN},
		{"avg_wait_ns", {900, 3}, 300},
		{"avg_wait_ns", {900, 0}, NAN},
		{"cpu_efficiency", {30, 10}, 0.75},
		{"cpu_efficiency", {0, 0}, NAN},
		{"cpu_efficiency", {G_MAXUINT64, G_MAXUINT64}, 0.5},
		{"avg_slice_ns", {100, 8}, 12.5},
		{"involuntary_csw_ratio", {1, 3}, 0.25},
		{"disk_io_fraction", {30, 10}, 3},
		{"live_heap_estimate", {100, 350}, -250},
		{"live_heap_estimate", {G_MAXUINT64, G_MAXUINT64 - 1}, 1},
		{"live_heap_estimate", {0, 0}, 0},
		{"avg_iowait_ns", {10, 4}, 2.5},
		{"avg_cpu_delay_ns", {10, 4}, 2.5},
		{"avg_irq_delay_ns", {10, 0}, NAN},
		{"total_offcpu_delay_ns", {0}, 0},
		/* cpu blkio swapin freepages thrashing compact wpcopy irq */
		{"total_offcpu_delay_ns", {1, 20, 300, 4000, 700, 50000, 600000, 7000000}, 7654721},
		{"total_offcpu_delay_ns", {1, 20, 900, 4000, 700, 50000, 600000, 7000000}, 7654921},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const Quantity *derived = quantity_derived(cases[i].name);
		gdouble value = NAN;

		g_assert_nonnull(derived);
		g_test_message("%s", cases[i].name);
		g_assert_cmpint(formula_compute(&derived->formulas[0], cases[i].inputs, &value), ==,
				!isnan(cases[i].value));
		if (!isnan(cases[i].value))
			g_assert_cmpfloat_with_epsilon(value, cases[i].value, 1e-9);
	}
}

static void test_derived_list(void)
{
	guint n = 0, delays = 0, ratios = 0, n_costs = 0;

	for (const Quantity *derived = quantities; derived->name; derived++) {
		n_costs += derived->column.name != NULL;
		if (!quantity_is_derived(derived))
			continue;
		n++;
		delays += strcmp(derived->section, SECTION_DELAY) == 0;
		ratios += quantity_is_ratio(derived) && derived->unit == CTPROF_UNIT_NONE;
	}
	g_assert_cmpuint(n_costs, <=, MOST_COSTS);
	g_assert_nonnull(quantity_of_cost(n_costs - 1));
	g_assert_cmpuint(n, ==, 22);
	g_assert_cmpuint(delays, ==, 9);
	g_assert_cmpuint(ratios, ==, 4);
	g_assert_null(quantity_derived("wait_sum"));
	g_assert_null(quantity_derived("turn"));
	g_assert_cmpstr(quantity_find("turn")->name, ==, "avg_turn_wait_ns");
}

static void test_memory_levels(void)
{
	static const char *const levels[] = {"active_anon", "anon",     "hugetlb", "slab",
					     "sock",        "zswapped", "file_thp"};
	static const char *const events[] = {"pgfault", "workingset_refault_anon", "anon_", "zswp",
					     ""};

	for (gsize i = 0; i < G_N_ELEMENTS(levels); i++)
		g_assert_true(fold_is_memory_level(levels[i]));
	for (gsize i = 0; i < G_N_ELEMENTS(events); i++)
		g_assert_false(fold_is_memory_level(events[i]));
}

/* A counter that fell was reset; a level may fall; a new value grew from 0. */
static void test_growth(void)
{
	const struct ctprof_value few = value_of_number(3), many = value_of_number(10);
	const struct ctprof_value low = value_of_real(0.5), high = value_of_real(2);
	const struct {
		guint32 kind;
		const struct ctprof_value *before, *after;
		gboolean born;
		gdouble grown; /* NAN: absent */
	} cases[] = {
		{CTPROF_COUNTER, &few, &many, FALSE, 7},
		{CTPROF_COUNTER, &many, &few, FALSE, NAN},
		{CTPROF_COUNTER, &high, &low, FALSE, NAN},
		{CTPROF_LEVEL, &many, &few, FALSE, -7},
		{CTPROF_GAUGE, &low, &high, FALSE, 1.5},
		{0, &high, &low, FALSE, -1.5},
		{CTPROF_COUNTER, &absent, &many, FALSE, NAN},
		{CTPROF_COUNTER, &absent, &many, TRUE, 10},
		{CTPROF_LEVEL, &few, &absent, FALSE, NAN},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct ctprof_value grown =
			value_growth(cases[i].kind, cases[i].before, cases[i].after, cases[i].born);
		gdouble number = NAN;

		g_test_message("%zu", i);
		(void)value_to_number(&grown, &number);
		g_assert_true(isnan(number) ? isnan(cases[i].grown)
					    : fabs(number - cases[i].grown) < 1e-9);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/change/between", test_changes);
	g_test_add_func("/change/order", test_order);
	g_test_add_func("/change/filters", test_filters);
	g_test_add_func("/derived/formulas", test_derived);
	g_test_add_func("/derived/list", test_derived_list);
	g_test_add_func("/growth", test_growth);
	g_test_add_func("/fold/memory-levels", test_memory_levels);
	return g_test_run();
}
