/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For BPF programs: what each kernel.h of them begins with.  Such a file has what the programs
 * read of the kernel's own types, and nothing else: libbpf finds each member by its name in the
 * running kernel's BTF (CO-RE), so order, size and neighbours do not matter there.  A generated
 * vmlinux.h would be 2.8 MB that change with every kernel and need /sys where packages are
 * built.
 *
 * The part after three underscores is no part of a name: it tells apart what a type was in
 * other versions.
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

/* The context of an iterator is read in place, as include/uapi lays it out. */
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
