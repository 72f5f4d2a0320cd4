/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hands out a struct record of every thread in the PID namespace of who reads, and of
 * every thread that ends.
 *
 * Pointers are read by a helper; only delays, with many fields behind it, is followed, and
 * where it is wanted: to check that a trusted pointer leads to another, the verifier (6.4
 * and later) goes through all types of the kernel several times.  So does libbpf for every
 * type that a way to a field begins with: the old names of a thread are in one.
 */
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
	__type(value, struct sheet);
} scratch SEC(".maps");

#define NS_PER_S 1000000000ll
#define BIT(value) (1ull << ((value) % 64))

/* A field of the thread: in place where the verifier knows that it is one ("trusted", in
 * every function that uses this), else by the helper. */
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

static __always_inline void find_reader(void)
{
	struct task_struct *reader = (void *)bpf_get_current_task();
	struct time_namespace *ns = BPF_CORE_READ(reader, nsproxy, time_ns);

	reader_level = BPF_CORE_READ(reader, thread_pid, level);
	/* timens_add_boottime_ns() */
	if (bpf_core_field_exists(ns->offsets.boottime))
		reader_boot_offset = BPF_CORE_READ(ns, offsets.boottime.tv_sec) * NS_PER_S +
				     BPF_CORE_READ(ns, offsets.boottime.tv_nsec);
}

/* pid_nr_ns(): the level is no constant, so libbpf cannot place it.  0: of a namespace
 * further out. */
static __always_inline __u32 number_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	const char *numbers = (const char *)&pid->numbers;
	__u32 nr = 0;

	if (BPF_CORE_READ(pid, level) < reader_level)
		return 0;
	bpf_probe_read_kernel(&nr, sizeof nr,
			      numbers + reader_level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return nr;
}

static __always_inline __u32 tgid_of(struct task_struct *task)
{
	/* Most readers are in the first namespace. */
	if (!reader_level)
		return (__u32)BPF_CORE_READ(task, tgid);
	return number_of(BPF_CORE_READ(task, group_leader));
}

static __always_inline __u64 cgroup_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->cgroups) ? BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id)
						    : 0;
}

static __always_inline __u32 flags_of(struct task_struct *task, struct task_struct *leader)
{
	return (task->flags & PF_KTHREAD ? RECORD_KERNEL_THREAD : 0) |
	       (task->flags & PF_EXITING ? RECORD_EXITING : 0) |
	       (BPF_CORE_READ(leader, flags) & PF_KTHREAD ? RECORD_LEADER_KERNEL : 0);
}

static __always_inline void name(struct record *rec, struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	rec->tid = reader_level ? number_of(task) : (__u32)task->pid;
	rec->tgid = tgid_of(task);
	rec->flags = flags_of(task, leader);
	bpf_probe_read_kernel(rec->comm, sizeof rec->comm, task->comm);
	bpf_probe_read_kernel(rec->pcomm, sizeof rec->pcomm, leader->comm);
	rec->cgroup = cgroup_of(task);
	if (bpf_core_field_exists(task->cgroups))
		rec->css_set = (__u64)BPF_CORE_READ(task, cgroups);
	PUT(ppid, tgid_of(BPF_CORE_READ(task, real_parent)));
}

/* proc/<pid>/stat: do_task_stat() */
static __always_inline void put_stat(struct record *rec, struct task_struct *task,
				     const bool trusted)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	PUT(cutime_clock_ticks, BPF_CORE_READ(signal, cutime));
	PUT(cstime_clock_ticks, BPF_CORE_READ(signal, cstime));
	PUT(nr_threads, BPF_CORE_READ(signal, nr_threads));
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

#define STATE_OF(task)                                                                             \
	(bpf_core_field_exists((task)->__state)                                                    \
		 ? READ((task)->__state)                                                           \
		 : (__u32)READ(((struct task_struct___old *)(task))->state))

/* The rest of what scheduling needs no statistics for: schedstat, status, sched. */
static __always_inline void put_sched(struct record *rec, struct task_struct *task,
				      const bool trusted)
{
	if (bpf_core_field_exists(task->sched_info.pcount)) {
		PUT_FIELD(run_time_ns, task->se.sum_exec_runtime);
		PUT_FIELD(wait_time_ns, task->sched_info.run_delay);
		PUT_FIELD(timeslices, task->sched_info.pcount);
	}
	PUT(state, (__u64)STATE_OF(task) << 32 | (__u32)READ(task->exit_state));
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

/* proc/<pid>/io: do_io_accounting() */
static __always_inline void put_io(struct record *rec, struct task_struct *task, const bool trusted)
{
	/* The kernel has the file only with all of them. */
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
	/* Accounting was off when the thread began: nothing was ever counted. */
	if (!BPF_CORE_READ(task, delays))
		return;
	rec->flags |= RECORD_DELAYS_COUNTED;
	if (n_values <= FIRST_BLOCK_DELAY)
		return;
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

static __always_inline __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* xacct_add_tsk(), in pages. */
struct peaks {
	__u64 rss, vm;
	__u64 are_known;
};

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
	/* exit_mm() takes it off the thread before it may be freed. */
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

SEC("iter/task")
int dump_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	__u32 zero = 0;
	struct sheet *sheet = bpf_map_lookup_elem(&scratch, &zero);

	if (!task || !sheet)
		return 0;
	struct record *rec = &sheet->record;
	const struct peaks peaks = peaks_of(task);
	const bool trusted = true;
	if (ctx->meta->seq_num == 0)
		find_reader();
	rec->has[0] = rec->has[1] = 0;
	name(rec, task);
	put_stat(rec, task, trusted);
	put_sched(rec, task, trusted);
	put_io(rec, task, trusted);
	put_peaks(rec, &peaks);
	if (n_values > FIRST_STATISTIC)
		put_stats(rec, task, trusted);
	put_delays(rec, task, trusted);
	if (rec->tid == 0 || n_values > N_RECORD_VALUES || cpus_bytes > sizeof sheet->cpus)
		return 0;
	bpf_probe_read_kernel(sheet->cpus, cpus_bytes, &task->cpus_mask);
	/* What does not fit is asked for again, both together. */
	bpf_seq_write(seq, rec,
		      __builtin_offsetof(struct record, value) + n_values * sizeof rec->value[0]);
	bpf_seq_write(seq, sheet->cpus, cpus_bytes);
	return 0;
}

/* ---- threads that end -------------------------------------------------- */

/*
 * A thread that ends runs on for a while: what it used is known when it is freed.  By
 * then it has no number, parent or memory any more: these are kept from its end on.
 *
 * It is freed after an RCU grace period, which a busy host may take long for.  So who
 * reads can also ask for those that have been waited for and run no more.
 */
struct last_words {
	__u32 tid, tgid, ppid, uid;
	__u64 flags, cgroup; /* of struct record */
	__u64 end_ns;        /* CLOCK_MONOTONIC */
	struct peaks peaks;
	char pcomm[RECORD_NAME_BYTES];
};

/* By the thread's address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 18);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct last_words);
} ending SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ended SEC(".maps");

/* Whether to take note of them, and since when: set by who reads, who also reads the
 * counts. */
__u32 listening;
__u64 await_before_ns; /* CLOCK_MONOTONIC */
__u64 n_awaited;       /* that had ended by then, and have still to be told of */
__u64 n_ended;
__u64 n_told; /* of these */
__u64 n_lost; /* of these, for want of memory or room */

static __always_inline void lose_end(void)
{
	__sync_fetch_and_add(&n_lost, 1);
	__sync_fetch_and_add(&n_told, 1);
}

SEC("tp_btf/sched_process_exit")
int note_end(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u64 key = (__u64)task;

	if (!listening)
		return 0;
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct last_words words = {
		.tid = (__u32)task->pid,
		.tgid = (__u32)task->tgid,
		.ppid = (__u32)BPF_CORE_READ(task, real_parent, tgid),
		.uid = BPF_CORE_READ(task, real_cred, uid.val),
		.flags = flags_of(task, leader),
		.cgroup = cgroup_of(task),
		.end_ns = bpf_ktime_get_ns(),
		/* None on 6.1 and 6.12, which have let go of the memory by now. */
		.peaks = peaks_of(task),
	};
	bpf_probe_read_kernel(words.pcomm, sizeof words.pcomm, leader->comm);
	__sync_fetch_and_add(&n_ended, 1);
	if (bpf_map_update_elem(&ending, &key, &words, BPF_NOEXIST) == 0)
		return 0;
	/* For want of memory this one is lost; else the one that was there, which was freed
	 * where this kernel runs no programs. */
	lose_end();
	bpf_map_update_elem(&ending, &key, &words, BPF_EXIST);
	return 0;
}

/* As wait() tells it: wait_task_zombie(). */
static __always_inline __u32 exit_code_of(struct task_struct *task)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	return (__u32)(BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT
			       ? BPF_CORE_READ(signal, group_exit_code)
			       : BPF_CORE_READ(task, exit_code));
}

static __always_inline void fill_ended(struct ended *end, const struct last_words *words,
				       struct task_struct *task, const bool trusted)
{
	struct record *rec = &end->record;

	end->elapsed_ns = words->end_ns - READ(task->start_time);
	end->uid = words->uid;
	end->exit_code = exit_code_of(task);
	rec->has[0] = rec->has[1] = 0;
	rec->tid = words->tid;
	rec->tgid = words->tgid;
	rec->flags = (__u32)words->flags;
	rec->cgroup = words->cgroup;
	bpf_probe_read_kernel(rec->comm, sizeof rec->comm, task->comm);
	__builtin_memcpy(rec->pcomm, words->pcomm, sizeof rec->pcomm);
	PUT(ppid, words->ppid);
	put_stat(rec, task, trusted);
	put_sched(rec, task, trusted);
	put_io(rec, task, trusted);
	put_peaks(rec, &words->peaks);
	put_stats(rec, task, trusted);
	put_delays(rec, task, trusted);
}

/* Tells of a thread that runs no more, once: whoever takes it out of the map.  Until then
 * it has not been freed.  False: there is no room. */
static __always_inline bool tell_end(struct task_struct *task, const bool trusted)
{
	__u64 key = (__u64)task;
	struct last_words *words = bpf_map_lookup_elem(&ending, &key);

	if (!words)
		return true;
	struct ended *end = bpf_ringbuf_reserve(&ended, sizeof *end, 0);

	if (!end)
		return false;
	fill_ended(end, words, task, trusted);
	/* Where this kernel runs no programs it was freed without a word: who knows what has
	 * been read. */
	bool is_freed = !trusted && BPF_CORE_READ(task, usage.refs.counter) <= 0;
	bool is_ours = bpf_map_delete_elem(&ending, &key) == 0;

	if (!is_ours || is_freed) {
		bpf_ringbuf_discard(end, BPF_RB_NO_WAKEUP);
		if (is_ours)
			lose_end();
		return true;
	}
	/* To wake the reader for each would cost five times as much. */
	bpf_ringbuf_submit(end, BPF_RB_NO_WAKEUP);
	__sync_fetch_and_add(&n_told, 1);
	return true;
}

/* delayed_put_task_struct(): nobody runs it any more. */
SEC("tp_btf/sched_process_free")
int tell_freed(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u64 key = (__u64)task;

	if (!tell_end(task, true) && bpf_map_delete_elem(&ending, &key) == 0)
		lose_end();
	return 0;
}

/* do_task_dead(), up to finish_task(). */
static __always_inline bool runs_no_more(struct task_struct *task)
{
	const bool trusted = false;

	return STATE_OF(task) == TASK_DEAD &&
	       (!bpf_core_field_exists(task->on_cpu) || !READ(task->on_cpu));
}

/* A zombie stays what it is, and is a thread to whoever lists them. */
SEC("iter/bpf_map_elem")
int tell_reaped(struct bpf_iter__bpf_map_elem *ctx)
{
	const __u64 *key = ctx->key;
	const struct last_words *words = ctx->value;

	if (!key || !words)
		return 0;
	bool is_awaited = words->end_ns < await_before_ns;
	struct task_struct *task = (void *)*key;
	int exit_state = BPF_CORE_READ(task, exit_state);

	if (exit_state == EXIT_ZOMBIE)
		return 0;
	/* Likewise, and another thread's by now, whose end counts it as lost. */
	if ((__u32)BPF_CORE_READ(task, pid) != words->tid)
		return 0;
	if ((exit_state != EXIT_DEAD || !runs_no_more(task) || !tell_end(task, false)) &&
	    is_awaited)
		n_awaited++;
	return 0;
}

/* The helpers ask for it. */
char LICENSE[] SEC("license") = "GPL";
