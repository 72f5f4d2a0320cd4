/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread does with its time at one moment, told by the scheduler's state first, then
 * by the system call it is in and the kind of descriptor it waits for.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"
#include "text.h"

/* By what was asked of the kernel, never by what it may be for. */
enum kind {
	KIND_RUNNING, /* on a CPU, or waiting for one */
	KIND_LOCK,    /* futex without time limit, file lock, System V semaphore */
	KIND_SOCKET,
	KIND_PIPE,  /* pipe, FIFO, eventfd, message queue */
	KIND_TIMER, /* nanosleep, timerfd, poll or select of nothing */
	KIND_IDLE,  /* epoll, poll, select, accept, futex with a time limit, kernel worker */
	KIND_CHILD,
	KIND_FILE,
	KIND_FAULT, /* a page that is not there */
	KIND_STOPPED,
	KIND_OTHER,   /* another system call */
	KIND_UNKNOWN, /* not to be seen, or not understood */
	KIND_DEAD,    /* a zombie: no longer its time */
	N_KINDS
};

extern const char *const kind_words[N_KINDS];

/* The machines whose system calls are known. */
enum machine { MACHINE_X86_64, MACHINE_AARCH64, MACHINE_OTHER };

/* The machine that this is. */
enum machine kind_machine(void);

/* Whether the first argument of the call is a descriptor whose kind decides. */
bool kind_needs_descriptor(enum machine machine, uint64_t number);

/* wchan: the kernel function it waits in, for what only that tells; empty: unknown. */
enum kind kind_of(enum machine machine, const struct thread_record *record, struct text wchan);
/* Whether wchan would tell more. */
bool kind_needs_wchan(enum machine machine, const struct thread_record *record);
