/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads words of other processes in a child process that may be lost.
 *
 * If a server in user space (FUSE, userfaultfd) never delivers a page, its first reader cannot be
 * ended, not even by SIGKILL.  Therefore pages are read only if pagemap shows them present and
 * anonymous, which lowers the risk but is subject to a race; and they are read by a copy of this
 * process, which is abandoned if it does not answer.  The copy also reads maps, which takes the
 * lock of the address space.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "futex.h"

/* Peeks at one process at a time. */
#define PEEKS_AT_ONCE 256u

struct peek {
	uint64_t address, pc;
	bool is_read;  /* the words could be read */
	bool is_glibc; /* pc is in the C library that ctprof uses, but not in its syscall() */
	uint32_t words[FUTEX_WORDS];
};

struct peeker;

/* The host's proc root shows whether a child that does not answer is blocked. */
int peeker_new(const struct ctprof_host *host, struct peeker **ret);
void peeker_free(struct peeker *peeker);

/* Fills n peeks, at most PEEKS_AT_ONCE, of a process whose maps and pagemap are open; fastest in
 * the order of addresses.  is_new: the last call was for another process.  0; -ETIMEDOUT: the child
 * did not answer; -EAGAIN: too many children did not; or another -errno. */
int peeker_ask(struct peeker *peeker, int32_t pid, bool is_new, const int fds[2],
	       struct peek *peeks, unsigned n);
