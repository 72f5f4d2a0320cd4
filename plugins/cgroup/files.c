/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.h"

#include "psi-parse.h"

#define NS_PER_US 1000u

/* v1's "no limit" is LONG_MAX rounded down to a page, of 64 KiB at most. */
#define V1_UNLIMITED ((uint64_t)INT64_MAX - 0xffff)

static void put_number_or_not(struct cgroup_row *row, enum cgroup_metric metric, bool good,
			      uint64_t value)
{
	if (good)
		cgroup_row_put_u64(row, metric, value);
	else
		cgroup_row_put_absent(row, metric, 1, CTPROF_ABSENT_INVALID);
}

static void put_number(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
		       struct cgroup_map *scratch)
{
	uint64_t value = 0;
	bool good = cgroup_parse_number(text.p, text.len, &value);

	(void)scratch;
	put_number_or_not(row, file->first, good, value);
}

static void put_limit(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
		      struct cgroup_map *scratch)
{
	uint64_t value = 0;
	bool good = cgroup_parse_limit(text.p, text.len, &value);

	(void)scratch;
	put_number_or_not(row, file->first, good, value);
}

static void put_v1_limit(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			 struct cgroup_map *scratch)
{
	uint64_t value = 0;
	bool good = cgroup_parse_number(text.p, text.len, &value);

	(void)scratch;
	put_number_or_not(row, file->first, good, value >= V1_UNLIMITED ? UINT64_MAX : value);
}

static void put_v1_quota(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			 struct cgroup_map *scratch)
{
	int64_t value = 0;
	bool good = cgroup_parse_signed(text.p, text.len, &value) && value >= -1;

	(void)scratch;
	put_number_or_not(row, file->first, good, value < 0 ? UINT64_MAX : (uint64_t)value);
}

static void put_v1_usage(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			 struct cgroup_map *scratch)
{
	uint64_t value = 0;
	bool good = cgroup_parse_number(text.p, text.len, &value);

	(void)scratch;
	put_number_or_not(row, file->first, good, value / NS_PER_US);
}

static void put_signed(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
		       struct cgroup_map *scratch)
{
	int64_t value;

	(void)scratch;
	if (cgroup_parse_signed(text.p, text.len, &value))
		cgroup_row_put_i64(row, file->first, value);
	else
		cgroup_row_put_absent(row, file->first, 1, CTPROF_ABSENT_INVALID);
}

static void put_cpu_max(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			struct cgroup_map *scratch)
{
	struct cgroup_cpu_max max = {0};

	(void)file;
	(void)scratch;
	cgroup_parse_cpu_max(text.p, text.len, &max);
	put_number_or_not(row, CGROUP_CPU_MAX_QUOTA, max.quota_state == CTPROF_PRESENT, max.quota);
	put_number_or_not(row, CGROUP_CPU_MAX_PERIOD, max.period_state == CTPROF_PRESENT,
			  max.period);
}

static void put_fields(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
		       struct cgroup_map *scratch)
{
	uint64_t value;

	(void)scratch;
	for (size_t i = 0; i < file->n; i++) {
		const struct cgroup_field *field = &file->fields[i];
		uint32_t state = cgroup_parse_field(text.p, text.len, field->key, &value);

		if (state == CTPROF_PRESENT)
			cgroup_row_put_u64(row, file->first + i, value / field->divisor);
		else
			cgroup_row_put_absent(row, file->first + i, 1, state);
	}
}

static void put_map_or_not(struct cgroup_row *row, enum cgroup_metric metric, bool good,
			   const struct cgroup_map *map)
{
	if (good)
		cgroup_row_put_map(row, metric, map);
	else
		cgroup_row_put_absent(row, metric, 1, CTPROF_ABSENT_INVALID);
}

static void put_flat(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
		     struct cgroup_map *scratch)
{
	bool good = cgroup_parse_flat(text.p, text.len, scratch);

	put_map_or_not(row, file->first, good, scratch);
}

static void put_io_stat(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			struct cgroup_map *scratch)
{
	bool good = cgroup_parse_io_stat(text.p, text.len, scratch);

	put_map_or_not(row, file->first, good, scratch);
}

static void put_pressure(struct cgroup_row *row, const struct cgroup_file *file, struct text text,
			 struct cgroup_map *scratch)
{
	struct psi_pressure pressure;

	(void)scratch;
	psi_parse_pressure(text.p, text.len, &pressure);
	for (size_t i = 0; i < PSI_VALUES; i++)
		if (pressure.state[i] == CTPROF_PRESENT)
			cgroup_row_put_u64(row, file->first + i, pressure.value[i]);
		else
			cgroup_row_put_absent(row, file->first + i, 1, pressure.state[i]);
}

static const struct cgroup_field cpu_stat[] = {
	{"usage_usec", 1},
	{"nr_throttled", 1},
	{"throttled_usec", 1},
};

static const struct cgroup_field v1_cpu_stat[] = {
	{"nr_throttled", 1},
	{"throttled_time", NS_PER_US},
};

#define PRESSURE(name, resource)                                                                   \
	{                                                                                          \
		CGROUP_UNIFIED, name, put_pressure, CGROUP_PSI + (resource)*PSI_VALUES,            \
			PSI_VALUES, NULL                                                           \
	}

const struct cgroup_file cgroup_files[] = {
	{CGROUP_UNIFIED, "cpu.stat", put_fields, CGROUP_CPU_USAGE, 3, cpu_stat},
	{CGROUP_UNIFIED, "cpu.max", put_cpu_max, CGROUP_CPU_MAX_QUOTA, 2, NULL},
	{CGROUP_UNIFIED, "cpu.weight", put_number, CGROUP_CPU_WEIGHT, 1, NULL},
	{CGROUP_UNIFIED, "cpu.weight.nice", put_signed, CGROUP_CPU_WEIGHT_NICE, 1, NULL},
	{CGROUP_UNIFIED, "memory.current", put_number, CGROUP_MEMORY_CURRENT, 1, NULL},
	{CGROUP_UNIFIED, "memory.max", put_limit, CGROUP_MEMORY_MAX, 1, NULL},
	{CGROUP_UNIFIED, "memory.high", put_limit, CGROUP_MEMORY_HIGH, 1, NULL},
	{CGROUP_UNIFIED, "memory.low", put_limit, CGROUP_MEMORY_LOW, 1, NULL},
	{CGROUP_UNIFIED, "memory.min", put_limit, CGROUP_MEMORY_MIN, 1, NULL},
	{CGROUP_UNIFIED, "memory.stat", put_flat, CGROUP_MEMORY_STAT, 1, NULL},
	{CGROUP_UNIFIED, "memory.events", put_flat, CGROUP_MEMORY_EVENTS, 1, NULL},
	{CGROUP_UNIFIED, "memory.peak", put_number, CGROUP_MEMORY_PEAK, 1, NULL},
	{CGROUP_UNIFIED, "memory.swap.current", put_number, CGROUP_MEMORY_SWAP_CURRENT, 1, NULL},
	{CGROUP_UNIFIED, "memory.swap.max", put_limit, CGROUP_MEMORY_SWAP_MAX, 1, NULL},
	{CGROUP_UNIFIED, "memory.swap.events", put_flat, CGROUP_MEMORY_SWAP_EVENTS, 1, NULL},
	{CGROUP_UNIFIED, "memory.zswap.current", put_number, CGROUP_MEMORY_ZSWAP_CURRENT, 1, NULL},
	{CGROUP_UNIFIED, "memory.zswap.max", put_limit, CGROUP_MEMORY_ZSWAP_MAX, 1, NULL},
	{CGROUP_UNIFIED, "pids.current", put_number, CGROUP_PIDS_CURRENT, 1, NULL},
	{CGROUP_UNIFIED, "pids.max", put_limit, CGROUP_PIDS_MAX, 1, NULL},
	{CGROUP_UNIFIED, "pids.peak", put_number, CGROUP_PIDS_PEAK, 1, NULL},
	PRESSURE("cpu.pressure", 0),
	PRESSURE("memory.pressure", 1),
	PRESSURE("io.pressure", 2),
	PRESSURE("irq.pressure", 3),
	{CGROUP_UNIFIED, "io.stat", put_io_stat, CGROUP_IO_STAT, 1, NULL},
	{CGROUP_UNIFIED, "cgroup.stat", put_flat, CGROUP_STAT, 1, NULL},
	/* v1, where a file means the same. */
	{CGROUP_V1_CPUACCT, "cpuacct.usage", put_v1_usage, CGROUP_CPU_USAGE, 1, NULL},
	{CGROUP_V1_CPU, "cpu.stat", put_fields, CGROUP_CPU_NR_THROTTLED, 2, v1_cpu_stat},
	{CGROUP_V1_CPU, "cpu.cfs_quota_us", put_v1_quota, CGROUP_CPU_MAX_QUOTA, 1, NULL},
	{CGROUP_V1_CPU, "cpu.cfs_period_us", put_number, CGROUP_CPU_MAX_PERIOD, 1, NULL},
	{CGROUP_V1_MEMORY, "memory.usage_in_bytes", put_number, CGROUP_MEMORY_CURRENT, 1, NULL},
	{CGROUP_V1_MEMORY, "memory.limit_in_bytes", put_v1_limit, CGROUP_MEMORY_MAX, 1, NULL},
	{CGROUP_V1_MEMORY, "memory.max_usage_in_bytes", put_number, CGROUP_MEMORY_PEAK, 1, NULL},
	{CGROUP_V1_PIDS, "pids.current", put_number, CGROUP_PIDS_CURRENT, 1, NULL},
	{CGROUP_V1_PIDS, "pids.max", put_limit, CGROUP_PIDS_MAX, 1, NULL},
	{CGROUP_UNIFIED, NULL, NULL, 0, 0, NULL},
};
