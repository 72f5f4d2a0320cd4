/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's types, for BPF programs: only the members that one of the programs reads.  libbpf
 * finds each member by name in the running kernel's BTF (CO-RE), so order, size and neighbours do
 * not matter.  A generated vmlinux.h would be 2.8 MB that change with every kernel, and would need
 * /sys where packages are built.
 *
 * Three underscores and the text after them are not part of a name: they distinguish versions of a
 * type.
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef _Bool bool;

struct seq_file;

/* The context of an iterator is read in place, so its layout is that of include/uapi. */
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

enum { false, true };

/* include/uapi/linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_ANY = 0, BPF_RB_NO_WAKEUP = 1 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1024, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

/* include/linux/sched.h */
#define PF_EXITING 0x00000004u
#define PF_IO_WORKER 0x00000010u
#define PF_USER_WORKER 0x00004000u
#define PF_KTHREAD 0x00200000u
#define TASK_DEAD 0x80u
#define EXIT_DEAD 0x10                 /* reaped by its parent, or never to be reaped */
#define UTIL_AVG_UNCHANGED 0x80000000u /* a flag in util_est */
/* include/linux/sched/signal.h */
#define SIGNAL_GROUP_EXIT 4u
/* include/linux/sched/jobctl.h */
#define JOBCTL_TRAP_FREEZE (1ul << 23)
/* include/uapi/linux/magic.h */
#define ANON_INODE_FS_MAGIC 0x09041934ul
/* arch/x86/include/asm/thread_info.h */
#define TS_COMPAT 0x2u
/* include/linux/mm_types_task.h */
enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES, NR_MM_COUNTERS };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	unsigned long s_magic;
};

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct timens_offsets {
	struct timespec64 boottime;
};

struct time_namespace {
	struct timens_offsets offsets;
};

struct nsproxy {
	struct time_namespace *time_ns;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cpumask {
	unsigned long bits[1];
};

struct thread_info {
	__u32 cpu;
	__u32 status; /* x86 */
};

struct prev_cputime {
	__u64 utime;
	__u64 stime;
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
	unsigned long long max_run_delay; /* 6.14 */
	unsigned long long min_run_delay;
	struct timespec64 max_run_delay_ts; /* 7.2 */
};

struct sched_statistics {
	__u64 wait_max;
	__u64 wait_count;
	__u64 wait_sum;
	__u64 iowait_count;
	__u64 iowait_sum;
	__u64 sleep_max;
	__s64 sum_sleep_runtime;
	__u64 block_max;
	__s64 sum_block_runtime;
	__s64 exec_max;
	__u64 slice_max;
	__u64 nr_failed_migrations_affine;
	__u64 nr_failed_migrations_running;
	__u64 nr_failed_migrations_hot;
	__u64 nr_forced_migrations;
	__u64 nr_wakeups;
	__u64 nr_wakeups_sync;
	__u64 nr_wakeups_migrate;
	__u64 nr_wakeups_local;
	__u64 nr_wakeups_remote;
	__u64 nr_wakeups_affine;
	__u64 nr_wakeups_affine_attempts;
	__u64 core_forceidle_sum; /* CONFIG_SCHED_CORE */
};

struct sched_avg {
	unsigned long load_avg;
	unsigned long runnable_avg;
	unsigned long util_avg;
	unsigned int util_est; /* 6.8 */
};

struct rq {
	__u64 nr_switches;
	__u64 clock;
	__u64 clock_task; /* without interrupts and time taken by the hypervisor */
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count; /* CONFIG_CFS_BANDWIDTH */
	__u64 throttled_clock_self;
	__u64 throttled_clock_self_time; /* 6.4 */
};

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 nr_migrations;
	__u64 slice;                 /* 6.6 */
	unsigned char sched_delayed; /* 6.12 */
	struct sched_avg avg;
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED */
};

struct sched_ext_entity {
	__u32 flags;
};

struct task_io_accounting {
	__u64 rchar;
	__u64 wchar;
	__u64 syscr;
	__u64 syscw;
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
};

struct task_delay_info {
	__u64 blkio_delay, blkio_delay_max, blkio_delay_min;
	__u64 swapin_delay, swapin_delay_max, swapin_delay_min;
	__u64 freepages_delay, freepages_delay_max, freepages_delay_min;
	__u64 thrashing_delay, thrashing_delay_max, thrashing_delay_min;
	__u64 compact_delay, compact_delay_max, compact_delay_min;
	__u64 wpcopy_delay, wpcopy_delay_max, wpcopy_delay_min;
	__u64 irq_delay, irq_delay_max, irq_delay_min;
	struct timespec64 blkio_delay_max_ts, swapin_delay_max_ts, freepages_delay_max_ts,
		thrashing_delay_max_ts, compact_delay_max_ts, wpcopy_delay_max_ts, irq_delay_max_ts;
	__u32 blkio_count, swapin_count, freepages_count, thrashing_count, compact_count,
		wpcopy_count, irq_count;
};

struct percpu_counter {
	__s64 count;
};

struct mm_struct {
	unsigned long hiwater_rss;
	unsigned long hiwater_vm;
	unsigned long total_vm;
	struct percpu_counter rss_stat[NR_MM_COUNTERS];
};

/* Before 6.2. */
struct atomic_long___mm {
	__s64 counter;
};

struct mm_rss_stat {
	struct atomic_long___mm count[NR_MM_COUNTERS];
};

struct mm_struct___rss {
	struct mm_rss_stat rss_stat;
};

struct signal_struct {
	int nr_threads;
	int group_exit_code;
	unsigned int flags;
	__u64 cutime;
	__u64 cstime;
};

struct kuid {
	__u32 val;
};

struct cred {
	struct kuid uid;
};

struct sched_class;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu; /* CONFIG_SMP */
	int prio;
	int static_prio;
	unsigned int rt_priority;
	unsigned int policy;
	const struct sched_class *sched_class;
	struct sched_entity se;
	struct sched_statistics stats; /* 5.16 */
	struct sched_ext_entity scx;   /* 6.12 */
	struct cpumask cpus_mask;
	struct sched_info sched_info;
	struct mm_struct *mm;
	int exit_state;
	int exit_code;
	unsigned long jobctl;
	unsigned int frozen : 1;
	bool throttled; /* 6.18 */
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 utime;
	__u64 stime;
	struct prev_cputime prev_cputime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	__u64 start_time;
	__u64 start_boottime;
	unsigned long min_flt;
	unsigned long maj_flt;
	char comm[16];
	const struct cred *real_cred;
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct task_io_accounting ioac;
	__u64 acct_rss_mem1; /* CONFIG_TASK_XACCT */
	struct css_set *cgroups;
	struct task_delay_info *delays;
};

struct util_est {
	unsigned int enqueued;
	unsigned int ewma;
};

struct sched_avg___old {
	struct util_est util_est; /* before 6.8 */
};

struct sched_entity___old {
	struct sched_statistics statistics; /* before 5.16 */
	struct sched_avg___old avg;
};

struct task_struct___old {
	long state;       /* before 5.14 */
	unsigned int cpu; /* before 5.16, where thread_info has none */
	struct sched_entity___old se;
};

/* The state of a thread, with READ(place) to read it. */
#define STATE_OF(READ, task)                                                                       \
	(bpf_core_field_exists((task)->__state)                                                    \
		 ? READ((task)->__state)                                                           \
		 : (__u32)READ(((struct task_struct___old *)(task))->state))

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r10, r8, dx, si, di, orig_ax, ip;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 pc;
	__u64 orig_x0;
	__s32 syscallno;
};
#endif

#pragma clang attribute pop
