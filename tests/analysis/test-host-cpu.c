/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the CPU line of the first screen: the host's CPU time from the best source, its parts, and
 * that of ctprof, which is identified by its processes and not by its name. */
#include <string.h>

#include "ctprof/plugin.h"
#include "ctprof/sentence.h"
#include "frame/moment.h"
#include "sample.h"

#define SECONDS 10
#define MS G_GUINT64_CONSTANT(1000000)
#define NONE G_MAXUINT64 /* not counted */
#define ONE_IN 1e-9      /* tolerance for reals, in CPUs */

enum { EXACT, SCHED, ONLINE, USER, NICE, SYSTEM, IRQ, SOFTIRQ, IDLE, IOWAIT, N_HOST };

static const struct {
	const char *name;
	guint32 kind, unit;
} host[N_HOST] = {
	[EXACT] = {"cpu.host_usage_ns", CTPROF_COUNTER, CTPROF_UNIT_NS},
	[SCHED] = {"schedstat.run_time_ns", CTPROF_COUNTER, CTPROF_UNIT_NS},
	[ONLINE] = {"system.cpu.online", CTPROF_LEVEL, CTPROF_UNIT_NONE},
	[USER] = {"system.cpu.user", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[NICE] = {"system.cpu.nice", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[SYSTEM] = {"system.cpu.system", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[IRQ] = {"system.cpu.irq", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[SOFTIRQ] = {"system.cpu.softirq", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[IDLE] = {"system.cpu.idle", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
	[IOWAIT] = {"system.cpu.iowait", CTPROF_COUNTER, CTPROF_UNIT_TICKS},
};

static void add_thread(Sample *sample, gint32 pid, gint32 ppid, const char *name, guint64 run_ms,
		       guint64 user, guint64 system)
{
	sample_thread(sample, pid, pid, name, name, "/");
	sample_u64(sample, "start_time_clock_ticks", 5);
	sample_u64(sample, "ppid", (guint64)ppid);
	sample_u64(sample, "run_time_ns", run_ms * MS);
	sample_u64(sample, "utime_clock_ticks", user);
	sample_u64(sample, "stime_clock_ticks", system);
}

/* Returns a host of two CPUs with the values that are not NONE, or with all 0 if NULL. */
static Sample *sample_of_host(const guint64 values[N_HOST], gboolean is_start)
{
	Sample *sample = sample_new();

	for (guint i = 0; i < N_HOST; i++)
		sample_metric(sample, host[i].name, host[i].kind, host[i].unit, CTPROF_SCOPE_HOST,
			      "system");
	sample_metric(sample, "ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS,
		      "identity");
	sample_metric(sample, "stime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS,
		      CTPROF_SCOPE_THREAD, "sched");
	sample_host(sample);
	for (guint i = 0; values && i < N_HOST; i++)
		if (values[i] != NONE)
			sample_u64(sample, host[i].name, is_start && i != ONLINE ? 0 : values[i]);
	return sample;
}

static AnalysisOptions options_of(void)
{
	return (AnalysisOptions){
		.group_by = GROUP_BY_PCOMM,
		.compare = TRUE,
		.may_be_window = TRUE,
		.is_window = TRUE,
		.is_whole_host = TRUE,
		.digest = TRUE,
		.elapsed_s = SECONDS,
		.began = 200,
	};
}

/* Returns a pool's value in a column, by role and, unless NULL, by name; below 0 if there is no
 * such line or value. */
static gdouble pool_value(const struct ctprof_report *report, guint32 role, const char *name,
			  const char *column)
{
	const struct ctprof_report_section *pools = sample_section(report, "pools");

	for (guint64 i = 0; i < pools->n_lines; i++) {
		const struct ctprof_report_line *line = &pools->lines[i];

		if (line->role != role || (name && strcmp(line->cells[0].value[1].text, name) != 0))
			continue;
		for (guint64 f = 0; f < line->n_cells; f++)
			if (strcmp(pools->fields[line->first + f].name, column) == 0 &&
			    line->cells[f].value[1].type == CTPROF_VALUE_REAL)
				return line->cells[f].value[1].real;
	}
	return -1;
}

static void assert_is(gdouble value, gdouble expected)
{
	g_assert_cmpfloat_with_epsilon(value, expected, ONE_IN);
}

/* Values of ten seconds; NONE: not counted. */
static const struct source {
	guint64 exact_ms, turns_ms, ticks, softirq, idle, ran_ms;
	gdouble busy, exited; /* exited below 0: no line */
	const char *said;
	gboolean is_of_ticks;
} sources[] = {
	{15100, NONE, 1410, 0, 500, 14000, 1.51, 0.11, "1.51 of 2 busy (76 %)", FALSE},
	/* The best source is used. */
	{15100, 19000, 1410, 0, 0, 14000, 1.51, 0.11, "1.51 of 2 busy (76 %)", FALSE},
	{NONE, 15100, 1410, 0, 0, 14000, 1.51, 0.11, "1.51 of 2 busy (76 %)", FALSE},
	/* A time slice that ended in the window began before it: one CPU was idle. */
	{NONE, 19000, 1000, 0, 960, 10000, 1.04, 0.04, "1.04 of 2 busy (52 %)", FALSE},
	/* A time slice has not ended: the threads' own CPU time is more. */
	{NONE, 500, 1000, 0, 960, 10000, 1, -1, "~1 of 2 busy (50 %)", FALSE},
	/* Ticks do not count runs that are shorter than a tick. */
	{NONE, NONE, 1420, 0, 500, 14000, 1.42, 0.02, "~1.42 of 2 busy (71 %)", TRUE},
	{NONE, NONE, 1420, 0, 500, 15100, 1.51, -1, "~1.51 of 2 busy (76 %)", TRUE},
	/* Reading the threads a moment later does not make the result less exact. */
	{15100, NONE, 1420, 0, 0, 15200, 1.52, -1, "1.52 of 2 busy (76 %)", FALSE},
	/* It is at most the number of CPUs. */
	{20100, NONE, 1900, 0, 0, 19000, 2, 0.1, "2 of 2 busy (100 %)", FALSE},
	{15100, NONE, 1410, 100, 0, 14000, 1.51, 0.11, "0.10 in interrupts", FALSE},
};

static void check_source(const struct source *source)
{
	const guint64 values[N_HOST] = {
		[EXACT] = source->exact_ms == NONE ? NONE : source->exact_ms * MS,
		[SCHED] = source->turns_ms == NONE ? NONE : source->turns_ms * MS,
		[ONLINE] = 2,
		[USER] = source->ticks,
		[SOFTIRQ] = source->softirq,
		[IDLE] = source->idle,
	};
	g_autoptr(Sample) before = sample_of_host(values, TRUE);
	g_autoptr(Sample) after = sample_of_host(values, FALSE);
	AnalysisOptions options = options_of();
	const struct ctprof_report *report;

	/* A thread runs on at most one CPU. */
	for (gint32 pid = 5; pid < 7; pid++) {
		add_thread(before, pid, 1, "app", 0, 0, 0);
		add_thread(after, pid, 1, "app", source->ran_ms / 2, 0, 0);
	}
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);
	const char *said = sample_section(report, "host")->notes[0];
	g_test_message("%s, expected %s", said, source->said);
	g_assert_true(g_str_has_suffix(said, source->said));
	g_assert_cmpint(strchr(said, '~') != NULL, ==, source->said[0] == '~');
	assert_is(pool_value(report, CTPROF_ROLE_TOTAL, NULL, "cpu"), source->busy);
	assert_is(pool_value(report, CTPROF_ROLE_EXITED, NULL, "cpu"), source->exited);
	g_assert_cmpint(strstr(report->footers[0], "clock ticks (~)") != NULL, ==,
			source->is_of_ticks);
}

static void test_sources(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(sources); i++)
		check_source(&sources[i]);
}

/* The ticks of user mode and the kernel are rounded for each thread, but the CPU time is not. */
static void test_parts(void)
{
	static const struct {
		guint64 run_ms, user, system;
		gdouble parts[2]; /* in CPUs; below 0: unknown */
	} cases[] = {
		{810, 43, 3, {0.081 * 43 / 46, 0.081 * 3 / 46}},
		{810, 0, 1, {0, 0.081}},
		{100, 20, 20, {0.005, 0.005}},
		{810, 0, 0, {-1, -1}},
		{0, 0, 0, {0, 0}},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) before = sample_of_host(NULL, TRUE);
		g_autoptr(Sample) after = sample_of_host(NULL, FALSE);
		AnalysisOptions options = options_of();
		const struct ctprof_report *report;

		add_thread(before, 5, 1, "app", 0, 0, 0);
		add_thread(after, 5, 1, "app", cases[i].run_ms, cases[i].user, cases[i].system);
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(before, after, &options, &report);
		assert_is(pool_value(report, CTPROF_ROLE_POOL, "app", "cpu"),
			  (gdouble)cases[i].run_ms / 1e4);
		assert_is(pool_value(report, CTPROF_ROLE_POOL, "app", "user"), cases[i].parts[0]);
		assert_is(pool_value(report, CTPROF_ROLE_POOL, "app", "system"), cases[i].parts[1]);
	}
}

/* The same holds for the pools without a line of their own, one of which has no ticks. */
static void test_parts_of_the_rest(void)
{
	g_autoptr(Sample) before = sample_of_host(NULL, TRUE);
	g_autoptr(Sample) after = sample_of_host(NULL, FALSE);
	AnalysisOptions options = options_of();
	const struct ctprof_report *report;

	options.limit = 1;
	for (guint64 on = 0; on < 2; on++) {
		add_thread(on ? after : before, 5, 1, "app", on * 5000, 0, 0);
		add_thread(on ? after : before, 6, 1, "b", on * 900, on * 30, on * 10);
		add_thread(on ? after : before, 7, 1, "c", on * 100, 0, 0);
	}
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);
	assert_is(pool_value(report, CTPROF_ROLE_REST, NULL, "cpu"), 0.1);
	assert_is(pool_value(report, CTPROF_ROLE_REST, NULL, "user"), 0.075);
	assert_is(pool_value(report, CTPROF_ROLE_REST, NULL, "system"), 0.025);
}

/* ---- ctprof itself, in samples that are held ---- */

#define READS 70 /* the process of top that reads */
#define WATCHES 69

/* ctprof runs four processes of its own; another process has the same name, but is not related. */
static Sample *sample_with_own(guint64 ran)
{
	static const struct {
		gint32 pid, ppid;
	} own[] = {{WATCHES, 1}, {READS, WATCHES}, {71, READS}, {72, READS}};
	static const guint64 values[N_HOST] = {9000 * MS, NONE, 2, 900, 0, 0, 0, 0, 0, 0};
	Sample *sample = sample_of_host(values, ran == 0);

	for (guint i = 0; i < G_N_ELEMENTS(own); i++)
		add_thread(sample, own[i].pid, own[i].ppid, "ctprof", ran * 1000, 0, 0);
	add_thread(sample, 90, WATCHES, "ctprof", ran * 3000, 0, 0);
	add_thread(sample, 91, 90, "app", ran * 500, 0, 0);
	return sample;
}

static void test_own(void)
{
	g_autoptr(Moment) first = moment_new();
	g_autoptr(Moment) last = moment_new();
	AnalysisOptions options = options_of();
	g_autoptr(GError) error = NULL;

	options.own[0] = READS;
	options.own[1] = WATCHES;
	g_autoptr(Sample) before = sample_with_own(0);
	g_autoptr(Sample) after = sample_with_own(1);
	sample_exit(after, 73, 73, "ctprof");
	sample_u64(after, "start_time_clock_ticks", 300);
	sample_u64(after, "ppid", READS);
	sample_u64(after, "run_time_ns", 1000 * MS);
	sample_u64(after, "final_run_time_ns", 1000 * MS);
	g_autoptr(Analysis) analysis = analysis_new(&options, &error);
	g_assert_no_error(error);
	sample_hold(before, analysis, 0, first);
	sample_hold(after, analysis, 1, last);
	const struct ctprof_report *report = analysis_finish(analysis, &error);
	g_assert_no_error(error);
	assert_is(pool_value(report, CTPROF_ROLE_OWN, NULL, "cpu"), 0.5);
	/* Another ctprof is an ordinary pool. */
	assert_is(pool_value(report, CTPROF_ROLE_POOL, "ctprof", "cpu"), 0.3);
	assert_is(pool_value(report, CTPROF_ROLE_POOL, "app", "cpu"), 0.05);
	assert_is(pool_value(report, CTPROF_ROLE_EXITED, NULL, "cpu"), 0.05);
	g_assert_cmpuint(report->window->threads[1], ==, 2);
}

/* Without the host's CPUs, it is unknown whether a busy pool stands out. */
static void test_unknown(void)
{
	g_autoptr(Sample) before = sample_of_host(NULL, TRUE);
	g_autoptr(Sample) after = sample_of_host(NULL, FALSE);
	AnalysisOptions options = options_of();
	const struct ctprof_report *report;

	add_thread(before, 5, 1, "app", 0, 0, 0);
	add_thread(after, 5, 1, "app", 10000, 0, 0);
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);
	g_assert_cmpuint(sample_section(report, "findings")->n_notes, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host-cpu/by the best that counts it", test_sources);
	g_test_add_func("/host-cpu/user mode and the kernel add up to it", test_parts);
	g_test_add_func("/host-cpu/of the rest, too", test_parts_of_the_rest);
	g_test_add_func("/host-cpu/ctprof is known by its processes", test_own);
	g_test_add_func("/host-cpu/nothing is said if it is unknown", test_unknown);
	return g_test_run();
}
