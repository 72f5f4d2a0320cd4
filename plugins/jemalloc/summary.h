/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of reading the counters: capture-scope metrics and messages. */
#pragma once

#include "ctprof/plugin.h"
#include "tally.h"

enum {
	SUMMARY_WALKED,
	SUMMARY_DETECTED,
	SUMMARY_OK,
	SUMMARY_FAILED,
	SUMMARY_DOMINANT,
	SUMMARY_PRIVILEGE,
	SUMMARY_FAILURES,
	SUMMARY_METRICS,
};

extern const struct ctprof_metric summary_metrics[SUMMARY_METRICS];

/* Fills the only row, using these slots of the metrics, and reports to the user. */
void summary_put(const struct ctprof_host *host, const uint32_t *slots, struct ctprof_batch *batch,
		 const struct tally *tally);
