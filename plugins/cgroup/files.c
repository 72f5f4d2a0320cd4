/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.h"

#include "psi-parse.h"

#define NS_PER_US 1000u

/* v1's "no limit" is LONG_MAX rounded down to a page (at most 64 KiB). */
#define V1_UNLIMITED ((uint64_t)INT64_MAX - 0xffff)
#define V1_SHARES 1024u /* the default: a cpu.weight of WEIGHT */
#define WEIGHT 100u
#define MOST_WEIGHT 10000u

static bool parse_v1_limit(const char *text, size_t len, uint64_t *ret)
{
	bool good = cgroup_parse_number(text, len, ret);

	if (good && *ret >= V1_UNLIMITED)
		*ret = UINT64_MAX;
	return good;
}

static bool parse_v1_quota(const char *text, size_t len, uint64_t *ret)
{
	int64_t value = 0;
	bool good = cgroup_parse_signed(text, len, &value) && value >= -1;

	*ret = value < 0 ? UINT64_MAX : (uint64_t)value;
	return good;
}

/* Returns the cpu.weight of the same share of CPU time. */
static bool parse_v1_shares(const char *text, size_t len, uint64_t *ret)
{
	uint64_t shares = 0;
	bool good = cgroup_parse_number(text, len, &shares) && shares < UINT64_MAX / WEIGHT;
	uint64_t weight = (shares * WEIGHT + V1_SHARES / 2) / V1_SHARES;

	*ret = weight < 1 ? 1 : weight < MOST_WEIGHT ? weight : MOST_WEIGHT;
	return good;
}

static bool parse_v1_usage(const char *text, size_t len, uint64_t *ret)
{
	bool good = cgroup_parse_number(text, len, ret);

	if (good)
		*ret /= NS_PER_US;
	return good;
}

static void put_or_not(struct cgroup_row *row, size_t metric, uint32_t state, uint64_t value)
{
	if (state == CTPROF_PRESENT)
		cgroup_row_put_u64(row, metric, value);
	else
		cgroup_row_put_absent(row, metric, 1, state);
}

static void put_number(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	uint64_t value = 0;
	bool good = file->number(text.p, text.len, &value);

	put_or_not(row, file->first, good ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID, value);
}

static void put_signed(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	int64_t value;

	if (cgroup_parse_signed(text.p, text.len, &value))
		cgroup_row_put_i64(row, file->first, value);
	else
		cgroup_row_put_absent(row, file->first, 1, CTPROF_ABSENT_INVALID);
}

static void put_cpu_max(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	struct cgroup_cpu_max max = {0};

	cgroup_parse_cpu_max(text.p, text.len, &max);
	put_or_not(row, file->first, max.quota_state, max.quota);
	put_or_not(row, file->first + 1, max.period_state, max.period);
}

static void put_fields(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	uint64_t value = 0;

	for (size_t i = 0; i < file->n; i++) {
		const struct cgroup_field *field = &file->fields[i];
		uint32_t state = cgroup_parse_field(text.p, text.len, field->key, &value);

		put_or_not(row, file->first + i, state, value / field->divisor);
	}
}

static void put_map(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	if (file->map(text.p, text.len, &row->map))
		cgroup_row_put_map(row, file->first, &row->map);
	else
		cgroup_row_put_absent(row, file->first, 1, CTPROF_ABSENT_INVALID);
}

/* The only event that v1 counts, except for memory.failcnt. */
static void put_v1_kills(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	static const char key[] = "oom_kill";
	struct ctprof_map_entry *entry = &row->map.entries[0];
	uint64_t kills;
	uint32_t state = cgroup_parse_field(text.p, text.len, key, &kills);

	if (state != CTPROF_PRESENT) {
		cgroup_row_put_absent(row, file->first, 1, state);
		return;
	}
	*entry = (struct ctprof_map_entry){.key = key, .key_len = sizeof key - 1, .number = kills};
	row->map.n = 1;
	cgroup_row_put_map(row, file->first, &row->map);
}

static void put_pressure(struct cgroup_row *row, const struct cgroup_file *file, struct text text)
{
	struct slots_value values[PSI_VALUES];

	psi_parse_pressure(text.p, text.len, values);
	for (size_t i = 0; i < PSI_VALUES; i++)
		put_or_not(row, file->first + i, values[i].why, values[i].number);
}

static const struct cgroup_field cpu_stat[] = {
	{"usage_usec", 1},
	{"nr_periods", 1},
	{"nr_throttled", 1},
	{"throttled_usec", 1},
};

static const struct cgroup_field v1_cpu_stat[] = {
	{"nr_periods", 1},
	{"nr_throttled", 1},
	{"throttled_time", NS_PER_US},
};

#define NUMBER(hierarchy, name, metric, parser)                                                    \
	{                                                                                          \
		hierarchy, name, put_number, metric, 1, .number = parser                           \
	}
#define MAP(name, metric, parser)                                                                  \
	{                                                                                          \
		CGROUP_UNIFIED, name, put_map, metric, 1, .map = parser                            \
	}
#define PRESSURE(name, resource)                                                                   \
	{                                                                                          \
		CGROUP_UNIFIED, name, put_pressure, CGROUP_PSI + (resource)*PSI_VALUES,            \
			PSI_VALUES, .fields = NULL                                                 \
	}

const struct cgroup_file cgroup_files[] = {
	{CGROUP_UNIFIED, "cpu.stat", put_fields, CGROUP_CPU_USAGE, 4, .fields = cpu_stat},
	{CGROUP_UNIFIED, "cpu.max", put_cpu_max, CGROUP_CPU_MAX_QUOTA, 2, .fields = NULL},
	NUMBER(CGROUP_UNIFIED, "cpu.weight", CGROUP_CPU_WEIGHT, cgroup_parse_number),
	{CGROUP_UNIFIED, "cpu.weight.nice", put_signed, CGROUP_CPU_WEIGHT_NICE, 1, .fields = NULL},
	NUMBER(CGROUP_UNIFIED, "memory.current", CGROUP_MEMORY_CURRENT, cgroup_parse_number),
	NUMBER(CGROUP_UNIFIED, "memory.max", CGROUP_MEMORY_MAX, cgroup_parse_limit),
	NUMBER(CGROUP_UNIFIED, "memory.high", CGROUP_MEMORY_HIGH, cgroup_parse_limit),
	NUMBER(CGROUP_UNIFIED, "memory.low", CGROUP_MEMORY_LOW, cgroup_parse_limit),
	NUMBER(CGROUP_UNIFIED, "memory.min", CGROUP_MEMORY_MIN, cgroup_parse_limit),
	MAP("memory.stat", CGROUP_MEMORY_STAT, cgroup_parse_flat),
	MAP("memory.events", CGROUP_MEMORY_EVENTS, cgroup_parse_flat),
	NUMBER(CGROUP_UNIFIED, "memory.peak", CGROUP_MEMORY_PEAK, cgroup_parse_number),
	NUMBER(CGROUP_UNIFIED, "memory.swap.current", CGROUP_MEMORY_SWAP_CURRENT,
	       cgroup_parse_number),
	NUMBER(CGROUP_UNIFIED, "memory.swap.max", CGROUP_MEMORY_SWAP_MAX, cgroup_parse_limit),
	MAP("memory.swap.events", CGROUP_MEMORY_SWAP_EVENTS, cgroup_parse_flat),
	NUMBER(CGROUP_UNIFIED, "memory.zswap.current", CGROUP_MEMORY_ZSWAP_CURRENT,
	       cgroup_parse_number),
	NUMBER(CGROUP_UNIFIED, "memory.zswap.max", CGROUP_MEMORY_ZSWAP_MAX, cgroup_parse_limit),
	NUMBER(CGROUP_UNIFIED, "pids.current", CGROUP_PIDS_CURRENT, cgroup_parse_number),
	NUMBER(CGROUP_UNIFIED, "pids.max", CGROUP_PIDS_MAX, cgroup_parse_limit),
	NUMBER(CGROUP_UNIFIED, "pids.peak", CGROUP_PIDS_PEAK, cgroup_parse_number),
	PRESSURE("cpu.pressure", 0),
	PRESSURE("memory.pressure", 1),
	PRESSURE("io.pressure", 2),
	PRESSURE("irq.pressure", 3),
	MAP("io.stat", CGROUP_IO_STAT, cgroup_parse_io_stat),
	MAP("cgroup.stat", CGROUP_STAT, cgroup_parse_flat),
	/* v1 files with the same meaning. */
	NUMBER(CGROUP_V1_CPUACCT, "cpuacct.usage", CGROUP_CPU_USAGE, parse_v1_usage),
	{CGROUP_V1_CPU, "cpu.stat", put_fields, CGROUP_CPU_NR_PERIODS, 3, .fields = v1_cpu_stat},
	NUMBER(CGROUP_V1_CPU, "cpu.cfs_quota_us", CGROUP_CPU_MAX_QUOTA, parse_v1_quota),
	NUMBER(CGROUP_V1_CPU, "cpu.cfs_period_us", CGROUP_CPU_MAX_PERIOD, cgroup_parse_number),
	{CGROUP_V1_CPU, "cpu.shares", put_number, CGROUP_CPU_WEIGHT, 1, .not_of_top = true,
	 .number = parse_v1_shares},
	NUMBER(CGROUP_V1_MEMORY, "memory.usage_in_bytes", CGROUP_MEMORY_CURRENT,
	       cgroup_parse_number),
	NUMBER(CGROUP_V1_MEMORY, "memory.limit_in_bytes", CGROUP_MEMORY_MAX, parse_v1_limit),
	NUMBER(CGROUP_V1_MEMORY, "memory.failcnt", CGROUP_MEMORY_FAILCNT, cgroup_parse_number),
	{CGROUP_V1_MEMORY, "memory.oom_control", put_v1_kills, CGROUP_MEMORY_EVENTS, 1,
	 .fields = NULL},
	{CGROUP_V1_MEMORY, "memory.max_usage_in_bytes", put_number, CGROUP_MEMORY_PEAK, 1,
	 .not_of_top = true, .number = cgroup_parse_number},
	NUMBER(CGROUP_V1_PIDS, "pids.current", CGROUP_PIDS_CURRENT, cgroup_parse_number),
	NUMBER(CGROUP_V1_PIDS, "pids.max", CGROUP_PIDS_MAX, cgroup_parse_limit),
	{.name = NULL},
};
