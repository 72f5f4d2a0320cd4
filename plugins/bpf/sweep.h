/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The BPF programs, and the records of all threads from one run of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/source.h"

#include "record.h"

struct sweep;

/* How much of each thread is asked for. */
struct sweep_setting {
	uint32_t n_values;   /* the first ones of enum record_value */
	bool has_averages;   /* util_avg and the like */
	uint32_t cpus_bytes; /* of the mask; a multiple of 8 */
	/* Threads that end, too, with that much room for records that wait: without if that
	 * does not work.  0: no. */
	uint32_t ends_bytes;
	/* The kernel's types (/sys/kernel/btf/vmlinux), until sweep_load() returns; NULL: libbpf
	 * looks for what it needs. */
	const void *types;
	size_t types_len;
};

/*
 * Loads the programs into the kernel and makes them ready to run; nothing after it
 * needs a capability.  0 or -errno.
 */
int sweep_load(const struct sweep_setting *setting, struct sweep **ret);
void sweep_free(struct sweep *sweep);

/* Reads all threads there are now; once until sweep_again().  0 or -errno: whatever came is kept.
 */
int sweep_run(struct sweep *sweep);

/* Forgets them.  0 or -errno: before Linux 5.19 this may need CAP_BPF. */
int sweep_again(struct sweep *sweep);

/* Lists the threads.  The same is one whose record was there before sweep_again() with every
 * byte as it is now. */
void sweep_list(struct sweep *sweep, const struct ctprof_listing *listing);

size_t sweep_count(const struct sweep *sweep);
/* When reading them began (CLOCK_MONOTONIC), and what it took, in ns. */
uint64_t sweep_begin(const struct sweep *sweep);
uint64_t sweep_span(const struct sweep *sweep);
/* What there was of a thread of that process, for the capture's row of it; false when there was
 * none.  No two workers have one row. */
bool sweep_take(const struct sweep *sweep, int32_t tgid, int32_t tid, struct sheet *ret);
/* The same, and whether it has been taken, or listed. */
bool sweep_find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct sheet *ret,
		bool *ret_taken);

/* ---- threads that end ---- */

/* Why they cannot be told of: -errno; 0: they can, once sweep_listen() is called. */
int sweep_ends_error(const struct sweep *sweep);
void sweep_listen(struct sweep *sweep);
/* Hands take() what has come; take: false when it has no room.  0 or -errno. */
int sweep_drain(struct sweep *sweep, bool (*take)(void *data, const struct ended *end), void *data);
/* Whether one that had ended by then (CLOCK_MONOTONIC) still runs its last.  Before Linux 5.19
 * that may need CAP_BPF, and false says nothing. */
bool sweep_awaits(const struct sweep *sweep, uint64_t before_ns);
/* How many threads have ended; how many of them have come or are lost, which those that run
 * their last have not; and how many are lost. */
uint64_t sweep_ended(const struct sweep *sweep);
uint64_t sweep_told(const struct sweep *sweep);
uint64_t sweep_lost(const struct sweep *sweep);
