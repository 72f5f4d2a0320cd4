/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads words of other processes, by a process of its own that may be lost.
 *
 * The first reader of a page that a server in user space (FUSE, userfaultfd) never delivers
 * cannot be ended, not even by SIGKILL.  So pages are read only where pagemap shows them
 * present and anonymous, which lowers the odds but can be raced; and by a copy of this
 * process, which is left behind where it does not answer.  So does who reads maps, which
 * takes the lock of the address space.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "futex.h"

/* Of one process at a time. */
#define PEEKS_AT_ONCE 256u

struct peek {
	uint64_t address, pc;
	bool is_read;  /* the words are there */
	bool is_glibc; /* pc is in the C library that ctprof uses, but not in its syscall() */
	uint32_t words[FUTEX_WORDS];
};

struct peeker;

int peeker_new(struct peeker **ret);
void peeker_free(struct peeker *peeker);

/* Fills n peeks of a process, whose maps and pagemap are open, at most PEEKS_AT_ONCE.  uid: who
 * may have made it slow.  0; -ETIMEDOUT: nobody answered, or did not before for that user;
 * another -errno. */
int peeker_ask(struct peeker *peeker, int32_t pid, uint32_t uid, const int fds[2],
	       struct peek *peeks, unsigned n);
