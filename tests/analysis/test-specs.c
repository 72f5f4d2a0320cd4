/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests parsing what users write: lists, quantities, conditions. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "frame/quantity.h"
#include "report/join/condition.h"
#include "report/plan/sections.h"
#include "report/plan/specs.h"

/* Returns "name+" ascending, "name-" descending, blank separated; "!" for an error. */
static char *sort_text(const char *spec)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) keys = specs_parse_sort(spec, &error);
	g_autoptr(GString) out = g_string_new(NULL);

	if (!keys) {
		g_assert_error(error, USAGE_ERROR, 0);
		g_assert_nonnull(strstr(error->message, "--sort '"));
		return g_strdup("!");
	}
	for (guint i = 0; i < keys->len; i++) {
		const SortKey *key = &g_array_index(keys, SortKey, i);

		g_string_append_printf(out, "%s%s%c", i ? " " : "", key->name,
				       key->ascending ? '+' : '-');
	}
	return g_strdup(out->str);
}

static void test_sort(void)
{
	static const char *const cases[][2] = {
		{"wait_sum", "wait_sum-"},
		{"wait_sum : desc", "wait_sum-"},
		{"run_time_ns:  asc  ", "run_time_ns+"},
		{"wait_sum:dEsC", "wait_sum-"},
		{"wait_sum:asc,run_time_ns:desc", "wait_sum+ run_time_ns-"},
		{"  wait_sum  ", "wait_sum-"},
		{"cpu_efficiency", "cpu_efficiency-"},
		{"run_delay:p99", "run_delay:p99-"},
		{"run_delay:p99.9:asc", "run_delay:p99.9+"},
		{"run_delay:p98", "!"},
		{"", ""},
		{"   ", "!"},
		{"a,,b", "!"},
		{",a", "!"},
		{"wait_sum,", "!"},
		{"wait_sum:", "!"},
		{":", "!"},
		{":asc", "!"},
		{"wait_sum:sideways", "!"},
		{"wait_sum:asc:desc", "!"},
		{"wait_sum,wait_sum:asc", "!"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = sort_text(cases[i][0]);

		g_assert_cmpstr(text, ==, cases[i][1]);
	}
	g_autofree char *none = sort_text(NULL);
	g_assert_cmpstr(none, ==, "");
}

static char *columns_text(const char *spec, const char *format, gboolean compare)
{
	static const char *const words[] = {"",     "group", "threads", "metric", "value",
					    "base", "cand",  "arrow",   "delta",  "%",
					    "up",   "tags",  "sort",    "verdict"};
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) columns = specs_parse_columns(spec, format, compare, &error);
	g_autoptr(GString) out = g_string_new(NULL);

	if (!columns) {
		g_assert_error(error, USAGE_ERROR, 0);
		return g_strdup("!");
	}
	for (guint i = 0; i < columns->len; i++)
		g_string_append_printf(out, "%s%s", i ? " " : "",
				       words[g_array_index(columns, guint32, i) / 10]);
	return g_strdup(out->str);
}

static void test_columns(void)
{
	static const struct {
		gboolean compare;
		const char *spec, *format, *columns;
	} cases[] = {
		{TRUE, "group,threads,metric,arrow,delta,%", NULL,
		 "group threads metric arrow delta %"},
		{TRUE, " Metric , DELTA", NULL, "metric delta"},
		{TRUE, "tags,uptime,baseline,candidate", NULL, "tags up base cand"},
		{TRUE, "arrow,baseline", NULL, "!"},
		{TRUE, "candidate,arrow", NULL, "!"},
		{TRUE, "metric,delta,metric", NULL, "!"},
		{TRUE, "metric,,delta", NULL, "!"},
		{TRUE, "value", NULL, "!"},
		{TRUE, "sort", NULL, "!"},
		{FALSE, "baseline", NULL, "!"},
		{FALSE, "metric,value", NULL, "metric value"},
		{FALSE, "   ", NULL, "group threads metric value"},
		{FALSE, NULL, "nonsense", "group threads metric value"},
		{TRUE, NULL, NULL, "group threads metric arrow delta % verdict up"},
		{TRUE, "  ", "arrow", "group threads metric arrow delta % verdict up"},
		{TRUE, NULL, "full", "group threads metric base cand delta % verdict"},
		{TRUE, NULL, "delta-only", "group threads metric delta % verdict"},
		{TRUE, NULL, "no-pct", "group threads metric base cand delta verdict"},
		{TRUE, NULL, "pct-only", "group threads metric % verdict"},
		{TRUE, "metric,verdict", NULL, "metric verdict"},
		{TRUE, "metric", "full", "metric"},
		{TRUE, NULL, "nonsense", "!"},
		{TRUE, "metric", "nonsense", "!"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
			columns_text(cases[i].spec, cases[i].format, cases[i].compare);

		g_assert_cmpstr(text, ==, cases[i].columns);
	}
}

static char *join(const GPtrArray *texts)
{
	GString *all = g_string_new(NULL);

	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(all, "%s%s", i ? " " : "",
				       (const char *)g_ptr_array_index(texts, i));
	return g_string_free(all, FALSE);
}

static guint32 bit(const char *section)
{
	return section_bit(section_find(section, FALSE));
}

static void test_sections(void)
{
	const guint32 host = bit("host-metrics");
	guint32 all = 0;

	/* The default leaves out sections that must be requested, and views of memory. */
	for (guint i = 0; sections[i]; i++)
		all |= sections[i]->flags & (SECTION_VIEW | SECTION_NAMED) ? 0 : 1u << i;
	const struct {
		gboolean compare;
		const char *spec;
		guint32 set;
		const char *groups; /* "!": an error; NULL: not given */
	} cases[] = {
		{TRUE, NULL, all, NULL},
		{TRUE, "", all, NULL},
		{TRUE, "  ", all, NULL},
		{FALSE, NULL, all & ~host & ~bit("cpu-account"), NULL},
		{FALSE, "host-metrics", host, ""},
		{FALSE, "memory-categories", bit(SECTION_CATEGORIES), ""},
		{TRUE, " Derived ,PRIMARY", bit(SECTION_DERIVED) | bit(SECTION_PRIMARY), ""},
		{TRUE, "taskstats-delay", bit(SECTION_DELAY), ""},
		/* Any other word may be a group of objects, which only the files show. */
		{TRUE, "disks, host-metrics ,Memory-Ledger", host, "disks memory-ledger"},
		{TRUE, "primary,,derived", 0, "!"},
		{TRUE, "primary,primary", 0, "!"},
		{TRUE, "disks,disks", 0, "!"},
		{TRUE, "no_group", 0, "!"},
		{TRUE, "1st", 0, "!"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		guint32 set = 0;
		g_autoptr(GPtrArray) groups = NULL;
		gboolean ok = specs_parse_sections(cases[i].spec, cases[i].compare, &set, &groups,
						   &error);
		g_autofree char *text = !ok ? g_strdup("!") : groups ? join(groups) : NULL;

		g_assert_cmphex(set, ==, cases[i].set);
		g_assert_cmpstr(text, ==, cases[i].groups);
		if (!ok)
			g_assert_error(error, USAGE_ERROR, 0);
	}
}

static void test_metrics(void)
{
	static const struct {
		const char *spec;
		gint n; /* -1: an error */
	} cases[] = {
		{NULL, 0}, {"", 0}, {" ", 0}, {" a , b", 2}, {"a,,b", -1}, {"a,a", -1}, {"a,A", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) names = specs_parse_metrics(cases[i].spec, &error);

		g_assert_cmpint(names ? (gint)names->len : -1, ==, cases[i].n);
		if (!names)
			g_assert_error(error, USAGE_ERROR, 0);
	}
}

static void test_quantities(void)
{
	static const struct {
		const char *text;
		gdouble number;
		gboolean has_unit;
		Dimension dimension;
	} cases[] = {
		{"5", 5, FALSE, DIMENSION_NONE},           {"-1.5", -1.5, FALSE, DIMENSION_NONE},
		{"+2", 2, FALSE, DIMENSION_NONE},          {"5ms", 5e6, TRUE, DIMENSION_TIME},
		{"5 ms", 5e6, TRUE, DIMENSION_TIME},       {"1s", 1e9, TRUE, DIMENSION_TIME},
		{"3\xc2\xb5s", 3e3, TRUE, DIMENSION_TIME}, {"2min", 120e9, TRUE, DIMENSION_TIME},
		{"7ticks", 7e7, TRUE, DIMENSION_TIME},     {"1MiB", 1048576, TRUE, DIMENSION_BYTES},
		{"0.5KiB", 512, TRUE, DIMENSION_BYTES},    {"10K", 1e4, TRUE, DIMENSION_COUNT},
		{"1e3ns", 1e3, TRUE, DIMENSION_TIME},
	};
	static const char *const bad[] = {"",     " 5",    "ms",  "5xs", "5mss",     "inf",   "nan",
					  "0x10", "1e999", "--5", "+-5", "1.7e308G", "5ms 3", "."};
	Magnitude magnitude;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_true(magnitude_parse(cases[i].text, &magnitude));
		g_assert_cmpfloat_with_epsilon(magnitude.number, cases[i].number, 1e-9);
		g_assert_cmpint(magnitude.has_unit, ==, cases[i].has_unit);
		g_assert_cmpint(magnitude.dimension, ==, cases[i].dimension);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_test_message("'%s'", bad[i]);
		g_assert_false(magnitude_parse(bad[i], &magnitude));
	}
}

static void test_min_delta(void)
{
	static const char *const bad[] = {"5parsec", "-5", "5ms,,3", "ms"};
	gdouble least[N_DIMENSIONS] = {1, 1, 1, 1};

	g_assert_true(specs_parse_min_delta(NULL, least, NULL));
	for (guint i = 0; i < N_DIMENSIONS; i++)
		g_assert_cmpfloat(least[i], ==, 0);
	g_assert_true(specs_parse_min_delta("5ms, 1MiB,100", least, NULL));
	g_assert_cmpfloat(least[DIMENSION_TIME], ==, 5e6);
	g_assert_cmpfloat(least[DIMENSION_BYTES], ==, 1048576);
	g_assert_cmpfloat(least[DIMENSION_COUNT], ==, 100);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_false(specs_parse_min_delta(bad[i], least, &error));
		g_assert_error(error, USAGE_ERROR, 0);
	}
	g_assert_cmpfloat(least[DIMENSION_COUNT], ==, 100);
}

static void test_conditions(void)
{
	const guint32 has = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT;
	const struct {
		const char *text;
		guint32 ladder;
		struct {
			guint32 flags;
			gdouble delta, pct;
		} change;
		gboolean holds;
	} cases[] = {
		{"wait_sum:pct>20", CTPROF_LADDER_NS, {has, 5, 25}, TRUE},
		{"wait_sum:pct>20", CTPROF_LADDER_NS, {has, 5, 20}, FALSE},
		{"wait_sum:pct>=20", CTPROF_LADDER_NS, {has, 5, 20}, TRUE},
		{"wait_sum>20%", CTPROF_LADDER_NS, {has, 5, 25}, TRUE},
		{"wait_sum<-20", CTPROF_LADDER_NS, {has, -5, -25}, TRUE},
		{"wait_sum<=-25", CTPROF_LADDER_NS, {has, -5, -25}, TRUE},
		{"wait_sum<0", CTPROF_LADDER_NS, {has, 5, 25}, FALSE},
		/* Growth from 0 has no percentage: it exceeds any limit. */
		{"wait_sum:pct>1000000", CTPROF_LADDER_NS, {CTPROF_CELL_HAS_DELTA, 5, 0}, TRUE},
		{"wait_sum:pct>=0",
		 CTPROF_LADDER_NS,
		 {CTPROF_CELL_HAS_DELTA | CTPROF_CELL_SAME, 0, 0},
		 TRUE},
		{"wait_sum:pct>0",
		 CTPROF_LADDER_NS,
		 {CTPROF_CELL_HAS_DELTA | CTPROF_CELL_SAME, 0, 0},
		 FALSE},
		{"wait_sum:delta>5ms", CTPROF_LADDER_NS, {has, 6e6, 1}, TRUE},
		{"wait_sum:delta > 5ms", CTPROF_LADDER_NS, {has, 5e6, 1}, FALSE},
		{"wait_sum:delta>5", CTPROF_LADDER_NS, {has, 6, 1}, TRUE},
		{"utime_clock_ticks:delta>=1s", CTPROF_LADDER_TICKS, {has, 100, 1}, TRUE},
		{"utime_clock_ticks:delta>=1s", CTPROF_LADDER_TICKS, {has, 99, 1}, FALSE},
		{"cpu_efficiency:delta<-0.1",
		 CTPROF_LADDER_RATIO,
		 {CTPROF_CELL_HAS_DELTA, -0.2, 0},
		 TRUE},
		/* For a percentile, the value counts, unless the condition names a change of it. */
		{"run_delay:p99>5ms", CTPROF_LADDER_NS, {CTPROF_CELL_HAS_DELTA, 6e6, 0}, TRUE},
		{"run_delay:p99.9 <= 5ms",
		 CTPROF_LADDER_NS,
		 {CTPROF_CELL_HAS_DELTA, 6e6, 0},
		 FALSE},
		{"run_delay:p99:pct>20", CTPROF_LADDER_NS, {has, 6e6, 25}, TRUE},
		{"run_delay:max>20%", CTPROF_LADDER_NS, {has, 6e6, 10}, FALSE},
		/* The value is unknown. */
		{"wait_sum:pct<1000", CTPROF_LADDER_NS, {0, 0, 0}, FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) conditions = condition_parse(cases[i].text, NULL);

		g_test_message("%s", cases[i].text);
		g_assert_nonnull(conditions);
		g_assert_cmpuint(conditions->len, ==, 1);
		const Condition *one = &g_array_index(conditions, Condition, 0);
		g_assert_true(condition_check(one, cases[i].ladder, NULL));
		const struct ctprof_cell change = {
			.flags = cases[i].change.flags,
			.delta = cases[i].change.delta,
			.pct = cases[i].change.pct,
		};
		g_assert_cmpint(condition_holds(one, cases[i].ladder, &change), ==, cases[i].holds);
	}
}

static void test_bad_conditions(void)
{
	static const char *const bad[] = {"wait_sum",
					  "wait_sum>",
					  ">5",
					  "wait_sum=5",
					  "wait_sum:foo>5",
					  "wait_sum:pct>5ms",
					  "wait_sum>five",
					  "wait_sum>5,",
					  ",",
					  "wait_sum:delta>5parsec"};
	static const struct {
		const char *text;
		guint32 ladder;
	} unfit[] = {
		{"cpu_efficiency:pct>5", CTPROF_LADDER_RATIO},
		{"nice>5", CTPROF_LADDER_NONE},
		{"wait_sum:delta>5MiB", CTPROF_LADDER_NS},
		{"cpu_efficiency:delta>5ms", CTPROF_LADDER_RATIO},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(condition_parse(bad[i], &error));
		g_assert_error(error, USAGE_ERROR, 0);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(unfit); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GArray) conditions = condition_parse(unfit[i].text, NULL);

		g_assert_nonnull(conditions);
		g_assert_false(condition_check(&g_array_index(conditions, Condition, 0),
					       unfit[i].ladder, &error));
		g_assert_error(error, USAGE_ERROR, 0);
	}
}

static void test_several_conditions(void)
{
	g_autoptr(GArray) conditions = condition_parse("a>1, b:delta<=-2ms", NULL);
	g_autoptr(GArray) none = condition_parse("", NULL);

	g_assert_cmpuint(conditions->len, ==, 2);
	g_assert_cmpstr(g_array_index(conditions, Condition, 1).metric, ==, "b");
	g_assert_cmpuint(none->len, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/specs/sort-by", test_sort);
	g_test_add_func("/specs/columns", test_columns);
	g_test_add_func("/specs/sections", test_sections);
	g_test_add_func("/specs/metrics", test_metrics);
	g_test_add_func("/specs/quantities", test_quantities);
	g_test_add_func("/specs/min-delta", test_min_delta);
	g_test_add_func("/specs/fail-on", test_conditions);
	g_test_add_func("/specs/fail-on-bad", test_bad_conditions);
	g_test_add_func("/specs/fail-on-several", test_several_conditions);
	return g_test_run();
}
