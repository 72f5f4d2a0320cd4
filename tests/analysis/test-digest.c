/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the first screen of a window, and each finding once above its limit and once just below. */
#include <string.h>

#include "ctprof/sentence.h"
#include "digest-scene.h"
#include "row/registry.h"
#include "sample.h"

#define SECONDS 10
#define S G_GUINT64_CONSTANT(1000000000)
#define MOST_VALUES 7

struct value {
	const char *name; /* NULL: no more */
	guint64 value;
};

static guint64 special(const struct value *changed, const char *name)
{
	for (guint c = 0; changed && c < MOST_VALUES && changed[c].name; c++)
		if (strcmp(changed[c].name, name) == 0)
			return changed[c].value;
	return 0;
}

static void put_values(Sample *sample, guint32 scope, const struct value *changed)
{
	for (guint i = 0; i < G_N_ELEMENTS(scene); i++) {
		guint64 value = scene[i].value;
		gboolean is_busy = strcmp(scene[i].name, "system.cpu.user") == 0 &&
				   special(changed, "wait_time_ns") && !special(changed, "idle");

		if (scene[i].scope != scope)
			continue;
		/* If threads wait for a CPU, others run on them. */
		value += is_busy ? 4 * SECONDS * 100 : 0;
		for (guint c = 0; changed && c < MOST_VALUES && changed[c].name; c++)
			if (strcmp(changed[c].name, scene[i].name) == 0)
				value = changed[c].value;
		sample_u64(sample, scene[i].name, value);
	}
}

/* Returns a host, a cgroup and its parent, and a pool of n threads in it (0: one), of which only
 * the first does anything; changed NULL: the values at the beginning. */
static Sample *capture(const struct value *changed, guint64 n)
{
	Sample *sample = sample_new();
	gulong kib = 1024 + special(changed, "Pss"), rss = kib - special(changed, "shared");
	g_autofree char *pss = g_strdup_printf("Pss=%lu Pss_File=%lu Rss=%lu", kib,
					       (gulong)special(changed, "Pss_File"), rss);
	g_autofree char *events =
		g_strdup_printf("max=%" G_GUINT64_FORMAT, special(changed, "memory.events"));
	gboolean is_v1 = special(changed, "v1") > 0;
	gboolean is_above = special(changed, "above") > 0;

	for (guint i = 0; i < G_N_ELEMENTS(more); i++)
		sample_metric(sample, more[i].name, more[i].kind, more[i].unit, more[i].scope,
			      more[i].scope == CTPROF_SCOPE_HOST ? "system" : "sched");
	sample_host(sample);
	put_values(sample, CTPROF_SCOPE_HOST, changed);
	/* The events of a cgroup also count in its parent. */
	sample_cgroup(sample, "/system.slice");
	put_values(sample, CTPROF_SCOPE_CGROUP, is_above ? changed : NULL);
	sample_map(sample, "memory.events", events);
	sample_cgroup(sample, "/system.slice/web.service");
	put_values(sample, CTPROF_SCOPE_CGROUP, is_above || is_v1 ? NULL : changed);
	sample_map(sample, "memory.events", is_above ? "max=0" : events);
	if (is_v1) {
		sample_cgroup(sample, "/batch.slice");
		put_values(sample, CTPROF_SCOPE_CGROUP, changed);
	}
	sample_thread(sample, 5, 5, "app", "app", "/system.slice/web.service");
	put_values(sample, CTPROF_SCOPE_THREAD, changed);
	sample_map(sample, "smaps_rollup_kib", pss);
	if (is_v1)
		sample_map(sample, "cgroup_v1", "cpu=/batch.slice/in memory=/else");
	if (special(changed, "denied"))
		sample_absent(sample, "read_bytes", CTPROF_ABSENT_DENIED);
	for (gint32 tid = 6; tid < 5 + (gint32)n; tid++) {
		sample_thread(sample, 5, tid, "app", "app", "/system.slice/web.service");
		put_values(sample, CTPROF_SCOPE_THREAD, NULL);
	}
	return sample;
}

/* Analyses the window between two captures; the options live as long as the analysis. */
static Analysis *analyse(const Sample *before, const Sample *after, const struct value *changed,
			 AnalysisOptions *options, const struct ctprof_report **ret_report)
{
	*options = (AnalysisOptions){
		.explain = options->explain,
		.fail_on = options->fail_on,
		.filter = options->filter,
		.group_by = GROUP_BY_PCOMM,
		.may_be_window = TRUE,
		.is_window = TRUE,
		.is_whole_host = special(changed, "few") == 0,
		.elapsed_s = special(changed, "seconds") ? (gdouble)special(changed, "seconds")
							 : SECONDS,
		.began = 200,
	};
	return sample_analyse(before, after, options, ret_report);
}

/* Returns "FINDING SENTENCE" lines, the most expensive first. */
static char *list_findings(const struct ctprof_report *report)
{
	const struct ctprof_report_section *section = sample_section(report, "findings");
	GString *text = g_string_new(NULL);

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		g_string_append_printf(text, "%s: %s\n", line->cells[0].value[1].text,
				       line->cells[line->n_cells - 1].value[1].text);
	}
	return g_string_free(text, FALSE);
}

static char *findings_between(const Sample *before, const Sample *after,
			      const struct value *changed)
{
	AnalysisOptions options = {.explain = NULL};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		analyse(before, after, changed, &options, &report);

	return list_findings(report);
}

static char *findings_of(const struct value *changed)
{
	g_autoptr(Sample) before = capture(NULL, special(changed, "threads"));
	g_autoptr(Sample) after = capture(changed, special(changed, "threads"));

	return findings_between(before, after, changed);
}

/* Threads that wait and run for these seconds; a cgroup throttled in n of 100 periods. */
#define THREADS(n, waits, runs)                                                                    \
	{"wait_time_ns", (waits)*S}, {"run_time_ns", (runs)*S},                                    \
	{                                                                                          \
		"threads", n                                                                       \
	}
#define FOUR(waits, runs) THREADS(4, waits, runs)
#define THROTTLED(n, seconds)                                                                      \
	{"cpu.nr_periods", 100}, {"cpu.nr_throttled", n},                                          \
	{                                                                                          \
		"cpu.throttled_usec", (guint64)((seconds)*1e6)                                     \
	}

static const struct finding_case {
	const char *finding;
	struct value shown[MOST_VALUES], hidden[MOST_VALUES];
	const char *sentence; /* the sentence of the finding */
} cases[] = {
	{"starved",
	 {{"wait_time_ns", 10 * S}, {"run_time_ns", S / 2}, {"timeslices", 1000}},
	 {{"wait_time_ns", 10 * S}, {"run_time_ns", S}, {"timeslices", 1000}},
	 "app is starved, not busy: waits 100 % of the time, 10.0ms a turn, for 0.05 CPU"},
	{"starved", {{"wait_time_ns", 15 * S / 2}}, {{"wait_time_ns", 7 * S}}, NULL},
	{"starved",
	 {{"wait_time_ns", 30 * S}, {"timeslices", 1000}, {"threads", 4}},
	 {{"wait_time_ns", 30 * S}, {"timeslices", 61000}, {"threads", 4}}, /* short waits */
	 "app is starved, not busy: 3 of its 4 threads wait for a CPU, 30.0ms a turn, for 0 CPU"},
	/* No more threads wait than there are, though one may be read a little later. */
	{"starved",
	 {{"wait_time_ns", 103 * S / 10}, {"timeslices", 1000}},
	 {{"wait_time_ns", 7 * S}},
	 "app is starved, not busy: waits 100 % of the time, 10.3ms a turn, for 0 CPU"},
	{"waits-beside-idle",
	 {{"wait_time_ns", 30 * S}, {"timeslices", 1000}, {"threads", 4}, {"idle", 1}},
	 {{"wait_time_ns", 30 * S}, {"timeslices", 1000}, {"threads", 4}},
	 "app waits for a CPU in bursts, or although others are idle: 3 of its 4 threads, 30.0ms a turn, while "
	 "4 of 4 CPUs are idle"},
	/* A pool that gets part of the CPU it wants is busy; a throttled pool is not starved. */
	{"wants-cpu",
	 {{"wait_time_ns", 70 * S}, {"run_time_ns", 10 * S}, {"timeslices", 7000}, {"threads", 9}},
	 {{"wait_time_ns", 70 * S}, {"run_time_ns", 24 * S}, {"timeslices", 7000}, {"threads", 9}},
	 "app wants up to 8 CPUs and gets 1: 7 of its 9 threads wait for a CPU, 10.0ms a turn"},
	{"wants-cpu", {FOUR(30, 2)}, {FOUR(30, 2), THROTTLED(90, 8)}, NULL},
	{"starved",
	 {THREADS(60, 400, 20)},
	 {THREADS(60, 400, 20), THROTTLED(90, 8)},
	 "app is starved: 40 of its 60 threads wait for a CPU, for 2 CPU"},
	/* It may also be throttled by the quota of a parent cgroup. */
	{"starved",
	 {FOUR(30, 1), {"above", 1}},
	 {FOUR(30, 1), THROTTLED(90, 8), {"above", 1}},
	 NULL},
	/* It may also be throttled by a v1 controller, where the threads are in another cgroup. */
	{"starved", {FOUR(30, 1), {"v1", 1}}, {FOUR(30, 1), THROTTLED(90, 1), {"v1", 1}}, NULL},
	/* It cannot get more than its quota, no matter how long it waits. */
	{"wants-cpu", {FOUR(36, 2)}, {FOUR(36, 2), THROTTLED(10, 0.4)}, NULL},
	/* Each thread may have been throttled for half of the time; beyond that it waits. */
	{"wants-cpu",
	 {FOUR(36, 2), THROTTLED(50, 4), {"cpu.max_quota_us", 200000}},
	 {FOUR(25, 2), THROTTLED(50, 4), {"cpu.max_quota_us", 200000}},
	 "app wants up to 1.80 CPUs and gets 0.20: 1.60 of its 4 threads wait for a CPU"},
	{"busiest",
	 {{"run_time_ns", 8 * S}, {"wait_time_ns", 5 * S}, {"timeslices", 5000}},
	 {{"run_time_ns", 3 * S}},
	 "app uses the most CPU (0.80 of 4), and queues: 50 % of the time, 1.00ms a turn"},
	/* Processes that were not captured may use more. */
	{"busiest", {{"run_time_ns", 8 * S}}, {{"run_time_ns", 8 * S}, {"few", 1}}, NULL},
	{"uses-cpu",
	 {{"run_time_ns", 8 * S}, {"few", 1}},
	 {{"run_time_ns", 8 * S}},
	 "app uses 0.80 CPU\n"},
	/* Threads held back by a quota are not queued. */
	{"busiest",
	 {{"run_time_ns", 8 * S}, {"wait_time_ns", 5 * S}},
	 {{"run_time_ns", 8 * S}, {"wait_time_ns", 5 * S}, THROTTLED(50, 4)},
	 NULL},
	{"disk-io",
	 {{"read_bytes", 100 * MIB}, {"system.vmstat.pgpgin", 100 * 1024}},
	 {{"read_bytes", 100 * MIB}, {"system.vmstat.pgpgin", 300 * 1024}},
	 "app does the disk reads: 10.0M/s of 10.0M/s, 0 switches/s"},
	/* A pool never does more than the host's disks. */
	{"disk-io",
	 {{"read_bytes", 100 * MIB}, {"system.vmstat.pgpgin", 50 * 1024}},
	 {{"write_bytes", 100 * MIB}, {"system.vmstat.pgpgout", 100 * 1024}},
	 "app does the disk reads: 5.00M/s of 5.00M/s, 0 switches/s"},
	{"writes-files",
	 {{"write_bytes", 5000 * MIB}, {"system.vmstat.pgpgout", 1000 * 1024}},
	 {{"write_bytes", 9 * MIB}},
	 "app writes 500M/s to files, the disks 100M/s"},
	{"waits-for-disk",
	 {{"blkio_delay_total_ns", 6 * S}},
	 {{"blkio_delay_total_ns", 4 * S}},
	 "app waits for the disk: 60 % of the time"},
	{"waits-for-swap",
	 {{"swapin_delay_total_ns", S}},
	 {{"swapin_delay_total_ns", S / 10}},
	 "app waits for pages to be swapped in: 10 % of the time"},
	{"waits-for-reclaim",
	 {{"freepages_delay_total_ns", S}},
	 {{"freepages_delay_total_ns", S / 10}},
	 "app waits for memory to be reclaimed: 10 % of the time"},
	{"waits-for-compaction",
	 {{"compact_delay_total_ns", S}},
	 {{"compact_delay_total_ns", S / 10}},
	 "app waits for memory to be compacted: 10 % of the time"},
	{"thrashes",
	 {{"thrashing_delay_total_ns", S}},
	 {{"thrashing_delay_total_ns", S / 10}},
	 "app waits for pages that were evicted too early: 10 % of the time"},
	{"grew",
	 {{"Pss", 99 * 1024}},
	 {{"Pss", 10 * 1024}},
	 "the memory of app grew by 99.0M to 100M, 594M a minute"},
	{"heap-grew",
	 {{"allocated_bytes", 200 * MIB}, {"deallocated_bytes", 100 * MIB}},
	 {{"allocated_bytes", 200 * MIB}, {"deallocated_bytes", 150 * MIB}},
	 "the live heap of app grew by 36.0M to 100M, 216M a minute"},
	{"switches",
	 {{"voluntary_csw", 200000}, {"run_time_ns", 2 * S}},
	 {{"voluntary_csw", 99000}, {"run_time_ns", S}},
	 "app switches 20.0k times/s, for 10.0µs of work each"},
	{"out-of-memory",
	 {{"system.vmstat.oom_kill", 2}},
	 {{"system.vmstat.oom_kill", 0}},
	 "2 processes were killed for lack of memory"},
	{"steal",
	 {{"system.cpu.steal", 200}, {"system.cpu.user", 100}},
	 {{"system.cpu.steal", 190}, {"system.cpu.user", 100}},
	 "the hypervisor took 0.20 CPU (5 % of 4) while threads were ready to run"},
	{"unaccounted",
	 {{"system.cpu.softirq", 300}, {"run_time_ns", 20 * S}, {"system.cpu.user", 2000}},
	 {{"system.cpu.softirq", 300},
	  {"run_time_ns", 20 * S},
	  {"system.cpu.user", 2000},
	  {"few", 1}},
	 NULL},
	{"unaccounted",
	 {{"system.cpu.softirq", 300}, {"run_time_ns", 20 * S}, {"system.cpu.user", 2000}},
	 {{"system.cpu.softirq", 60}, {"run_time_ns", 20 * S}, {"system.cpu.user", 2000}},
	 "0.30 CPU (13 %) is unaccounted for: interrupts, ctprof, or unrecorded exits"},
	{"memory-short",
	 {{"system.vmstat.workingset_refault_file", 15000},
	  {"system.vmstat.pgmajfault", 50},
	  {"psi.memory.some.total_usec", 200000}},
	 {{"system.vmstat.workingset_refault_file", 9000}, {"psi.memory.some.total_usec", 200000}},
	 "memory is short: 1.50k pages/s were needed again after reclaim, 5 major faults/s"},
	{"memory-short",
	 {{"system.vmstat.workingset_refault_file", 15000}, {"system.vmstat.pgscan_direct", 1}},
	 {{"system.vmstat.workingset_refault_file", 15000}},
	 NULL},
	/* The cgroup is at its limit, but the host has free memory. */
	{"memory-short",
	 {{"system.vmstat.workingset_refault_file", 15000},
	  {"psi.memory.some.total_usec", 200000},
	  {"memory.events", 7},
	  {"system.memory.available", 100}},
	 {{"system.vmstat.workingset_refault_file", 15000},
	  {"psi.memory.some.total_usec", 200000},
	  {"memory.events", 7}},
	 NULL},
	{"throttled",
	 {THROTTLED(50, 4)},
	 {THROTTLED(5, 0.4)},
	 "app (web) is throttled in 50 % of its periods: its quota is 0.20 CPU\n"},
	{"throttled",
	 {THROTTLED(50, 4), {"above", 1}},
	 {THROTTLED(5, 0.4), {"above", 1}},
	 "app is throttled by system.slice in 50 % of its periods: its quota is 0.20 CPU\n"},
	/* The cgroup is new, not just seen for the first time: its periods fit into the window. */
	{"throttled",
	 {THROTTLED(50, 4), {"v1", 1}},
	 {THROTTLED(50, 4), {"cpu.max_period_us", 200000}, {"v1", 1}},
	 "app is throttled by batch.slice in 50 % of its periods: its quota is 0.20 CPU\n"},
	{"memory-limit",
	 {{"memory.events", 7}, {"psi.memory.some.total_usec", 200000}},
	 {{"memory.events", 0}, {"psi.memory.some.total_usec", 200000}},
	 "app (web) met its memory limit of 128M 7 times\n"},
	{"memory-limit",
	 {{"memory.events", 7}, {"above", 1}, {"psi.memory.some.total_usec", 200000}},
	 {{"memory.events", 0}, {"psi.memory.some.total_usec", 200000}},
	 "system.slice met its memory limit of 128M 7 times\n"},
	{"forks",
	 {{"system.processes", 900}, {"cutime_clock_ticks", 5}, {"system.cpu.user", 100}},
	 {{"system.processes", 400}},
	 "90 processes and threads start per second, for 0.01 CPU"},
	{"came-and-went",
	 {{"cutime_clock_ticks", 100}, {"system.cpu.user", 100}},
	 {{"cutime_clock_ticks", 5}, {"system.cpu.user", 100}, {"run_time_ns", 95 * S / 100}},
	 "0.10 CPU (100 %) went to threads that ended"},
};

static gboolean has_finding(const char *findings, const char *name)
{
	g_autofree char *begin = g_strconcat("\n", name, ": ", NULL);
	g_autofree char *all = g_strconcat("\n", findings, NULL);

	return strstr(all, begin) != NULL;
}

static void test_findings(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *shown = findings_of(cases[i].shown);
		g_autofree char *hidden = findings_of(cases[i].hidden);

		g_test_message("%s: shown '%s', hidden '%s'", cases[i].finding, shown, hidden);
		g_assert_true(has_finding(shown, cases[i].finding));
		g_assert_false(has_finding(hidden, cases[i].finding));
		if (cases[i].sentence)
			g_assert_nonnull(strstr(shown, cases[i].sentence));
	}
}

/* Returns the notes of the section, one per line, and the conditions that are met. */
static char *explain(const struct finding_case *given, const struct value *changed, GPtrArray *met)
{
	g_autofree char *fail_on = g_strconcat("finding:", given->finding, NULL);
	AnalysisOptions options = {.explain = (char *)(uintptr_t)given->finding,
				   .fail_on = fail_on};
	g_autoptr(Sample) before = capture(NULL, special(changed, "threads"));
	g_autoptr(Sample) after = capture(changed, special(changed, "threads"));
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis = analyse(before, after, changed, &options, &report);
	const struct ctprof_report_section *section = sample_section(report, "findings");
	GString *text = g_string_new(NULL);

	for (guint64 i = 0; i < report->n_hits; i++)
		g_ptr_array_add(met, g_strdup(report->hits[i].metric));
	g_assert_cmpint(analysis_failed(analysis), ==, met->len > 0);
	for (guint64 i = 0; i < section->n_lines; i++)
		g_assert_cmpstr(section->lines[i].cells[0].value[1].text, ==, given->finding);
	for (guint64 i = 0; i < section->n_notes; i++)
		g_string_append_printf(text, "%s\n", section->notes[i]);
	return g_string_free(text, FALSE);
}

/* Each finding is explained and meets its condition; short of its limit, neither is true. */
static void test_explained(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) met = g_ptr_array_new_with_free_func(g_free);
		g_autoptr(GPtrArray) none = g_ptr_array_new_with_free_func(g_free);
		g_autofree char *shown = explain(&cases[i], cases[i].shown, met);
		g_autofree char *hidden = explain(&cases[i], cases[i].hidden, none);
		g_autofree char *rule = g_strdup_printf("  rule         %s of ", cases[i].finding);
		g_autofree char *missing = g_strdup_printf("%s: no finding\n", cases[i].finding);
		g_autofree char *metric = g_strconcat("finding:", cases[i].finding, NULL);

		g_test_message("%s: shown '%s', hidden '%s'", cases[i].finding, shown, hidden);
		g_assert_true(g_str_has_prefix(shown, "WHAT STANDS OUT\n! "));
		g_assert_nonnull(strstr(shown, rule));
		g_assert_nonnull(strstr(shown, "  measured     "));
		g_assert_null(strstr(shown, missing));
		g_assert_cmpuint(met->len, ==, 1);
		g_assert_cmpstr(g_ptr_array_index(met, 0), ==, metric);
		g_assert_nonnull(strstr(hidden, missing));
		g_assert_cmpuint(none->len, ==, 0);
	}
}

static void add_exit(Sample *sample, gint32 tid, guint64 ppid, const char *name, guint64 start,
		     guint64 ns)
{
	sample_exit(sample, tid, tid, name);
	sample_u64(sample, "ppid", ppid);
	sample_u64(sample, "start_time_clock_ticks", start);
	sample_u64(sample, "run_time_ns", ns);
	sample_u64(sample, "final_run_time_ns", ns);
}

/* One thread of a pool used most of it, many of another pool little; one that started before the
 * window only exited in it.  Without records it is unknown which thread did what, and no parent is
 * named if one is charged with more than the window has. */
static void test_came_and_went(void)
{
	struct value changed[MOST_VALUES] = {
		{"system.cpu.user", 600}, {"cutime_clock_ticks", 500}, {"system.processes", 50}};
	static const struct {
		guint64 charged, older_ns; /* older_ns 0: no records */
		const char *sentence;
	} windows[] = {
		{500, 0, "0.50 CPU (83 %) went to threads that ended: children of app[5] 0.50\n"},
		{5000, 0, "4 CPU (100 %) went to threads that ended\n"},
		{500, S,
		 "0.43 CPU (72 %) went to threads that came and went, 5/s: cc1 0.40, kid 0.03\n"},
		{500, S / 10, "came and went, 5/s: cc1 0.40, kid 0.03, descendants of app[5]\n"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(windows); i++) {
		changed[1].value = windows[i].charged;
		g_autoptr(Sample) before = capture(NULL, 0), after = capture(changed, 0);

		sample_thread(before, 40, 40, "client", "client", "/");
		put_values(before, CTPROF_SCOPE_THREAD, NULL);
		if (windows[i].older_ns) {
			sample_capture(after);
			sample_u64(after, "exits_received", 5);
			add_exit(after, 40, 0, "client", 100, windows[i].older_ns);
			add_exit(after, 50, 5, "cc1", 300, 4 * S);
			for (gint32 tid = 60; tid < 63; tid++)
				add_exit(after, tid, 5, "kid", 300, S / 10);
		}
		g_autofree char *found = findings_between(before, after, changed);
		g_assert_nonnull(strstr(found, windows[i].sentence));
		g_assert_null(strstr(found, "cc1 uses"));
	}
}

/* The pool that uses most may be one that is not shown. */
static void test_filter(void)
{
	static const struct value changed[MOST_VALUES] = {{"run_time_ns", 5 * S}};
	g_autofree char *filter = g_strdup("^app$");
	AnalysisOptions options = {.filter = filter};
	const struct ctprof_report *report;
	g_autoptr(Sample) before = capture(NULL, 0);
	g_autoptr(Sample) after = capture(changed, 0);

	for (guint i = 0; i < 2; i++) {
		sample_thread(i ? after : before, 50, 50, "more", "more", "/");
		put_values(i ? after : before, CTPROF_SCOPE_THREAD, NULL);
		sample_u64(i ? after : before, "run_time_ns", i * 8 * S);
	}
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		analyse(before, after, changed, &options, &report);
	g_autofree char *found = list_findings(report);
	g_assert_true(has_finding(found, "uses-cpu"));
	g_assert_false(has_finding(found, "busiest"));
}

static void test_idle_host(void)
{
	const struct value nothing[MOST_VALUES] = {{NULL, 0}};
	g_autofree char *findings = findings_of(nothing);

	g_assert_cmpstr(findings, ==, "");
}

/* What grew in a second or two need not go on to grow. */
static void test_short_window(void)
{
	const struct value little[MOST_VALUES] = {{"Pss", 10 * 1024}, {"seconds", 2}};
	const struct value enough[MOST_VALUES] = {{"Pss", 11 * 1024}, {"seconds", 2}};
	g_autofree char *none = findings_of(little), *one = findings_of(enough);

	g_assert_cmpstr(none, ==, "");
	g_assert_true(g_str_has_prefix(one, "grew: the memory of app grew by 11.0M to 12.0M, "));
}

/* Pages of mapped files can be dropped; PSS also grows when a process that shared pages ends. */
static void test_not_held(gconstpointer name)
{
	const struct value none[MOST_VALUES] = {{"Pss", 400 * 1024}, {name, 400 * 1024}};
	const struct value half[MOST_VALUES] = {{"Pss", 400 * 1024}, {name, 200 * 1024}};
	g_autofree char *nothing = findings_of(none), *one = findings_of(half);

	g_assert_cmpstr(nothing, ==, "");
	g_assert_true(g_str_has_prefix(one, "grew: the memory of app grew by 200M to 401M, "));
}

static Sample *capture_without_delays(void)
{
	static const char *const delays[] = {"blkio_delay_total_ns", "swapin_delay_total_ns",
					     "freepages_delay_total_ns"};
	static const struct thread {
		gint32 tid;
		const char *name;
		guint8 why;
	} threads[] = {{6, "ended", CTPROF_ABSENT_VANISHED},
		       {7, "lives", CTPROF_ABSENT_UNSUPPORTED}};
	Sample *sample = capture(NULL, 0);

	for (guint i = 0; i < G_N_ELEMENTS(delays); i++)
		sample_absent(sample, delays[i], CTPROF_ABSENT_VANISHED);
	for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
		sample_thread(sample, threads[t].tid, threads[t].tid, threads[t].name,
			      threads[t].name, "/");
		put_values(sample, CTPROF_SCOPE_THREAD, NULL);
		for (guint i = 0; i < G_N_ELEMENTS(delays); i++)
			sample_absent(sample, delays[i], threads[t].why);
	}
	return sample;
}

/* Metrics that all threads lack are listed with the reason of the live ones, and fit the line. */
static void test_footer(void)
{
	static const struct {
		guint width;
		const char *footer;
	} widths[] = {
		{0, "not measured here: block I/O delay, swap delay, reclaim delay (unsupported)"},
		{75, "not measured here: block I/O delay, swap delay, reclaim delay (unsupported)"},
		{74, "not measured here: block I/O delay, swap delay, … (unsupported)"},
		{51, "not measured here: block I/O delay, … (unsupported)"},
		{50, "not measured here: block I/O delay"},
		{5, "not measured here: block I/O delay"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(widths); i++) {
		g_autoptr(Sample) sample = capture_without_delays();
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM, .digest = TRUE};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, NULL, &options, &report);

		g_assert_cmpuint(report->n_footers, ==, 2);
		const struct ctprof_wording how = {.width = widths[i].width};
		char text[512];
		ctprof_sentence_write(report->footer_sentences[0], &how, text, sizeof text);
		g_assert_cmpstr(text, ==, widths[i].footer);
		if (widths[i].width == 0)
			g_assert_cmpstr(report->footers[0], ==, text);
	}
}

/* The note takes no line from a finding, and is left out if it affects only few threads. */
static void test_denied(void)
{
	static const struct {
		guint64 threads;
		const char *footer;
	} denied[] = {
		{3, "the I/O of 1 of 3 threads could not be read: denied (see 'ctprof doctor')"},
		{11, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(denied); i++) {
		const struct value changed[MOST_VALUES] = {{"denied", 1}};
		g_autoptr(Sample) sample = capture(changed, denied[i].threads);
		AnalysisOptions options = {.group_by = GROUP_BY_PCOMM, .digest = TRUE};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(sample, NULL, &options, &report);
		const struct ctprof_report_section *section = sample_section(report, "findings");

		g_assert_cmpuint(section->n_notes, ==, 1);
		g_assert_cmpstr(section->notes[0], ==, "nothing stands out");
		g_assert_cmpuint(report->n_footers, ==, denied[i].footer ? 2 : 1);
		if (denied[i].footer)
			g_assert_cmpstr(report->footers[0], ==, denied[i].footer);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/digest/each finding has its limit", test_findings);
	g_test_add_func("/digest/each finding is explained and gated on", test_explained);
	g_test_add_func("/digest/nothing stands out on an idle host", test_idle_host);
	g_test_add_func("/digest/growth of a short window is no trend", test_short_window);
	g_test_add_func("/digest/a pool that is not shown may use most", test_filter);
	g_test_add_data_func("/digest/mapped files are no growth", "Pss_File", test_not_held);
	g_test_add_data_func("/digest/no longer shared is no growth", "shared", test_not_held);
	g_test_add_func("/digest/what came and went is named by its CPU", test_came_and_went);
	g_test_add_func("/digest/the footer names what is not measured", test_footer);
	g_test_add_func("/digest/the footer counts what was denied", test_denied);
	return g_test_run();
}
