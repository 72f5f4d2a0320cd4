/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts threads of a plugin for calls that may never return. */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Starts a thread with the descriptor table of the caller and all signals masked, since signals are
 * meant for the program.  0 or -errno. */
int helper_start(pthread_t *ret, size_t stack_size, void *(*run)(void *), void *data);

/* Keeps the plugin's code in memory: an abandoned helper may run it after close(), when the plugin
 * would otherwise be unloaded. */
void helper_pin_code(void);
