/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that an older host does not have. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ctprof/plugin.h"

#define HOST_HAS(host, function)                                                                   \
	((host)->struct_size >= offsetof(struct ctprof_host, function) + sizeof(host)->function && \
	 (host)->function)

/* Marks a process that a source has waited for in vain; hosts since 1.4 remember it. */
static inline void stuck_mark(const struct ctprof_host *host, struct ctprof_batch *batch,
			      uint64_t row)
{
	if (HOST_HAS(host, mark_stuck))
		host->mark_stuck(batch, row);
}

static inline bool stuck_is(const struct ctprof_host *host, const struct ctprof_batch *batch,
			    uint64_t row)
{
	return HOST_HAS(host, is_stuck) && host->is_stuck(batch, row);
}

/* Informs the host that a plugin waits for threads or programs, which hosts since 1.6 support. */
static inline void running_progress(const struct ctprof_host *host)
{
	if (HOST_HAS(host, progress))
		host->progress(host);
}

static inline void running_raise(const struct ctprof_host *host, int32_t pid, bool raise)
{
	if (HOST_HAS(host, raise))
		host->raise(host, pid, raise);
}
