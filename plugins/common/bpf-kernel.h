/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For BPF programs: the common beginning of their kernel.h files.  Such a file declares only the
 * types and members that the programs read: libbpf finds each member by name in the running
 * kernel's BTF (CO-RE), so order, size and neighbours do not matter.  A generated vmlinux.h would
 * be 2.8 MB that change with every kernel, and would need /sys where packages are built.
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
