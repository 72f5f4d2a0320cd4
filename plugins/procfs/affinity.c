/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "affinity.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than any kernel supports (8192 CPUs); the size is doubled while the kernel reports that the
 * mask is too short. */
#define MASK_BYTES_FIRST 1024u

size_t affinity_parse_mask(const unsigned long *mask, size_t len, uint32_t *cpus, size_t max)
{
	const size_t bits = sizeof *mask * CHAR_BIT;
	size_t n = 0;

	for (size_t word = 0; word < len / sizeof *mask; word++)
		for (unsigned long left = mask[word]; left && n < max; left &= left - 1)
			cpus[n++] = (uint32_t)(word * bits + (size_t)__builtin_ctzl(left));
	return n;
}

bool affinity_ask(struct affinity *affinity, int32_t tid)
{
	long got;

	if (affinity->mask_size == 0)
		affinity->mask_size = MASK_BYTES_FIRST;
	/* The raw system call returns the number of bytes written; the library
	 * hides it. */
	for (;;) {
		got = syscall(SYS_sched_getaffinity, tid, affinity->mask_size, affinity->mask);
		if (got >= 0 || errno != EINVAL || affinity->mask_size >= sizeof affinity->mask)
			break;
		affinity->mask_size *= 2;
	}
	if (got <= 0)
		return false;
	affinity->n =
		affinity_parse_mask(affinity->mask, (size_t)got, affinity->cpus, AFFINITY_CPUS_MAX);
	return affinity->n > 0;
}

bool affinity_read(struct affinity *affinity, struct text list)
{
	affinity->n = text_cpu_list(list, affinity->cpus, AFFINITY_CPUS_MAX);
	return affinity->n > 0;
}
