/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of one cgroup while its files are read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics.h"
#include "parse.h"

/*
 * A value can be in two files (the unified one, and that of a v1 controller): the first file that
 * has it takes precedence, and the reason for absence is put once, at the end.
 */
struct cgroup_row {
	const struct ctprof_host *host;
	struct ctprof_batch *batch;
	uint64_t index;
	const uint32_t *slots;            /* CGROUP_N_METRICS */
	const bool *wanted;               /* CGROUP_N_METRICS */
	uint32_t state[CGROUP_N_METRICS]; /* enum ctprof_absence */
	struct cgroup_map map;            /* buffer for the map of a file */
};

/* Begins a row: everything is unsupported. */
void cgroup_row_begin(struct cgroup_row *row, struct ctprof_batch *batch, uint64_t index);
/* Whether one of n metrics is wanted and still has no value. */
bool cgroup_row_needs(const struct cgroup_row *row, size_t first, size_t n);
void cgroup_row_put_u64(struct cgroup_row *row, size_t metric, uint64_t value);
void cgroup_row_put_i64(struct cgroup_row *row, size_t metric, int64_t value);
void cgroup_row_put_map(struct cgroup_row *row, size_t metric, const struct cgroup_map *map);
/* Keeps the first reason other than UNSUPPORTED. */
void cgroup_row_put_absent(struct cgroup_row *row, size_t first, size_t n, uint32_t why);
/* Puts the reasons of absent values. */
void cgroup_row_end(struct cgroup_row *row);
