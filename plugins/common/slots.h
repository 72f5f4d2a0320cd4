/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of metrics that a plugin declares, asks about and gives up together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* Declares n metrics in order, for open(); 0 or the host's -errno, which the user
 * has been told of. */
int slots_declare(const struct ctprof_host *host, const struct ctprof_metric *metrics, size_t n,
		  uint32_t *ret_slots);
/* The same of rows of that size, each of which begins with a struct ctprof_metric. */
int slots_declare_rows(const struct ctprof_host *host, const void *rows, size_t size, size_t n,
		       uint32_t *ret_slots);
/* Whether somebody wants one of the n slots. */
bool slots_wanted(const struct ctprof_host *host, const uint32_t *slots, size_t n);
/* Whether all of the n slots of a row are settled by the sources before, so that nothing
 * need be read for them: host->filled(), also of a host that has none. */
bool slots_filled(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		  const uint32_t *slots, size_t n);
/* Says of n slots why they have no value (enum ctprof_absence). */
void slots_put_absent(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      const uint32_t *slots, size_t n, uint32_t why);
