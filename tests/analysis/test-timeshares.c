/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the states of threads: that they add up, how samples divide them, and their intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/states/jitter.h"
#include "report/stats/interval.h"
#include "sample.h"

#define WINDOW_S 10
#define S G_GUINT64_CONSTANT(1000000000)

static void declare(Sample *sample)
{
	sample_metric(sample, "state_samples", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		      CTPROF_SCOPE_THREAD, "states");
	sample_metric(sample, "stime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS,
		      CTPROF_SCOPE_THREAD, "sched");
	sample_metric(sample, "blkio_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS,
		      CTPROF_SCOPE_THREAD, "delay");
	sample_metric(sample, "states_instants", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST,
		      "states");
	sample_metric(sample, "states_began_ns", CTPROF_GAUGE, CTPROF_UNIT_NS, CTPROF_SCOPE_HOST,
		      "states");
	sample_metric(sample, "elapsed_us", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_EXIT,
		      "exit");
	sample_metric(sample, "ended_states", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_OBJECT,
		      "states-ended");
	sample_seal(sample);
}

static void add_host(Sample *sample, guint64 instants, guint64 began)
{
	sample_host(sample);
	if (instants == 0)
		return;
	sample_u64(sample, "states_instants", instants);
	sample_u64(sample, "states_began_ns", began);
}

/* Adds a thread that started at a tick; times are in s, below 0: absent. */
static void add_thread(Sample *sample, gint32 tid, const char *name, guint64 start, gdouble run,
		       gdouble wait, gdouble disk, const char *states)
{
	sample_thread(sample, tid, tid, name, name, "/g");
	sample_u64(sample, "start_time_clock_ticks", start);
	sample_u64(sample, "run_time_ns", (guint64)(run * (gdouble)S));
	sample_u64(sample, "wait_time_ns", (guint64)(wait * (gdouble)S));
	sample_u64(sample, "utime_clock_ticks", (guint64)(run * 75));
	sample_u64(sample, "stime_clock_ticks", (guint64)(run * 25));
	if (disk >= 0)
		sample_u64(sample, "blkio_delay_total_ns", (guint64)(disk * (gdouble)S));
	if (states)
		sample_text(sample, "state_samples", states);
}

/* Returns "user 0.750 lock 9.250 " of a group, in s. */
static char *describe(const struct ctprof_report *report, const char *group)
{
	g_autoptr(GArray) rows = sample_rows(sample_section(report, "states"));
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < rows->len; i++) {
		const SampleRow *row = &g_array_index(rows, SampleRow, i);

		if (strcmp(row->metric, "thread_time_ns") == 0 &&
		    strcmp(row->line->names[0], group) == 0)
			g_string_append_printf(text, "%s %.3f ", row->line->names[1],
					       row->value[1].real / (gdouble)S);
	}
	return g_string_free(text, FALSE);
}

/* uncounted: the threads of which no delays are known. */
static void check(const Sample *before, const Sample *after, guint uncounted,
		  const char *const *expected)
{
	/* The window begins with tick 1000. */
	AnalysisOptions options = {.group_by = GROUP_BY_COMM_EXACT,
				   .sections = (char *)(uintptr_t) "states",
				   .may_be_window = TRUE,
				   .is_window = TRUE,
				   .compare = TRUE,
				   .began = 1000,
				   .elapsed_s = WINDOW_S};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis = sample_analyse(before, after, &options, &report);

	g_assert_nonnull(analysis);
	const struct ctprof_report_section *section = sample_section(report, "states");
	g_autofree char *end = g_strdup_printf("block I/O is part of their other sleep, as the "
					       "kernel does not count it: %u",
					       uncounted);
	g_assert_true(g_str_has_suffix(section->notes[section->n_notes - 1], end));
	for (guint i = 0; expected[i]; i += 2) {
		g_autofree char *text = describe(report, expected[i]);

		g_assert_cmpstr(text, ==, expected[i + 1]);
	}
}

/* One run of sources covers both captures: samples before the first capture do not count. */
static void test_recording(void)
{
	g_autoptr(Sample) before = sample_new(), after = sample_new();

	declare(before);
	declare(after);
	add_host(before, 100, 7);
	add_host(after, 150, 7);
	/* Asleep in one state all the time, with an unchanged text. */
	add_thread(before, 1, "still", 5, 3, 1, -1, "idle@20 lock=19");
	add_thread(after, 1, "still", 5, 3, 1, -1, "idle@20 lock=19");
	/* 4 s of running and 1 s of waiting; of the other 5 s, 10 in 25 samples were in a lock. */
	add_thread(before, 2, "mixed", 5, 1, 0, -1, "lock@91");
	add_thread(after, 2, "mixed", 5, 5, 1, -1, "running@126 lock=20 pipe=15");
	/* Samples of waiting for the disk are not counted twice: 2 s of 10 are from the kernel. */
	add_thread(before, 3, "disk", 5, 0, 0, 1, "file@1");
	add_thread(after, 3, "disk", 5, 0, 0, 3, "socket@141 file=140");
	/* Rows are read one after another, so a thread may run for more than the window. */
	add_thread(before, 4, "busy", 5, 0, 0, -1, "running@1");
	add_thread(after, 4, "busy", 5, 10.4, 0, -1, "running@1");
	/* Started in the middle of the window. */
	add_thread(after, 5, "born", 1600, 1, 0, -1, "timer@130");
	/* Of 10 s, in 40 of 50 samples throttled. */
	add_thread(before, 6, "capped", 5, 0, 0, -1, "running@1");
	add_thread(after, 6, "capped", 5, 1, 9, -1, "running@141 running=100 throttled=40");
	/* No more than the kernel says it waited. */
	add_thread(before, 7, "late", 5, 0, 0, -1, "running@1");
	add_thread(after, 7, "late", 5, 8, 2, -1, "throttled@121 running=120");
	check(before, after, 5,
	      (const char *const[]){
		      "capped", "user 0.750 system 0.250 runnable 1.000 throttled 8.000 ", "late",
		      "user 6.000 system 2.000 throttled 2.000 ", "still", "idle 10.000 ", "mixed",
		      "user 3.000 system 1.000 runnable 1.000 lock 2.000 pipe 3.000 ", "disk",
		      "disk 2.000 socket 2.000 file 6.000 ", "busy", "user 7.800 system 2.600 ",
		      "born", "user 0.750 system 0.250 timer 3.000 ", NULL});
}

/* The second capture has a run of sources of its own, and shows what ended threads did. */
static void test_stat(void)
{
	g_autoptr(Sample) before = sample_new(), after = sample_new();

	declare(before);
	declare(after);
	add_host(before, 0, 0);
	add_host(after, 20, 7);
	add_thread(before, 1, "still", 5, 3, 1, -1, NULL);
	add_thread(after, 1, "still", 5, 3, 1, -1, "idle@2 child=1");
	/* Without samples of its own. */
	add_thread(before, 2, "unseen", 5, 0, 0, -1, NULL);
	add_thread(after, 2, "unseen", 5, 0, 0, -1, NULL);
	sample_exit(after, 9, 9, "gone");
	sample_u64(after, "start_time_clock_ticks", 1200);
	sample_u64(after, "run_time_ns", S);
	sample_u64(after, "final_run_time_ns", S);
	sample_u64(after, "elapsed_us", 4000000);
	sample_object(after, "states-ended", "9:9:1200");
	sample_text(after, "ended_states", "lock@18 fault=1");
	check(before, after, 2,
	      (const char *const[]){"still", "idle 9.500 child 0.500 ", "unseen", "unknown 10.000 ",
				    "gone", "user 1.000 lock 2.250 fault 0.750 ", NULL});
}

static void test_without_samples(void)
{
	g_autoptr(Sample) before = sample_new(), after = sample_new();

	declare(before);
	declare(after);
	add_host(before, 0, 0);
	add_host(after, 0, 0);
	add_thread(before, 1, "a", 5, 3, 1, -1, NULL);
	add_thread(after, 1, "a", 5, 4, 1, -1, NULL);
	check(before, after, 1,
	      (const char *const[]){"a", "user 0.750 system 0.250 sleeping 9.000 ", NULL});
}

/* A file may have any text there. */
static void test_odd_texts(void)
{
	static const char *const texts[] = {
		"",
		"lock",
		"@",
		"=",
		"lock@",
		"lock@0",
		"lock@21",
		"lock=",
		"lock@99999999999999999999",
		"nothing@3",
		"lock@1 ",
		"lock@1  pipe=1",
		"lock@1x pipe=1",
		" lock@1",
	};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(Sample) before = sample_new(), after = sample_new();

		declare(before);
		declare(after);
		add_host(before, 0, 0);
		add_host(after, 20, 7);
		add_thread(before, 1, "a", 5, 0, 0, -1, NULL);
		add_thread(after, 1, "a", 5, 0, 0, -1, texts[i]);
		g_test_message("'%s'", texts[i]);
		gboolean counts = g_str_has_prefix(texts[i], "lock@1");
		check(before, after, 1,
		      (const char *const[]){"a", counts ? "lock 10.000 " : "unknown 10.000 ",
					    NULL});
	}
}

/* From Clopper and Pearson's own tables, and from R's binom.test(). */
static void test_intervals(void)
{
	static const struct {
		gdouble count, n, low, high;
	} cases[] = {
		{0, 0, 0, 1},
		{0, 10, 0, 0.3084971},
		{10, 10, 0.6915029, 1},
		{5, 10, 0.1870860, 0.8129140},
		{1, 50, 0.0005062, 0.1064695},
		{30, 1000, 0.0203305, 0.0425514},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		gdouble low, high;

		interval_of_share(cases[i].count, cases[i].n, 0.95, &low, &high);
		g_test_message("%g of %g: %.7f to %.7f", cases[i].count, cases[i].n, low, high);
		g_assert_cmpfloat_with_epsilon(low, cases[i].low, 1e-6);
		g_assert_cmpfloat_with_epsilon(high, cases[i].high, 1e-6);
	}
}

/* ---- whether the truth is in the intervals ------------------------------------------ */

#define SLOT_NS 200000000
#define LOOKS 50
#define WINDOWS 200

/* When a thread was in the state, and then was not, by turns: the ends, in ns. */
typedef struct schedule {
	guint64 period_ns; /* 0: random, SLOT_NS on average */
	gdouble share;
	guint64 random, begin, end, busy_end; /* of the current turn */
} Schedule;

static gdouble draw(guint64 *random)
{
	*random = *random * G_GUINT64_CONSTANT(6364136223846793005) + 1442695040888963407;
	return (gdouble)(*random >> 11) / (gdouble)(G_GUINT64_CONSTANT(1) << 53);
}

static void next_turn(Schedule *schedule)
{
	gdouble length = schedule->period_ns > 0 ? (gdouble)schedule->period_ns
						 : -log(1 - draw(&schedule->random)) * SLOT_NS;

	schedule->begin = schedule->end;
	schedule->busy_end = schedule->begin + (guint64)(length * schedule->share);
	schedule->end = schedule->begin + (guint64)length + 1;
}

/* Returns how many looks saw the state, and the share of time that it really lasted. */
static guint look(Schedule *schedule, struct jitter *jitter, guint64 *now, gdouble *ret_share)
{
	guint64 from = *now, to = from + (guint64)LOOKS * SLOT_NS, real = 0;
	guint seen = 0;

	*jitter = (struct jitter){.random = jitter->random};
	guint64 at = from + jitter_next(jitter, from, SLOT_NS);
	for (guint n = 0; schedule->begin < to; next_turn(schedule)) {
		guint64 begin = MAX(schedule->begin, from), end = MIN(schedule->busy_end, to);

		real += end > begin ? end - begin : 0;
		for (; n < LOOKS && at < schedule->end; n++) {
			seen += at < schedule->busy_end;
			at += jitter_next(jitter, at, SLOT_NS);
		}
		if (schedule->end >= to)
			break;
	}
	*now = to;
	*ret_share = (gdouble)real / (gdouble)(to - from);
	return seen;
}

/* The nominal coverage is 95 %; at least 92 % are required, also for a thread whose period is that
 * of the looks, which a fixed rate would always see in one state, and for a pool in phase, which is
 * like one thread.  The seed is 1. */
static void test_coverage(void)
{
	static const struct {
		guint64 period_ns;
		gdouble share;
	} cases[] = {
		{0, 0.3},           {SLOT_NS, 0.3},      {SLOT_NS, 0.9}, {SLOT_NS + 1000000, 0.5},
		{SLOT_NS / 7, 0.2}, {SLOT_NS * 5, 0.48},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Schedule schedule = {
			.period_ns = cases[i].period_ns, .share = cases[i].share, .random = 1};
		struct jitter jitter = {.random = 1};
		guint covered = 0;
		guint64 now = 0;

		next_turn(&schedule);
		for (guint n = 0; n < WINDOWS; n++) {
			gdouble real, low, high;
			guint seen = look(&schedule, &jitter, &now, &real);

			interval_of_share(seen, LOOKS, 0.95, &low, &high);
			covered += low <= real && real <= high;
		}
		g_test_message("period %" G_GUINT64_FORMAT ": %u of %d", cases[i].period_ns,
			       covered, WINDOWS);
		g_assert_cmpuint(covered * 100, >=, WINDOWS * 92);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/timeshares/recording", test_recording);
	g_test_add_func("/timeshares/stat", test_stat);
	g_test_add_func("/timeshares/without-samples", test_without_samples);
	g_test_add_func("/timeshares/odd-texts", test_odd_texts);
	g_test_add_func("/timeshares/intervals", test_intervals);
	g_test_add_func("/timeshares/coverage", test_coverage);
	return g_test_run();
}
