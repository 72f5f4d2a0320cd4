/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clocks, in nanoseconds. */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* Returns 0 if the clock cannot be read. */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec now = {0};

	(void)clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Returns the CPU time of a process, or 0 if unknown.  Needs no file of the process, and no
 * rights. */
static inline uint64_t clock_cpu_ns_of(pid_t pid)
{
	clockid_t clock;

	return pid > 0 && clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
}
