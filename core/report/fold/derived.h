/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics computed from the folded values of others. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DERIVED_MAX_INPUTS 8

struct derived {
	const char *name;
	uint32_t unit;                          /* enum ctprof_unit; NONE: a ratio */
	const char *inputs[DERIVED_MAX_INPUTS]; /* metric names, then NULL */
	const char *help;
	/* From all inputs, in their order; false: they give no value (a division
	 * by 0). */
	bool (*compute)(const uint64_t *inputs, double *ret_value);
	const char *section; /* whose lines they are: "derived" or "taskstats-delay" */
};

/* Ended by a NULL name. */
extern const struct derived derived_metrics[];

/* Whether it tells how its inputs stand to each other, not how much there is. */
bool derived_is_ratio(const struct derived *derived);
/* NULL: no derived metric has that name. */
const struct derived *derived_find(const char *name);
