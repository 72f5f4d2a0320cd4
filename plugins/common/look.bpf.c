/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a struct thread_record of every thread of the host. */
#include "bpf-kernel.h"
#include "thread-record.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#ifndef UINT64_MAX
#define UINT64_MAX (~0ull)
#endif
#define ASLEEP 0x1003u /* kinds.c */
#define MAX_RT_PRIO 100
#define N_SEEN 65536u
#define CALL_AT __builtin_offsetof(struct thread_record, nr)

/* A bit for each system call whose first argument is a descriptor to look up. */
const volatile __u64 wants_descriptor[8] = {0};

/* The call in which a thread was last seen asleep.  It stays in that call until it runs again, and
 * most threads sleep from one instant to the next.  Reading the call costs as much as all else: its
 * registers are on a page that nothing else has touched. */
struct seen {
	__u64 task, start, switches;
	__u8 call[sizeof(struct thread_record) - CALL_AT];
};

/* By tid.  Threads that share a place displace each other. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, N_SEEN);
	__type(key, __u32);
	__type(value, struct seen);
} all_seen SEC(".maps");

static __always_inline void read_descriptor(struct thread_record *record, struct task_struct *task)
{
	struct files_struct *files = task->files;
	struct fdtable *table = files ? files->fdt : 0;
	__u32 number = (__u32)record->args[0];
	struct file **at, *file = 0;
	unsigned long magic = 0;

	if (!table || number >= table->max_fds)
		return;
	at = table->fd;
	bpf_probe_read_kernel(&file, sizeof file, at + number);
	if (!file)
		return;
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	record->mode = BPF_CORE_READ(inode, i_mode);
	__u32 type = record->mode & RECORD_TYPE_MASK;
	if (type != 0 && type != 0100000)
		return;
	magic = BPF_CORE_READ(inode, i_sb, s_magic);
	if (magic != ANON_INODE_FS_MAGIC)
		return;
	/* Since 6.16 anonymous inodes have the type of regular files. */
	record->mode = 0600;
	const unsigned char *name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
	bpf_probe_read_kernel_str(record->name, sizeof record->name, name);
}

static __always_inline void read_call(struct thread_record *record, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	if (!regs)
		return;
#if defined(__TARGET_ARCH_x86)
	if (task->thread_info.status & TS_COMPAT)
		record->marks |= RECORD_COMPAT;
	record->pc = regs->ip;
	record->nr = regs->orig_ax;
	record->args[0] = regs->di;
	record->args[1] = regs->si;
	record->args[2] = regs->dx;
	record->args[3] = regs->r10;
	record->args[4] = regs->r8;
#elif defined(__TARGET_ARCH_arm64)
	record->pc = regs->pc;
	record->nr = (__u64)(__s64)regs->syscallno;
	record->args[0] = regs->orig_x0;
	record->args[1] = regs->regs[1];
	record->args[2] = regs->regs[2];
	record->args[3] = regs->regs[3];
	record->args[4] = regs->regs[4];
#endif
	record->marks &= ~RECORD_NO_REGS;
	if (record->nr < 512 && wants_descriptor[record->nr / 64 & 7] >> record->nr % 64 & 1)
		read_descriptor(record, task);
}

static __always_inline void find_call(struct thread_record *record, struct task_struct *task)
{
	__u32 place = record->tid % N_SEEN;
	struct seen *seen = bpf_map_lookup_elem(&all_seen, &place);

	if (!seen || record->marks & RECORD_ON_CPU) {
		read_call(record, task);
		return;
	}
	if (seen->task == (__u64)task && seen->start == record->start &&
	    seen->switches == record->switches) {
		record->marks &= ~RECORD_NO_REGS;
		__builtin_memcpy(&record->nr, seen->call, sizeof seen->call);
		return;
	}
	read_call(record, task);
	if (record->marks & (RECORD_NO_REGS | RECORD_COMPAT))
		return;
	seen->task = (__u64)task;
	seen->start = record->start;
	seen->switches = record->switches;
	__builtin_memcpy(seen->call, &record->nr, sizeof seen->call);
}

/* Throttled by a cgroup's quota.  Since 6.18 the thread itself is marked, before the queue is. */
static __always_inline bool is_throttled(const struct thread_record *record,
					 struct task_struct *task)
{
	struct cfs_rq *queue = 0;

	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (!bpf_core_field_exists(queue->throttle_count) || task->prio < MAX_RT_PRIO ||
	    record->marks & RECORD_ON_CPU)
		return false;
	queue = task->se.cfs_rq;
	return queue && queue->throttle_count > 0;
}

SEC("iter/task")
int look(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_record record = {0};

	if (!task)
		return 0;
	record.tid = (__u32)task->pid;
	record.tgid = (__u32)task->tgid;
	record.start = task->start_boottime;
	record.state = task->__state;
	record.marks = RECORD_NO_REGS;
	/* The order matters: a thread that is not on a CPU, and has as many switches as before, has
	 * not run since, as leaving a CPU is a switch. */
	if (!bpf_core_field_exists(task->on_cpu) || task->on_cpu)
		record.marks |= RECORD_ON_CPU;
	record.switches = task->nvcsw + task->nivcsw;
	if (task->exit_state)
		record.marks |= RECORD_IS_EXITING;
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		record.marks |= RECORD_KERNEL;
	/* do_freezer_trap(); a thread that waits in vfork() is marked as frozen, too. */
	if (bpf_core_field_exists(task->frozen) && task->jobctl & JOBCTL_TRAP_FREEZE &&
	    BPF_CORE_READ_BITFIELD_PROBED(task, frozen))
		record.marks |= RECORD_FROZEN;
	if (record.state == 0 && is_throttled(&record, task))
		record.marks |= RECORD_THROTTLED;
	if (record.state & ASLEEP && !(record.marks & (RECORD_IS_EXITING | RECORD_KERNEL)))
		find_call(&record, task);
	bpf_seq_write(ctx->meta->seq, &record, sizeof record);
	return 0;
}

/* The helpers require it. */
char LICENSE[] SEC("license") = "GPL";
