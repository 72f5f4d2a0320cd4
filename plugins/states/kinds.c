/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kinds.h"

#include <stddef.h>
#include <string.h>

/* include/linux/sched.h */
#define TASK_INTERRUPTIBLE 0x1u
#define TASK_UNINTERRUPTIBLE 0x2u
#define TASK_STOPPED 0x4u
#define TASK_TRACED 0x8u
#define TASK_PARKED 0x40u
#define TASK_DEAD 0x80u
#define TASK_RTLOCK_WAIT 0x1000u
#define TASK_FROZEN 0x8000u
#define TASK_IDLE 0x402u
#define ASLEEP (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT)

#define F_SETLKW_NUMBER 7u
#define F_OFD_SETLKW_NUMBER 38u

const char *const kind_words[N_KINDS] = {
	[KIND_RUNNING] = "running", [KIND_THROTTLED] = "throttled", [KIND_LOCK] = "lock",
	[KIND_SOCKET] = "socket",   [KIND_PIPE] = "pipe",           [KIND_TIMER] = "timer",
	[KIND_IDLE] = "idle",       [KIND_CHILD] = "child",         [KIND_FILE] = "file",
	[KIND_FAULT] = "fault",     [KIND_STOPPED] = "stopped",     [KIND_OTHER] = "other",
	[KIND_UNKNOWN] = "unknown", [KIND_DEAD] = "dead",
};

/* Calls whose kind depends on more than their number; the others have their kind in the table, and
 * calls without a row are KIND_OTHER. */
enum call {
	CALL_DESCRIPTOR = N_KINDS, /* the kind of the descriptor decides */
	CALL_POLL,                 /* its second argument is the number of descriptors */
	CALL_SELECT,               /* its first argument is that number */
	CALL_FUTEX,                /* its fourth argument is a time limit */
	CALL_FUTEX_WAIT,           /* its fifth argument is the time limit */
	CALL_FCNTL,
	CALL_RESTART, /* continues a call that only the kernel's stack shows */
};

#define NONE 0xffffu

/* Numbers of arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. */
static const struct {
	uint16_t number[MACHINE_OTHER];
	uint8_t call;
} calls[] = {
	{{0, 63}, CALL_DESCRIPTOR},    /* read */
	{{1, 64}, CALL_DESCRIPTOR},    /* write */
	{{2, NONE}, KIND_FILE},        /* open */
	{{3, 57}, CALL_DESCRIPTOR},    /* close */
	{{4, NONE}, KIND_FILE},        /* stat */
	{{5, 80}, KIND_FILE},          /* fstat */
	{{6, NONE}, KIND_FILE},        /* lstat */
	{{7, NONE}, CALL_POLL},        /* poll */
	{{16, 29}, CALL_DESCRIPTOR},   /* ioctl */
	{{17, 67}, CALL_DESCRIPTOR},   /* pread64 */
	{{18, 68}, CALL_DESCRIPTOR},   /* pwrite64 */
	{{19, 65}, CALL_DESCRIPTOR},   /* readv */
	{{20, 66}, CALL_DESCRIPTOR},   /* writev */
	{{21, NONE}, KIND_FILE},       /* access */
	{{23, NONE}, CALL_SELECT},     /* select */
	{{26, 227}, KIND_FILE},        /* msync */
	{{35, 101}, KIND_TIMER},       /* nanosleep */
	{{40, 71}, CALL_DESCRIPTOR},   /* sendfile */
	{{42, 203}, KIND_SOCKET},      /* connect */
	{{43, 202}, KIND_IDLE},        /* accept */
	{{44, 206}, KIND_SOCKET},      /* sendto */
	{{45, 207}, KIND_SOCKET},      /* recvfrom */
	{{46, 211}, KIND_SOCKET},      /* sendmsg */
	{{47, 212}, KIND_SOCKET},      /* recvmsg */
	{{56, 220}, KIND_CHILD},       /* clone: sleeps with CLONE_VFORK only */
	{{58, NONE}, KIND_CHILD},      /* vfork */
	{{59, 221}, KIND_FILE},        /* execve */
	{{61, 260}, KIND_CHILD},       /* wait4 */
	{{65, 193}, KIND_LOCK},        /* semop */
	{{69, 189}, KIND_PIPE},        /* msgsnd */
	{{70, 188}, KIND_PIPE},        /* msgrcv */
	{{72, 25}, CALL_FCNTL},        /* fcntl */
	{{73, 32}, KIND_LOCK},         /* flock */
	{{74, 82}, KIND_FILE},         /* fsync */
	{{75, 83}, KIND_FILE},         /* fdatasync */
	{{76, 45}, KIND_FILE},         /* truncate */
	{{77, 46}, KIND_FILE},         /* ftruncate */
	{{78, NONE}, KIND_FILE},       /* getdents */
	{{82, NONE}, KIND_FILE},       /* rename */
	{{83, NONE}, KIND_FILE},       /* mkdir */
	{{84, NONE}, KIND_FILE},       /* rmdir */
	{{85, NONE}, KIND_FILE},       /* creat */
	{{87, NONE}, KIND_FILE},       /* unlink */
	{{89, NONE}, KIND_FILE},       /* readlink */
	{{137, 43}, KIND_FILE},        /* statfs */
	{{138, 44}, KIND_FILE},        /* fstatfs */
	{{162, 81}, KIND_FILE},        /* sync */
	{{202, 98}, CALL_FUTEX},       /* futex */
	{{208, 4}, KIND_FILE},         /* io_getevents */
	{{209, 2}, KIND_FILE},         /* io_submit */
	{{217, 61}, KIND_FILE},        /* getdents64 */
	{{219, 128}, CALL_RESTART},    /* restart_syscall */
	{{220, 192}, KIND_LOCK},       /* semtimedop */
	{{230, 115}, KIND_TIMER},      /* clock_nanosleep */
	{{232, NONE}, KIND_IDLE},      /* epoll_wait */
	{{242, 182}, KIND_PIPE},       /* mq_timedsend */
	{{243, 183}, KIND_PIPE},       /* mq_timedreceive */
	{{247, 95}, KIND_CHILD},       /* waitid */
	{{257, 56}, KIND_FILE},        /* openat */
	{{258, 34}, KIND_FILE},        /* mkdirat */
	{{262, 79}, KIND_FILE},        /* newfstatat */
	{{263, 35}, KIND_FILE},        /* unlinkat */
	{{264, 38}, KIND_FILE},        /* renameat */
	{{267, 78}, KIND_FILE},        /* readlinkat */
	{{269, 48}, KIND_FILE},        /* faccessat */
	{{270, 72}, CALL_SELECT},      /* pselect6 */
	{{271, 73}, CALL_POLL},        /* ppoll */
	{{275, 76}, CALL_DESCRIPTOR},  /* splice */
	{{276, 77}, KIND_PIPE},        /* tee */
	{{277, 84}, KIND_FILE},        /* sync_file_range */
	{{278, 75}, KIND_PIPE},        /* vmsplice */
	{{281, 22}, KIND_IDLE},        /* epoll_pwait */
	{{285, 47}, KIND_FILE},        /* fallocate */
	{{288, 242}, KIND_IDLE},       /* accept4 */
	{{295, 69}, CALL_DESCRIPTOR},  /* preadv */
	{{296, 70}, CALL_DESCRIPTOR},  /* pwritev */
	{{299, 243}, KIND_SOCKET},     /* recvmmsg */
	{{306, 267}, KIND_FILE},       /* syncfs */
	{{307, 269}, KIND_SOCKET},     /* sendmmsg */
	{{316, 276}, KIND_FILE},       /* renameat2 */
	{{322, 281}, KIND_FILE},       /* execveat */
	{{326, 285}, CALL_DESCRIPTOR}, /* copy_file_range */
	{{327, 286}, CALL_DESCRIPTOR}, /* preadv2 */
	{{328, 287}, CALL_DESCRIPTOR}, /* pwritev2 */
	{{332, 291}, KIND_FILE},       /* statx */
	{{333, 292}, KIND_FILE},       /* io_pgetevents */
	{{426, 426}, KIND_IDLE},       /* io_uring_enter */
	{{435, 435}, KIND_CHILD},      /* clone3 */
	{{437, 437}, KIND_FILE},       /* openat2 */
	{{439, 439}, KIND_FILE},       /* faccessat2 */
	{{441, 441}, KIND_IDLE},       /* epoll_pwait2 */
	{{449, 449}, CALL_FUTEX},      /* futex_waitv */
	{{455, 455}, CALL_FUTEX_WAIT}, /* futex_wait */
};

#define N_CALLS (sizeof calls / sizeof calls[0])

enum machine kind_machine(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return MACHINE_X86_64;
#elif defined(__aarch64__) && defined(__LP64__)
	return MACHINE_AARCH64;
#else
	return MACHINE_OTHER;
#endif
}

/* -1 if there is no such row. */
static int find_call(enum machine machine, uint64_t number)
{
	for (size_t i = 0; machine < MACHINE_OTHER && number < NONE && i < N_CALLS; i++)
		if (calls[i].number[machine] == number)
			return calls[i].call;
	return -1;
}

bool kind_needs_descriptor(enum machine machine, uint64_t number)
{
	return find_call(machine, number) == CALL_DESCRIPTOR;
}

void kind_calls_with_descriptor(enum machine machine, uint64_t ret_bits[SWEEP_CALLS / 64])
{
	memset(ret_bits, 0, SWEEP_CALLS / 8);
	for (uint64_t number = 0; number < SWEEP_CALLS; number++)
		if (kind_needs_descriptor(machine, number))
			ret_bits[number / 64] |= UINT64_C(1) << number % 64;
}

/* ---- one thread ---------------------------------------------------------- */

/* Returns N_KINDS if the thread sleeps: the call then determines the kind. */
static enum kind kind_of_state(const struct thread_record *record)
{
	uint32_t state = record->state;

	if (record->marks & RECORD_IS_EXITING || state & TASK_DEAD)
		return KIND_DEAD;
	/* A stopped thread keeps the number of the call it was in. */
	if (state & (TASK_STOPPED | TASK_TRACED | TASK_FROZEN) || record->marks & RECORD_FROZEN)
		return KIND_STOPPED;
	if (state & TASK_PARKED)
		return KIND_IDLE;
	/* This state also covers a thread that is being woken; the number may then be of an earlier
	 * call. */
	if (!(state & ASLEEP))
		return record->marks & RECORD_THROTTLED ? KIND_THROTTLED : KIND_RUNNING;
	if (record->marks & RECORD_KERNEL)
		return (state & TASK_IDLE) == TASK_UNINTERRUPTIBLE ? KIND_OTHER : KIND_IDLE;
	if (record->marks & (RECORD_NO_REGS | RECORD_COMPAT))
		return KIND_UNKNOWN;
	return N_KINDS;
}

static bool is_named(const struct thread_record *record, const char *name)
{
	size_t len = strlen(name);

	return strncmp(record->name, name, len < sizeof record->name ? len : sizeof record->name) ==
	       0;
}

static enum kind kind_of_descriptor(const struct thread_record *record)
{
	switch (record->mode & RECORD_TYPE_MASK) {
	case RECORD_TYPE_SOCKET:
		return KIND_SOCKET;
	case RECORD_TYPE_PIPE:
		return KIND_PIPE;
	case RECORD_TYPE_DEVICE:
		return KIND_OTHER;
	case 0:
		break;
	default:
		return KIND_FILE;
	}
	if (record->mode == 0)
		return KIND_UNKNOWN;
	if (is_named(record, "[eventfd]"))
		return KIND_PIPE;
	if (is_named(record, "[timerfd]"))
		return KIND_TIMER;
	return is_named(record, "[eventpoll]") ? KIND_IDLE : KIND_OTHER;
}

/* After a stop and SIGCONT the call is restart_syscall: the arguments are those of the earlier
 * call, but its number is lost. */
static enum kind kind_of_restarted(struct text wchan)
{
	static const struct {
		const char *begin;
		enum kind kind;
	} rows[] = {
		{"futex", KIND_IDLE},         {"hrtimer_nanosleep", KIND_TIMER},
		{"do_nanosleep", KIND_TIMER}, {"common_nsleep", KIND_TIMER},
		{"do_poll", KIND_IDLE},       {"do_sys_poll", KIND_IDLE},
		{"poll_schedule", KIND_IDLE},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (text_starts(wchan, rows[i].begin))
			return rows[i].kind;
	return KIND_UNKNOWN;
}

static enum kind kind_of_call(int call, const struct thread_record *record, struct text wchan)
{
	const record_u64 *args = record->args;

	switch (call) {
	case CALL_DESCRIPTOR:
		return kind_of_descriptor(record);
	case CALL_POLL:
		return (uint32_t)args[1] == 0 ? KIND_TIMER : KIND_IDLE;
	case CALL_SELECT:
		return (uint32_t)args[0] == 0 ? KIND_TIMER : KIND_IDLE;
	case CALL_FUTEX:
		return args[3] ? KIND_IDLE : KIND_LOCK;
	case CALL_FUTEX_WAIT:
		return args[4] ? KIND_IDLE : KIND_LOCK;
	case CALL_FCNTL:
		return args[1] == F_SETLKW_NUMBER || args[1] == F_OFD_SETLKW_NUMBER ? KIND_LOCK
										    : KIND_FILE;
	case CALL_RESTART:
		return kind_of_restarted(wchan);
	default:
		return call >= 0 ? (enum kind)call : KIND_OTHER;
	}
}

enum kind kind_of(enum machine machine, const struct thread_record *record, struct text wchan)
{
	enum kind kind = kind_of_state(record);

	if (kind < N_KINDS)
		return kind;
	if (record->nr == RECORD_NO_CALL)
		return KIND_FAULT;
	if (machine == MACHINE_OTHER)
		return KIND_UNKNOWN;
	return kind_of_call(find_call(machine, record->nr), record, wchan);
}

bool kind_needs_wchan(enum machine machine, const struct thread_record *record)
{
	return kind_of_state(record) == N_KINDS && find_call(machine, record->nr) == CALL_RESTART;
}
