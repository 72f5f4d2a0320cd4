/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the turns of every thread: how long it waited for a CPU, and how long it then ran.  Both
 * are differences of the kernel's own counters, taken when the thread is switched out. */
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
	__type(value, struct turn_storage);
} storage SEC(".maps");

/* Chosen by the reader; the kernel drops the code for the rest. */
const volatile bool counts_turns = 1;
const volatile bool charges_waits = 0;

/* Set by the reader. */
__u32 pass;         /* enum turn_pass */
__u64 began_ns;     /* CLOCK_MONOTONIC at which counting began */
__u64 budget_parts; /* the CPU time that the programs may take, in millionths; 0: no limit */

__u32 is_over_budget;
struct cpu_costs costs[COST_CPUS];

/* Begins to count for a thread, from its current counters, unless another CPU is doing so. */
static __always_inline void begin(struct turns *turns, struct task_struct *task)
{
	if (__sync_val_compare_and_swap(&turns->state, TURNS_UNBASED, TURNS_BASING) !=
	    TURNS_UNBASED)
		return;
	turns->run_delay = task->sched_info.run_delay;
	turns->pcount = task->sched_info.pcount;
	turns->exec = task->se.sum_exec_runtime;
	turns->base_switches = task->nvcsw + task->nivcsw;
	__sync_lock_test_and_set(&turns->state, TURNS_BASED);
}

static __always_inline struct turn_storage *storage_of(struct task_struct *task, __u64 flags)
{
	return counts_turns ? bpf_task_storage_get(&storage, task, 0, flags) : 0;
}

static __always_inline void count(struct turn_storage *own, __u32 histogram, __u64 ns)
{
	__u32 i = histogram * TURN_BUCKETS + least(ctprof_bucket_of(ns), TURN_BUCKETS - 1);

	own->counts[i]++;
	own->turns.used |= 1ull << i / TURN_PART;
}

/* A thread is switched out by one CPU at a time, so nothing is atomic. */
static __always_inline void end_turn(struct turn_storage *own, struct task_struct *prev)
{
	struct turns *turns = &own->turns;
	__u64 run_delay = prev->sched_info.run_delay, pcount = prev->sched_info.pcount;
	__u64 exec = prev->se.sum_exec_runtime;
	__u64 wait = run_delay - turns->run_delay, slice = exec - turns->exec;
	__u64 n = pcount - turns->pcount;

	turns->run_delay = run_delay;
	turns->pcount = pcount;
	turns->exec = exec;
	turns->wait_ns += turns->slept ? 0 : wait;
	turns->slept_ns += turns->slept ? wait : 0;
	turns->slice_ns += slice;
	turns->switches++;
	/* n is 0 if the thread was on the CPU when counting began. */
	if (n > 0) {
		turns->merged += n - 1;
		if (!turns->slept)
			count(own, turns->preempted ? TURN_PREEMPTED : TURN_WOKEN, wait);
	}
	count(own, TURN_SLICE, slice);
}

static __always_inline void count_switch(struct task_struct *prev, bool preempted)
{
	struct turn_storage *own = storage_of(prev, 0);

	if (!own)
		return;
	if (own->turns.state == TURNS_BASED)
		end_turn(own, prev);
	else
		begin(&own->turns, prev);
	own->turns.slept = 0;
	own->turns.preempted = preempted;
}

/* ---- the cost ------------------------------------------------------------ */

#define OWN_COSTS (&costs[bpf_get_smp_processor_id() & (COST_CPUS - 1)])

/* Returns when the call began, if it is timed; otherwise 0. */
static __always_inline __u64 begin_cost(enum cost_program program)
{
	return OWN_COSTS->of[program].calls++ % COST_EVERY ? 0 : bpf_ktime_get_ns();
}

/* Adds the time of a call, and compares the share of one CPU's time that the programs take with the
 * budget. */
static __always_inline void end_cost(enum cost_program program, __u64 began)
{
	if (!began)
		return;
	struct cpu_costs *own = OWN_COSTS;
	__u64 now = bpf_ktime_get_ns();
	/* Longer times are not the program's: the hypervisor ran something else. */
	if (now - began > COST_MOST_NS)
		return;
	own->of[program].timed++;
	own->of[program].timed_ns += now - began;
	__u64 spent = (own->of[COST_SWITCH].timed_ns + own->of[COST_WAKEUP].timed_ns) * COST_EVERY;
	/* Do not compare in the first second, when a few calls would decide. */
	if (budget_parts && now - began_ns > 1000000000u &&
	    spent * 1000000u / (now - began_ns) > budget_parts)
		is_over_budget = 1;
}

SEC("tp_btf/sched_switch")
int note_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];

	/* An idle CPU's thread has no turns. */
	if ((prev->pid == 0 && !charges_waits) || is_over_budget)
		return 0;
	/* The argument alone does not show returns to user mode. */
	bool preempted = ctx[0] || STATE_OF(, prev) == 0;
	__u64 began = begin_cost(COST_SWITCH);
	if (prev->pid)
		count_switch(prev, preempted);
	if (charges_waits)
		charge_switch(prev, next, preempted);
	end_cost(COST_SWITCH, began);
	return 0;
}

/* The event of the waker; sched_wakeup may be that of another CPU. */
SEC("tp_btf/sched_waking")
int note_waking(__u64 *ctx)
{
	if (is_over_budget)
		return 0;
	__u64 began = begin_cost(COST_WAKEUP);
	count_waking(bpf_get_current_task_btf(), (void *)ctx[0]);
	end_cost(COST_WAKEUP, began);
	return 0;
}

/* Since Linux 6.12, a thread that falls asleep may stay in its run queue for a while.  If it is
 * moved to another one meanwhile, the kernel counts from then on as if it waited there. */
SEC("tp_btf/sched_migrate_task")
int note_migration(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	if (!bpf_core_field_exists(task->se.sched_delayed) || !task->se.sched_delayed)
		return 0;
	struct turn_storage *own = storage_of(task, 0);
	struct waiter *waiter = charges_waits ? bpf_task_storage_get(&waiters, task, 0, 0) : 0;
	if (own)
		own->turns.slept = 1;
	if (waiter)
		waiter->slept = 1;
	return 0;
}

/* Makes the storage of a thread; returns that of its turns, if they are counted. */
static __always_inline struct turn_storage *prepare(struct task_struct *task)
{
	__u64 flags = BPF_LOCAL_STORAGE_GET_F_CREATE;

	if (charges_waits)
		set_waiter(bpf_task_storage_get(&waiters, task, 0, flags), task);
	return storage_of(task, flags);
}

/* copy_process(): no lock of a run queue is held, so memory can be allocated. */
SEC("tp_btf/task_newtask")
int note_start(__u64 *ctx)
{
	struct turn_storage *own = prepare((void *)ctx[0]);

	/* The new thread's counters begin at 0. */
	if (own)
		own->turns.state = TURNS_BASED;
	return 0;
}

static __always_inline void hand_out(struct seq_file *seq, struct task_struct *task)
{
	struct turn_storage *own = storage_of(task, 0);

	if (!own)
		return;
	__u64 wait = task->sched_info.run_delay - own->turns.run_delay;
	struct turn_record record = {
		.tid = (__u32)task->pid,
		.tgid = (__u32)task->tgid,
		.switches = task->nvcsw + task->nivcsw - own->turns.base_switches,
		.turns = own->turns,
	};

	record.turns.wait_ns += record.turns.slept ? 0 : wait;
	record.turns.slept_ns += record.turns.slept ? wait : 0;
	record.turns.slice_ns += task->se.sum_exec_runtime - record.turns.exec;
	bpf_seq_write(seq, &record, sizeof record);
	for (__u32 i = 0; i < TURN_PARTS; i++)
		if (record.turns.used & 1ull << i)
			bpf_seq_write(seq, &own->counts[i * TURN_PART],
				      TURN_PART * sizeof *own->counts);
}

SEC("iter/task")
int visit_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	if (pass == PASS_READ) {
		hand_out(ctx->meta->seq, task);
		return 0;
	}
	struct turn_storage *own = pass == PASS_CREATE ? prepare(task) : storage_of(task, 0);
	if (pass == PASS_BASE && own)
		begin(&own->turns, task);
	return 0;
}

/* The helpers require it. */
char LICENSE[] SEC("license") = "GPL";
