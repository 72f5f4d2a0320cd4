/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hands out a struct record of every thread in the PID namespace of who reads. */
#include "kernel.h"
#include "record.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Set before loading: how much of a record is handed out. */
const volatile __u32 n_values = N_RECORD_VALUES;
const volatile __u32 cpus_bytes = 8;

/* Of who reads: found out when the first thread comes. */
__u32 reader_level;
__s64 reader_boot_offset;

/* Too large for the stack.  One iterator runs at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record);
} scratch SEC(".maps");

#define BIT(value) (1ull << ((value) % 64))

/* Value name is what the kernel keeps in place. */
#define PUT(name, place)                                                                           \
	do {                                                                                       \
		rec->value[VALUE_##name] = (__u64)(place);                                         \
		rec->has[VALUE_##name / 64] |= BIT(VALUE_##name);                                  \
	} while (0)
#define PUT_IF_THERE(name, place)                                                                  \
	do {                                                                                       \
		if (bpf_core_field_exists(place))                                                  \
			PUT(name, place);                                                          \
	} while (0)

#define PUT_STAT(name, stats, field) PUT_IF_THERE(name, (stats)->field)

#define PUT_DELAY(what, delays)                                                                    \
	do {                                                                                       \
		PUT_IF_THERE(what##_delay_count, (delays)->what##_count);                          \
		PUT_IF_THERE(what##_delay_total_ns, (delays)->what##_delay);                       \
		PUT_IF_THERE(what##_delay_max_ns, (delays)->what##_delay_max);                     \
		PUT_IF_THERE(what##_delay_min_ns, (delays)->what##_delay_min);                     \
	} while (0)

static __always_inline void find_reader(void)
{
	struct task_struct *reader = (void *)bpf_get_current_task();
	struct time_namespace *ns = BPF_CORE_READ(reader, nsproxy, time_ns);

	reader_level = BPF_CORE_READ(reader, thread_pid, level);
	/* timens_add_boottime_ns() */
	if (bpf_core_field_exists(ns->offsets.boottime))
		reader_boot_offset = BPF_CORE_READ(ns, offsets.boottime.tv_sec) * 1000000000ll +
				     BPF_CORE_READ(ns, offsets.boottime.tv_nsec);
}

/* pid_nr_ns(): the level is no constant, so libbpf cannot place it.  0: of a namespace
 * further out. */
static __always_inline __u32 number_of(struct task_struct *task)
{
	struct pid *pid = task->thread_pid;
	const char *numbers = (const char *)pid->numbers;
	__u32 nr = 0;

	if (pid->level < reader_level)
		return 0;
	bpf_probe_read_kernel(&nr, sizeof nr,
			      numbers + reader_level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return nr;
}

static __always_inline __u32 tgid_of(struct task_struct *task)
{
	return number_of(task->group_leader);
}

static __always_inline void name(struct record *rec, struct task_struct *task)
{
	struct task_struct *leader = task->group_leader;

	/* Most readers are in the first namespace. */
	rec->tid = reader_level ? number_of(task) : (__u32)task->pid;
	rec->tgid = reader_level ? tgid_of(task) : (__u32)task->tgid;
	rec->flags = (task->flags & PF_KTHREAD ? RECORD_KERNEL_THREAD : 0) |
		     (leader->flags & PF_KTHREAD ? RECORD_LEADER_KERNEL : 0);
	bpf_probe_read_kernel(rec->comm, sizeof rec->comm, task->comm);
	bpf_probe_read_kernel(rec->pcomm, sizeof rec->pcomm, leader->comm);
	rec->cgroup = bpf_core_field_exists(task->cgroups) ? task->cgroups->dfl_cgrp->kn->id : 0;
}

/* proc/<pid>/stat: do_task_stat() */
static __always_inline void put_stat(struct record *rec, struct task_struct *task)
{
	struct task_struct *parent = task->real_parent;

	PUT(ppid, reader_level ? tgid_of(parent) : (__u32)parent->tgid);
	PUT(cutime_clock_ticks, task->signal->cutime);
	PUT(cstime_clock_ticks, task->signal->cstime);
	PUT(minflt, task->min_flt);
	PUT(majflt, task->maj_flt);
	PUT(utime_clock_ticks, task->utime);
	PUT(stime_clock_ticks, task->stime);
	rec->sum_exec_runtime = task->se.sum_exec_runtime;
	if (bpf_core_field_exists(task->prev_cputime)) {
		rec->prev_utime = task->prev_cputime.utime;
		rec->prev_stime = task->prev_cputime.stime;
	} else {
		rec->flags |= RECORD_NO_PREV_CPUTIME;
	}
	PUT(priority, (__s64)task->prio - 100);    /* task_prio() */
	PUT(nice, (__s64)task->static_prio - 120); /* task_nice() */
	PUT(start_time_clock_ticks, task->start_boottime + reader_boot_offset);
	if (bpf_core_field_exists(task->thread_info.cpu))
		PUT(processor, task->thread_info.cpu);
	else
		PUT_IF_THERE(processor, ((struct task_struct___cpu *)task)->cpu);
	PUT(rt_priority, task->rt_priority);
	rec->policy = task->policy;
}

/* The rest of what scheduling needs no statistics for: schedstat, status, sched. */
static __always_inline void put_sched(struct record *rec, struct task_struct *task)
{
	if (bpf_core_field_exists(task->sched_info.pcount)) {
		PUT(run_time_ns, task->se.sum_exec_runtime);
		PUT(wait_time_ns, task->sched_info.run_delay);
		PUT(timeslices, task->sched_info.pcount);
	}
	if (bpf_core_field_exists(task->__state))
		PUT(state, (__u64)task->__state << 32 | (__u32)task->exit_state);
	else
		PUT(state, (__u64)((struct task_struct___state *)task)->state << 32 |
				   (__u32)task->exit_state);
	PUT(nr_threads, task->signal->nr_threads);
	PUT(voluntary_csw, task->nvcsw);
	PUT(nonvoluntary_csw, task->nivcsw);
	PUT(nr_migrations, task->se.nr_migrations);
	PUT_IF_THERE(fair_slice_ns, task->se.slice);
	if (bpf_core_field_exists(task->scx)) {
		rec->flags |= RECORD_HAS_EXT;
		rec->sched_class = (__u64)task->sched_class;
	}
	bpf_probe_read_kernel(rec->cpus, cpus_bytes <= sizeof rec->cpus ? cpus_bytes : 8,
			      &task->cpus_mask);
}

/* proc/<pid>/sched: proc_sched_show_task() */
static __always_inline void put_statistics(struct record *rec, struct sched_statistics *stats)
{
	PUT_STAT(nr_wakeups, stats, nr_wakeups);
	PUT_STAT(nr_wakeups_local, stats, nr_wakeups_local);
	PUT_STAT(nr_wakeups_remote, stats, nr_wakeups_remote);
	PUT_STAT(nr_wakeups_sync, stats, nr_wakeups_sync);
	PUT_STAT(nr_wakeups_migrate, stats, nr_wakeups_migrate);
	PUT_STAT(nr_wakeups_affine, stats, nr_wakeups_affine);
	PUT_STAT(nr_wakeups_affine_attempts, stats, nr_wakeups_affine_attempts);
	PUT_STAT(nr_forced_migrations, stats, nr_forced_migrations);
	PUT_STAT(nr_failed_migrations_affine, stats, nr_failed_migrations_affine);
	PUT_STAT(nr_failed_migrations_running, stats, nr_failed_migrations_running);
	PUT_STAT(nr_failed_migrations_hot, stats, nr_failed_migrations_hot);
	PUT_STAT(wait_sum, stats, wait_sum);
	PUT_STAT(wait_count, stats, wait_count);
	PUT_STAT(wait_max, stats, wait_max);
	PUT_STAT(voluntary_sleep_ns, stats, sum_sleep_runtime);
	PUT_STAT(sleep_max, stats, sleep_max);
	PUT_STAT(block_sum, stats, sum_block_runtime);
	PUT_STAT(block_max, stats, block_max);
	PUT_STAT(iowait_sum, stats, iowait_sum);
	PUT_STAT(iowait_count, stats, iowait_count);
	PUT_STAT(exec_max, stats, exec_max);
	PUT_STAT(slice_max, stats, slice_max);
	PUT_STAT(core_forceidle_sum, stats, core_forceidle_sum);
}

static __always_inline void put_stats(struct record *rec, struct task_struct *task)
{
	struct sched_entity___stats *old = (void *)&task->se;

	if (bpf_core_field_exists(task->stats))
		put_statistics(rec, &task->stats);
	else if (bpf_core_field_exists(old->statistics))
		put_statistics(rec, &old->statistics);
}

/* proc/<pid>/io: do_io_accounting() */
static __always_inline void put_io(struct record *rec, struct task_struct *task)
{
	/* The kernel has the file only with all of them. */
	if (!bpf_core_field_exists(task->ioac.read_bytes))
		return;
	PUT_IF_THERE(rchar, task->ioac.rchar);
	PUT_IF_THERE(wchar, task->ioac.wchar);
	PUT_IF_THERE(syscr, task->ioac.syscr);
	PUT_IF_THERE(syscw, task->ioac.syscw);
	PUT(read_bytes, task->ioac.read_bytes);
	PUT(write_bytes, task->ioac.write_bytes);
	PUT(cancelled_write_bytes, task->ioac.cancelled_write_bytes);
}

/* delayacct_add_tsk() */
static __always_inline void put_delays(struct record *rec, struct task_struct *task)
{
	if (!bpf_core_field_exists(task->delays))
		return;
	struct task_delay_info *delays = task->delays;

	rec->flags |= RECORD_HAS_DELAYS;
	PUT(cpu_delay_count, task->sched_info.pcount);
	PUT(cpu_delay_total_ns, task->sched_info.run_delay);
	PUT_IF_THERE(cpu_delay_max_ns, task->sched_info.max_run_delay);
	PUT_IF_THERE(cpu_delay_min_ns, task->sched_info.min_run_delay);
	/* Accounting was off when the thread began: nothing was ever counted. */
	if (!delays)
		return;
	rec->flags |= RECORD_DELAYS_COUNTED;
	if (n_values <= FIRST_BLOCK_DELAY)
		return;
	PUT_DELAY(blkio, delays);
	PUT_DELAY(swapin, delays);
	PUT_DELAY(freepages, delays);
	PUT_DELAY(thrashing, delays);
	PUT_DELAY(compact, delays);
	PUT_DELAY(wpcopy, delays);
	PUT_DELAY(irq, delays);
}

static __always_inline __u64 positive(__s64 count)
{
	return count > 0 ? (__u64)count : 0;
}

static __always_inline __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* xacct_add_tsk(), in pages. */
static __always_inline void put_peaks(struct record *rec, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	struct mm_struct___rss *old = (void *)mm;
	__u64 rss;

	if (!bpf_core_field_exists(task->acct_rss_mem1))
		return;
	rec->flags |= RECORD_HAS_PEAKS;
	if (!mm || rec->flags & RECORD_KERNEL_THREAD)
		return;
	/* get_mm_rss() */
	if (bpf_core_field_exists(mm->rss_stat[0].count))
		rss = positive(mm->rss_stat[MM_FILEPAGES].count) +
		      positive(mm->rss_stat[MM_ANONPAGES].count) +
		      positive(mm->rss_stat[MM_SHMEMPAGES].count);
	else if (bpf_core_field_exists(old->rss_stat.count[0].counter))
		rss = positive(old->rss_stat.count[MM_FILEPAGES].counter) +
		      positive(old->rss_stat.count[MM_ANONPAGES].counter) +
		      positive(old->rss_stat.count[MM_SHMEMPAGES].counter);
	else
		return;
	__u64 peak_rss = larger(mm->hiwater_rss, rss);
	__u64 peak_vm = larger(mm->hiwater_vm, mm->total_vm);
	/* exit_mm() takes it off the thread before it may be freed. */
	if (task->mm != mm)
		return;
	PUT(hiwater_rss_bytes, peak_rss);
	PUT(hiwater_vm_bytes, peak_vm);
}

SEC("iter/task")
int dump_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 zero = 0;
	struct record *rec = bpf_map_lookup_elem(&scratch, &zero);

	if (!task || !rec)
		return 0;
	if (ctx->meta->seq_num == 0)
		find_reader();
	rec->has[0] = rec->has[1] = 0;
	name(rec, task);
	put_stat(rec, task);
	put_sched(rec, task);
	put_io(rec, task);
	put_peaks(rec, task);
	if (n_values > FIRST_STATISTIC)
		put_stats(rec, task);
	put_delays(rec, task);
	if (rec->tid == 0 || n_values > N_RECORD_VALUES || cpus_bytes > sizeof rec->cpus)
		return 0;
	/* What does not fit is asked for again, both together. */
	bpf_seq_write(ctx->meta->seq, rec,
		      __builtin_offsetof(struct record, value) + n_values * sizeof rec->value[0]);
	bpf_seq_write(ctx->meta->seq, rec->cpus, cpus_bytes);
	return 0;
}

/* The helpers ask for it. */
char LICENSE[] SEC("license") = "GPL";
