/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the paths of threads in v1 controllers.  Threads in the same cgroups of all hierarchies
 * share a css_set: the cgroup file of one thread is valid for all of them, so it is read once per
 * css_set rather than once per thread.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cgroup-lines.h"
#include "ctprof/plugin.h"

/* A host full of containers has several hundred. */
#define SETS_MAX 4096u

struct set {
	uint64_t address;                                    /* of its css_set */
	size_t n;                                            /* entries */
	struct ctprof_map_entry entries[CGROUP_CONTROLLERS]; /* point into text */
	char *text;
};

struct sets {
	pthread_mutex_t lock;
	struct set *sets; /* ordered by address */
	size_t n;
};

void sets_init(struct sets *sets);
void sets_clear(struct sets *sets);

/*
 * Finds the v1 paths of the css_set at an address; path: the target's v2 cgroup, or NULL.  False if
 * they are unknown, for instance because the target has moved meanwhile.  *ret points to memory
 * that is valid until sets_clear().
 */
bool sets_find(struct sets *sets, const struct ctprof_host *host,
	       const struct ctprof_target *target, uint64_t address, const char *path,
	       struct set *ret);
