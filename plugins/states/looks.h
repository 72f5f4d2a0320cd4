/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to look at all threads at one moment. */
#pragma once

#include <stddef.h>

#include "ctprof/plugin.h"

#include "record.h"

/* No host has more threads. */
#define LOOKS_MOST (4u << 20)

struct looks {
	struct thread_record *at; /* malloc()'d; by tid, once a look has ended */
	size_t n, room;
	uint64_t cpu_ns; /* CPU time of helper threads, for the last look */
};

void looks_clear(struct looks *looks);
/* A new, empty record at the end; NULL: out of memory. */
struct thread_record *looks_add(struct looks *looks);
void looks_sort(const struct looks *looks);

/* Reads the files of all threads, at 20 to 40 µs a thread.  A process that does not answer has one
 * record, without a call and a start time.  0 or -errno. */
int looks_read_files(const struct ctprof_host *host, struct looks *looks);

/* ---- by a BPF program, at 1 to 2 µs a thread ---- */

struct sweep;

/* 0; -EOPNOTSUPP: not in this build, or not on this kernel; or another -errno. */
int sweep_open(struct sweep **ret);
void sweep_free(struct sweep *sweep);
int looks_read_sweep(struct sweep *sweep, struct looks *looks);
