/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the CPUs a thread may run on, as numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define AFFINITY_MASK_BYTES_MAX 32768u
#define AFFINITY_CPUS_MAX 65536u

/* Must be zeroed before the first use. */
struct affinity {
	unsigned long mask[AFFINITY_MASK_BYTES_MAX / sizeof(unsigned long)];
	size_t mask_size;                 /* requested size in bytes */
	uint32_t cpus[AFFINITY_CPUS_MAX]; /* the answer */
	size_t n;
};

/* Queries the kernel; false if that fails or the set is empty. */
bool affinity_ask(struct affinity *affinity, int32_t tid);
/* Parses a list ("0-3,8"); false if it is empty or not a list. */
bool affinity_read(struct affinity *affinity, struct text list);

/* Lists the CPUs set in the first len bytes of mask; at most max of them. */
size_t affinity_parse_mask(const unsigned long *mask, size_t len, uint32_t *cpus, size_t max);
