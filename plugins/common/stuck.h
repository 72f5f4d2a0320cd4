/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that a source has waited for in vain, which hosts since 1.4
 * remember. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ctprof/plugin.h"

static inline bool stuck_is_known(const struct ctprof_host *host)
{
	size_t end = offsetof(struct ctprof_host, is_stuck) + sizeof host->is_stuck;

	return host->struct_size >= end && host->is_stuck;
}

static inline void stuck_mark(const struct ctprof_host *host, struct ctprof_batch *batch,
			      uint64_t row)
{
	if (stuck_is_known(host))
		host->mark_stuck(batch, row);
}

static inline bool stuck_is(const struct ctprof_host *host, const struct ctprof_batch *batch,
			    uint64_t row)
{
	return stuck_is_known(host) && host->is_stuck(batch, row);
}
