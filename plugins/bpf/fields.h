/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the fields of a thread into its record: the part of task.bpf.c that live and ending threads
 * share. */
#pragma once

#include "bpf-kernel.h"
#include "record.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* n_values and has_averages are set by the loader. */
extern const volatile __u32 n_values;
extern const volatile bool has_averages;
extern __s64 reader_boot_offset;

#define NS_PER_S 1000000000ll
#define BIT(value) (1ull << ((value) % 64))

/* Reads a field of the thread: directly if the verifier knows the pointer to be a task ("trusted",
 * a parameter of every function that uses this), otherwise by the helper. */
#define READ(place)                                                                                \
	({                                                                                         \
		typeof(place) read_;                                                               \
		if (trusted)                                                                       \
			read_ = (place);                                                           \
		else                                                                               \
			bpf_core_read(&read_, sizeof read_, &(place));                             \
		read_;                                                                             \
	})

#define PUT(name, number)                                                                          \
	do {                                                                                       \
		rec->value[VALUE_##name] = (__u64)(number);                                        \
		rec->has[VALUE_##name / 64] |= BIT(VALUE_##name);                                  \
	} while (0)
#define PUT_FIELD(name, place) PUT(name, READ(place))
#define PUT_IF_THERE(name, place)                                                                  \
	do {                                                                                       \
		if (bpf_core_field_exists(place))                                                  \
			PUT_FIELD(name, place);                                                    \
	} while (0)

#define PUT_TIME(name, place)                                                                      \
	do {                                                                                       \
		if (bpf_core_field_exists(place))                                                  \
			PUT(name, READ((place).tv_sec) * NS_PER_S + READ((place).tv_nsec));        \
	} while (0)

#define PUT_DELAY(what, delays)                                                                    \
	do {                                                                                       \
		PUT_IF_THERE(what##_delay_count, (delays)->what##_count);                          \
		PUT_IF_THERE(what##_delay_total_ns, (delays)->what##_delay);                       \
		PUT_IF_THERE(what##_delay_max_ns, (delays)->what##_delay_max);                     \
		PUT_IF_THERE(what##_delay_min_ns, (delays)->what##_delay_min);                     \
		PUT_TIME(what##_delay_max_at, (delays)->what##_delay_max_ts);                      \
	} while (0)

/* proc/<pid>/stat: do_task_stat() */
static __always_inline void put_stat(struct record *rec, struct task_struct *task,
				     const bool trusted)
{
	PUT_FIELD(minflt, task->min_flt);
	PUT_FIELD(majflt, task->maj_flt);
	PUT_FIELD(utime_clock_ticks, task->utime);
	PUT_FIELD(stime_clock_ticks, task->stime);
	rec->sum_exec_runtime = READ(task->se.sum_exec_runtime);
	if (bpf_core_field_exists(task->prev_cputime)) {
		rec->prev_utime = READ(task->prev_cputime.utime);
		rec->prev_stime = READ(task->prev_cputime.stime);
	} else {
		rec->flags |= RECORD_NO_PREV_CPUTIME;
	}
	PUT(priority, (__s64)READ(task->prio) - 100);    /* task_prio() */
	PUT(nice, (__s64)READ(task->static_prio) - 120); /* task_nice() */
	PUT(start_time_clock_ticks, READ(task->start_boottime) + reader_boot_offset);
	if (bpf_core_field_exists(task->thread_info.cpu))
		PUT_FIELD(processor, task->thread_info.cpu);
	else
		PUT_IF_THERE(processor, ((struct task_struct___old *)task)->cpu);
	PUT_FIELD(rt_priority, task->rt_priority);
	rec->policy = READ(task->policy);
}

/* Puts the wait for a CPU in progress (sched_info_enqueue()), by the clock of the run queue, which
 * is at most a tick late.  It is read after run_delay, so that no wait is in both. */
static __always_inline void put_open_wait(struct record *rec, struct task_struct *task,
					  const bool trusted)
{
	barrier();
	__u64 queued = READ(task->sched_info.last_queued);
	__u64 now = queued ? BPF_CORE_READ(task, se.cfs_rq, rq, clock) : 0;

	PUT(open_wait_ns, now > queued ? now - queued : 0);
}

/* Puts the other scheduling fields that need no statistics: from schedstat, status and sched. */
static __always_inline void put_sched(struct record *rec, struct task_struct *task,
				      const bool trusted)
{
	if (bpf_core_field_exists(task->sched_info.pcount)) {
		PUT_FIELD(run_time_ns, task->se.sum_exec_runtime);
		PUT_FIELD(wait_time_ns, task->sched_info.run_delay);
		PUT_FIELD(timeslices, task->sched_info.pcount);
		if (bpf_core_field_exists(task->se.cfs_rq))
			put_open_wait(rec, task, trusted);
	}
	PUT(state, (__u64)STATE_OF(READ, task) << 32 | (__u32)READ(task->exit_state));
	PUT_FIELD(voluntary_csw, task->nvcsw);
	PUT_FIELD(nonvoluntary_csw, task->nivcsw);
	PUT_FIELD(nr_migrations, task->se.nr_migrations);
	PUT_IF_THERE(fair_slice_ns, task->se.slice);
	if (bpf_core_field_exists(task->scx)) {
		rec->flags |= RECORD_HAS_EXT;
		rec->sched_class = (__u64)BPF_CORE_READ(task, sched_class);
	}
}

/* proc/<pid>/sched: proc_sched_show_task() */
#define PUT_STATISTICS(stats)                                                                      \
	do {                                                                                       \
		PUT_IF_THERE(nr_wakeups, (stats).nr_wakeups);                                      \
		PUT_IF_THERE(nr_wakeups_local, (stats).nr_wakeups_local);                          \
		PUT_IF_THERE(nr_wakeups_remote, (stats).nr_wakeups_remote);                        \
		PUT_IF_THERE(nr_wakeups_sync, (stats).nr_wakeups_sync);                            \
		PUT_IF_THERE(nr_wakeups_migrate, (stats).nr_wakeups_migrate);                      \
		PUT_IF_THERE(nr_wakeups_affine, (stats).nr_wakeups_affine);                        \
		PUT_IF_THERE(nr_wakeups_affine_attempts, (stats).nr_wakeups_affine_attempts);      \
		PUT_IF_THERE(nr_forced_migrations, (stats).nr_forced_migrations);                  \
		PUT_IF_THERE(nr_failed_migrations_affine, (stats).nr_failed_migrations_affine);    \
		PUT_IF_THERE(nr_failed_migrations_running, (stats).nr_failed_migrations_running);  \
		PUT_IF_THERE(nr_failed_migrations_hot, (stats).nr_failed_migrations_hot);          \
		PUT_IF_THERE(wait_sum, (stats).wait_sum);                                          \
		PUT_IF_THERE(wait_count, (stats).wait_count);                                      \
		PUT_IF_THERE(wait_max, (stats).wait_max);                                          \
		PUT_IF_THERE(voluntary_sleep_ns, (stats).sum_sleep_runtime);                       \
		PUT_IF_THERE(sleep_max, (stats).sleep_max);                                        \
		PUT_IF_THERE(block_sum, (stats).sum_block_runtime);                                \
		PUT_IF_THERE(block_max, (stats).block_max);                                        \
		PUT_IF_THERE(iowait_sum, (stats).iowait_sum);                                      \
		PUT_IF_THERE(iowait_count, (stats).iowait_count);                                  \
		PUT_IF_THERE(exec_max, (stats).exec_max);                                          \
		PUT_IF_THERE(slice_max, (stats).slice_max);                                        \
		PUT_IF_THERE(core_forceidle_sum, (stats).core_forceidle_sum);                      \
	} while (0)

static __always_inline void put_stats(struct record *rec, struct task_struct *task,
				      const bool trusted)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->stats))
		PUT_STATISTICS(task->stats);
	else if (bpf_core_field_exists(old->se.statistics))
		PUT_STATISTICS(old->se.statistics);
}

static __always_inline __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* proc/<pid>/sched: se.avg */
static __always_inline void put_averages(struct record *rec, struct task_struct *task,
					 const bool trusted)
{
	struct task_struct___old *old = (void *)task;

	if (!has_averages)
		return;
	PUT_IF_THERE(util_avg, task->se.avg.util_avg);
	PUT_IF_THERE(runnable_avg, task->se.avg.runnable_avg);
	PUT_IF_THERE(load_avg, task->se.avg.load_avg);
	if (bpf_core_field_exists(task->se.avg.util_est))
		PUT(util_est, READ(task->se.avg.util_est) & ~UTIL_AVG_UNCHANGED);
	else if (bpf_core_field_exists(old->se.avg.util_est.ewma))
		PUT(util_est, larger(READ(old->se.avg.util_est.ewma),
				     READ(old->se.avg.util_est.enqueued) & ~UTIL_AVG_UNCHANGED));
}

/* proc/<pid>/io: do_io_accounting() */
static __always_inline void put_io(struct record *rec, struct task_struct *task, const bool trusted)
{
	/* proc/<pid>/io exists only if the kernel has all of these. */
	if (!bpf_core_field_exists(task->ioac.read_bytes))
		return;
	PUT_IF_THERE(rchar, task->ioac.rchar);
	PUT_IF_THERE(wchar, task->ioac.wchar);
	PUT_IF_THERE(syscr, task->ioac.syscr);
	PUT_IF_THERE(syscw, task->ioac.syscw);
	PUT_FIELD(read_bytes, task->ioac.read_bytes);
	PUT_FIELD(write_bytes, task->ioac.write_bytes);
	PUT_FIELD(cancelled_write_bytes, task->ioac.cancelled_write_bytes);
}

/* delayacct_add_tsk() */
static __always_inline void put_delays(struct record *rec, struct task_struct *task,
				       const bool trusted)
{
	if (!bpf_core_field_exists(task->delays))
		return;
	rec->flags |= RECORD_HAS_DELAYS;
	PUT_FIELD(cpu_delay_count, task->sched_info.pcount);
	PUT_FIELD(cpu_delay_total_ns, task->sched_info.run_delay);
	PUT_IF_THERE(cpu_delay_max_ns, task->sched_info.max_run_delay);
	PUT_IF_THERE(cpu_delay_min_ns, task->sched_info.min_run_delay);
	PUT_TIME(cpu_delay_max_at, task->sched_info.max_run_delay_ts);
	/* Block delays are off, so the record does not include them. */
	if (n_values <= FIRST_BLOCK_DELAY)
		return;
	/* Accounting was off when the thread began: nothing was counted. */
	if (!BPF_CORE_READ(task, delays))
		return;
	rec->flags |= RECORD_DELAYS_COUNTED;
	struct task_delay_info *delays = READ(task->delays);

	if (!delays)
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

/* xacct_add_tsk() */
static __always_inline struct peaks peaks_of(struct task_struct *task)
{
	struct peaks peaks = {0, 0, 0};
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct mm_struct___rss *old = (void *)mm;
	__u64 rss;

	if (!bpf_core_field_exists(task->acct_rss_mem1) || !mm || task->flags & PF_KTHREAD)
		return peaks;
	/* get_mm_rss() */
	if (bpf_core_field_exists(mm->rss_stat[0].count))
		rss = positive(BPF_CORE_READ(mm, rss_stat[MM_FILEPAGES].count)) +
		      positive(BPF_CORE_READ(mm, rss_stat[MM_ANONPAGES].count)) +
		      positive(BPF_CORE_READ(mm, rss_stat[MM_SHMEMPAGES].count));
	else if (bpf_core_field_exists(old->rss_stat.count[0].counter))
		rss = positive(BPF_CORE_READ(old, rss_stat.count[MM_FILEPAGES].counter)) +
		      positive(BPF_CORE_READ(old, rss_stat.count[MM_ANONPAGES].counter)) +
		      positive(BPF_CORE_READ(old, rss_stat.count[MM_SHMEMPAGES].counter));
	else
		return peaks;
	peaks.rss = larger(BPF_CORE_READ(mm, hiwater_rss), rss);
	peaks.vm = larger(BPF_CORE_READ(mm, hiwater_vm), BPF_CORE_READ(mm, total_vm));
	/* exit_mm() clears the thread's pointer before the memory may be freed. */
	peaks.are_known = BPF_CORE_READ(task, mm) == mm;
	return peaks;
}

static __always_inline void put_peaks(struct record *rec, const struct peaks *peaks)
{
	if (bpf_core_field_exists(((struct task_struct *)0)->acct_rss_mem1))
		rec->flags |= RECORD_HAS_PEAKS;
	if (!peaks->are_known)
		return;
	PUT(hiwater_rss_bytes, peaks->rss);
	PUT(hiwater_vm_bytes, peaks->vm);
}
