/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPUs a thread may run on, as numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct affinity {
	unsigned long *mask;
	size_t mask_size; /* bytes */
	uint32_t *cpus;   /* the answer */
	size_t n;
};

int affinity_init(struct affinity *ret);
void affinity_clear(struct affinity *affinity);

/* Asks the kernel; false when it does not tell or the set is empty. */
bool affinity_ask(struct affinity *affinity, int32_t tid);
/* Out of a list ("0-3,8"); false when it is empty or no list. */
bool affinity_read(struct affinity *affinity, struct text list);

/* The CPUs set in the first len bytes of mask; at most max of them. */
size_t affinity_parse_mask(const unsigned long *mask, size_t len, uint32_t *cpus, size_t max);
