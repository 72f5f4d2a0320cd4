/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A filter of a dozen system calls needs no library; written here, it is part of every build.
 */
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#define NATIVE 0u /* allows nothing */
#endif

#define LOAD(member)                                                                               \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* Allows mmap() and mprotect(), unless the memory is to be executable. */
#define ALLOW_DATA(number)                                                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 3), LOAD(args[2]),              \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), RETURN(SECCOMP_RET_ALLOW),  \
		LOAD(nr)

static int filter_calls(void)
{
	/* x32 calls have different numbers from all of these. */
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
		RETURN(SECCOMP_RET_KILL),
		LOAD(nr),
		ALLOW(SYS_recvmsg),
		ALLOW(SYS_sendto),
		ALLOW(SYS_lseek),
		ALLOW(SYS_close),
		ALLOW(SYS_brk),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mremap),
		ALLOW(SYS_madvise),
		ALLOW(SYS_futex),
		ALLOW(SYS_getrandom),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW_DATA(SYS_mmap),
		ALLOW_DATA(SYS_mprotect),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return (int)syscall(SYS_capset, &header, none);
}

int sandbox_enter(void)
{
	return drop_capabilities() == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
			       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls() == 0
		       ? 0
		       : -errno;
}
