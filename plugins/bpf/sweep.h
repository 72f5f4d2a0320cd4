/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The BPF programs, and the records of all threads from one run of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

struct sweep;

/* How much of each thread is asked for. */
struct sweep_setting {
	uint32_t n_values;   /* the first ones of enum record_value */
	uint32_t cpus_bytes; /* of the mask; a multiple of 8 */
};

/*
 * Loads the programs into the kernel and makes them ready to run; nothing after it
 * needs a capability.  0 or -errno.
 */
int sweep_load(const struct sweep_setting *setting, struct sweep **ret);
void sweep_free(struct sweep *sweep);

/* Reads all threads there are now; once.  0 or -errno: whatever came is kept. */
int sweep_run(struct sweep *sweep);

size_t sweep_count(const struct sweep *sweep);
/* What reading them took, in ns. */
uint64_t sweep_span(const struct sweep *sweep);
/* The record of a thread of that process; false when there was none. */
bool sweep_find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct record *ret);
