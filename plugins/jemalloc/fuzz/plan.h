/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Uses bytes as the plan of an ELF file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FILE_BYTES (64u << 10)

/* The plan, read from the front; zeros after its end. */
struct plan {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t next(struct plan *plan)
{
	if (plan->left == 0)
		return 0;
	plan->left--;
	return *plan->at++;
}

/* Returns a number that is small, on an edge, or anything. */
static inline uint64_t next_number(struct plan *plan)
{
	static const uint64_t edges[] = {
		0,
		1,
		8,
		24,
		FILE_BYTES,
		FILE_BYTES - 1,
		UINT32_MAX,
		INT64_MAX,
		UINT64_MAX,
		UINT64_MAX - 7,
		UINT64_C(1) << 28,
		UINT64_C(6) << 30,
	};
	uint8_t kind = next(plan);
	uint64_t value = 0;

	if (kind < 128)
		return (uint64_t)kind * 64 + next(plan);
	if (kind < 200)
		return edges[kind % (sizeof edges / sizeof edges[0])];
	for (int i = 0; i < 8; i++)
		value = value << 8 | next(plan);
	return value;
}
