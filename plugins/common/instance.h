/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plugin makes in open() and hands out: one piece of zeroed memory. */
#pragma once

#include <errno.h>
#include <stdlib.h>

#include "ctprof/plugin.h"

/* NULL, and the host has heard why: the caller returns -ENOMEM. */
static inline void *instance_new(const struct ctprof_host *host, size_t size)
{
	void *instance = calloc(1, size);

	if (!instance)
		host->error(host, "out of memory");
	return instance;
}

/* A close() that has nothing else to end. */
static inline void instance_free(void *instance)
{
	free(instance);
}

/* Ends an open(): the caller's the instance, or, on a failure (< 0), gone. */
static inline int instance_give(void *instance, int result, void **ret_instance)
{
	if (result < 0)
		instance_free(instance);
	else
		*ret_instance = instance;
	return result < 0 ? result : 0;
}
