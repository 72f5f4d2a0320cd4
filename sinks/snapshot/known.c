/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schema.h"

#include "psi-metrics.h"

#define UNLIMITED CTPROF_METRIC_UNLIMITED
#define RESTARTS (CTPROF_METRIC_RESTARTS | CTPROF_METRIC_STILL)

#define DEF(kind_, unit_, scope_, flags_, rank_, group_, name_, tag_, gates_)                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_##scope_, .flags = flags_,      \
		.rank = rank_, .name = name_, .group = group_, .tag = tag_, .gates = gates_,       \
		.help = "", .origin = ""                                                           \
	}

#define DELAY_GATES "TASKSTATS TASK_DELAY_ACCT"
#define DELAY(rank, what)                                                                          \
	DEF(COUNTER, NONE, THREAD, 0, rank, "delay", what "_delay_count", NULL, DELAY_GATES),      \
		DEF(COUNTER, NS, THREAD, 0, rank + 1, "delay", what "_delay_total_ns", NULL,       \
		    DELAY_GATES),                                                                  \
		DEF(PEAK, NS, THREAD, 0, rank + 2, "delay", what "_delay_max_ns", NULL,            \
		    DELAY_GATES),                                                                  \
		DEF(LOW, NS, THREAD, 0, rank + 3, "delay", what "_delay_min_ns", NULL,             \
		    DELAY_GATES)

/* clang-format off */
const struct ctprof_metric known_metrics[] = {
	DEF(LABEL, TEXT, THREAD, 0, 0, "identity", "pcomm", NULL, NULL),
	DEF(LABEL, TEXT, THREAD, 0, 0, "identity", "comm", NULL, NULL),
	DEF(LABEL, TEXT, THREAD, 0, 0, "identity", "cgroup", NULL, NULL),
	DEF(LABEL, TICKS, THREAD, 0, 0, "identity", "start_time_clock_ticks", NULL, NULL),
	DEF(CATEGORY, TEXT, THREAD, 0, 2, "sched", "policy", NULL, NULL),
	DEF(ORDINAL, NONE, THREAD, 0, 3, "sched", "nice", NULL, NULL),
	DEF(CPUSET, CPUS, THREAD, 0, 6, "sched", "cpu_affinity", NULL, NULL),
	DEF(ORDINAL, NONE, THREAD, 0, 7, "sched", "processor", NULL, NULL),
	DEF(CATEGORY, CHAR, THREAD, 0, 8, "sched", "state", NULL, NULL),
	DEF(CATEGORY, BOOL, THREAD, 0, 9, "sched", "ext_enabled", NULL, "SCHED_CLASS_EXT"),
	DEF(COUNTER, NS, THREAD, 0, 11, "sched", "run_time_ns", NULL, "SCHED_INFO"),
	DEF(COUNTER, NS, THREAD, 0, 12, "sched", "wait_time_ns", NULL, "SCHED_INFO"),
	DEF(COUNTER, NONE, THREAD, 0, 13, "sched", "timeslices", NULL, "SCHED_INFO"),
	DEF(COUNTER, NONE, THREAD, 0, 14, "sched", "voluntary_csw", NULL, NULL),
	DEF(COUNTER, NONE, THREAD, 0, 15, "sched", "nonvoluntary_csw", NULL, NULL),
	DEF(COUNTER, NONE, THREAD, 0, 16, "sched", "nr_wakeups", NULL, "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 17, "sched", "nr_wakeups_local", NULL, "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 18, "sched", "nr_wakeups_remote", NULL, "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 19, "sched", "nr_wakeups_sync", NULL, "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 20, "sched", "nr_wakeups_migrate", NULL, "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 21, "sched", "nr_wakeups_affine", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 22, "sched", "nr_wakeups_affine_attempts", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 23, "sched", "nr_migrations", NULL, NULL),
	DEF(COUNTER, NONE, THREAD, 0, 24, "sched", "nr_forced_migrations", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 25, "sched", "nr_failed_migrations_affine", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 26, "sched", "nr_failed_migrations_running", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 27, "sched", "nr_failed_migrations_hot", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, NS, THREAD, 0, 28, "sched", "wait_sum", "non-ext", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 29, "sched", "wait_count", "non-ext", "SCHEDSTATS"),
	DEF(PEAK, NS, THREAD, 0, 30, "sched", "wait_max", "non-ext", "SCHEDSTATS"),
	DEF(COUNTER, NS, THREAD, 0, 31, "sched", "voluntary_sleep_ns", "non-ext", "SCHEDSTATS"),
	DEF(PEAK, NS, THREAD, 0, 32, "sched", "sleep_max", "non-ext", "SCHEDSTATS"),
	DEF(COUNTER, NS, THREAD, 0, 33, "sched", "block_sum", "non-ext", "SCHEDSTATS"),
	DEF(PEAK, NS, THREAD, 0, 34, "sched", "block_max", "non-ext", "SCHEDSTATS"),
	DEF(COUNTER, NS, THREAD, 0, 35, "sched", "iowait_sum", "non-ext", "SCHEDSTATS"),
	DEF(COUNTER, NONE, THREAD, 0, 36, "sched", "iowait_count", "non-ext", "SCHEDSTATS"),
	DEF(PEAK, NS, THREAD, 0, 37, "sched", "exec_max", NULL, "SCHEDSTATS"),
	DEF(PEAK, NS, THREAD, 0, 38, "sched", "slice_max", "cfs-only", "SCHEDSTATS"),
	DEF(COUNTER, BYTES, THREAD, RESTARTS, 41, "jemalloc", "allocated_bytes", NULL, NULL),
	DEF(COUNTER, BYTES, THREAD, RESTARTS, 42, "jemalloc", "deallocated_bytes", NULL, NULL),
	DEF(COUNTER, NONE, THREAD, 0, 43, "sched", "minflt", NULL, NULL),
	DEF(COUNTER, NONE, THREAD, 0, 44, "sched", "majflt", NULL, NULL),
	DEF(COUNTER, TICKS, THREAD, 0, 45, "sched", "utime_clock_ticks", NULL, NULL),
	DEF(COUNTER, TICKS, THREAD, 0, 46, "sched", "stime_clock_ticks", NULL, NULL),
	DEF(ORDINAL, NONE, THREAD, 0, 4, "sched", "priority", NULL, NULL),
	DEF(ORDINAL, NONE, THREAD, 0, 5, "sched", "rt_priority", NULL, NULL),
	DEF(COUNTER, NS, THREAD, 0, 39, "sched", "core_forceidle_sum", NULL, "SCHED_CORE SCHEDSTATS"),
	DEF(GAUGE, NS, THREAD, 0, 40, "sched", "fair_slice_ns", "fair-policy", NULL),
	DEF(GAUGE, NONE, PROCESS, 0, 10, "sched", "nr_threads", NULL, NULL),
	DEF(MAP, KIB, PROCESS, 0, 0, "smaps", "smaps_rollup_kib", NULL, "PROC_PAGE_MONITOR"),
	DEF(COUNTER, BYTES, THREAD, 0, 47, "io", "rchar", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, BYTES, THREAD, 0, 48, "io", "wchar", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, NONE, THREAD, 0, 49, "io", "syscr", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, NONE, THREAD, 0, 50, "io", "syscw", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, BYTES, THREAD, 0, 51, "io", "read_bytes", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, BYTES, THREAD, 0, 52, "io", "write_bytes", NULL, "TASK_IO_ACCOUNTING"),
	DEF(COUNTER, BYTES, THREAD, 0, 53, "io", "cancelled_write_bytes", NULL, "TASK_IO_ACCOUNTING"),
	DELAY(54, "cpu"),
	DELAY(58, "blkio"),
	DELAY(62, "swapin"),
	DELAY(66, "freepages"),
	DELAY(70, "thrashing"),
	DELAY(74, "compact"),
	DELAY(78, "wpcopy"),
	DELAY(82, "irq"),
	DEF(PEAK, BYTES, THREAD, 0, 86, "delay", "hiwater_rss_bytes", NULL, "TASKSTATS TASK_XACCT"),
	DEF(PEAK, BYTES, THREAD, 0, 87, "delay", "hiwater_vm_bytes", NULL, "TASKSTATS TASK_XACCT"),
	DEF(LABEL, BOOL, THREAD, 0, 0, "delay", "taskstats_measured", NULL, "TASKSTATS"),
	DEF(LABEL, BOOL, THREAD, 0, 0, "delay", "cpu_delay_active", NULL, "TASKSTATS"),
	DEF(LABEL, BOOL, THREAD, 0, 0, "delay", "delay_block_active", NULL, "TASKSTATS"),
	DEF(LABEL, BOOL, THREAD, 0, 0, "delay", "xacct_active", NULL, "TASKSTATS"),
	DEF(LABEL, BOOL, THREAD, CTPROF_METRIC_STILL, 98, "jemalloc", "jemalloc_measured", NULL, NULL),
	DEF(COUNTER, US, CGROUP, 0, 0, "cgroup", "cpu.usage_usec", NULL, "CGROUPS"),
	DEF(COUNTER, NONE, CGROUP, 0, 0, "cgroup", "cpu.nr_throttled", NULL, "CFS_BANDWIDTH"),
	DEF(COUNTER, US, CGROUP, 0, 0, "cgroup", "cpu.throttled_usec", NULL, "CFS_BANDWIDTH"),
	DEF(GAUGE, US, CGROUP, UNLIMITED, 0, "cgroup", "cpu.max_quota_us", NULL, "CFS_BANDWIDTH"),
	DEF(GAUGE, US, CGROUP, 0, 0, "cgroup", "cpu.max_period_us", NULL, "CFS_BANDWIDTH"),
	DEF(GAUGE, NONE, CGROUP, 0, 0, "cgroup", "cpu.weight", NULL, "FAIR_GROUP_SCHED"),
	DEF(ORDINAL, NONE, CGROUP, 0, 0, "cgroup", "cpu.weight_nice", NULL, "FAIR_GROUP_SCHED"),
	DEF(GAUGE, BYTES, CGROUP, 0, 0, "cgroup", "memory.current", NULL, "MEMCG"),
	DEF(GAUGE, BYTES, CGROUP, UNLIMITED, 0, "cgroup", "memory.max", NULL, "MEMCG"),
	DEF(GAUGE, BYTES, CGROUP, UNLIMITED, 0, "cgroup", "memory.high", NULL, "MEMCG"),
	DEF(GAUGE, BYTES, CGROUP, UNLIMITED, 0, "cgroup", "memory.low", NULL, "MEMCG"),
	DEF(GAUGE, BYTES, CGROUP, UNLIMITED, 0, "cgroup", "memory.min", NULL, "MEMCG"),
	DEF(MAP, NONE, CGROUP, 0, 0, "cgroup", "memory.stat", NULL, "MEMCG"),
	DEF(MAP, NONE, CGROUP, 0, 0, "cgroup", "memory.events", NULL, "MEMCG"),
	DEF(COUNTER, NONE, CGROUP, 0, 0, "cgroup", "pids.current", NULL, "CGROUP_PIDS"),
	DEF(GAUGE, NONE, CGROUP, UNLIMITED, 0, "cgroup", "pids.max", NULL, "CGROUP_PIDS"),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.cpu_model", NULL, NULL),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.cpu_vendor", NULL, NULL),
	DEF(GAUGE, KIB, HOST, 0, 0, "host", "host.total_memory_kib", NULL, NULL),
	DEF(GAUGE, NONE, HOST, 0, 0, "host", "host.hugepages_total", NULL, NULL),
	DEF(GAUGE, NONE, HOST, 0, 0, "host", "host.hugepages_free", NULL, NULL),
	DEF(GAUGE, KIB, HOST, 0, 0, "host", "host.hugepages_size_kib", NULL, NULL),
	DEF(CATEGORY, TEXT, HOST, 0, 0, "host", "host.thp_enabled", NULL, NULL),
	DEF(CATEGORY, TEXT, HOST, 0, 0, "host", "host.thp_defrag", NULL, NULL),
	DEF(MAP, TEXT, HOST, 0, 0, "host", "host.sched_tunables", NULL, NULL),
	DEF(GAUGE, NONE, HOST, 0, 0, "host", "host.online_cpus", NULL, NULL),
	DEF(GAUGE, NONE, HOST, 0, 0, "host", "host.numa_nodes", NULL, NULL),
	DEF(MAP, TEXT, HOST, 0, 0, "host", "host.cpufreq_governor", NULL, NULL),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.kernel_name", NULL, NULL),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.kernel_release", NULL, NULL),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.arch", NULL, NULL),
	DEF(LABEL, TEXT, HOST, 0, 0, "host", "host.kernel_cmdline", NULL, NULL),
	DEF(CATEGORY, TEXT, HOST, 0, 0, "host", "host.task_delayacct", NULL, NULL),
	DEF(CATEGORY, TEXT, HOST, 0, 0, "host", "host.config_task_xacct", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "probe_summary.tgids_walked", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "probe_summary.jemalloc_detected", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "probe_summary.probed_ok", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "probe_summary.failed", NULL, NULL),
	DEF(CATEGORY, TEXT, CAPTURE, 0, 0, "summary", "probe_summary.dominant_failure", NULL, NULL),
	DEF(CATEGORY, BOOL, CAPTURE, 0, 0, "summary", "probe_summary.privilege_dominant", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "parse_summary.tids_walked", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "parse_summary.read_failures", NULL, NULL),
	DEF(MAP, NONE, CAPTURE, 0, 0, "summary", "parse_summary.read_failures_by_file", NULL, NULL),
	DEF(CATEGORY, TEXT, CAPTURE, 0, 0, "summary", "parse_summary.dominant_read_failure", NULL, NULL),
	DEF(CATEGORY, BOOL, CAPTURE, 0, 0, "summary", "parse_summary.kernel_config_dominant", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "parse_summary.negative_dotted_values", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "taskstats_summary.ok_count", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "taskstats_summary.eperm_count", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "taskstats_summary.esrch_count", NULL, NULL),
	DEF(COUNTER, NONE, CAPTURE, 0, 0, "summary", "taskstats_summary.other_err_count", NULL, NULL),
	DEF(CATEGORY, TEXT, HOST, 0, 0, "scx", "sched_ext.state", NULL, "SCHED_CLASS_EXT"),
	DEF(GAUGE, NONE, HOST, 0, 0, "scx", "sched_ext.switch_all", NULL, "SCHED_CLASS_EXT"),
	DEF(COUNTER, NONE, HOST, 0, 0, "scx", "sched_ext.nr_rejected", NULL, "SCHED_CLASS_EXT"),
	DEF(COUNTER, NONE, HOST, 0, 0, "scx", "sched_ext.hotplug_seq", NULL, "SCHED_CLASS_EXT"),
	DEF(COUNTER, NONE, HOST, 0, 0, "scx", "sched_ext.enable_seq", NULL, "SCHED_CLASS_EXT"),
	PSI_METRICS(CGROUP, "cgroup"),
	PSI_METRICS(HOST, "psi"),
};
/* clang-format on */

const size_t known_n_metrics = sizeof known_metrics / sizeof known_metrics[0];
