/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instance that a plugin creates in open(): one block of zeroed memory. */
#pragma once

#include <errno.h>
#include <stdlib.h>

#include "ctprof/plugin.h"

/* Returns NULL if out of memory, after host->error(): the caller returns -ENOMEM. */
static inline void *instance_new(const struct ctprof_host *host, size_t size)
{
	void *instance = calloc(1, size);

	if (!instance)
		host->error(host, "out of memory");
	return instance;
}

/* A close() that only frees the instance. */
static inline void instance_free(void *instance)
{
	free(instance);
}

/* Ends an open(): passes the instance to the caller or, on failure (< 0), frees it. */
static inline int instance_give(void *instance, int result, void **ret_instance)
{
	if (result < 0)
		instance_free(instance);
	else
		*ret_instance = instance;
	return result < 0 ? result : 0;
}
