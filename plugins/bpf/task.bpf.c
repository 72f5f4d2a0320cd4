/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a struct record for every thread in the reader's PID namespace, and for every thread that
 * ends.
 *
 * Pointers are read by a helper.  Only delays is followed directly, because many fields are read
 * through it, and only if they are wanted: to check that one trusted pointer leads to another, the
 * verifier (6.4 and later) goes through all types of the kernel several times.  libbpf does the
 * same for the first type on the path to each field: the old names of a thread's fields are in a
 * type of their own.
 */
#include "fields.h"

/* Set before loading: the number of values of a record that are written, whether the load averages
 * are among them, and the size in bytes of the CPU mask. */
const volatile __u32 n_values = N_RECORD_VALUES;
const volatile bool has_averages = true;
const volatile __u32 cpus_bytes = 8;

/* The reader's PID namespace level and time offset: set when the first thread is read. */
__u32 reader_level;
__s64 reader_boot_offset;

/* Too large for the stack.  One iterator runs at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct live_record);
} scratch SEC(".maps");

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

/* Returns pid_nr_ns(): the level is not a constant, so libbpf cannot relocate the access.  0: the
 * thread is in a namespace further out. */
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
	/* Most readers are in the initial namespace. */
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

/*
 * The fields that a thread shares with the previous one, as consecutive threads are mostly of one
 * process.  Reading them again for each thread took more time than all fields of its own.  If the
 * addresses are equal, so are the fields: an object cannot be freed and its address reused between
 * two threads.
 */
static struct {
	__u64 leader, parent, mm, css_set; /* addresses; 0: not known */
	__u64 cgroup;
	__u32 kernel_tgid, tgid, ppid, uid, flags;
	__u64 cutime, cstime, nr_threads;
	char pcomm[RECORD_NAME_BYTES];
	struct peaks peaks;
} common;

static __always_inline void find_process(struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	if ((__u64)leader == common.leader && (__u32)task->tgid == common.kernel_tgid)
		return;
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	common.leader = (__u64)leader;
	common.kernel_tgid = (__u32)task->tgid;
	common.tgid = tgid_of(task);
	common.flags = BPF_CORE_READ(leader, flags) & PF_KTHREAD ? RECORD_LEADER_KERNEL : 0;
	common.uid = BPF_CORE_READ(leader, real_cred, uid.val);
	common.cutime = BPF_CORE_READ(signal, cutime);
	common.cstime = BPF_CORE_READ(signal, cstime);
	common.nr_threads = (__u64)BPF_CORE_READ(signal, nr_threads);
	bpf_probe_read_kernel(common.pcomm, sizeof common.pcomm, leader->comm);
}

static __always_inline void find_parent(struct task_struct *task)
{
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);

	if ((__u64)parent == common.parent)
		return;
	common.parent = (__u64)parent;
	common.ppid = tgid_of(parent);
}

static __always_inline void find_cgroup(struct task_struct *task)
{
	__u64 css_set = (__u64)BPF_CORE_READ(task, cgroups);

	if (css_set == common.css_set)
		return;
	common.css_set = css_set;
	common.cgroup = cgroup_of(task);
}

static __always_inline void find_peaks(struct task_struct *task)
{
	__u64 mm = (__u64)BPF_CORE_READ(task, mm);

	if (mm && mm == common.mm && !(task->flags & PF_KTHREAD))
		return;
	common.peaks = peaks_of(task);
	common.mm = common.peaks.are_known ? mm : 0;
}

static __always_inline void put_common(struct record *rec, struct task_struct *task)
{
	find_process(task);
	find_parent(task);
	find_peaks(task);
	rec->tid = reader_level ? number_of(task) : (__u32)task->pid;
	rec->tgid = common.tgid;
	rec->flags = common.flags | (task->flags & PF_KTHREAD ? RECORD_KERNEL_THREAD : 0) |
		     (task->flags & PF_EXITING ? RECORD_EXITING : 0);
	bpf_probe_read_kernel(rec->comm, sizeof rec->comm, task->comm);
	__builtin_memcpy(rec->pcomm, common.pcomm, sizeof rec->pcomm);
	rec->cgroup = 0;
	if (bpf_core_field_exists(task->cgroups)) {
		find_cgroup(task);
		rec->css_set = common.css_set;
		rec->cgroup = common.cgroup;
	}
	PUT(ppid, common.ppid);
	PUT(uid, common.uid);
	PUT(cutime_clock_ticks, common.cutime);
	PUT(cstime_clock_ticks, common.cstime);
	PUT(nr_threads, common.nr_threads);
	put_peaks(rec, &common.peaks);
}

SEC("iter/task")
int dump_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	__u32 zero = 0;
	struct live_record *live_rec = bpf_map_lookup_elem(&scratch, &zero);

	if (!task || !live_rec)
		return 0;
	struct record *rec = &live_rec->record;
	const bool trusted = true;
	if (ctx->meta->seq_num == 0) {
		find_reader();
		common.leader = common.parent = common.mm = common.css_set = 0;
	}
	rec->has[0] = rec->has[1] = 0;
	put_common(rec, task);
	put_stat(rec, task, trusted);
	put_sched(rec, task, trusted);
	put_averages(rec, task, trusted);
	put_io(rec, task, trusted);
	if (n_values > FIRST_STATISTIC)
		put_stats(rec, task, trusted);
	put_delays(rec, task, trusted);
	if (rec->tid == 0 || n_values > N_RECORD_VALUES || cpus_bytes > sizeof live_rec->cpus)
		return 0;
	bpf_probe_read_kernel(live_rec->cpus, cpus_bytes, &task->cpus_mask);
	/* If the buffer is full, the kernel discards both parts and calls again for this thread. */
	bpf_seq_write(seq, rec,
		      __builtin_offsetof(struct record, value) + n_values * sizeof rec->value[0]);
	bpf_seq_write(seq, live_rec->cpus, cpus_bytes);
	return 0;
}

/* ---- threads that end -------------------------------------------------- */

/*
 * A thread that ends continues to run for a while: its usage is complete only at its last switch.
 * By then its memory, and perhaps its parent, no longer exist, so these values are saved when it
 * begins to end.
 *
 * sched_process_free is too late: it comes after an RCU grace period, which may take long on a busy
 * host, and the kernel runs no program for some batches of threads (seen on 6.18).
 */
/* The data of ending threads by address.  There is room for all that may be ending at a time; it is
 * allocated beforehand, as allocation may fail at that point. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 15);
	__type(key, __u64);
	__type(value, struct exit_data);
} ending SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ended SEC(".maps");

/* Whether to record exits: set by the reader, which also reads the counts. */
__u32 listening;
__u64 n_ended;
__u64 n_written; /* ended threads whose record was written or lost */
__u64 n_lost;    /* records lost because the ring was full */

static __always_inline void read_exit_data(struct task_struct *task, struct exit_data *data)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	*data = (struct exit_data){
		.tid = (__u32)task->pid,
		.tgid = (__u32)task->tgid,
		.uid = BPF_CORE_READ(task, real_cred, uid.val),
		.flags = flags_of(task, leader),
		.cgroup = cgroup_of(task),
		.end_ns = bpf_ktime_get_ns(),
		/* Unknown on 6.1 and 6.12, which have released the memory by now. */
		.peaks = peaks_of(task),
	};
	if (task->exit_state != EXIT_DEAD)
		data->ppid = (__u32)BPF_CORE_READ(task, real_parent, tgid);
	bpf_probe_read_kernel(data->pcomm, sizeof data->pcomm, leader->comm);
}

SEC("tp_btf/sched_process_exit")
int note_end(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u64 key = (__u64)task;
	struct exit_data data;

	if (!listening)
		return 0;
	read_exit_data(task, &data);
	if (bpf_map_update_elem(&ending, &key, &data, BPF_ANY) == 0)
		__sync_fetch_and_add(&n_ended, 1);
	return 0;
}

/* Returns the exit code that wait() would report: wait_task_zombie(). */
static __always_inline __u32 exit_code_of(struct task_struct *task)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	return (__u32)(BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT
			       ? BPF_CORE_READ(signal, group_exit_code)
			       : BPF_CORE_READ(task, exit_code));
}

static __always_inline void fill_ended(struct ended *end, const struct exit_data *data,
				       struct task_struct *task)
{
	struct record *rec = &end->record;
	const bool trusted = true;

	end->end_ns = data->end_ns;
	end->elapsed_ns = data->end_ns - READ(task->start_time);
	end->uid = data->uid;
	end->exit_code = exit_code_of(task);
	rec->has[0] = rec->has[1] = 0;
	rec->tid = data->tid;
	rec->tgid = data->tgid;
	rec->flags = (__u32)data->flags;
	rec->cgroup = data->cgroup;
	bpf_probe_read_kernel(rec->comm, sizeof rec->comm, task->comm);
	__builtin_memcpy(rec->pcomm, data->pcomm, sizeof rec->pcomm);
	if (data->ppid != 0)
		PUT(ppid, data->ppid);
	put_stat(rec, task, trusted);
	put_sched(rec, task, trusted);
	put_io(rec, task, trusted);
	put_peaks(rec, &data->peaks);
	if (n_values > FIRST_STATISTIC)
		put_stats(rec, task, trusted);
	put_delays(rec, task, trusted);
}

/* Called in __schedule(): the thread's CPU time is final, and its task_struct still intact. */
SEC("tp_btf/sched_switch")
int write_end(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[1];
	const bool trusted = true;
	struct exit_data late;

	if (STATE_OF(READ, task) != TASK_DEAD)
		return 0;
	__u64 key = (__u64)task;
	struct exit_data *data = bpf_map_lookup_elem(&ending, &key);
	if (!data && !listening)
		return 0;
	/* The map was full, or another thread had been preempted inside note_end(): then the kernel
	 * does not run note_end() again on that CPU (seen on 7.0 and 7.3). */
	if (!data) {
		read_exit_data(task, &late);
		data = &late;
		__sync_fetch_and_add(&n_ended, 1);
	}
	struct ended *end = bpf_ringbuf_reserve(&ended, sizeof *end, 0);
	if (end) {
		fill_ended(end, data, task);
		/* Waking the reader for each record would cost five times as much, and is not
		 * allowed here. */
		bpf_ringbuf_submit(end, BPF_RB_NO_WAKEUP);
	} else {
		__sync_fetch_and_add(&n_lost, 1);
	}
	__sync_fetch_and_add(&n_written, 1);
	bpf_map_delete_elem(&ending, &key);
	return 0;
}

/* The helpers require it. */
char LICENSE[] SEC("license") = "GPL";
