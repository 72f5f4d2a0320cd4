/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of users, each looked up once. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct users {
	pthread_mutex_t lock;
	bool live; /* false: this machine's names are not those of a recorded tree */
	struct user *first;
};

void users_init(struct users *ret);
void users_clear(struct users *users);

/* The user's name, or the number in decimal; lives until users_clear().  NULL:
 * out of memory. */
const char *users_name(struct users *users, uint32_t uid);
