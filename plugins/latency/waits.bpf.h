/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Charges waits to what ran on the CPU meanwhile. Every CPU records its stays: which pool ran when.
 * The length of the wait before a turn is known when the thread is switched out, from the growth of
 * sched_info.run_delay.  The wait ended when the stay of that turn began, so it is charged to the
 * stays before it, from the last one backwards.  All times are by the clock of the run queue, like
 * the kernel's own. */
#pragma once

#include "bpf-kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "turns.h"
#include "waits.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct waiter);
} waiters SEC(".maps");

/* The reader sets max_entries to the number of CPUs of the host. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_cpu);
} wait_cpus SEC(".maps");

/* The pools, and the hash of each name; 0: unused. */
struct pool_name pool_names[N_WAIT_COLUMNS];
__u64 pool_hashes[N_WAIT_COLUMNS];
__u64 n_refused; /* threads for whose pool there was no room */

/* The number of idle CPUs; since when that is not 0; for how long it was not 0 before. */
struct {
	__u64 n, since, total_ns;
} idle;

/* ---- idle CPUs ---------------------------------------------------------- */

static __always_inline void end_idle(__u64 since, __u64 now)
{
	if (since && now > since)
		__sync_fetch_and_add(&idle.total_ns, now - since);
}

/* Each CPU adds and removes only itself, so that a missed event does no lasting harm. */
static __always_inline void note_idle(struct wait_cpu *cpu, __u32 is_idle, __u64 now)
{
	if (cpu->is_idle == is_idle || __sync_lock_test_and_set(&cpu->is_idle, is_idle) == is_idle)
		return;
	if (is_idle) {
		if (__sync_fetch_and_add(&idle.n, 1) == 0)
			end_idle(__sync_lock_test_and_set(&idle.since, now), now);
	} else if (__sync_fetch_and_add(&idle.n, -1) == 1) {
		end_idle(__sync_lock_test_and_set(&idle.since, 0), now);
		/* Another CPU may have become idle in between. */
		if (idle.n)
			__sync_val_compare_and_swap(&idle.since, 0, now);
	}
}

/* Returns for how long some CPU has been idle until now. */
static __always_inline __u64 idle_until(__u64 now)
{
	__u64 since = idle.since;

	return idle.total_ns + (since && now > since ? now - since : 0);
}

/* ---- pools ---------------------------------------------------------------- */

/* Returns the pool of that name; the name of a kernel thread is cut before its CPU: "ksoftirqd/1".
 * Global, so that the kernel verifies it once and not for each call; it must therefore accept
 * NULL. */
__noinline __u32 find_pool(const struct pool_name *name, __u32 task_flags)
{
	bool is_cut = false;

	if (!name || !name->half[0])
		return WAIT_OTHER;
	struct pool_name cut = *name;
	for (__u32 i = 0; i < sizeof cut; i++) {
		char *letter = (char *)&cut + i;

		is_cut |= task_flags & PF_KTHREAD && *letter == '/';
		*letter = is_cut ? 0 : *letter;
	}
	__u64 hash = (cut.half[0] * 0x9e3779b97f4a7c15u ^ cut.half[1]) * 0xff51afd7ed558ccdu;
	for (__u32 i = N_WAIT_FIXED; i < N_WAIT_COLUMNS; i++) {
		__u64 found = pool_hashes[i];

		if (!found)
			found = __sync_val_compare_and_swap(&pool_hashes[i], 0, hash | 1);
		if (!found)
			pool_names[i] = cut;
		/* A process can choose a name with the hash of another.  The name is not stored yet
		 * if another CPU has just taken the place. */
		const struct pool_name *there = &pool_names[i];
		if (found && found != (hash | 1))
			continue;
		if (!there->half[0] ||
		    (there->half[0] == cut.half[0] && there->half[1] == cut.half[1]))
			return i;
	}
	__sync_fetch_and_add(&n_refused, 1);
	return WAIT_OTHER;
}

/* Returns the pool of a thread that left the CPU in a missed switch, and may have ended since. */
static __always_inline __u32 pool_of_gone(const struct wait_cpu *cpu)
{
	struct task_struct *task = (struct task_struct *)cpu->task;
	struct pool_name name = {{0, 0}};

	if (!cpu->pid)
		return WAIT_IDLE;
	if ((__u32)BPF_CORE_READ(task, pid) != cpu->pid)
		return WAIT_UNKNOWN;
	task = BPF_CORE_READ(task, group_leader);
	bpf_core_read(&name, sizeof name, &task->comm);
	return find_pool(&name, BPF_CORE_READ(task, flags));
}

/* Returns the pool of a thread by the current name of its process, which execve() changes. */
static __always_inline __u32 pool_of(struct task_struct *task, struct waiter *waiter)
{
	const __u64 *comm = (const __u64 *)task->group_leader->comm;
	struct pool_name name = {{comm[0], comm[1]}};

	if (waiter && waiter->pool && waiter->name.half[0] == name.half[0] &&
	    waiter->name.half[1] == name.half[1])
		return waiter->pool;
	__u32 pool = find_pool(&name, task->flags);
	if (waiter) {
		waiter->pool = pool;
		waiter->name = name;
	}
	return pool;
}

/* ---- stays ------------------------------------------------------------------ */

/* Keeps the sums before the current stay, if its number is a multiple of 2^shift; global like
 * find_pool(). */
__noinline int keep_sums(struct wait_cpu *cpu, __u32 is_old, __u32 shift)
{
	if (!cpu || cpu->n & ((1ull << shift) - 1))
		return 0;
	struct kept_sums *kept = &cpu->kept[is_old & 1][(cpu->n >> shift) & (WAIT_KEPT - 1)];
	kept->time = cpu->since;
	for (__u32 k = 0; k < N_WAIT_COLUMNS; k++)
		kept->sums[k] = cpu->sums[k];
	return 0;
}

static __always_inline __u64 least(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* Ends the current stay, and charges it to column. */
static __always_inline void end_stay(struct wait_cpu *cpu, __u32 column, __u64 now, __u64 lost_ns,
				     __u64 idle_ns)
{
	if (now <= cpu->since)
		return;
	__u64 length = now - cpu->since;
	__u64 interrupts = lost_ns > cpu->lost_ns ? least(length, lost_ns - cpu->lost_ns) : 0;
	__u64 while_idle = idle_ns > cpu->idle_ns ? least(length, idle_ns - cpu->idle_ns) : 0;

	if (!(cpu->n & ((1u << WAIT_SHIFT) - 1))) {
		keep_sums(cpu, 0, WAIT_SHIFT);
		keep_sums(cpu, 1, WAIT_SHIFT + WAIT_OLD_SHIFT);
	}
	cpu->stays[cpu->n & (WAIT_STAYS - 1)] =
		(struct stay){cpu->since, interrupts, while_idle, column};
	cpu->sums[column & (N_WAIT_COLUMNS - 1)] += length - interrupts;
	cpu->sums[WAIT_INTERRUPTS] += interrupts;
	cpu->sums[WAIT_WHILE_IDLE] += while_idle;
	cpu->n++;
	cpu->since = now;
	cpu->lost_ns = lost_ns;
	cpu->idle_ns = idle_ns;
}

/* ---- charging ----------------------------------------------------------------- */

static __always_inline void charge(struct wait_cpu *cpu, __u32 row, __u64 column, __u64 ns)
{
	cpu->charged[row & (N_WAIT_COLUMNS - 1)][column & (N_WAIT_COLUMNS - 1)] += ns;
}

/* Returns the share part / whole of ns; all of it if part is not less than whole. */
static __always_inline __u64 scale(__u64 ns, __u64 part, __u64 whole)
{
	return ns && part < whole ? ns * (part >> 10) / ((whole >> 10) + 1) : ns;
}

/* Charges the time from begin to end, where stay number n begins, by the stays before that one;
 * global like find_pool(). */
__noinline int charge_stays(struct wait_cpu *cpu, __u32 row, __u64 n, __u64 begin, __u64 end)
{
	if (!cpu)
		return 0;
	for (__u32 i = 1; i <= WAIT_STEPS; i++) {
		const struct stay *stay = &cpu->stays[(n - i) & (WAIT_STAYS - 1)];
		__u64 start = stay->start, part = end - (start < begin ? begin : start);
		__u64 interrupts = scale(stay->interrupts_ns, part, end - start);

		if (end <= begin)
			break;
		charge(cpu, row, stay->column, part - interrupts);
		charge(cpu, row, WAIT_INTERRUPTS, interrupts);
		charge(cpu, row, WAIT_WHILE_IDLE, scale(stay->while_idle_ns, part, end - start));
		end = start;
	}
	return 0;
}

/* Returns the number of the newest sums, up to i, that were kept before begin, or of the oldest;
 * global like find_pool(). */
__noinline __u64 find_kept(const struct wait_cpu *cpu, __u32 is_old, __u64 i, __u64 begin)
{
	if (!cpu)
		return 0;
	for (__u32 steps = 1; steps < WAIT_KEPT && i; steps++) {
		if (cpu->kept[is_old & 1][i & (WAIT_KEPT - 1)].time <= begin)
			break;
		i--;
	}
	return i;
}

/* Charges the time from begin to the current stay by sums.  The values that they had at begin are
 * between two that were kept: they are exact if the stays in between are known, and interpolated
 * otherwise. */
__noinline int charge_sums(struct wait_cpu *cpu, __u32 row, __u64 begin)
{
	if (!cpu)
		return 0;
	__u64 newest = (cpu->n - 1) >> WAIT_SHIFT, i = find_kept(cpu, 0, newest, begin), part = 0;
	__u32 is_old = cpu->kept[0][i & (WAIT_KEPT - 1)].time > begin;

	/* The recent sums reach back over two old ones, so that the next old one exists. */
	if (is_old)
		i = find_kept(cpu, 1, newest >> WAIT_OLD_SHIFT, begin);
	const struct kept_sums *kept = cpu->kept[is_old & 1], *low = &kept[i & (WAIT_KEPT - 1)];
	const struct kept_sums *high = &kept[(i + (is_old || i < newest)) & (WAIT_KEPT - 1)];
	if (low->time > begin) {
		charge(cpu, row, WAIT_UNKNOWN, low->time - begin);
		high = low;
	} else if (high != low && !is_old && cpu->n - (i << WAIT_SHIFT) <= WAIT_STAYS) {
		charge_stays(cpu, row, (i + 1) << WAIT_SHIFT, begin, high->time);
		low = high;
	} else if (high != low) {
		/* In units of 1 / 2^16. */
		part = ((begin - low->time) << 16) / (high->time - low->time);
	}
	for (__u32 k = 0; k < N_WAIT_COLUMNS; k++)
		charge(cpu, row, k,
		       cpu->sums[k] - low->sums[k] - ((high->sums[k] - low->sums[k]) * part >> 16));
	return 0;
}

/* Charges a wait on this CPU, which ended when the current stay began. */
static __always_inline void charge_here(struct wait_cpu *cpu, __u32 row, __u64 wait)
{
	__u64 begin = cpu->since - wait;
	__u64 before = begin < cpu->began ? least(wait, cpu->began - begin) : 0;

	charge(cpu, row, WAIT_BEFORE, before);
	begin += before;
	if (begin >= cpu->since)
		return;
	if (cpu->n <= WAIT_STEPS ||
	    cpu->stays[(cpu->n - WAIT_STEPS) & (WAIT_STAYS - 1)].start <= begin)
		charge_stays(cpu, row, cpu->n, begin, cpu->since);
	else
		charge_sums(cpu, row, begin);
}

/* ---- throttling ----------------------------------------------------------------- */

/* Returns for how long threads of the group have been throttled on this CPU until now. */
static __always_inline __u64 throttled_until(struct cfs_rq *group, __u64 now)
{
	if (!bpf_core_field_exists(group->throttled_clock_self_time))
		return 0;
	__u64 since = group->throttled_clock_self;
	return group->throttled_clock_self_time + (since && now > since ? now - since : 0);
}

/* Notes whether the next wait of prev may begin with throttling.  Since Linux 6.18, threads are
 * throttled when they return to user mode, and are marked; before, any runnable thread may be. */
static __always_inline void note_throttling(struct waiter *waiter, struct task_struct *prev,
					    __u64 now, bool preempted)
{
	struct cfs_rq *group = prev->se.cfs_rq;

	if (bpf_core_field_exists(prev->throttled))
		preempted = prev->throttled;
	waiter->group = preempted ? (__u64)group : 0;
	waiter->throttled_ns = throttled_until(group, now);
}

/* Charges the first part of a wait on this CPU to throttling; returns its length. */
static __always_inline __u64 charge_throttled(struct wait_cpu *cpu, const struct waiter *waiter,
					      struct task_struct *task, __u64 wait)
{
	struct cfs_rq *group = task->se.cfs_rq;
	__u64 until = throttled_until(group, cpu->since);

	if (waiter->group != (__u64)group || until <= waiter->throttled_ns)
		return 0;
	wait = least(wait, until - waiter->throttled_ns);
	charge(cpu, waiter->pool, WAIT_THROTTLED, wait);
	return wait;
}

/* ---- switches --------------------------------------------------------------------- */

/* Charges the wait before a turn that has just ended; the stays are those before the turn.  If its
 * beginning was not seen, the thread is assumed to have waited on this CPU only. */
static __always_inline void charge_turn(struct wait_cpu *cpu, struct waiter *waiter,
					struct task_struct *prev, bool is_seen)
{
	__u64 wait = prev->sched_info.run_delay - waiter->run_delay;
	__u64 turns = prev->sched_info.pcount - waiter->pcount, here = 0;
	__u32 row = waiter->pool;

	if (wait == 0 || waiter->slept)
		return;
	if (is_seen && turns > 0 && cpu->queued && cpu->queued < cpu->since)
		here = least(wait, cpu->since - cpu->queued);
	else if (!is_seen && turns == 1)
		here = wait;
	charge(cpu, row, WAIT_ALL, wait);
	/* If there was more than one turn, it is unknown where the others waited. */
	charge(cpu, row, turns == 1 ? WAIT_ELSEWHERE : WAIT_UNKNOWN, wait - here);
	here -= charge_throttled(cpu, waiter, prev, here);
	if (here > 0)
		charge_here(cpu, row, here);
}

/* Called before any switch is noted, too; the few turns until then are charged as unknown. */
static __always_inline void set_waiter(struct waiter *waiter, struct task_struct *task)
{
	if (!waiter)
		return;
	waiter->slept = 0;
	waiter->run_delay = task->sched_info.run_delay;
	waiter->pcount = task->sched_info.pcount;
}

/* Charges the wait of a thread that leaves the CPU; returns the column of its stay. */
static __always_inline __u32 leave(struct wait_cpu *cpu, struct task_struct *prev, __u64 now,
				   bool is_seen, bool preempted)
{
	struct waiter *waiter = bpf_task_storage_get(&waiters, prev, 0, 0);
	__u32 pool = pool_of(prev, waiter);

	if (!waiter)
		return pool;
	charge_turn(cpu, waiter, prev, is_seen);
	set_waiter(waiter, prev);
	note_throttling(waiter, prev, now, preempted);
	return pool;
}

static __always_inline void charge_switch(struct task_struct *prev, struct task_struct *next,
					  bool preempted)
{
	__u32 number = bpf_get_smp_processor_id(), column = WAIT_IDLE;
	struct wait_cpu *cpu = bpf_map_lookup_elem(&wait_cpus, &number);
	const struct rq *rq = (prev->pid ? prev : next)->se.cfs_rq->rq;
	__u64 now = rq->clock, lost_ns = now - rq->clock_task, idle_ns = idle_until(now);

	if (!cpu)
		return;
	if (!cpu->began) {
		cpu->began = cpu->since = now;
		cpu->lost_ns = lost_ns;
		cpu->idle_ns = idle_ns;
		cpu->switches = rq->nr_switches - 1;
	}
	__u64 missed = rq->nr_switches - cpu->switches - 1;
	/* The thread whose arrival was seen ran before prev; if more than one switch was missed,
	 * others ran, too. */
	if (missed && prev->pid)
		end_stay(cpu, missed == 1 ? pool_of_gone(cpu) : WAIT_UNKNOWN,
			 least(prev->sched_info.last_arrival, now), lost_ns, idle_ns);
	if (prev->pid)
		column = leave(cpu, prev, now, !missed, preempted);
	else if (missed)
		column = WAIT_UNKNOWN;
	end_stay(cpu, column, now, lost_ns, idle_ns);
	cpu->pid = (__u32)next->pid;
	cpu->task = (__u64)next;
	cpu->queued = next->sched_info.last_queued;
	cpu->switches = rq->nr_switches;
	note_idle(cpu, next->pid == 0, now);
}

/* ---- wakeups ------------------------------------------------------------------------ */

/* Counts that waker wakes a thread.  The idle thread does not wake others: an interrupt does. */
static __always_inline void count_waking(struct task_struct *waker, struct task_struct *woken)
{
	__u32 number = bpf_get_smp_processor_id(), column = WAIT_INTERRUPTS;
	struct wait_cpu *cpu = bpf_map_lookup_elem(&wait_cpus, &number);

	if (!cpu)
		return;
	if (waker->pid)
		column = pool_of(waker, bpf_task_storage_get(&waiters, waker, 0, 0));
	__u32 row = pool_of(woken, bpf_task_storage_get(&waiters, woken, 0, 0));
	cpu->woken[row & (N_WAIT_COLUMNS - 1)][column & (N_WAIT_COLUMNS - 1)]++;
}
