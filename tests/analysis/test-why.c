/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the details that findings give about a pool: which of its members, and why; and that they
 * give none if the numbers do not show it. */
#include <string.h>

#include "ctprof/plugin.h"
#include "row/registry.h"
#include "sample.h"

#define SECONDS 10
#define S G_GUINT64_CONSTANT(1000000000)
#define MB G_GUINT64_CONSTANT(1000000)
#define CGROUP "/system.slice/web.service"
#define ABOVE "/system.slice"

static const struct {
	const char *name;
	guint32 kind, unit, scope;
} more[] = {
	{"stime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_THREAD},
	{"voluntary_csw", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"nonvoluntary_csw", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"open_wait_ns", CTPROF_LEVEL, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"wait_channel", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
	{"system.cpu.user", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.nice", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.system", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.irq", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.softirq", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.online", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgpgin", CTPROF_COUNTER, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST},
};

/* A cause of a pool's waiting: a pool that ran, or something else. */
typedef struct cell {
	const char *object, *kind, *running; /* kind NULL: the sum */
	guint64 ns, while_idle_ns;
} Cell;

/* The total activity of n threads in the window, each a process of its own, or all in one
 * process. */
typedef struct band {
	const char *pcomm, *comm; /* comm NULL: the same */
	gint32 tgid;
	guint n;
	gboolean is_one_process;
	guint64 run_ns, wait_ns, read_bytes, switches;
	guint64 system_ticks, user_ticks;
	guint64 kib[2];     /* of each process, at the start and the end */
	guint64 open_ns[2]; /* the wait that goes on; both 0: not known */
	const char *cpus, *policy, *place;
	const char *cgroup; /* NULL: CGROUP */
	gint nice;
	guint64 weight;       /* of the cgroup, by the first band; 0: unknown */
	char state;           /* 0: 'S' */
	Cell cells[7];        /* of the first band */
	const char *tunables; /* of the scheduler, by the first band; NULL: not known */
} Band;

static void add_thread(Sample *sample, const Band *band, guint i, gboolean is_after)
{
	gint32 tgid = band->tgid + (band->is_one_process ? 0 : (gint32)i);
	g_autofree char *pss = g_strdup_printf("Pss=%" G_GUINT64_FORMAT, band->kib[is_after]);
	const struct {
		const char *name;
		guint64 value;
	} counters[] = {{"run_time_ns", band->run_ns},
			{"wait_time_ns", band->wait_ns},
			{"timeslices", 1000},
			{"read_bytes", band->read_bytes},
			{"voluntary_csw", band->switches},
			{"nonvoluntary_csw", 0},
			{"utime_clock_ticks", band->user_ticks},
			{"stime_clock_ticks", band->system_ticks}};

	sample_thread(sample, tgid, band->tgid + (gint32)i, band->pcomm,
		      band->comm ? band->comm : band->pcomm, band->cgroup ? band->cgroup : CGROUP);
	for (guint c = 0; c < G_N_ELEMENTS(counters); c++)
		sample_u64(sample, counters[c].name, is_after ? counters[c].value : 0);
	sample_u64(sample, "start_time_clock_ticks", 100);
	sample_u64(sample, "state", (guint64)(band->state ? band->state : 'S'));
	sample_i64(sample, "nice", band->nice);
	sample_text(sample, "policy", band->policy ? band->policy : "SCHED_OTHER");
	sample_cpus(sample, "cpu_affinity", band->cpus ? band->cpus : "0 1 2 3");
	if (band->place)
		sample_text(sample, "wait_channel", band->place);
	if (band->open_ns[0] + band->open_ns[1] > 0)
		sample_u64(sample, "open_wait_ns", band->open_ns[is_after]);
	if (tgid == band->tgid + (gint32)i && band->kib[0] > 0)
		sample_map(sample, "smaps_rollup_kib", pss);
}

typedef struct scene {
	const char *finding, *sentence; /* sentence: the complete text after the name */
	guint64 busy_ticks, read_kib;
	Band bands[3];
} Scene;

static const struct {
	const char *name;
	guint32 kind, unit;
} matrix[] = {{"waited_ns", CTPROF_COUNTER, CTPROF_UNIT_NS},
	      {"waited_while_idle_ns", CTPROF_COUNTER, CTPROF_UNIT_NS},
	      {"waited_for_ns", CTPROF_COUNTER, CTPROF_UNIT_NS},
	      {"waiting_pool", CTPROF_LABEL, CTPROF_UNIT_TEXT},
	      {"running_pool", CTPROF_LABEL, CTPROF_UNIT_TEXT},
	      {"waited_for", CTPROF_LABEL, CTPROF_UNIT_TEXT}};

static void add_cell(Sample *sample, const char *waiting, const Cell *cell)
{
	sample_object(sample, "latency-matrix", cell->object);
	sample_text(sample, "waiting_pool", waiting);
	sample_u64(sample, cell->kind ? "waited_for_ns" : "waited_ns", cell->ns);
	if (!cell->kind)
		sample_u64(sample, "waited_while_idle_ns", cell->while_idle_ns);
	else
		sample_text(sample, "waited_for", cell->kind);
	if (cell->running)
		sample_text(sample, "running_pool", cell->running);
}

static Sample *capture(const Scene *scene, gboolean is_after)
{
	static const char *const idle[] = {"system.cpu.nice", "system.cpu.system", "system.cpu.irq",
					   "system.cpu.softirq"};
	Sample *sample = sample_new();

	for (guint i = 0; i < G_N_ELEMENTS(more); i++)
		if (strcmp(more[i].name, "wait_channel") != 0 || scene->bands[0].place)
			sample_metric(sample, more[i].name, more[i].kind, more[i].unit,
				      more[i].scope,
				      more[i].scope == CTPROF_SCOPE_HOST ? "system" : "sched");
	for (guint i = 0; i < G_N_ELEMENTS(matrix) && scene->bands[0].cells[0].object; i++)
		sample_metric(sample, matrix[i].name, matrix[i].kind, matrix[i].unit,
			      CTPROF_SCOPE_OBJECT, "latency-matrix");
	sample_host(sample);
	for (guint i = 0; i < G_N_ELEMENTS(idle); i++)
		sample_u64(sample, idle[i], 0);
	sample_u64(sample, "system.cpu.user", is_after ? scene->busy_ticks : 0);
	sample_u64(sample, "system.cpu.online", 4);
	sample_u64(sample, "system.vmstat.pgpgin", is_after ? scene->read_kib : 0);
	if (scene->bands[0].tunables)
		sample_map(sample, "host.sched_tunables", scene->bands[0].tunables);
	if (scene->bands[0].weight) {
		sample_cgroup(sample, ABOVE);
		sample_u64(sample, "cpu.weight", scene->bands[0].weight);
		sample_cgroup(sample, CGROUP);
		sample_u64(sample, "cpu.weight", 100);
	}
	for (guint b = 0; b < G_N_ELEMENTS(scene->bands) && scene->bands[b].pcomm; b++)
		for (guint i = 0; i < scene->bands[b].n; i++)
			add_thread(sample, &scene->bands[b], i, is_after);
	for (const Cell *cell = scene->bands[0].cells; is_after && cell->object; cell++)
		add_cell(sample, scene->bands[0].pcomm, cell);
	return sample;
}

static char *sentence_of(const Scene *scene)
{
	g_autoptr(Sample) before = capture(scene, FALSE);
	g_autoptr(Sample) after = capture(scene, TRUE);

	return sample_finding(before, after, SECONDS, scene->finding);
}

static const Scene scenes[] = {
	/* ---- who ---- */
	{"busiest",
	 "app uses the most CPU (0.97 of 4), 98 % of it in hot[50]",
	 97,
	 0,
	 {{"app", NULL, 10, .n = 8, .is_one_process = TRUE, .run_ns = S / 50},
	  {"app", "hot", 50, .n = 1, .run_ns = 95 * S / 10}}},
	/* Two threads share it, so neither is named. */
	{"busiest",
	 "app uses the most CPU (0.96 of 4)",
	 96,
	 0,
	 {{"app", NULL, 10, .n = 8, .run_ns = 0},
	  {"app", "hot", 50, .n = 2, .run_ns = 48 * S / 10}}},
	/* A single process has all of it. */
	{"busiest",
	 "app uses the most CPU (0.96 of 4)",
	 96,
	 0,
	 {{"app", NULL, 10, .n = 8, .is_one_process = TRUE, .run_ns = 12 * S / 10}}},
	/* A process of several threads, none of which has most of it. */
	{"busiest",
	 "app uses the most CPU (2 of 4), 100 % of it in app[10]",
	 2000,
	 0,
	 {{"app", NULL, 10, .n = 4, .is_one_process = TRUE, .run_ns = 5 * S},
	  {"app", NULL, 50, .n = 4}}},
	{"uses-cpu",
	 "app uses 0.90 CPU, 90 % of it in the kernel",
	 2900,
	 0,
	 {{"front", NULL, 50, .n = 2, .run_ns = 10 * S},
	  {"app", NULL, 10, .n = 1, .run_ns = 9 * S, .system_ticks = 900, .user_ticks = 100}}},
	/* A fifth of what the first one uses. */
	{"uses-cpu",
	 NULL,
	 3600,
	 0,
	 {{"front", NULL, 50, .n = 3, .run_ns = 10 * S},
	  {"app", NULL, 10, .n = 1, .run_ns = 6 * S}}},
	{"disk-io",
	 "app does the disk reads: 9.77M/s of 9.77M/s, 100 % of it in app[50], 0 switches/s",
	 0,
	 100000,
	 {{"app", NULL, 10, .n = 8}, {"app", NULL, 50, .n = 1, .read_bytes = 105 * MB}}},
	{"grew",
	 "the memory of app grew by 97.7M to 129M, 586M a minute, 100 % of it in app[50]",
	 0,
	 0,
	 {{"app", NULL, 10, .n = 7, .kib = {1000, 1000}},
	  {"app", NULL, 50, .n = 1, .kib = {25000, 125000}}}},
	/* ---- why ---- */
	{"busiest",
	 "app uses the most CPU (1 of 4), and queues, all on CPU 3, 3 of 4 CPUs idle: 1 of its 2 "
	 "threads, 5.00ms a turn",
	 1000,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 5 * S, .wait_ns = 5 * S, .cpus = "3"}}},
	{"wants-cpu",
	 "app wants up to 8 CPUs and gets 1, all on CPU 3, 3 of 4 CPUs idle: 7 of its 8 threads wait for "
	 "a CPU, 8.75ms a turn",
	 1000,
	 0,
	 {{"app", NULL, 10, .n = 8, .run_ns = 125 * S / 100, .wait_ns = 875 * S / 100,
	   .cpus = "3"}}},
	{"starved",
	 "app is starved, not busy, at nice 19, while front ran 4 CPU: 2 of its 2 threads wait for "
	 "a CPU, 10.0ms a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19,
	   .tunables = "sched_autogroup_enabled=0"},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* With autogroups, the kernel weighs nice values and SCHED_IDLE within a session only. */
	{"starved",
	 "app is starved, not busy, while front ran 4 CPU: 2 of its 2 threads wait for a CPU, 10.0ms "
	 "a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19,
	   .tunables = "sched_autogroup_enabled=1 sched_schedstats=0"},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S, .nice = -5}}},
	/* The weight of the cgroup above counts as well, if others have more. */
	{"starved",
	 "app is starved, not busy, at cpu.weight 1, while front ran 4 CPU: 2 of its 2 threads wait for "
	 "a CPU, 10.0ms a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .weight = 1},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S, .cgroup = "/other"}}},
	{"starved",
	 "app is starved, not busy, while front ran 4 CPU: 2 of its 2 threads wait for a CPU, 10.0ms "
	 "a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .weight = 1},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	{"starved",
	 "app is starved, not busy: 2 of its 2 threads wait for a CPU, 10.0ms a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .weight = 100}}},
	/* Most was used by threads that are in no pool, at an unknown nice value. */
	{"starved",
	 "app is starved, not busy: 2 of its 2 threads wait for a CPU, 10.0ms a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19},
	  {"front", NULL, 50, .n = 2, .run_ns = 9 * S}}},
	/* The pool that uses most uses little of what all others do. */
	{"starved",
	 "app is starved, not busy, at nice 19: 2 of its 2 threads wait for a CPU, 10.0ms a turn, "
	 "for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19},
	  {"front", NULL, 50, .n = 2, .run_ns = 8 * S},
	  {"other", NULL, 80, .n = 2, .run_ns = 6 * S}}},
	/* Its nice value is no reason beside others of the same. */
	{"starved",
	 "app is starved, not busy, while front ran 4 CPU: 2 of its 2 threads wait for a CPU, 10.0ms "
	 "a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S, .nice = 19}}},
	{"starved",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .policy = "SCHED_DEADLINE"},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* A thread that may run elsewhere did not necessarily run there; one bound to that CPU
	 * did. */
	{"starved",
	 "app is starved, not busy, all on CPU 3, 1 of 4 CPUs idle, while hog ran 1 CPU there, under "
	 "SCHED_FIFO: 2 of its 2 threads wait for a CPU, 10.0ms a turn, for 0 CPU",
	 3000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .cpus = "3",
	   .tunables = "sched_autogroup_enabled=1"},
	  {"front", NULL, 50, .n = 8, .run_ns = 25 * S / 10},
	  {"hog", NULL, 80, .n = 1, .run_ns = 10 * S, .cpus = "3", .policy = "SCHED_FIFO"}}},
	/* The kernel counts a wait when it ends: these have not ended, ... */
	{"starved",
	 "app is starved, not busy, under SCHED_IDLE, while front ran 4 CPU: 2 of its 2 threads wait "
	 "for a CPU, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .state = 'R', .policy = "SCHED_IDLE"},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* ... and the waits of two of these threads began before the window. */
	{"starved",
	 "app is starved, not busy, while front ran 4 CPU: 2 of its 4 threads wait for a CPU, 12.5ms "
	 "a turn, for 0 CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 25 * S, .state = 'R'},
	  {"app", NULL, 20, .n = 2},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* A thread that slept meanwhile may or may not have waited. */
	{"starved", NULL, 0, 0, {{"app", NULL, 10, .n = 2, .state = 'R', .switches = 1}}},
	/* It did if the wait that goes on was read. */
	{"starved",
	 "app is starved, not busy, while front ran 4 CPU: 2 of its 2 threads wait for a CPU, for 0 "
	 "CPU",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .state = 'R', .switches = 1, .open_ns = {0, 10 * S}},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* A wait that began before the window does not count as a whole. */
	{"starved",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 12 * S, .switches = 1, .open_ns = {11 * S, 0}},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* Nor does a sleep that the kernel takes for a wait. */
	{"starved",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .open_ns = {0, 10 * S}},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* Time that interrupts and a hypervisor take is not waiting. */
	{"busiest",
	 "app uses the most CPU (1.80 of 4)",
	 1800,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 9 * S, .state = 'R'}}},
	{"busiest",
	 "app uses the most CPU (0.99 of 4), 90 % of it in the kernel, under SCHED_BATCH",
	 99,
	 0,
	 {{"app", NULL, 10, .n = 1, .run_ns = 99 * S / 10, .system_ticks = 900, .user_ticks = 100,
	   .policy = "SCHED_BATCH"}}},
	{"stuck",
	 "app is stuck or frozen: 5 of its 5 threads are in uninterruptible sleep (D) all the time, in "
	 "fuse_open",
	 0,
	 0,
	 {{"app", NULL, 10, .n = 5, .state = 'D', .place = "fuse_open"}}},
	{"stuck",
	 "app is stuck or frozen: 5 of its 6 threads are in uninterruptible sleep (D) all the time "
	 "(--groups=wait shows where)",
	 0,
	 0,
	 {{"app", NULL, 10, .n = 5, .state = 'D'}, {"app", NULL, 50, .n = 1}}},
	/* ---- what ran meanwhile ---- */
	{"starved",
	 "app is starved, not busy, at nice 19: 2 of its 2 threads wait for a CPU, 10.0ms a turn, for "
	 "0 CPU; meanwhile cc1 ran 60 % of that time, threads of its own 20 %, the remaining "
	 "pools 8 %, interrupts or the hypervisor 7 %; 5 % of it is not known; 25 % while a CPU was idle",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .wait_ns = 10 * S, .nice = 19,
	   .cells = {{"app", NULL, NULL, 20 * S, 5 * S},
		     {"app: cc1", "pool", "cc1", 12 * S, 0},
		     {"app: app", "pool", "app", 4 * S, 0},
		     {"app: (other pools)", "other pools", NULL, 16 * S / 10, 0},
		     {"app: (interrupts)", "interrupts", NULL, 14 * S / 10, 0},
		     {"app: (another CPU)", "another CPU", NULL, S, 0}}},
	  {"front", NULL, 50, .n = 8, .run_ns = 5 * S}}},
	/* A process has the name of something else; and throttled threads do not wait for a CPU. */
	{"waits-for-cpu",
	 "app waits for a CPU: 1 of its 2 threads, 10.0ms a turn; meanwhile (idle) ran 80 % of that "
	 "time, no thread at all 20 %",
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 9 * S, .wait_ns = 10 * S,
	   .cells = {{"app", NULL, NULL, 20 * S, 0},
		     {"app: '(idle)'", "pool", "(idle)", 8 * S, 0},
		     {"app: (idle)", "idle", NULL, 2 * S, 0},
		     {"app: (throttled)", "throttled", NULL, 10 * S, 0}}}}},
	/* A quarter is unknown; half of the time is missing; the parts add up to too little. */
	{"waits-for-cpu",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 9 * S, .wait_ns = 10 * S,
	   .cells = {{"app", NULL, NULL, 20 * S, 0},
		     {"app: cc1", "pool", "cc1", 15 * S, 0},
		     {"app: (unknown)", "unknown", NULL, 5 * S, 0}}}}},
	{"waits-for-cpu",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 9 * S, .wait_ns = 10 * S,
	   .cells = {{"app", NULL, NULL, 10 * S, 0}, {"app: cc1", "pool", "cc1", 10 * S, 0}}}}},
	{"waits-for-cpu",
	 NULL,
	 4000,
	 0,
	 {{"app", NULL, 10, .n = 2, .run_ns = 9 * S, .wait_ns = 10 * S,
	   .cells = {{"app", NULL, NULL, 20 * S, 0}, {"app: cc1", "pool", "cc1", 15 * S, 0}}}}},
	/* A thread runs between two waits for a disk. */
	{"stuck", NULL, 0, 0, {{"app", NULL, 10, .n = 5, .state = 'D', .switches = 1}}},
};

static void test_why(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(scenes); i++) {
		g_autofree char *sentence = sentence_of(&scenes[i]);

		g_assert_cmpstr(sentence, ==, scenes[i].sentence);
	}
}

static const struct lock_case {
	const char *finding, *sentence;
	guint64 waiters[2], deadlock;                    /* 0: there is no such lock */
	const char *kind, *holder, *state, *next, *name; /* name NULL: "app[10] 0x10" */
} lock_cases[] = {
	{"lock",
	 "7 threads wait for a mutex of app[10], held by worker[12], which sleeps",
	 {9, 7},
	 0,
	 "mutex",
	 "worker[12]",
	 "S",
	 NULL,
	 NULL},
	{"lock",
	 "9 threads wait for a rwlock of app[10], held by worker[12], which waits for app[10] 0x20",
	 {9, 9},
	 0,
	 "rwlock",
	 "worker[12]",
	 "S",
	 "app[10] 0x20",
	 NULL},
	{"lock",
	 "2 threads wait for a lock of file 0:25:33 POSIX, held by writer[12], which runs or waits "
	 "for a CPU",
	 .waiters = {2, 2}, .kind = "POSIX", .holder = "writer[12]", .state = "R",
	 .name = "file 0:25:33 POSIX 7"},
	/* At a single moment, some thread waits for almost any lock. */
	{"lock", NULL, {0, 9}, 0, "mutex", "worker[12]", "S", NULL, NULL},
	{"lock", NULL, {9, 1}, 0, "mutex", "worker[12]", "S", NULL, NULL},
	/* This is a condition variable, or a pool without work. */
	{"lock", NULL, {9, 9}, 0, "futex", NULL, NULL, NULL, NULL},
	{"lock", NULL, {9, 9}, 0, "pthread_join", "worker[12]", "S", NULL, NULL},
	{"deadlock",
	 "deadlock: 3 threads of app[10] wait for each other in a cycle, among them worker[12]",
	 {1, 1},
	 3,
	 "mutex",
	 "worker[12]",
	 "S",
	 "app[10] 0x20",
	 NULL},
	{"lock", NULL, {9, 9}, 3, "mutex", "worker[12]", "S", "app[10] 0x20", NULL},
};

static Sample *capture_lock(const struct lock_case *lock, gboolean is_after)
{
	static const struct {
		const char *name;
		guint32 kind, unit;
	} metrics[] = {{"lock_waiters", CTPROF_LEVEL, CTPROF_UNIT_NONE},
		       {"lock_deadlock", CTPROF_LEVEL, CTPROF_UNIT_NONE},
		       {"lock_kind", CTPROF_CATEGORY, CTPROF_UNIT_TEXT},
		       {"lock_holder", CTPROF_LABEL, CTPROF_UNIT_TEXT},
		       {"lock_holder_state", CTPROF_LABEL, CTPROF_UNIT_TEXT},
		       {"lock_holder_waits_for", CTPROF_LABEL, CTPROF_UNIT_TEXT}};
	const char *const texts[] = {lock->kind, lock->holder, lock->state, lock->next};
	Sample *sample = sample_new();

	for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
		sample_metric(sample, metrics[i].name, metrics[i].kind, metrics[i].unit,
			      CTPROF_SCOPE_OBJECT, "lock");
	sample_thread(sample, 10, 10, "app", "app", CGROUP);
	sample_u64(sample, "start_time_clock_ticks", 100);
	if (lock->waiters[is_after] == 0)
		return sample;
	sample_object(sample, "lock", lock->name ? lock->name : "app[10] 0x10");
	sample_u64(sample, "lock_waiters", lock->waiters[is_after]);
	if (lock->deadlock > 0)
		sample_u64(sample, "lock_deadlock", lock->deadlock);
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		if (texts[i])
			sample_text(sample, metrics[i + 2].name, texts[i]);
	return sample;
}

static void test_locks(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(lock_cases); i++) {
		g_autoptr(Sample) before = capture_lock(&lock_cases[i], FALSE);
		g_autoptr(Sample) after = capture_lock(&lock_cases[i], TRUE);
		g_autofree char *sentence =
			sample_finding(before, after, SECONDS, lock_cases[i].finding);

		g_assert_cmpstr(sentence, ==, lock_cases[i].sentence);
	}
}

/* Returns a cgroup at its limit whose events are unknown, with pages that are read back. */
static Sample *capture_full(gboolean is_after, guint64 scans, guint64 used, guint64 failed)
{
	const struct {
		const char *name;
		guint32 unit;
		guint64 value;
	} host[] = {{"psi.memory.some.total_usec", CTPROF_UNIT_US, failed ? 0 : 200000},
		    {"system.vmstat.workingset_refault_file", CTPROF_UNIT_NONE, 20000},
		    {"system.vmstat.workingset_refault_anon", CTPROF_UNIT_NONE, 0},
		    {"system.vmstat.pgmajfault", CTPROF_UNIT_NONE, 0},
		    {"system.vmstat.pgscan_direct", CTPROF_UNIT_NONE, scans},
		    {"system.vmstat.pgscan_kswapd", CTPROF_UNIT_NONE, 0}};
	Sample *sample = sample_new();

	for (guint i = 0; i < G_N_ELEMENTS(host); i++)
		sample_metric(sample, host[i].name, CTPROF_COUNTER, host[i].unit, CTPROF_SCOPE_HOST,
			      "system");
	sample_metric(sample, "memory.failcnt", CTPROF_COUNTER, CTPROF_UNIT_NONE,
		      CTPROF_SCOPE_CGROUP, "cgroup");
	sample_host(sample);
	for (guint i = 0; i < G_N_ELEMENTS(host); i++)
		sample_u64(sample, host[i].name, is_after ? host[i].value : 0);
	sample_cgroup(sample, CGROUP);
	sample_u64(sample, "memory.max", 100 << 20);
	sample_u64(sample, "memory.current", used);
	sample_u64(sample, "memory.failcnt", is_after ? failed : 0);
	sample_thread(sample, 10, 10, "app", "app", CGROUP);
	sample_u64(sample, "start_time_clock_ticks", 100);
	return sample;
}

static void test_memory(void)
{
	static const struct {
		guint64 scans, used, failed;
		const char *finding, *sentence;
	} memory_cases[] = {
		{0, 99 << 20, 0, "memory-full",
		 "app (web) uses 99 % of its memory limit of 100M, and 2.00k pages/s of the host "
		 "were needed again after reclaim"},
		{0, 90 << 20, 0, "memory-full", NULL},
		/* It met its limit in the window, and threads hardly waited. */
		{0, 90 << 20, 7, "memory-full",
		 "app (web) uses 100 % of its memory limit of 100M, and 2.00k pages/s of the host "
		 "were needed again after reclaim"},
		/* The host reclaims nothing, so it is not short of memory. */
		{0, 90 << 20, 0, "memory-short", NULL},
		{20000, 90 << 20, 0, "memory-short",
		 "memory is short: 2.00k pages/s were needed again after reclaim, 0 major "
		 "faults/s"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(memory_cases); i++) {
		g_autoptr(Sample) before = capture_full(
			FALSE, memory_cases[i].scans, memory_cases[i].used, memory_cases[i].failed);
		g_autoptr(Sample) after = capture_full(
			TRUE, memory_cases[i].scans, memory_cases[i].used, memory_cases[i].failed);
		g_autofree char *sentence =
			sample_finding(before, after, SECONDS, memory_cases[i].finding);

		g_assert_cmpstr(sentence, ==, memory_cases[i].sentence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/analysis/digest/why", test_why);
	g_test_add_func("/analysis/digest/locks", test_locks);
	g_test_add_func("/analysis/digest/memory", test_memory);
	return g_test_run();
}
