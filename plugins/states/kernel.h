/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types that the programs read (bpf-kernel.h). */
#pragma once

#include "bpf-kernel.h"

/* include/linux/sched.h */
#define PF_IO_WORKER 0x00000010u
#define PF_USER_WORKER 0x00004000u
#define PF_KTHREAD 0x00200000u
/* include/linux/sched/jobctl.h */
#define JOBCTL_TRAP_FREEZE (1ul << 23)
/* arch/x86/include/asm/thread_info.h */
#define TS_COMPAT 0x2u
/* include/uapi/linux/magic.h */
#define ANON_INODE_FS_MAGIC 0x09041934ul

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	__u32 status; /* x86 */
};

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

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int exit_state;
	int pid;
	int tgid;
	__u64 start_boottime;
	unsigned long jobctl;
	unsigned int frozen : 1;
	struct files_struct *files;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r10, r8, dx, si, di, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
};
#endif

#pragma clang attribute pop
