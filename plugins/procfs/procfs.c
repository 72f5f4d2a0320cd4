/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "procfs.h"

#include <errno.h>
#include <stdlib.h>

#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "hold.h"
#include "instance.h"
#include "need.h"
#include "probe.h"

struct worker {
	struct reader reader;
	/* The memory of each process, read by the ladder. */
	struct smaps_slots slots;
	struct smaps_ladder ladder;
};

static int procfs_open(const struct ctprof_host *host, void **ret_self)
{
	struct procfs *made = instance_new(host, sizeof *made);

	if (!made)
		return -ENOMEM;
	smaps_limits_configure(&made->limits, host);
	int r = plan_register(&made->plan, host);
	if (r == 0)
		r = tally_register(host, made->summary);
	(void)pthread_mutex_init(&made->lock, NULL);
	still_init(&made->still);
	return instance_give(made, r, ret_self);
}

static void procfs_close(void *self)
{
	struct procfs *procfs = self;

	still_clear(&procfs->still);
	plan_clear(&procfs->plan);
	(void)pthread_mutex_destroy(&procfs->lock);
	instance_free(procfs);
}

static int procfs_probe(void *self)
{
	const struct procfs *procfs = self;

	probe_groups(procfs->plan.host);
	return 0;
}

static int procfs_start(void *self)
{
	struct procfs *procfs = self;

	plan_settle(&procfs->plan);
	return 0;
}

static void free_worker(struct worker **worker)
{
	if (!*worker)
		return;
	smaps_ladder_clear(&(*worker)->ladder);
	reader_clear(&(*worker)->reader);
	free(*worker);
}

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	struct worker *worker = self;

	/* A spent budget is not a failure of the file. */
	if (answer->err)
		tally_failure(&worker->reader.tally, FILE_SMAPS, answer->err);
	smaps_put(worker->reader.plan->host, batch, &worker->slots, answer);
}

static const struct smaps_use smaps_use = {SMAPS_USE_SUMS, .answer = take_answer};

static int procfs_worker_open(void *self, uint32_t number, void **ret_context)
{
	struct procfs *procfs = self;
	__attribute__((cleanup(free_worker))) struct worker *made = calloc(1, sizeof *made);
	int r = made ? reader_init(&made->reader, &procfs->plan, &procfs->still) : -ENOMEM;

	(void)number;
	if (r < 0) {
		procfs->plan.host->error(procfs->plan.host, "out of memory");
		return r;
	}
	made->slots = (struct smaps_slots){
		.map = procfs->plan.slots[METRIC_SMAPS_MAP],
		.state = procfs->plan.slots[METRIC_SMAPS_STATE],
		.source = procfs->plan.slots[METRIC_SMAPS_SOURCE],
	};
	smaps_ladder_init(&made->ladder, procfs->plan.host, &procfs->limits, SMAPS_AUTO, &smaps_use,
			  made);
	*ret_context = made;
	made = NULL;
	return 0;
}

static void procfs_worker_close(void *self, void *context)
{
	struct procfs *procfs = self;
	__attribute__((cleanup(free_worker))) struct worker *worker = context;

	HOLD(&procfs->lock);
	tally_merge(&procfs->tally, &worker->reader.tally);
}

static int collect_threads(struct worker *worker, struct ctprof_batch *batch)
{
	const struct plan *plan = worker->reader.plan;
	bool climbs = plan->n_wanted[FILE_SMAPS] > 0;
	int r = smaps_ladder_begin(&worker->ladder, climbs ? batch->n : 0);

	if (r < 0) {
		plan->host->error(plan->host, "out of memory");
		return r;
	}
	reader_begin(&worker->reader);
	for (uint64_t row = 0; row < batch->n; row++) {
		bool leader = ctprof_batch_target(batch, row)->flags & CTPROF_TARGET_LEADER;
		struct stat_line line;

		if (!reader_read_thread(&worker->reader, batch, row, &line))
			plan->host->vanished(batch, row);
		/* Read it only if no earlier source has filled its memory. */
		else if (leader && climbs &&
			 !smaps_is_filled(plan->host, batch, row, &worker->slots))
			smaps_ladder_add(&worker->ladder,
					 (struct smaps_want){.row = row,
							     .kernel_thread = line.kernel_thread,
							     .exited = line.state == 'Z' ||
								       line.state == 'X'});
	}
	/* These come last, so that files that may wait for a lock do not delay others. */
	smaps_ladder_finish(&worker->ladder, batch);
	return 0;
}

static int procfs_collect(void *self, void *context, struct ctprof_batch *batch)
{
	struct procfs *procfs = self;

	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(context, batch);
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		tally_put(&procfs->tally, procfs->plan.host, batch, procfs->summary);
	return 0;
}

/* Marks the other inputs of the values of a thread that does not run: the set of values that are
 * read, and the state of sched_ext. */
static uint64_t mark_setting(const struct plan *plan)
{
	static const char *const files[] = {"kernel/sched_ext/state",
					    "kernel/sched_ext/enable_seq"};
	char text[64];
	uint64_t mark = still_mark(0, plan->n_wanted, N_READ_FILES);

	mark = still_mark(mark, plan->wanted, N_READ_FILES * sizeof plan->wanted[0]);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		ssize_t got =
			file_read_root(plan->host, CTPROF_ROOT_SYS, files[i], text, sizeof text);

		mark = still_mark(mark, text, got > 0 ? (size_t)got : 0);
	}
	return mark;
}

/* Whether sched also changes for threads that do not run: some statistics count what the scheduler
 * does with such threads, and it ages the averages of a thread that it moves. */
static bool sched_changes(const struct plan *plan)
{
	const struct ctprof_host *host = plan->host;
	char text[8] = "";

	if (host->wanted(host, plan->slots[plan->index.util_est - 1]))
		return true;
	return file_read_root(host, CTPROF_ROOT_PROC, "sys/kernel/sched_schedstats", text,
			      sizeof text) > 0 &&
	       text[0] != '0';
}

static int procfs_again(void *self)
{
	struct procfs *procfs = self;

	plan_settle(&procfs->plan);
	procfs->still.sched_changes = sched_changes(&procfs->plan);
	still_again(&procfs->still, mark_setting(&procfs->plan));
	procfs->tally = (struct tally){0};
	smaps_limits_again(&procfs->limits);
	return 0;
}

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(FILE, "proc/<tgid>/task/<tid>/stat",
		    "existence, start, policy, CPU time and faults"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/comm", "names of threads"),
	NEED_PARTLY(FILE, "proc/<tgid>/comm", "names of processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cgroup", "cgroups of threads"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/schedstat", "run time and run-queue wait"),
	NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/self/cgroup", "whether controllers are in cgroup v1"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status", "state, context switches and users"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/sched", "wakeups, migrations, waits and sleeps"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/io", "bytes and calls of reads and writes"),
	NEED_PARTLY(FILE, "proc/<tgid>/stat", "process_minflt to process_stime_clock_ticks"),
	NEED_PARTLY(FILE, "proc/<tgid>/io", "process_rchar to process_cancelled_write_bytes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps_rollup", "memory of processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps", "memory before Linux 4.14"),
	NEED_PARTLY(FILE, "proc/sys/kernel/sched_schedstats", "whether the statistics are on"),
	NEED_PARTLY(FILE, "sys/kernel/sched_ext/state",
		    "whether values of the previous sample may still be valid"),
	NEED_PARTLY(FILE, "sys/kernel/sched_ext/enable_seq", "whether a scheduler was loaded"),
	NEED_PARTLY(KCONFIG, "CONFIG_SCHED_INFO", "run time and run-queue wait"),
	NEED_PARTLY(KCONFIG, "CONFIG_SCHEDSTATS", "wakeups, migrations, waits and sleeps"),
	NEED_PARTLY(KCONFIG, "CONFIG_TASK_IO_ACCOUNTING", "io"),
	NEED_PARTLY(KCONFIG, "CONFIG_PROC_PAGE_MONITOR", "memory of processes"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "io and memory of other users' threads"),
	NEED_PARTLY(CAPABILITY, "CAP_DAC_READ_SEARCH",
		    "io of other users' threads, together with CAP_SYS_PTRACE"),
	NEED_PARTLY(CAPABILITY, "CAP_PERFMON",
		    "memory of other users' processes, since Linux 6.15"),
	NEED_PARTLY(SYSCTL, "kernel.sched_schedstats", "1: wakeups, migrations, waits and sleeps"),
};

static const struct ctprof_option options[] = {SMAPS_OPTIONS};

SOURCE_PLUGIN("procfs", PER_WORKER, MODERATE,
	      "Names, scheduling, I/O and memory of threads from procfs",
	      SOURCE_OPS(.open = procfs_open, .close = procfs_close, .probe = procfs_probe,
			 .start = procfs_start, .worker_open = procfs_worker_open,
			 .worker_close = procfs_worker_close, .collect = procfs_collect,
			 .again = procfs_again),
	      SOURCE_OPTIONS(options), .preference = 20)
