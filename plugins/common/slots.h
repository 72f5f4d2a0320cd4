/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles sequences of metrics that a plugin declares, checks and marks absent together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* Declares n metrics in order, for open(); 0 or the host's -errno, which has been reported. */
int slots_declare(const struct ctprof_host *host, const struct ctprof_metric *metrics, size_t n,
		  uint32_t *ret_slots);
/* Does the same for rows of that size, each of which begins with a struct ctprof_metric. */
int slots_declare_rows(const struct ctprof_host *host, const void *rows, size_t size, size_t n,
		       uint32_t *ret_slots);
/* Whether any of the n slots is wanted. */
bool slots_wanted(const struct ctprof_host *host, const uint32_t *slots, size_t n);
/* Whether earlier sources have settled all n slots of a row, so that nothing needs to be read for
 * them: host->filled(), or false on a host without that function. */
bool slots_filled(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		  const uint32_t *slots, size_t n);
/* Puts a number or, unless why is CTPROF_PRESENT, the reason for its absence. */
void slots_put_u64(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		   uint32_t slot, uint32_t why, uint64_t number);
/* A number or, unless why is CTPROF_PRESENT, the reason for its absence. */
struct slots_value {
	uint64_t number;
	uint32_t why;
};
/* Puts one value into each of n slots. */
void slots_put_values(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      const uint32_t *slots, const struct slots_value *values, size_t n);
/* Puts the reason why n slots have no value (enum ctprof_absence). */
void slots_put_absent(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      const uint32_t *slots, size_t n, uint32_t why);
