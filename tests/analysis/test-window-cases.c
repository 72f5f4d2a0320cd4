/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests windows, case by case: the report of a few threads, and the reason for it. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

#define OWN 99

static guint64 number_of(const char *text)
{
	return g_ascii_strtoull(text, NULL, 10);
}

static void put_numbers(Sample *sample, char *const *words)
{
	for (; *words; words++) {
		g_auto(GStrv) parts = g_strsplit(*words, "=", 2);

		if (strcmp(parts[1], "-") == 0)
			sample_absent(sample, parts[0], CTPROF_ABSENT_DENIED);
		else
			sample_u64(sample, parts[0], number_of(parts[1]));
	}
}

/* Makes a capture: "tid start comm metric=number …" for each thread, "metric=-": denied; "exit tid
 * start comm metric=number …" for each that ended.  Process 99 is ctprof itself. */
static Sample *make_sample(const char *const *threads)
{
	Sample *sample = sample_new();

	sample_metric(sample, "ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS,
		      "identity");
	sample_flag(sample, ROW_THREAD, "allocated_bytes", CTPROF_METRIC_RESTARTS);
	sample_seal(sample);
	for (guint i = 0; threads[i]; i++) {
		g_auto(GStrv) words = g_strsplit(threads[i], " ", -1);
		gboolean ended = strcmp(words[0], "exit") == 0;
		char **at = words + (ended ? 1 : 0);
		gint32 tid = (gint32)number_of(at[0]);

		if (ended)
			sample_exit(sample, tid, tid, at[2]);
		else
			sample_thread(sample, tid, tid, at[2], at[2], "/g");
		sample_u64(sample, "start_time_clock_ticks", number_of(at[1]));
		put_numbers(sample, at + 3);
	}
	return sample;
}

/* The window begins at tick 50. */
static const struct {
	const char *what;
	const char *before[4], *after[5];
	/* A line of the report: "GROUP METRIC BASELINE CANDIDATE DELTA PCT FLAGS". */
	const char *expected[4];
} cases[] = {
	{"a name's time is its own: a worker was renamed",
	 {"7 5 kworker-events run_time_ns=1106", NULL},
	 {"7 5 kworker-mm run_time_ns=1108", NULL},
	 {"kworker-mm run_time_ns 1106 1108 +2\n", "thread_count 1 1 ", NULL}},
	{"a thread that began in between had nothing before",
	 {NULL},
	 {"7 60 c run_time_ns=40 wait_max=9", NULL},
	 {"c run_time_ns 0 40 +40\n", "c wait_max . 9\n", "c thread_count 0 1 +1\n", NULL}},
	{"one that the first capture missed",
	 {NULL},
	 {"7 40 c run_time_ns=40 wait_max=9", NULL},
	 {"c run_time_ns . . S\n", "c wait_max . . S\n", NULL}},
	{"one that ended, beside one that goes on",
	 {"7 5 c run_time_ns=100", "8 5 c run_time_ns=10", NULL},
	 {"8 5 c run_time_ns=11", NULL},
	 {"c run_time_ns ~10 ~11 +1 ~\n", "c thread_count 2 1 -1 -50.0%\n", NULL}},
	{"what cannot be read on one side is known of neither",
	 {"7 5 c run_time_ns=100", "8 5 c run_time_ns=10", NULL},
	 {"7 5 c run_time_ns=-", "8 5 c run_time_ns=10", NULL},
	 {"c run_time_ns ~10 ~10 +0 S ~\n", NULL}},
	{"an exec by a thread that is not the leader",
	 {"7 5 old run_time_ns=100 timeslices=9", NULL},
	 {"7 5 new run_time_ns=120 timeslices=3", NULL},
	 {"new run_time_ns . . S\n", "old run_time_ns . . S\n", NULL}},
	{"an exec by the leader is one thread, with another heap",
	 {"7 5 old run_time_ns=100 allocated_bytes=50", NULL},
	 {"7 5 new run_time_ns=120 allocated_bytes=20", NULL},
	 {"new run_time_ns 100 120 +20\n", "new allocated_bytes . . S\n", NULL}},
	{"a number used again is another thread",
	 {"7 5 c run_time_ns=100", NULL},
	 {"7 60 c run_time_ns=130", NULL},
	 {"c run_time_ns ~0 ~130 +130 ~\n", NULL}},
	{"a number used again within one clock tick: the ends of each are its own",
	 {"7 5 sh cutime_clock_ticks=0 cstime_clock_ticks=0", NULL},
	 {"7 5 sh cutime_clock_ticks=3 cstime_clock_ticks=0",
	  "exit 8 60 a ppid=7 run_time_ns=30000000 final_run_time_ns=30000000 rchar=7",
	  "exit 8 60 b ppid=7 run_time_ns=1000 final_run_time_ns=1000 rchar=1", NULL},
	 {"a run_time_ns 0 30000000 ", "b run_time_ns 0 1000 ", "b rchar 0 1 +1\n", NULL}},
	{"and what fell is the change of no thread",
	 {"8 50 a run_time_ns=9000 rchar=50", NULL},
	 {"8 50 b run_time_ns=20 rchar=60",
	  "exit 8 50 a run_time_ns=9100 final_run_time_ns=9500 rchar=55", NULL},
	 {"a run_time_ns . . S\n", "b run_time_ns . . S\n", "b rchar . . S\n", NULL}},
	{"user and system are parts of the CPU time, and one may fall when it is divided anew",
	 {"7 5 c run_time_ns=90 utime_clock_ticks=2 rchar=5", NULL},
	 {"7 5 c run_time_ns=99 utime_clock_ticks=1 rchar=9", NULL},
	 {"c rchar 5 9 +4\n", "c utime_clock_ticks 2 2 +0 S\n", NULL}},
	{"a peak that did not rise is none of the window's",
	 {"7 5 c wait_max=100 cpu_delay_min_ns=5", "8 5 c wait_max=5 cpu_delay_min_ns=0", NULL},
	 {"7 5 c wait_max=100 cpu_delay_min_ns=5", "8 5 c wait_max=6 cpu_delay_min_ns=7", NULL},
	 {"c wait_max . 6\n", "c cpu_delay_min_ns . 7\n", NULL}},
	{"levels and gauges have both ends",
	 {"7 5 c fair_slice_ns=100", "8 5 c fair_slice_ns=200", NULL},
	 {"7 5 c fair_slice_ns=150", NULL},
	 {"c fair_slice_ns 200 150 -50 -25.0%\n", NULL}},
	{"a ratio is that of what was counted",
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"7 5 c wait_sum=1500 wait_count=11", NULL},
	 {"c avg_wait_ns 100.000 500.000 ", NULL}},
	{"one that ended and left a record",
	 {"7 5 c run_time_ns=100 rchar=5", NULL},
	 {"exit 7 6 c run_time_ns=140 rchar=9", NULL},
	 {"c run_time_ns ~100 ~140 +40 ~\n", "c rchar 5 9 +4\n", "c thread_count 1 0 -1", NULL}},
	{"one that began and ended in between: its parent knows what it used",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=4 cstime_clock_ticks=2",
	  "exit 8 60 true ppid=7 run_time_ns=1000 rchar=3", NULL},
	 {"true run_time_ns ~0 ~20000000 +2e+07 ~\n", "true rchar 0 3 +3\n",
	  "true thread_count 0 0 ", NULL}},
	{"two of them share it by what their records have",
	 {"7 5 sh cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh cutime_clock_ticks=7 cstime_clock_ticks=1",
	  "exit 8 60 a ppid=7 run_time_ns=1000 utime_us=1 stime_us=2",
	  "exit 9 60 b ppid=8 run_time_ns=1000", NULL},
	 {"a run_time_ns ~0 ~30000000 ", "b run_time_ns ~0 ~10000000 ", NULL}},
	{"what a child had used before is charged in the window, too",
	 {"7 5 sh cutime_clock_ticks=0 cstime_clock_ticks=0",
	  "8 5 a ppid=7 run_time_ns=30000000 utime_clock_ticks=3", NULL},
	 {"7 5 sh cutime_clock_ticks=6 cstime_clock_ticks=0",
	  "exit 8 5 a ppid=7 run_time_ns=30001000 utime_us=20001 stime_us=10000", NULL},
	 {"a run_time_ns ~30000000 ~60000000 ", NULL}},
	{"what a thread ran to its very end is no share, and not charged twice",
	 {"7 5 sh cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh cutime_clock_ticks=7 cstime_clock_ticks=1",
	  "exit 8 60 a ppid=7 run_time_ns=30000000 final_run_time_ns=30000000",
	  "exit 9 60 b ppid=8 run_time_ns=1000", NULL},
	 {"a run_time_ns 0 30000000 ", "b run_time_ns ~0 ~10000000 ", NULL}},
	{"and neither its parent's ticks say, nor children of its own, if all records are whole",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 60 a ppid=7 run_time_ns=1000 final_run_time_ns=1000", NULL},
	 {"a run_time_ns 0 1000 ", "exited cpu_time_ns . 1000.000 +1000\n", NULL}},
	{"one that the first capture missed, for whose life its parent is charged: records count",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 20 make ppid=7 run_time_ns=1000", "exit 9 60 a ppid=7 run_time_ns=2000", NULL},
	 {"a run_time_ns ~0 ~2000 ", "exited cpu_time_ns . 2000.000 +2000\n", NULL}},
	{"one whose time before the window is not known: nor is that in it",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1",
	  "8 20 make ppid=7 run_time_ns=-", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 20 make ppid=7 run_time_ns=1000", NULL},
	 {"exited cpu_time_ns . 0.000 ", NULL}},
	{"a parent whose charges could not be read at first",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=- cstime_clock_ticks=-", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 60 make ppid=7 run_time_ns=1000", NULL},
	 {"exited cpu_time_ns . 1000.000 +1000\n", NULL}},
	{"one with a thread that ended before the window: the time of the process is charged",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1",
	  "8 20 make ppid=7 run_time_ns=20000000 utime_clock_ticks=2 "
	  "process_utime_clock_ticks=80 process_stime_clock_ticks=1",
	  NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 20 make ppid=7 run_time_ns=21000000", NULL},
	 {"exited cpu_time_ns . 70000000.000 ", NULL}},
	{"one that has ended, but is still there",
	 {"7 5 c run_time_ns=100", NULL},
	 {"7 5 c run_time_ns=130", "exit 7 5 c run_time_ns=120", NULL},
	 {"c run_time_ns 100 130 +30\n", NULL}},
	{"one that the first capture missed and that left a record",
	 {NULL},
	 {"exit 7 20 c run_time_ns=120", NULL},
	 {"c run_time_ns . . S\n", NULL}},
	{"ctprof's own time is in no group, and told for itself",
	 {"7 5 c run_time_ns=100", "99 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130", "99 5 ctprof run_time_ns=4000", NULL},
	 {"ctprof cpu_time_ns . 3000.000 +3000\n", "threads cpu_time_ns . 30.000 +30\n",
	  "c thread_count 1 1 ", NULL}},
	{"and up to its end, by the record of that",
	 {"7 5 c run_time_ns=100", "99 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130",
	  "exit 99 5 ctprof run_time_ns=1500 utime_us=2 final_run_time_ns=6000", NULL},
	 {"ctprof cpu_time_ns . 5000.000 +5000\n", "exited cpu_time_ns . 0.000 ", NULL}},
	{"or as much as its record has",
	 {"7 5 c run_time_ns=100", "99 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130", "exit 99 5 ctprof run_time_ns=1500 utime_us=2", NULL},
	 {"ctprof cpu_time_ns . 1000.000 +1000\n", NULL}},
	{"a window in which nothing ran",
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"c wait_sum 1000 1000 +0 S\n", "c avg_wait_ns 100.000 .\n", NULL}},
};

static void check(const char *what, const char *const *before, const char *const *after,
		  GroupBy group_by, const char *const *expected)
{
	g_autoptr(Sample) baseline = make_sample(before);
	g_autoptr(Sample) candidate = make_sample(after);
	g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(gint32));
	const gint32 pid = OWN;
	AnalysisOptions options = {.group_by = group_by,
				   .hidden = g_array_append_val(own, pid),
				   .may_be_window = TRUE,
				   .is_window = TRUE,
				   .is_whole_host = TRUE,
				   .began = 50,
				   .elapsed_s = 1};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(baseline, candidate, &options, &report);
	g_autofree char *dump = sample_dump(report);

	for (; *expected; expected++)
		if (!strstr(dump, *expected))
			g_error("%s: no '%s' in\n%s", what, *expected, dump);
}

static void test_cases(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		check(cases[i].what, cases[i].before, cases[i].after, GROUP_BY_COMM_EXACT,
		      cases[i].expected);
}

/* In a long window a PID is used again: by a process that ended before, and by one that began
 * after the thread in question. */
static void test_pid_used_again(void)
{
	static const char *const before[] = {"7 5 sh run_time_ns=1", "9 5 old run_time_ns=100",
					     NULL};
	static const char *const after[] = {
		"7 5 sh run_time_ns=1",
		"exit 9 600 new ppid=7 run_time_ns=1000 final_run_time_ns=1000",
		"12 9000 late run_time_ns=5",
		"exit 12 700 early ppid=7 run_time_ns=3000 final_run_time_ns=3000", NULL};
	static const char *const expected[] = {"new run_time_ns 0 1000 ",
					       "early run_time_ns 0 3000 ", NULL};

	check("names are those of the owner at that time", before, after, GROUP_BY_PCOMM, expected);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/window/case by case", test_cases);
	g_test_add_func("/window/a PID used again", test_pid_used_again);
	return g_test_run();
}
