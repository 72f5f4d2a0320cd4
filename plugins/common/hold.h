/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HOLD(mutex) holds a mutex until the block ends. */
#pragma once

#include <pthread.h>

static inline void hold_end(pthread_mutex_t **lock)
{
	(void)pthread_mutex_unlock(*lock);
}

#define HOLD(lock)                                                                                 \
	__attribute__((cleanup(hold_end))) pthread_mutex_t *held = (lock);                         \
	(void)pthread_mutex_lock(held)
