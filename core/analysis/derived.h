/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics computed from the folded values of others. */
#pragma once

#include <stdint.h>

#define DERIVED_MAX_INPUTS 8

struct derived {
	const char *name;
	uint32_t unit;                          /* enum ctprof_unit; NONE: a ratio */
	const char *inputs[DERIVED_MAX_INPUTS]; /* metric names, then NULL */
	const char *help;
};

/* Ended by a NULL name. */
extern const struct derived derived_metrics[];
