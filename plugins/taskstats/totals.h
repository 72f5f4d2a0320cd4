/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads sums of a process, which include its threads that have ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "decode.h"
#include "query.h"

struct totals {
	const struct ctprof_host *host;
	uint32_t slots[TOTALS_N_FIELDS];
	uint64_t fill; /* bit i: field i is wanted, and counted by this kernel */
};

/* Called in open(); 0 or -errno. */
int totals_declare(struct totals *self, const struct ctprof_host *host);
/*
 * Whether the sum includes context switches of threads that ended: only if the kernel has
 * tgid_stats_add_task(), as 6.18.44 has.  The version of the struct does not show this.
 */
bool totals_keep_switches(uint16_t family);
/* Starts; active is a set of enum taskstats_active. */
void totals_start(struct totals *self, uint16_t family, uint32_t active);
/* Requests the sums for the leaders among n <= NETLINK_BATCH rows from first on; returns as
 * taskstats_query_run() does. */
int totals_collect(const struct totals *self, struct taskstats_query *query,
		   struct ctprof_batch *batch, uint64_t first, size_t n);
