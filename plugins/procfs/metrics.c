/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "descriptor.h"
#include "shared-metrics.h"

/* More members behind the origin; those of def may be among them. */
#define ROW(file_, parse_, kind, unit, rank_, name, group, help, origin, ...)                      \
	{                                                                                          \
		.def = METRIC_ROW(kind, unit, THREAD, name, group, help, origin, .rank = rank_),   \
		.parse = value_parse_##parse_, .file = FILE_##file_, __VA_ARGS__                   \
	}

#define STAT(column_, parse, kind, unit, rank, name, help, origin)                                 \
	ROW(STAT, parse, kind, unit, rank, name, "sched", help, "stat field " origin,              \
	    .column = column_)
#define CHILDREN(column_, name, what, origin)                                                      \
	{                                                                                          \
		.def = METRIC_ROW(COUNTER, TICKS, PROCESS, name, "sched",                          \
				  what " of children that were waited for, and of theirs",         \
				  "stat field " origin ", wait_task_zombie",                       \
				  .flags = CTPROF_METRIC_QUIET),                                   \
		.parse = value_parse_u64, .file = FILE_STAT, .column = column_                     \
	}
#define SCHEDSTAT(column_, unit, rank, name, help, origin)                                         \
	ROW(SCHEDSTAT, u64, COUNTER, unit, rank, name, "sched", help, "schedstat field " origin,   \
	    .def.gates = "SCHED_INFO", .column = column_)
#define SCHED(parse, kind, unit, rank, name, tag_, gates_, help, key_, function, minus_)           \
	ROW(SCHED, parse, kind, unit, rank, name, "sched", help, "sched " key_ " (" function ")",  \
	    .def.tag = tag_, .def.gates = gates_, .key = key_, .minus = minus_)
#define SCHED_COUNT(rank, name, tag, help, function)                                               \
	SCHED(u64, COUNTER, NONE, rank, name, tag, "SCHEDSTATS", help, name, function, NULL)
#define SCHED_TIME(kind, rank, name, tag, help, key, function)                                     \
	SCHED(dotted, kind, NS, rank, name, tag, "SCHEDSTATS", help, key, function, NULL)
#define IO(unit, rank, name, help, function)                                                       \
	ROW(IO, u64, COUNTER, unit, rank, name, "io", help, "io " name " (" function ")",          \
	    .def.gates = "TASK_IO_ACCOUNTING", .key = name)

/* Of a process: its threads, and those that have ended. */
#define TOTAL(file_, unit, gates_, name, help, origin, ...)                                        \
	{                                                                                          \
		.def = METRIC_ROW(COUNTER, unit, PROCESS, "process_" name, "process", help,        \
				  origin, .gates = gates_, .flags = CTPROF_METRIC_ON_DEMAND),      \
		.parse = value_parse_u64, .file = FILE_PROCESS_##file_, __VA_ARGS__                \
	}
#define TOTAL_STAT(column_, unit, name, help, origin)                                              \
	TOTAL(STAT, unit, NULL, name, help " of the process, with its threads that ended",         \
	      "stat of the process, field " origin, .column = column_)
#define TOTAL_IO(unit, name, help)                                                                 \
	TOTAL(IO, unit, "TASK_IO_ACCOUNTING", name,                                                \
	      help " of the process, with threads and awaited children that ended",                \
	      "io of the process, " name " (do_io_accounting)", .key = name)

const struct procfs_metric procfs_metrics[N_METRICS] = {
	{.def = SHARED_PPID, .parse = value_parse_u64, .file = FILE_STAT, .column = 1},
	STAT(7, u64, COUNTER, NONE, 43, "minflt", "minor page faults",
	     "10, min_flt (mm_account_fault)"),
	STAT(9, u64, COUNTER, NONE, 44, "majflt", "major page faults",
	     "12, maj_flt (mm_account_fault)"),
	STAT(11, u64, COUNTER, TICKS, 45, "utime_clock_ticks", "CPU time in user mode",
	     "14, utime (account_user_time, scaled by cputime_adjust)"),
	STAT(12, u64, COUNTER, TICKS, 46, "stime_clock_ticks", "CPU time in the kernel",
	     "15, stime (account_system_time, scaled by cputime_adjust)"),
	CHILDREN(13, "cutime_clock_ticks", "CPU time in user mode", "16, cutime"),
	CHILDREN(14, "cstime_clock_ticks", "CPU time in the kernel", "17, cstime"),
	STAT(15, i32, ORDINAL, NONE, 4, "priority",
	     "kernel priority: fair 0..39, real-time -2..-100, deadline -101", "18 (task_prio)"),
	STAT(16, i32, ORDINAL, NONE, 3, "nice", "nice value", "19 (task_nice)"),
	{.def = SHARED_START_TIME, .parse = value_parse_u64, .file = FILE_STAT, .column = 19},
	STAT(36, i32, ORDINAL, NONE, 7, "processor", "CPU the thread ran on last", "39 (task_cpu)"),
	STAT(37, u32, ORDINAL, NONE, 5, "rt_priority", "real-time priority, 0 for other policies",
	     "40, rt_priority"),
	STAT(38, policy, CATEGORY, TEXT, 2, "policy", "scheduling policy", "41, policy"),
	ROW(COMM, verbatim, LABEL, TEXT, 0, "comm", "identity", "name of the thread",
	    "comm (__set_task_comm)", .key = NULL),
	{.def = SHARED_PCOMM, .parse = value_parse_verbatim, .file = FILE_PCOMM},
	ROW(CGROUP, verbatim, LABEL, TEXT, 0, "cgroup", "identity",
	    "cgroup v2 path of the thread; without cgroup v2, that of the controller cpu",
	    "cgroup, the line of hierarchy 0 (proc_cgroup_show)", .key = NULL),
	ROW(CGROUP, verbatim, MAP, TEXT, 0, "cgroup_v1", "identity",
	    "paths in the v1 controllers cpu, cpuacct, memory and pids where they are not that",
	    "cgroup, the lines of these controllers (proc_cgroup_show)", .key = NULL),
	SCHEDSTAT(0, NS, 11, "run_time_ns", "time on a CPU", "1, sum_exec_runtime (update_curr)"),
	SCHEDSTAT(1, NS, 12, "wait_time_ns", "run-queue wait", "2, run_delay (sched_info_arrive)"),
	SCHEDSTAT(2, NONE, 13, "timeslices", "times scheduled in", "3, pcount (sched_info_arrive)"),
	{.def = SHARED_STATE, .parse = value_parse_letter, .key = "State", .file = FILE_STATUS},
	ROW(STATUS, verbatim, CPUSET, CPUS, 6, "cpu_affinity", "sched",
	    "CPUs the thread may run on", "sched_getaffinity, else status Cpus_allowed_list",
	    .key = "Cpus_allowed_list"),
	{.def = SHARED_NR_THREADS, .parse = value_parse_u64, .key = "Threads", .file = FILE_STATUS},
	ROW(STATUS, u64, COUNTER, NONE, 14, "voluntary_csw", "sched", "voluntary context switches",
	    "status voluntary_ctxt_switches, nvcsw (__schedule)", .key = "voluntary_ctxt_switches"),
	ROW(STATUS, u64, COUNTER, NONE, 15, "nonvoluntary_csw", "sched",
	    "involuntary context switches",
	    "status nonvoluntary_ctxt_switches, nivcsw (__schedule)",
	    .key = "nonvoluntary_ctxt_switches"),
	SCHED(flag, CATEGORY, BOOL, 9, "ext_enabled", NULL, "SCHED_CLASS_EXT",
	      "the thread runs under sched_ext", "ext.enabled", "task_on_scx", NULL),
	SCHED_COUNT(16, "nr_wakeups", NULL, "wakeups", "ttwu_stat"),
	SCHED_COUNT(17, "nr_wakeups_local", NULL, "wakeups by the CPU it then ran on", "ttwu_stat"),
	SCHED_COUNT(18, "nr_wakeups_remote", NULL, "wakeups from another CPU", "ttwu_stat"),
	SCHED_COUNT(19, "nr_wakeups_sync", NULL, "wakeups with the sync hint", "ttwu_stat"),
	SCHED_COUNT(20, "nr_wakeups_migrate", NULL, "wakeups that moved the thread", "ttwu_stat"),
	SCHED_COUNT(21, "nr_wakeups_affine", "cfs-only", "affine wakeups that were granted",
		    "wake_affine"),
	SCHED_COUNT(22, "nr_wakeups_affine_attempts", "cfs-only", "affine wakeups that were tried",
		    "wake_affine"),
	SCHED(u64, COUNTER, NONE, 23, "nr_migrations", NULL, NULL, "moves to another CPU",
	      "nr_migrations", "set_task_cpu", NULL),
	SCHED_COUNT(24, "nr_forced_migrations", "cfs-only",
		    "moves the balancer forced on a cache-hot thread", "can_migrate_task"),
	SCHED_COUNT(25, "nr_failed_migrations_affine", "cfs-only",
		    "moves refused by the affinity mask", "can_migrate_task"),
	SCHED_COUNT(26, "nr_failed_migrations_running", "cfs-only",
		    "moves refused because it was running", "can_migrate_task"),
	SCHED_COUNT(27, "nr_failed_migrations_hot", "cfs-only",
		    "moves refused because it was cache-hot", "can_migrate_task"),
	SCHED_TIME(COUNTER, 28, "wait_sum", "non-ext", "run-queue wait of the scheduler class",
		   "wait_sum", "__update_stats_wait_end"),
	SCHED_COUNT(29, "wait_count", "non-ext", "run-queue waits", "__update_stats_wait_end"),
	SCHED_TIME(PEAK, 30, "wait_max", "non-ext", "longest run-queue wait", "wait_max",
		   "__update_stats_wait_end"),
	SCHED(dotted, COUNTER, NS, 31, "voluntary_sleep_ns", "non-ext", "SCHEDSTATS",
	      "time asleep and not blocked: sum_sleep_runtime less sum_block_runtime",
	      "sum_sleep_runtime", "__update_stats_enqueue_sleeper", "block_sum"),
	SCHED_TIME(PEAK, 32, "sleep_max", "non-ext", "longest interruptible sleep", "sleep_max",
		   "__update_stats_enqueue_sleeper"),
	SCHED_TIME(COUNTER, 33, "block_sum", "non-ext", "time blocked, uninterruptible",
		   "sum_block_runtime", "__update_stats_enqueue_sleeper"),
	SCHED_TIME(PEAK, 34, "block_max", "non-ext", "longest block", "block_max",
		   "__update_stats_enqueue_sleeper"),
	SCHED_TIME(COUNTER, 35, "iowait_sum", "non-ext", "time blocked on I/O", "iowait_sum",
		   "__update_stats_enqueue_sleeper"),
	SCHED_COUNT(36, "iowait_count", "non-ext", "blocks on I/O",
		    "__update_stats_enqueue_sleeper"),
	SCHED_TIME(PEAK, 37, "exec_max", NULL, "longest stretch on a CPU between two updates",
		   "exec_max", "update_curr"),
	SCHED_TIME(PEAK, 38, "slice_max", "cfs-only", "longest slice", "slice_max",
		   "set_next_entity"),
	SCHED(dotted, COUNTER, NS, 39, "core_forceidle_sum", NULL, "SCHED_CORE SCHEDSTATS",
	      "time a sibling CPU was forced idle for it", "core_forceidle_sum",
	      "__account_forceidle_time", NULL),
	SCHED(u64, GAUGE, NS, 40, "fair_slice_ns", "fair-policy", NULL,
	      "current slice of the fair class", "slice", "proc_sched_show_task", NULL),
	IO(BYTES, 47, "rchar", "bytes read by system calls", "add_rchar"),
	IO(BYTES, 48, "wchar", "bytes written by system calls", "add_wchar"),
	IO(NONE, 49, "syscr", "read system calls", "inc_syscr"),
	IO(NONE, 50, "syscw", "write system calls", "inc_syscw"),
	IO(BYTES, 51, "read_bytes", "bytes fetched from storage", "task_io_account_read"),
	IO(BYTES, 52, "write_bytes", "bytes dirtied for storage", "task_io_account_write"),
	IO(BYTES, 53, "cancelled_write_bytes", "dirtied bytes dropped before they were written",
	   "task_io_account_cancelled_write"),
	TOTAL_STAT(7, NONE, "minflt", "minor page faults", "10, min_flt (do_task_stat)"),
	TOTAL_STAT(9, NONE, "majflt", "major page faults", "12, maj_flt (do_task_stat)"),
	TOTAL_STAT(11, TICKS, "utime_clock_ticks", "CPU time in user mode",
		   "14, utime (thread_group_cputime_adjusted)"),
	TOTAL_STAT(12, TICKS, "stime_clock_ticks", "CPU time in the kernel",
		   "15, stime (thread_group_cputime_adjusted)"),
	TOTAL_IO(BYTES, "rchar", "bytes read by system calls"),
	TOTAL_IO(BYTES, "wchar", "bytes written by system calls"),
	TOTAL_IO(NONE, "syscr", "read system calls"),
	TOTAL_IO(NONE, "syscw", "write system calls"),
	TOTAL_IO(BYTES, "read_bytes", "bytes fetched from storage"),
	TOTAL_IO(BYTES, "write_bytes", "bytes dirtied for storage"),
	TOTAL_IO(BYTES, "cancelled_write_bytes", "dirtied bytes dropped before they were written"),
	{.def = SHARED_SMAPS_MAP, .file = FILE_SMAPS},
	{.def = SHARED_SMAPS_STATE, .file = FILE_SMAPS},
	{.def = SHARED_SMAPS_SOURCE, .file = FILE_SMAPS},
};
