/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types that the programs read (bpf-kernel.h). */
#pragma once

#include "bpf-kernel.h"

/* include/uapi/linux/bpf.h */
enum bpf_map_type { BPF_MAP_TYPE_TASK_STORAGE = 29 };
enum { BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct task_struct {
	unsigned int __state;
	int pid;
	int tgid;
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct sched_entity se;
	struct sched_info sched_info;
};

struct task_struct___old {
	long state; /* before 5.14 */
};

#pragma clang attribute pop
