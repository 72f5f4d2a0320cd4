/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the holder of a lock in glibc's lock words.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

/* A thread asleep in futex(): /proc/TID/syscall. */
struct wait {
	uint64_t address;
	uint32_t op;    /* with its flags */
	uint32_t value; /* value of the word that the caller expects */
	uint64_t pc;    /* of the system call */
};

/* False if the thread is in another call, or running. */
bool wait_parse(struct text syscall, struct wait *ret);
bool wait_of_call(uint64_t number, const uint64_t args[3], uint64_t pc, struct wait *ret);

/* The number of words to read from the address on. */
#define FUTEX_WORDS 5u

enum lock_kind {
	LOCK_OTHER, /* a bare futex, condition variable, semaphore, …: has no holder */
	LOCK_MUTEX,
	LOCK_ROBUST,
	LOCK_PI,
	LOCK_RWLOCK,
	LOCK_JOIN, /* not a lock: pthread_join() of a thread */
};

extern const char *const lock_words[];

/* The thread that the words name, by its number in its own PID namespace; 0 if they name none, with
 * the kind LOCK_OTHER. */
uint32_t lock_holder(const struct wait *wait, const uint32_t words[FUTEX_WORDS],
		     enum lock_kind *ret_kind);
