/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the BPF programs, and keeps the records of all threads from one run of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/source.h"

#include "record.h"

struct sweep;

/* How much to read of each thread. */
struct sweep_setting {
	uint32_t n_values;   /* the first values of enum record_value */
	bool has_averages;   /* util_avg and the like */
	uint32_t cpus_bytes; /* size of the CPU mask; a multiple of 8 */
	/* If not 0, exits are recorded, too, with a ring of this size for waiting records.  If that
	 * fails, the programs are loaded without it. */
	uint32_t ends_bytes;
	/* The kernel's types (/sys/kernel/btf/vmlinux), valid until sweep_load() returns; NULL:
	 * libbpf reads and searches them itself. */
	const void *types;
	size_t types_len;
};

/*
 * Loads the programs into the kernel and makes them ready to run; no later call needs a capability,
 * with the exceptions below.  0 or -errno.
 */
int sweep_load(const struct sweep_setting *setting, struct sweep **ret);
void sweep_free(struct sweep *sweep);

/* Reads all current threads; may be called once until sweep_again().  0 or -errno; records read
 * before an error are kept. */
int sweep_run(struct sweep *sweep);

/* Prepares the next run.  0 or -errno: before Linux 5.19 this may need CAP_BPF. */
int sweep_again(struct sweep *sweep);

/* Lists the threads.  A thread is reported as the same if its record before sweep_again() was
 * identical byte for byte; it then counts as taken, as it may get no row. */
void sweep_list(struct sweep *sweep, const struct ctprof_listing *listing);

size_t sweep_count(const struct sweep *sweep);
/* Return when reading them began (CLOCK_MONOTONIC), and how long it took, in ns. */
uint64_t sweep_begin(const struct sweep *sweep);
uint64_t sweep_span(const struct sweep *sweep);
/* Fetches the record of a thread for its row in the capture, and marks it as taken; false if there
 * is none.  Workers do not race on the mark: each row belongs to one of them. */
bool sweep_take(const struct sweep *sweep, int32_t tgid, int32_t tid, struct live_record *ret);
/* Fetches it without marking it; *ret_taken: whether it was taken or listed as the same. */
bool sweep_find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct live_record *ret,
		bool *ret_taken);

/* ---- threads that end ---- */

/* Returns 0 if exits can be recorded, once sweep_listen() is called; otherwise -errno. */
int sweep_ends_error(const struct sweep *sweep);
void sweep_listen(struct sweep *sweep);
/* Passes the records that have arrived to take(), which returns false if it has no room.  0 or
 * -errno. */
int sweep_drain(struct sweep *sweep, bool (*take)(void *data, const struct ended *end), void *data);
/* Whether a thread that had ended by before_ns (CLOCK_MONOTONIC) is still running.  Before Linux
 * 5.19 this may need CAP_BPF; without it the result is always false. */
bool sweep_awaits(const struct sweep *sweep, uint64_t before_ns);
/* Return the number of threads that have ended; of those whose record was written or lost, after
 * they were switched out for the last time; and of those lost. */
uint64_t sweep_ended(const struct sweep *sweep);
uint64_t sweep_written(const struct sweep *sweep);
uint64_t sweep_lost(const struct sweep *sweep);
