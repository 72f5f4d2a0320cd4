/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of all threads at one moment. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "thread-record.h"

/* No host has more threads. */
#define LOOKS_MOST (4u << 20)

struct looks {
	struct thread_record *at; /* malloc()'d; by tid, once a look has ended */
	size_t n, room;
	uint64_t cpu_ns; /* CPU time of helper threads, for the last look */
};

void looks_clear(struct looks *looks);
/* Returns a new, empty record at the end; NULL: out of memory. */
struct thread_record *looks_add(struct looks *looks);
void looks_sort(const struct looks *looks);
/* NULL: there is no such thread. */
const struct thread_record *looks_find(const struct looks *looks, int32_t tgid, int32_t tid);

/* ---- by a BPF program, at 0.2 to 2 µs a thread ---- */

struct sweep;

/* The number of bits in describe. */
#define SWEEP_CALLS 512u

/* describe: a bit for each system call whose first argument is a descriptor that records describe
 * by mode and name; NULL: no call.  0; -EOPNOTSUPP: not in this build, or not on this
 * kernel; or another -errno. */
int sweep_open(const struct ctprof_host *host, const uint64_t describe[SWEEP_CALLS / 64],
	       struct sweep **ret);
void sweep_free(struct sweep *sweep);
int looks_read_sweep(struct sweep *sweep, struct looks *looks);
