/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter is built from a list of numbers: it needs no library, so every build has it.
 */
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

#if defined(__x86_64__) && defined(__LP64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE AUDIT_ARCH_RISCV64
#else
#define NATIVE 0u
#endif

#define X32_BIT 0x40000000u
#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

/* System calls since Linux 5.1 are given as numbers, which are the same on all machines: the C
 * library may not know their names. */
static const guint32 refused[] = {
	SYS_process_vm_writev,
	SYS_migrate_pages,
	SYS_move_pages,
	SYS_open_by_handle_at,
	SYS_userfaultfd,
	SYS_setns,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_swapon,
	SYS_swapoff,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_acct,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_syslog,
	425,
	426,
	427, /* io_uring_setup, _enter, _register */
	428,
	429,
	430,
	431,
	432,
	442, /* open_tree, move_mount, fsopen, -config, -mount, mount_setattr */
	438, /* pidfd_getfd */
	440, /* process_madvise */
};
/* The requests of ptrace() that inspect a thread and release it. */
static const guint32 tracing[] = {PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_GETREGSET, PTRACE_DETACH};

#define MAX_CODE (2 * G_N_ELEMENTS(refused) + 2 * G_N_ELEMENTS(tracing) + 64)
/* The range of <linux/sockios.h>, whose ioctls configure networks. */
#define FIRST_OF_NETWORK 0x8900
#define LAST_OF_NETWORK 0x89ff

struct program {
	struct sock_filter code[MAX_CODE];
	gushort n;
};

static void add(struct program *program, struct sock_filter step)
{
	program->code[program->n++] = step;
}

static void load(struct program *program, gsize offset)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (guint32)offset));
}

static void load_argument(struct program *program, guint i)
{
	load(program, offsetof(struct seccomp_data, args) + i * sizeof(guint64));
}

static void load_number(struct program *program)
{
	load(program, offsetof(struct seccomp_data, nr));
}

static void jump(struct program *program, guint16 compare, guint32 with, guint8 then, guint8 other)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | compare, with, then, other));
}

static void answer(struct program *program, guint32 what)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* Ends the filter with `what` if the comparison of the loaded word is true. */
static void answer_if(struct program *program, guint16 compare, guint32 with, guint32 what)
{
	jump(program, compare, with, 0, 1);
	answer(program, what);
}

/* Skips n steps unless the loaded system call number is this one. */
static void skip_unless_call(struct program *program, guint32 number, guint8 n)
{
	jump(program, BPF_JEQ, number, 0, n);
}

/* Refuses a call by its first argument; leaves the system call number loaded. */
static void add_argument(struct program *program, guint32 number, guint16 compare, guint32 with)
{
	skip_unless_call(program, number, 4);
	load_argument(program, 0);
	answer_if(program, compare, with, SECCOMP_RET_ERRNO | EPERM);
	load_number(program);
}

/* Allows only tracing that inspects, and no tracing of the parent process, the supervisor. */
static void add_tracing(struct program *program)
{
	skip_unless_call(program, SYS_ptrace, 5 + 2 * G_N_ELEMENTS(tracing));
	load_argument(program, 1);
	answer_if(program, BPF_JEQ, (guint32)getppid(), SECCOMP_RET_ERRNO | EPERM);
	load_argument(program, 0);
	for (guint i = 0; i < G_N_ELEMENTS(tracing); i++)
		answer_if(program, BPF_JEQ, tracing[i], SECCOMP_RET_ALLOW);
	answer(program,
	       SANDBOX_IS_TRACED_BY_ITSELF ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM);
}

/* CAP_NET_ADMIN is for taskstats only, so sockets are limited to AF_UNIX and generic netlink, and
 * nothing can be sent to another host. */
static void add_network(struct program *program)
{
	skip_unless_call(program, SYS_socket, 7);
	load_argument(program, 0);
	jump(program, BPF_JEQ, AF_UNIX, 4, 0);
	jump(program, BPF_JEQ, AF_NETLINK, 0, 2);
	load_argument(program, 2);
	jump(program, BPF_JEQ, NETLINK_GENERIC, 1, 0);
	answer(program, SECCOMP_RET_ERRNO | EPERM);
	load_number(program);
	skip_unless_call(program, SYS_ioctl, 5);
	load_argument(program, 1);
	jump(program, BPF_JGE, FIRST_OF_NETWORK, 0, 2);
	jump(program, BPF_JGT, LAST_OF_NETWORK, 1, 0);
	answer(program, SECCOMP_RET_ERRNO | EPERM);
	load_number(program);
}

static void build(struct program *program)
{
	load(program, offsetof(struct seccomp_data, arch));
	jump(program, BPF_JEQ, NATIVE, 1, 0);
	answer(program, SECCOMP_RET_ERRNO | EPERM);
	load_number(program);
	answer_if(program, BPF_JGE, X32_BIT, SECCOMP_RET_ERRNO | EPERM);
	for (guint i = 0; i < G_N_ELEMENTS(refused); i++)
		answer_if(program, BPF_JEQ, refused[i], SECCOMP_RET_ERRNO | EPERM);
	/* The flags of clone3() are in memory, out of reach; with ENOSYS, libraries use clone(). */
	answer_if(program, BPF_JEQ, 435, SECCOMP_RET_ERRNO | ENOSYS);
	add_argument(program, SYS_clone, BPF_JSET, NAMESPACES);
	add_argument(program, SYS_unshare, BPF_JSET, NAMESPACES);
	add_network(program);
	add_tracing(program);
	answer(program, SECCOMP_RET_ALLOW);
}

gboolean sandbox_confine(GError **error)
{
	static _Thread_local gboolean is_confined;
	struct program program = {.n = 0};

	/* A second filter would refuse nothing new, and double the cost per system call. */
	if (NATIVE == 0 || is_confined)
		return TRUE;
	build(&program);
	struct sock_fprog filter = {program.n, program.code};
	is_confined =
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0 || errno == EINVAL;
	return is_confined || error_set_errno(error, errno, "cannot restrict system calls");
}
