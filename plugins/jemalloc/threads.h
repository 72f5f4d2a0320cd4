/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the threads that glibc knows, in the process's memory while it runs: glibc keeps every
 * struct pthread on one of two lists (nptl/allocatestack.c), one for stacks allocated by glibc, the
 * other for the main thread and for stacks supplied by the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts.h"
#include "remote.h"

/* A struct pthread, and the thread's ID in the process's own namespace. */
struct thread {
	int32_t tid;
	uint64_t pthread;
};

struct threads {
	size_t n;
	size_t room;
	struct thread *rows; /* ascending by tid after a walk */
	bool settled;        /* complete: the walk did not break, no thread was being created */
};

/* The addresses of the heads of both lists. */
struct thread_lists {
	uint64_t used;
	uint64_t user;
};

/*
 * Fills threads anew.  The lists may change meanwhile: a broken walk is repeated, and the result of
 * the last attempt is kept (it has the long-lived threads); every row must be checked against its
 * TID when used.  0, or -errno (-EPERM, -ESRCH, -EFAULT: not a list at all, -E2BIG: more than
 * `most` nodes, -ENOMEM).
 */
int threads_walk(const struct remote *remote, const struct elf_thread_db *db,
		 const struct thread_lists *lists, size_t most, struct threads *threads);

const struct thread *threads_find(const struct threads *threads, int32_t tid);
void threads_clear(struct threads *threads);
