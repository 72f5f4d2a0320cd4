/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row.h"

void cgroup_row_begin(struct cgroup_row *row, struct ctprof_batch *batch, uint64_t index)
{
	row->batch = batch;
	row->index = index;
	for (size_t i = 0; i < CGROUP_N_METRICS; i++)
		row->state[i] = CTPROF_ABSENT_UNSUPPORTED;
}

bool cgroup_row_needs(const struct cgroup_row *row, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (row->wanted[i] && row->state[i] != CTPROF_PRESENT)
			return true;
	return false;
}

/* Claims a metric; false if it already has a value. */
static bool take(struct cgroup_row *row, size_t metric)
{
	if (row->state[metric] == CTPROF_PRESENT)
		return false;
	row->state[metric] = CTPROF_PRESENT;
	return true;
}

void cgroup_row_put_u64(struct cgroup_row *row, size_t metric, uint64_t value)
{
	if (take(row, metric))
		row->host->put_u64(row->batch, row->index, row->slots[metric], value);
}

void cgroup_row_put_i64(struct cgroup_row *row, size_t metric, int64_t value)
{
	if (take(row, metric))
		row->host->put_i64(row->batch, row->index, row->slots[metric], value);
}

void cgroup_row_put_map(struct cgroup_row *row, size_t metric, const struct cgroup_map *map)
{
	if (take(row, metric))
		row->host->put_map(row->batch, row->index, row->slots[metric], map->entries,
				   map->n);
}

void cgroup_row_put_absent(struct cgroup_row *row, size_t first, size_t n, uint32_t why)
{
	for (size_t i = first; i < first + n; i++)
		if (row->state[i] == CTPROF_ABSENT_UNSUPPORTED)
			row->state[i] = why;
}

void cgroup_row_end(struct cgroup_row *row)
{
	for (size_t i = 0; i < CGROUP_N_METRICS; i++)
		if (row->wanted[i] && row->state[i] != CTPROF_PRESENT)
			row->host->put_absent(row->batch, row->index, row->slots[i], row->state[i]);
}
