/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of a thread at one moment; also the layout in which the BPF program writes it. */
#pragma once

#ifndef __bpf__
#include <stdint.h>
typedef uint32_t record_u32;
typedef uint64_t record_u64;
#else
typedef __u32 record_u32;
typedef __u64 record_u64;
#endif

/* struct thread_record.marks */
#define RECORD_COMPAT 1u  /* a 32-bit system call: numbers and registers differ */
#define RECORD_FROZEN 2u  /* by the cgroup freezer, which looks like a sleep */
#define RECORD_NO_REGS 4u /* the system call could not be read */
#define RECORD_KERNEL 8u  /* a kernel thread, or a worker with its creator's registers */
#define RECORD_IS_EXITING 16u
#define RECORD_THROTTLED 64u
#define RECORD_ON_CPU 32u /* on a CPU: may be about to leave its state; set only by BPF */

/* As nr: the thread is in the kernel, but not in a system call. */
#define RECORD_NO_CALL UINT64_MAX
/* Enough to distinguish "[timerfd]" from "[eventpoll]". */
#define RECORD_NAME_BYTES 12

/* File types, as in a mode. */
#define RECORD_TYPE_MASK 0170000u
#define RECORD_TYPE_SOCKET 0140000u
#define RECORD_TYPE_PIPE 0010000u
#define RECORD_TYPE_DEVICE 0020000u

struct thread_record {
	record_u32 tid, tgid;
	record_u64 start; /* start time, by the same clock for all threads */
	record_u32 state; /* TASK_* of include/linux/sched.h */
	record_u32 marks;
	record_u64 switches; /* 0 without BPF */
	record_u64 nr;       /* of the system call */
	record_u64 args[5];
	/* The mode of the descriptor in args[0], or 0 if unknown; and, if the mode has no type
	 * (anonymous inodes), the beginning of its name. */
	record_u32 mode;
	char name[RECORD_NAME_BYTES];
	record_u64 pc; /* in user space; 0 without BPF */
};
