/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that a plugin starts for what may not return. */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Starts one, on the descriptor table of the calling thread and with all
 * signals masked: those are the program's.  0 or -errno. */
int helper_start(pthread_t *ret, size_t stack_size, void *(*run)(void *), void *data);

/* An abandoned helper runs this code after close(), when the plugin may have
 * been unloaded: keeps it in memory. */
void helper_pin_code(void);
