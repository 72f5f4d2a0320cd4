/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What hosts since 1.6 are told of threads and programs that a plugin waits for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ctprof/plugin.h"

static inline bool running_is_known(const struct ctprof_host *host)
{
	size_t end = offsetof(struct ctprof_host, raise) + sizeof host->raise;

	return host->struct_size >= end && host->raise;
}

static inline void running_progress(const struct ctprof_host *host)
{
	if (running_is_known(host))
		host->progress(host);
}

static inline void running_raise(const struct ctprof_host *host, int32_t pid, bool raise)
{
	if (running_is_known(host))
		host->raise(host, pid, raise);
}
