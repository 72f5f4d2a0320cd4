/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests decoding records as the kernel writes them. */
#include <glib.h>
#include <string.h>

#include "../classes.h"
#include "../condition.h"
#include "../decode.h"
#include "../metrics.h"
#include "cgroup-paths.h"

#define MS UINT64_C(1000000)

static const struct decode_rules all_on = {
	.tick_ns = 10 * MS,
	.page_bytes = 4096,
	.statistics = true,
	.delays = true,
};

/* Fills a record in which the kernel has every value. */
static void fill(struct record *record)
{
	memset(record, 0, sizeof *record);
	memset(record->has, 0xff, sizeof record->has);
	record->flags = RECORD_HAS_DELAYS | RECORD_DELAYS_COUNTED;
}

/* kernel/sched/cputime.c, cputime_adjust(): each of its branches, in ms. */
static void test_cputime(void)
{
	static const struct {
		const char *what;
		guint64 utime, stime, total, prev_utime, prev_stime, expected_utime, expected_stime;
	} cases[] = {
		{"never ran", 0, 0, 0, 0, 0, 0, 0},
		{"no sample yet", 0, 0, 7, 0, 0, 7, 0},
		{"samples of user time only", 4, 0, 10, 0, 0, 10, 0},
		{"samples of kernel time only", 0, 4, 10, 0, 0, 0, 10},
		{"divided as the samples are", 4, 12, 100, 0, 0, 25, 75},
		{"was more before, so it stays", 4, 12, 100, 60, 50, 60, 50},
		{"was as much before", 4, 12, 100, 60, 40, 60, 40},
		{"kernel time does not fall", 12, 4, 100, 10, 40, 60, 40},
		{"user time does not fall", 4, 12, 100, 60, 10, 60, 40},
		{"no sample of the kernel, but before", 4, 0, 100, 10, 30, 70, 30},
		{"no sample of user code, but before", 0, 4, 100, 30, 10, 30, 70},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct record record;
		guint64 utime, stime;

		fill(&record);
		record.value[VALUE_utime_clock_ticks] = cases[i].utime * MS;
		record.value[VALUE_stime_clock_ticks] = cases[i].stime * MS;
		record.sum_exec_runtime = cases[i].total * MS;
		record.prev_utime = cases[i].prev_utime * MS;
		record.prev_stime = cases[i].prev_stime * MS;
		decode_cputime(&record, &utime, &stime);
		g_test_message("%s", cases[i].what);
		g_assert_cmpuint(utime, ==, cases[i].expected_utime * MS);
		g_assert_cmpuint(stime, ==, cases[i].expected_stime * MS);
	}
}

/* Products beyond 64 bits, and a kernel that measures both itself. */
static void test_cputime_extremes(void)
{
	struct record record;
	guint64 utime, stime;

	fill(&record);
	record.value[VALUE_utime_clock_ticks] = UINT64_C(3) << 60;
	record.value[VALUE_stime_clock_ticks] = UINT64_C(1) << 60;
	record.sum_exec_runtime = UINT64_C(1) << 62;
	decode_cputime(&record, &utime, &stime);
	g_assert_cmpuint(stime, ==, UINT64_C(1) << 60);
	g_assert_cmpuint(utime, ==, UINT64_C(3) << 60);
	record.flags |= RECORD_NO_PREV_CPUTIME;
	record.sum_exec_runtime = 1;
	decode_cputime(&record, &utime, &stime);
	g_assert_cmpuint(utime, ==, UINT64_C(3) << 60);
}

/* fs/proc/array.c, get_task_state(). */
static void test_state(void)
{
	static const struct {
		guint32 state, exit_state;
		char letter;
	} cases[] = {
		{0, 0, 'R'},      {1, 0, 'S'},      {2, 0, 'D'},       {4, 0, 'T'},
		{8, 0, 't'},      {0, 0x10, 'X'},   {0, 0x20, 'Z'},    {0x40, 0, 'P'},
		{0x402, 0, 'I'},  {0x102, 0, 'D'},  {0x2001, 0, 'S'},  {0x1000, 0, 'D'},
		{0x8000, 0, 'D'}, {0x8001, 0, 'D'}, {0x80, 0x10, 'X'}, {0x400, 0, 'R'},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpint(decode_state(cases[i].state, cases[i].exit_state), ==,
				cases[i].letter);
}

/* A change of one value in a record that has all values, and the expected result. */
static const struct decode_case {
	const char *what;
	enum record_value put; /* set to number in the record */
	guint64 number;
	enum record_value seen;
	guint32 why;
	guint64 expected;
	guint policy, flags_off;
	gboolean no_statistics, no_delays;
} cases[] = {
	{"ns to ticks, down", VALUE_start_time_clock_ticks, 129 * MS, VALUE_start_time_clock_ticks,
	 CTPROF_PRESENT, 12, 0, 0, FALSE, FALSE},
	{"pages to bytes", VALUE_hiwater_rss_bytes, 3, VALUE_hiwater_rss_bytes, CTPROF_PRESENT,
	 12288, 0, 0, FALSE, FALSE},
	{"pages too many", VALUE_hiwater_vm_bytes, UINT64_MAX / 2, VALUE_hiwater_vm_bytes,
	 CTPROF_PRESENT, UINT64_MAX, 0, 0, FALSE, FALSE},
	{"slice of a fair thread", VALUE_fair_slice_ns, 7, VALUE_fair_slice_ns, CTPROF_PRESENT, 7,
	 3, 0, FALSE, FALSE},
	{"slice of a real-time thread", VALUE_fair_slice_ns, 7, VALUE_fair_slice_ns,
	 CTPROF_ABSENT_INAPPLICABLE, 0, 1, 0, FALSE, FALSE},
	{"slice of an idle thread", VALUE_fair_slice_ns, 7, VALUE_fair_slice_ns,
	 CTPROF_ABSENT_INAPPLICABLE, 0, 5, 0, FALSE, FALSE},
	{"slice under sched_ext", VALUE_fair_slice_ns, 7, VALUE_fair_slice_ns, CTPROF_PRESENT, 7, 7,
	 0, FALSE, FALSE},
	{"statistics are off", VALUE_nr_wakeups, 7, VALUE_nr_wakeups, CTPROF_ABSENT_UNSUPPORTED, 0,
	 0, 0, TRUE, FALSE},
	{"migrations need none", VALUE_nr_migrations, 7, VALUE_nr_migrations, CTPROF_PRESENT, 7, 0,
	 0, TRUE, FALSE},
	{"a sum gone negative", VALUE_wait_sum, (guint64)-5, VALUE_wait_sum, CTPROF_ABSENT_INVALID,
	 0, 0, 0, FALSE, FALSE},
	{"a count is not a sum", VALUE_nr_wakeups, UINT64_MAX, VALUE_nr_wakeups, CTPROF_PRESENT,
	 UINT64_MAX, 0, 0, FALSE, FALSE},
	{"sleep without block", VALUE_voluntary_sleep_ns, 9, VALUE_voluntary_sleep_ns,
	 CTPROF_PRESENT, 9, 0, 0, FALSE, FALSE},
	{"more block than sleep", VALUE_block_sum, 9, VALUE_voluntary_sleep_ns, CTPROF_PRESENT, 0,
	 0, 0, FALSE, FALSE},
	{"block gone negative", VALUE_block_sum, (guint64)-9, VALUE_voluntary_sleep_ns,
	 CTPROF_ABSENT_INVALID, 0, 0, 0, FALSE, FALSE},
	{"delays counted", VALUE_blkio_delay_count, 7, VALUE_blkio_delay_count, CTPROF_PRESENT, 7,
	 0, 0, FALSE, FALSE},
	{"delays are off", VALUE_blkio_delay_count, 7, VALUE_blkio_delay_count,
	 CTPROF_ABSENT_UNSUPPORTED, 0, 0, 0, FALSE, TRUE},
	{"delays never counted for this thread", VALUE_irq_delay_min_ns, 7, VALUE_irq_delay_min_ns,
	 CTPROF_ABSENT_UNSUPPORTED, 0, 0, RECORD_DELAYS_COUNTED, FALSE, FALSE},
	{"the cpu delay is always counted", VALUE_cpu_delay_count, 7, VALUE_cpu_delay_count,
	 CTPROF_PRESENT, 7, 0, RECORD_DELAYS_COUNTED, FALSE, TRUE},
	{"when a delay was longest", VALUE_irq_delay_max_at, 7, VALUE_irq_delay_max_at,
	 CTPROF_PRESENT, 7, 0, 0, FALSE, FALSE},
	{"no such delay yet", VALUE_irq_delay_max_at, 0, VALUE_irq_delay_max_at,
	 CTPROF_ABSENT_INAPPLICABLE, 0, 0, 0, FALSE, FALSE},
};

static void test_cases(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct decode_case *c = &cases[i];
		struct decode_rules rules = all_on;
		struct decoded decoded;
		struct record record;

		fill(&record);
		record.policy = c->policy;
		record.flags &= ~c->flags_off;
		record.value[c->put] = c->number;
		rules.statistics = !c->no_statistics;
		rules.delays = !c->no_delays;
		decode_record(&rules, &record, &decoded);
		g_test_message("%s", c->what);
		g_assert_cmpuint(decoded.why[c->seen], ==, c->why);
		if (c->why == CTPROF_PRESENT)
			g_assert_cmpuint(decoded.value[c->seen], ==, c->expected);
	}
}

/* Values that this kernel lacks are not in other sources either, except those that depend on the
 * architecture. */
static void test_lacking(void)
{
	struct record record;
	struct decoded decoded;

	fill(&record);
	memset(record.has, 0, sizeof record.has);
	record.flags |= RECORD_HAS_EXT;
	decode_record(&all_on, &record, &decoded);
	for (guint i = 0; i < N_RECORD_VALUES; i++) {
		gboolean left = i == VALUE_processor || i == VALUE_ext_enabled ||
				g_str_has_suffix(bpf_metrics[i].name, "_max_at");
		gboolean slice = i == VALUE_fair_slice_ns;

		if (!slice)
			g_assert_cmpuint(decoded.why[i], ==,
					 left ? DECODE_LEFT : CTPROF_ABSENT_UNSUPPORTED);
	}
}

/* No name occurs twice, and each is in one of the groups that other sources fill. */
static void test_metrics(void)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < N_RECORD_VALUES; i++) {
		const struct ctprof_metric *metric = &bpf_metrics[i];

		g_assert_true(g_hash_table_add(names, (gpointer)(uintptr_t)metric->name));
		g_assert_true(g_strv_contains(
			(const char *const[]){"identity", "sched", "io", "delay", "pelt", NULL},
			metric->group));
	}
}

static void test_sched_ext(void)
{
	static const struct {
		const char *sched;
		int ext; /* -1: not in the text */
	} texts[] = {
		{"ext.enabled                                  :                    1\n", 1},
		{"a (1, #threads: 1)\n----\npolicy : 0\next.enabled : 0\n", 0},
		{"\next.enabled:1 (1, #threads: 1)\n----\next.enabled : 0\n", 0},
		{"policy : 0\n", -1},
		{"", -1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		bool ext = false;
		bool told = classes_parse(text_of(texts[i].sched), &ext);

		g_assert_cmpint(told ? ext : -1, ==, texts[i].ext);
	}
}

static void test_own_cgroup(void)
{
	static const struct {
		const char *text, *path;
	} texts[] = {
		{"0::/a.slice/b\n", "/a.slice/b"},
		{"4:memory:/x\n1:cpu:/\n0::/\n", "/"},
		{"4:memory:/x\n10::/y\n", ""},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		g_assert_true(text_equal(cgroups_parse_own(text_of(texts[i].text)), texts[i].path));
}

static void test_when(void)
{
	g_assert_true(condition_pays(WHEN_ALWAYS, 1));
	g_assert_false(condition_pays(WHEN_NEVER, 1000000));
	g_assert_false(condition_pays(WHEN_AUTO, CONDITION_THREADS - 1));
	g_assert_true(condition_pays(WHEN_AUTO, CONDITION_THREADS));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf/cputime", test_cputime);
	g_test_add_func("/bpf/cputime-extremes", test_cputime_extremes);
	g_test_add_func("/bpf/state", test_state);
	g_test_add_func("/bpf/cases", test_cases);
	g_test_add_func("/bpf/lacking", test_lacking);
	g_test_add_func("/bpf/metrics", test_metrics);
	g_test_add_func("/bpf/sched-ext", test_sched_ext);
	g_test_add_func("/bpf/own-cgroup", test_own_cgroup);
	g_test_add_func("/bpf/when", test_when);
	return g_test_run();
}
