/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What glibc's lock words say about who holds a lock.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

/* A thread asleep in futex(): /proc/TID/syscall. */
struct wait {
	uint64_t address;
	uint32_t op;    /* with its flags */
	uint32_t value; /* that the word had */
	uint64_t pc;    /* where it called the kernel */
};

/* false: it is in another call, or runs. */
bool wait_parse(struct text syscall, struct wait *ret);

/* The words from the address on. */
#define FUTEX_WORDS 5u

enum lock_kind {
	LOCK_OTHER, /* a bare futex, condition variable, semaphore, …: nobody holds it */
	LOCK_MUTEX,
	LOCK_ROBUST,
	LOCK_PI,
	LOCK_RWLOCK,
	LOCK_JOIN, /* not a lock: pthread_join() of a thread */
};

extern const char *const lock_words[];

/* The thread that the words name, in the numbers of its own PID namespace; 0: none, and the
 * kind is then LOCK_OTHER. */
uint32_t lock_holder(const struct wait *wait, const uint32_t words[FUTEX_WORDS],
		     enum lock_kind *ret_kind);
