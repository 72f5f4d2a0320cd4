/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types that the programs read (bpf-kernel.h). */
#pragma once

#include "bpf-kernel.h"

/* include/uapi/linux/bpf.h */
enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_TASK_STORAGE = 29 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1024, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct rq {
	__u64 nr_switches;
	__u64 clock;
	__u64 clock_task; /* less interrupts and what the hypervisor took */
};

struct cfs_rq {
	struct rq *rq;
	__u64 throttled_clock_self;
	__u64 throttled_clock_self_time; /* since 6.4 */
};

struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	char comm[16];
	bool throttled; /* since 6.18 */
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct sched_entity se;
	struct sched_info sched_info;
};

struct task_struct___old {
	long state; /* before 5.14 */
};

#pragma clang attribute pop
