/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All threads that wait in a futex, and the locks they wait for. */
#pragma once

#include <stddef.h>

#include "ctprof/plugin.h"

#include "futex.h"
#include "looks.h"
#include "peek.h"

struct waiter {
	int32_t tgid, tid;
	struct wait wait;
	enum lock_kind kind;
	int32_t holder;    /* a thread of the process; 0: unknown */
	uint64_t switches; /* before the holder was read for the second time */
	bool is_unread;    /* the holder is unknown because a process of its owner did not answer */
	bool is_checked;   /* it was verified that the thread had not run until then */
	bool is_in_cycle;  /* see locks.c */
};

struct waiters {
	struct waiter *at; /* by tgid and address, once found */
	size_t n, room;
	struct waiter **by_tid;
	struct sweep *sweep; /* NULL: files are read */
	struct looks looks;
};

void waiters_clear(struct waiters *waiters);
/* Finds all waiting threads.  0 or -errno. */
int waiters_find(const struct ctprof_host *host, struct peeker *peeker, struct waiters *waiters);

/* The first of the threads that wait for the same lock as i, and their number. */
size_t waiters_of_lock(const struct waiters *waiters, size_t i, size_t *ret_n);
/* The index of a thread; waiters->n if it does not wait. */
size_t waiters_search(const struct waiters *waiters, int32_t tgid, int32_t tid);
/* Whether the thread is still in the same wait, and has not run since its holder was read. */
bool waiter_is_unchanged(const struct ctprof_host *host, const struct waiter *waiter);
