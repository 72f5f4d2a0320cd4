/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kind of a thread's activity at one moment: by the scheduler's state first, then by the system
 * call it is in and the kind of descriptor it waits for.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "looks.h"
#include "text.h"

/* The kind depends on the request to the kernel, never on its presumed purpose. */
enum kind {
	KIND_RUNNING,   /* on a CPU or waiting for one */
	KIND_THROTTLED, /* throttled by the quota of a cgroup; only BPF sees this */
	KIND_LOCK,      /* futex without time limit, file lock, System V semaphore */
	KIND_SOCKET,
	KIND_PIPE,  /* pipe, FIFO, eventfd, message queue */
	KIND_TIMER, /* nanosleep, timerfd, poll or select of nothing */
	KIND_IDLE,  /* epoll, poll, select, accept, futex with a time limit, kernel worker */
	KIND_CHILD,
	KIND_FILE,
	KIND_FAULT, /* a page that is not present */
	KIND_STOPPED,
	KIND_OTHER,   /* another system call */
	KIND_UNKNOWN, /* not visible, or not understood */
	KIND_DEAD,    /* a zombie: no longer uses any time */
	N_KINDS
};

extern const char *const kind_words[N_KINDS];

/* The machines whose system calls are known. */
enum machine { MACHINE_X86_64, MACHINE_AARCH64, MACHINE_OTHER };

/* The machine that this was compiled for. */
enum machine kind_machine(void);

/* Whether the first argument of the call is a descriptor whose kind decides. */
bool kind_needs_descriptor(enum machine machine, uint64_t number);
/* A bit for each such call. */
void kind_calls_with_descriptor(enum machine machine, uint64_t ret_bits[SWEEP_CALLS / 64]);

/* wchan: the kernel function it waits in, for calls of which only that shows the kind; empty:
 * unknown. */
enum kind kind_of(enum machine machine, const struct thread_record *record, struct text wchan);
/* Whether wchan would show the kind. */
bool kind_needs_wchan(enum machine machine, const struct thread_record *record);
