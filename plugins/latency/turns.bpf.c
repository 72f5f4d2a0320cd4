/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the turns of every thread: how long it waited for a CPU, and how long it then ran.  Both
 * are differences of the kernel's own counters, taken when the thread is switched out.  Therefore
 * no clock is read, and a missed switch merges two turns but loses no time.  Times taken at
 * tracepoints differ from the kernel's by up to 25 %, as the clock of a run queue is late after a
 * wakeup.
 */
#include "bpf-kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "ctprof/histogram.h"
#include "turns.h"
#include "waits.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct turns);
} storage SEC(".maps");

/* The one of the two that the reader wants; the other is not even compiled. */
const volatile bool counts_turns = 1;
const volatile bool charges_waits = 0;

/* Set by the reader. */
__u32 pass;         /* enum turn_pass */
__u64 began_ns;     /* CLOCK_MONOTONIC at which counting began */
__u64 budget_parts; /* the CPU time that the programs may take, in millionths; 0: no limit */

__u32 is_over_budget;
struct turn_cost costs[COST_CPUS];

static __always_inline bool is_runnable(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state == 0;
	return ((struct task_struct___old *)task)->state == 0;
}

/* Stores the current counters. */
static __always_inline void set_base(struct turns *turns, struct task_struct *task)
{
	turns->run_delay = task->sched_info.run_delay;
	turns->pcount = task->sched_info.pcount;
	turns->exec = task->se.sum_exec_runtime;
	turns->base_switches = task->nvcsw + task->nivcsw;
}

/* Begins to count for a thread, unless another CPU is doing so. */
static __always_inline void begin(struct turns *turns, struct task_struct *task)
{
	if (__sync_val_compare_and_swap(&turns->state, TURNS_UNBASED, TURNS_BASING) !=
	    TURNS_UNBASED)
		return;
	set_base(turns, task);
	__sync_lock_test_and_set(&turns->state, TURNS_BASED);
}

static __always_inline void count(struct turns *turns, __u32 histogram, __u64 ns)
{
	__u32 bucket = ctprof_bucket_of(ns);

	if (bucket >= TURN_BUCKETS)
		bucket = TURN_BUCKETS - 1;
	turns->counts[histogram][bucket]++;
}

/* A thread is switched out by one CPU at a time, so nothing is atomic. */
static __always_inline void end_turn(struct turns *turns, struct task_struct *prev, bool preempted)
{
	__u64 run_delay = prev->sched_info.run_delay, pcount = prev->sched_info.pcount;
	__u64 exec = prev->se.sum_exec_runtime;
	__u64 wait = run_delay - turns->run_delay, slice = exec - turns->exec;
	__u64 n = pcount - turns->pcount;

	turns->run_delay = run_delay;
	turns->pcount = pcount;
	turns->exec = exec;
	turns->wait_ns += wait;
	turns->slice_ns += slice;
	turns->switches++;
	/* n is 0 if the thread was on the CPU when counting began. */
	if (n > 0) {
		turns->merged += n - 1;
		if (turns->preempted)
			count(turns, TURN_PREEMPTED, wait);
		else
			count(turns, TURN_WOKEN, wait);
	}
	count(turns, TURN_SLICE, slice);
	turns->preempted = preempted;
}

static __always_inline void count_switch(struct task_struct *prev, bool preempted)
{
	struct turns *turns = bpf_task_storage_get(&storage, prev, 0, 0);

	if (!turns)
		return;
	if (turns->state == TURNS_BASED) {
		end_turn(turns, prev, preempted);
	} else {
		begin(turns, prev);
		turns->preempted = preempted;
	}
}

/* Compares the share of one CPU's time, extrapolated from the timed switches. */
static __always_inline void check_budget(const struct turn_cost *cost, __u64 now)
{
	__u64 spent = cost->timed_ns * COST_EVERY;

	/* Not in the first second, when a few switches would decide. */
	if (budget_parts && now - began_ns > 1000000000u &&
	    spent * 1000000u / (now - began_ns) > budget_parts)
		is_over_budget = 1;
}

static __always_inline void note(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	/* The argument alone misses returns to user mode. */
	bool preempted = ctx[0] || is_runnable(prev);

	if (counts_turns && prev->pid)
		count_switch(prev, preempted);
	if (charges_waits)
		charge_switch(prev, next, preempted);
}

SEC("tp_btf/sched_switch")
int note_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	__u32 cpu = bpf_get_smp_processor_id();

	/* An idle CPU's thread has no turns. */
	if ((prev->pid == 0 && !charges_waits) || is_over_budget)
		return 0;
	struct turn_cost *cost = &costs[cpu & (COST_CPUS - 1)];
	if (cost->switches++ % COST_EVERY) {
		note(ctx);
		return 0;
	}
	__u64 before = bpf_ktime_get_ns();
	note(ctx);
	__u64 after = bpf_ktime_get_ns();
	/* Longer times are not the program's: the hypervisor ran something else. */
	if (after - before > COST_MOST_NS)
		return 0;
	cost->timed++;
	cost->timed_ns += after - before;
	check_budget(cost, after);
	return 0;
}

static __always_inline struct turns *turns_of(struct task_struct *task, __u64 flags)
{
	return counts_turns ? bpf_task_storage_get(&storage, task, 0, flags) : 0;
}

/* copy_process(): without the lock of a run queue, where memory may be taken. */
SEC("tp_btf/task_newtask")
int note_start(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct turns *turns = turns_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (charges_waits)
		bpf_task_storage_get(&waiters, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	/* Its counters begin at 0. */
	if (turns)
		turns->state = TURNS_BASED;
	return 0;
}

static __always_inline void hand_out(struct seq_file *seq, struct task_struct *task,
				     struct turns *turns)
{
	struct turn_record record = {
		.tid = (__u32)task->pid,
		.tgid = (__u32)task->tgid,
		.state = turns->state,
		.has_turns = turns->switches > 0,
		.open_wait_ns = task->sched_info.run_delay - turns->run_delay,
		.open_slice_ns = task->se.sum_exec_runtime - turns->exec,
		.switches = task->nvcsw + task->nivcsw - turns->base_switches,
	};

	bpf_seq_write(seq, &record, sizeof record);
	if (record.has_turns)
		bpf_seq_write(seq, turns, sizeof *turns);
}

SEC("iter/task")
int visit_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	struct turns *turns =
		turns_of(task, pass == PASS_CREATE ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (pass == PASS_CREATE && charges_waits)
		create_waiter(task);
	if (pass == PASS_BASE && turns)
		begin(turns, task);
	if (pass == PASS_READ && turns)
		hand_out(ctx->meta->seq, task, turns);
	return 0;
}

/* The helpers require it. */
char LICENSE[] SEC("license") = "GPL";
