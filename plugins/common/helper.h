/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads of a plugin for calls that may never return. */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Starts one with the descriptor table of the calling thread and all signals
 * masked, as those are for the program. 0 or -errno. */
int helper_start(pthread_t *ret, size_t stack_size, void *(*run)(void *), void *data);

/* An abandoned helper runs this code after close(), when the plugin may have
 * been unloaded: keeps it in memory. */
void helper_pin_code(void);
