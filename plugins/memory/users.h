/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks up the names of users, each once, and all on one thread: the libraries for this keep
 * descriptors open, and each worker has a descriptor table of its own.  A directory service that
 * does not answer in time is not asked again.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USERS_NAME_SIZE 256u

/* Looks a name up; false if there is none. */
typedef bool users_ask_fn(uint32_t uid, char ret_name[USERS_NAME_SIZE]);

struct users {
	pthread_mutex_t lock;
	struct user *first;
	struct async *async; /* runs the thread that asks; NULL: names are not looked up */
	users_ask_fn *ask;
	uint64_t timeout_ns;
};

/* Calls getpwuid(). */
users_ask_fn users_ask_system;

void users_init(struct users *ret);
/* Starts the thread that asks; without it, names are numbers. */
void users_start(struct users *users, users_ask_fn *ask, uint64_t timeout_ns);
void users_clear(struct users *users);

/* Returns the user's name, or the number in decimal; valid until users_clear().  NULL: out of
 * memory. */
const char *users_name(struct users *users, uint32_t uid);
