/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the capture of the counters went: capture-scope metrics and messages. */
#pragma once

#include <stdbool.h>

#include "ctprof/plugin.h"
#include "tally.h"

#define SUMMARY_METRICS 7u

struct summary {
	uint32_t slots[SUMMARY_METRICS];
};

/* Registers the metrics: 0 or what the host answered. */
int summary_register(const struct ctprof_host *host, struct summary *ret);

/* Fills the one row; and tells the user. */
void summary_put(const struct ctprof_host *host, const struct summary *summary,
		 struct ctprof_batch *batch, const struct tally *tally);
