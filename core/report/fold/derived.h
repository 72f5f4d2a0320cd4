/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics computed from the folded values of others. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DERIVED_MAX_INPUTS 8

/* The sections that show metrics of threads. */
#define SECTION_PRIMARY "primary"
#define SECTION_DELAY "taskstats-delay"
#define SECTION_DERIVED "derived"

struct derived {
	const char *name;
	uint32_t unit;                          /* enum ctprof_unit */
	const char *inputs[DERIVED_MAX_INPUTS]; /* metric names, then NULL */
	const char *help;
	/* Computes it from all inputs, in their order; false: no value (division
	 * by 0). */
	bool (*compute)(const uint64_t *inputs, double *ret_value);
	const char *section; /* the section that shows it */
	uint32_t kind;       /* COUNTER: a sum of counters; 0: none that has a rate */
	uint32_t flags;      /* CTPROF_METRIC_QUIET: shown only if named */
};

/* Ended by a NULL name. */
extern const struct derived derived_metrics[];

/* Whether it is a ratio of its inputs and not an amount. */
bool derived_is_ratio(const struct derived *derived);
/* Whether that ratio is a number without a unit. */
bool derived_is_share(const struct derived *derived);
/* NULL: no derived metric has that name. */
const struct derived *derived_find(const char *name);
