/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of all values this plugin provides for a process. */
#pragma once

#include "process.h"

/* A value to be put into a row. */
struct process_value {
	uint32_t why; /* enum ctprof_absence; CTPROF_PRESENT: the others are set */
	uint64_t number;
	const char *text;
	size_t len;
};

typedef struct process_value process_fill_fn(const struct process *process);

struct process_metric {
	struct ctprof_metric def;
	process_fill_fn *fill; /* NULL: smaps_put() fills it */
	/* Amounts: the keys of smaps to add up; all except optional ones must
	 * be present. */
	const char *keys[3];
	const char *optional;
	/* Amounts that status also has, as a fallback, and values of status
	 * itself. */
	uint8_t status; /* enum status_key; 0: none */
	uint8_t traits; /* TRAIT_* */
};

#define TRAIT_DEAR 1u /* reading it takes the mmap lock */
#define TRAIT_CMDLINE 2u
#define TRAIT_USER 4u
#define TRAIT_PERSONAL 8u /* it reveals how or where the process was started */

extern const struct process_metric process_metrics[N_PROCESS_METRICS];

#define PROCESS_METRIC_PCOMM (N_PROCESS_METRICS - 7)
/* The SHARED_SMAPS_* rows. */
#define PROCESS_METRIC_SMAPS_MAP (N_PROCESS_METRICS - 3)
#define PROCESS_METRIC_SMAPS_STATE (N_PROCESS_METRICS - 2)
#define PROCESS_METRIC_SMAPS_SOURCE (N_PROCESS_METRICS - 1)

/* Whether only this plugin provides the value.  Other values are by-products, and no reason to read
 * anything. */
bool process_metric_is_own(const struct process_metric *metric);
