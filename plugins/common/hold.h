/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HOLD(mutex) holds a mutex until the block ends. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "clock.h"

static inline void hold_end(pthread_mutex_t **lock)
{
	(void)pthread_mutex_unlock(*lock);
}

#define HOLD(lock)                                                                                 \
	__attribute__((cleanup(hold_end))) pthread_mutex_t *held = (lock);                         \
	(void)pthread_mutex_lock(held)

/* Initialises a condition for hold_wait(). */
static inline void hold_init_condition(pthread_cond_t *ret)
{
	pthread_condattr_t attr;

	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(ret, &attr);
	(void)pthread_condattr_destroy(&attr);
}

/* Waits for a signal until that time (clock_now()); false if the time has passed. */
static inline bool hold_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				       .tv_nsec = (long)(until_ns % NS_PER_S)};

	return pthread_cond_timedwait(condition, lock, &until) == 0;
}
