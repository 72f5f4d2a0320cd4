/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#define METRIC(kind_, unit_, flags_, gates_, name_, help_, origin_)                                \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_CGROUP, .flags = flags_,        \
		.name = name_, .group = "cgroup", .gates = gates_, .help = help_,                  \
		.origin = origin_                                                                  \
	}

#define LIMIT CTPROF_METRIC_UNLIMITED

/* clang-format off */
const struct ctprof_metric cgroup_metrics[CGROUP_N_METRICS] = {
	METRIC(COUNTER, US, 0, "CGROUPS", "cpu.usage_usec",
	       "CPU time of all threads in it and below",
	       "cpu.stat: usage_usec, cgroup_base_stat_cputime_show(); v1: cpuacct.usage"),
	METRIC(COUNTER, NONE, 0, "CFS_BANDWIDTH", "cpu.nr_throttled",
	       "periods in which the quota ran out",
	       "cpu.stat: nr_throttled, do_sched_cfs_period_timer(); v1: cpu.stat"),
	METRIC(COUNTER, US, 0, "CFS_BANDWIDTH", "cpu.throttled_usec",
	       "time throttled, summed over the CPUs' run queues",
	       "cpu.stat: throttled_usec, unthrottle_cfs_rq(); v1: cpu.stat throttled_time"),
	METRIC(GAUGE, US, LIMIT, "CFS_BANDWIDTH", "cpu.max_quota_us",
	       "CPU time allowed in a period",
	       "cpu.max, first field, cpu_max_show(); v1: cpu.cfs_quota_us"),
	METRIC(GAUGE, US, 0, "CFS_BANDWIDTH", "cpu.max_period_us",
	       "length of that period",
	       "cpu.max, second field, cpu_max_show(); v1: cpu.cfs_period_us"),
	METRIC(GAUGE, NONE, 0, "FAIR_GROUP_SCHED", "cpu.weight",
	       "share of CPU time among siblings, 1 to 10000",
	       "cpu.weight, cpu_weight_read_u64()"),
	METRIC(ORDINAL, NONE, 0, "FAIR_GROUP_SCHED", "cpu.weight_nice",
	       "that weight as the nearest nice value",
	       "cpu.weight.nice, cpu_weight_nice_read_s64()"),
	METRIC(GAUGE, BYTES, 0, "MEMCG", "memory.current",
	       "memory charged, page cache and kernel memory included",
	       "memory.current, memory_current_read(); v1: memory.usage_in_bytes"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG", "memory.max",
	       "hard limit: beyond it the OOM killer acts",
	       "memory.max, memory_max_show(); v1: memory.limit_in_bytes"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG", "memory.high",
	       "throttling limit: beyond it allocations reclaim",
	       "memory.high, memory_high_show()"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG", "memory.low",
	       "best-effort protection from reclaim",
	       "memory.low, memory_low_show()"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG", "memory.min",
	       "hard protection from reclaim",
	       "memory.min, memory_min_show()"),
	METRIC(MAP, NONE, 0, "MEMCG", "memory.stat",
	       "what the memory is used for (bytes) and paging events (counts)",
	       "memory.stat, memory_stat_format()"),
	METRIC(MAP, NONE, 0, "MEMCG", "memory.events",
	       "times a limit or protection was hit, OOM kills",
	       "memory.events, memory_events_show(), counted by memcg_memory_event()"),
	METRIC(PEAK, BYTES, 0, "MEMCG", "memory.peak",
	       "highest memory.current since the cgroup was made",
	       "memory.peak, memory_peak_show(); v1: memory.max_usage_in_bytes"),
	METRIC(GAUGE, BYTES, 0, "MEMCG SWAP", "memory.swap_current",
	       "swap in use",
	       "memory.swap.current, swap_current_read()"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG SWAP", "memory.swap_max",
	       "hard limit of swap",
	       "memory.swap.max, swap_max_show()"),
	METRIC(MAP, NONE, 0, "MEMCG SWAP", "memory.swap_events",
	       "times a swap limit was hit or swap ran out",
	       "memory.swap.events, swap_events_show()"),
	METRIC(GAUGE, BYTES, 0, "MEMCG ZSWAP", "memory.zswap_current",
	       "memory taken by compressed swap",
	       "memory.zswap.current, zswap_current_read()"),
	METRIC(GAUGE, BYTES, LIMIT, "MEMCG ZSWAP", "memory.zswap_max",
	       "hard limit of compressed swap",
	       "memory.zswap.max, zswap_max_show()"),
	/* A counter by kind only because the threads of cgroups that are folded
	 * into one add up, while levels of memory are compared by the highest. */
	METRIC(COUNTER, NONE, 0, "CGROUP_PIDS", "pids.current",
	       "threads in it and below",
	       "pids.current, pids_current_read()"),
	METRIC(GAUGE, NONE, LIMIT, "CGROUP_PIDS", "pids.max",
	       "hard limit of that number",
	       "pids.max, pids_max_show()"),
	METRIC(PEAK, NONE, 0, "CGROUP_PIDS", "pids.peak",
	       "highest pids.current since the cgroup was made",
	       "pids.peak, pids_peak_read()"),
	PSI_METRICS(CGROUP, "cgroup"),
	METRIC(MAP, NONE, 0, "BLK_CGROUP", "io.stat",
	       "bytes and requests by disk: keys are major:minor, a blank, and rbytes, wbytes, rios, wios, dbytes, dios",
	       "io.stat, blkcg_print_one_stat()"),
	METRIC(MAP, NONE, 0, "CGROUPS", "cgroup_stat",
	       "cgroups below, living and dying",
	       "cgroup.stat, cgroup_stat_show()"),
};
/* clang-format on */
