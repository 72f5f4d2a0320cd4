/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests what is said of processes that were killed for lack of memory, and of limits that were met
 * without. */
#include "sample.h"

#define SECONDS 10
#define KILLS "system.vmstat.oom_kill"
#define SCANS "system.vmstat.pgscan_direct"

/* A cgroup whose counters grew by this much; events NULL: none are counted. */
typedef struct group {
	const char *path, *events;
	guint64 max, failed; /* MiB; times */
} Group;

static const struct {
	const char *sentence;
	guint64 kills, scans;
	Group groups[4];
} cases[] = {
	{"1 process was killed for lack of memory", 1, 0, {{NULL}}},
	/* Its cgroup has gone, and another one is no reason. */
	{"1 process was killed for lack of memory",
	 1,
	 0,
	 {{"/a.service", "max=7 oom=0 oom_kill=0", 64, 0}}},
	{"1 process was killed for lack of memory in a, at its memory limit of 64.0M",
	 1,
	 0,
	 {{"/a.service", "max=7 oom=1 oom_kill=1", 64, 0}}},
	/* It met its limit, but was not out of memory: the host was. */
	{"1 process was killed for lack of memory in a",
	 1,
	 5,
	 {{"/a.service", "max=7 oom=0 oom_kill=1", 64, 0}}},
	/* The kernel also counts events in the cgroups above. */
	{"3 processes were killed for lack of memory, 2 of them in a, at the memory limit of "
	 "batch.slice: 256M",
	 3,
	 0,
	 {{"/batch.slice", "max=9 oom=2 oom_kill=3", 256, 0},
	  {"/batch.slice/a.service", "max=0 oom=0 oom_kill=2", 512, 0},
	  {"/batch.slice/b.service", "max=0 oom=0 oom_kill=1", 512, 0}}},
	{"2 processes were killed for lack of memory in a, at its memory limit of 64.0M",
	 2,
	 0,
	 {{"/batch.slice", "max=9 oom=2 oom_kill=2", 256, 0},
	  {"/batch.slice/a.service", "max=9 oom=2 oom_kill=2", 64, 0}}},
	/* v1 counts for each cgroup alone, and attempts. */
	{"1 process was killed for lack of memory in a, at its memory limit of 64.0M",
	 1,
	 0,
	 {{"/batch.slice", "oom_kill=0", 0, 0}, {"/batch.slice/a.service", "oom_kill=1", 64, 80}}},
	{"1 process was killed for lack of memory in a",
	 1,
	 5,
	 {{"/a.service", "oom_kill=1", 64, 80}}},
	{"1 process was killed for lack of memory in a",
	 1,
	 0,
	 {{"/a.service", "oom_kill=1", 64, 0}}},
};

static Sample *capture(gsize i, gboolean is_after)
{
	Sample *sample = sample_new();

	sample_metric(sample, KILLS, CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST, "system");
	sample_metric(sample, SCANS, CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST, "system");
	sample_metric(sample, "memory.failcnt", CTPROF_COUNTER, CTPROF_UNIT_NONE,
		      CTPROF_SCOPE_CGROUP, "cgroup");
	sample_host(sample);
	sample_u64(sample, KILLS, is_after ? cases[i].kills : 0);
	sample_u64(sample, SCANS, is_after ? cases[i].scans : 0);
	for (const Group *group = cases[i].groups; group->path; group++) {
		sample_cgroup(sample, group->path);
		if (group->max > 0)
			sample_u64(sample, "memory.max", group->max << 20);
		/* Either v2 or v1. */
		if (g_str_has_prefix(group->events, "max"))
			sample_map(sample, "memory.events",
				   is_after ? group->events : "max=0 oom=0 oom_kill=0");
		else
			sample_map(sample, "memory.events",
				   is_after ? group->events : "oom_kill=0");
		if (!g_str_has_prefix(group->events, "max"))
			sample_u64(sample, "memory.failcnt", is_after ? group->failed : 0);
		sample_thread(sample, 10, 10, "app", "app", group->path);
		sample_u64(sample, "start_time_clock_ticks", 100);
	}
	return sample;
}

static void test_kills(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) before = capture(i, FALSE);
		g_autoptr(Sample) after = capture(i, TRUE);
		g_autofree char *sentence = sample_finding(before, after, SECONDS, "out-of-memory");

		g_assert_cmpstr(sentence, ==, cases[i].sentence);
	}
}

#define REFAULTS "system.vmstat.workingset_refault_file"
#define REFAULTS_ANON "system.vmstat.workingset_refault_anon"
#define STALLS "psi.memory.some.total_usec"

/* A cgroup of v1 that uses 90 MiB of 100, or one of v2. */
static const struct {
	const char *finding, *sentence; /* sentence NULL: not said */
	guint64 refaults, stalled_us;   /* of the host */
	Group group;
} limits[] = {
	/* It used all of its limit within the window, not only at its end. */
	{"memory-full",
	 "a uses 100 % of its memory limit of 100M, and 5.00k pages/s of the host were needed again "
	 "after reclaim",
	 50000,
	 900000,
	 {"/a.service", NULL, 100, 80}},
	{"memory-full", NULL, 50000, 900000, {"/a.service", NULL, 100, 0}},
	/* Caches of files fill any limit; it does harm if threads wait, or pages are needed again:
	 * a fast disk reads them so soon that threads hardly wait. */
	{"memory-full",
	 "a uses 100 % of its memory limit of 100M, and 5.00k pages/s of the host were needed again "
	 "after reclaim",
	 50000,
	 0,
	 {"/a.service", NULL, 100, 80}},
	{"memory-limit",
	 "a met its memory limit of 100M 7 times",
	 50000,
	 0,
	 {"/a.service", "max=7 oom=0 oom_kill=0", 100, 0}},
	{"memory-full", NULL, 500, 900000, {"/a.service", NULL, 100, 80}},
	{"memory-limit",
	 "a met its memory limit of 100M 7 times",
	 0,
	 900000,
	 {"/a.service", "max=7 oom=0 oom_kill=0", 100, 0}},
	{"memory-limit", NULL, 0, 90000, {"/a.service", "max=7 oom=0 oom_kill=0", 100, 0}},
};

static Sample *capture_limit(gsize i, gboolean is_after)
{
	const Group *group = &limits[i].group;
	Sample *sample = sample_new();

	sample_metric(sample, REFAULTS, CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST,
		      "system");
	sample_metric(sample, REFAULTS_ANON, CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST,
		      "system");
	sample_metric(sample, STALLS, CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_HOST, "psi");
	sample_metric(sample, "memory.failcnt", CTPROF_COUNTER, CTPROF_UNIT_NONE,
		      CTPROF_SCOPE_CGROUP, "cgroup");
	sample_host(sample);
	sample_u64(sample, REFAULTS, is_after ? limits[i].refaults : 0);
	sample_u64(sample, REFAULTS_ANON, 0);
	sample_u64(sample, STALLS, is_after ? limits[i].stalled_us : 0);
	sample_cgroup(sample, group->path);
	sample_u64(sample, "memory.max", group->max << 20);
	sample_u64(sample, "memory.current", 90 << 20);
	if (group->events)
		sample_map(sample, "memory.events", is_after ? group->events : "max=0");
	else
		sample_u64(sample, "memory.failcnt", is_after ? group->failed : 0);
	sample_thread(sample, 10, 10, "a", "a", group->path);
	sample_u64(sample, "start_time_clock_ticks", 100);
	return sample;
}

static void test_limits(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
		g_autoptr(Sample) before = capture_limit(i, FALSE);
		g_autoptr(Sample) after = capture_limit(i, TRUE);
		g_autofree char *sentence =
			sample_finding(before, after, SECONDS, limits[i].finding);

		g_assert_cmpstr(sentence, ==, limits[i].sentence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/analysis/digest/kills", test_kills);
	g_test_add_func("/analysis/digest/limits", test_limits);
	return g_test_run();
}
