/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Amounts in bytes that may be unknown, and sums that saturate at UINT64_MAX instead of
 * wrapping. */
#pragma once

#include <stdint.h>

#include "ctprof/plugin.h"

struct amount {
	uint32_t absent; /* enum ctprof_absence; 0: known */
	uint64_t bytes;
};

static inline struct amount amount_known(uint64_t bytes)
{
	return (struct amount){.bytes = bytes};
}

static inline struct amount amount_absent(uint32_t why)
{
	return (struct amount){.absent = why};
}

static inline uint64_t amount_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t amount_product(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
