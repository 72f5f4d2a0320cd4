/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "descriptor.h"
#include "shared-metrics.h"

#define ROW(file_, parse_, name, ...)                                                              \
	{                                                                                          \
		.def = SHARED_##name, .parse = value_parse_##parse_, .file = FILE_##file_,         \
		__VA_ARGS__                                                                        \
	}

#define STAT(column_, parse, name) ROW(STAT, parse, name, .column = column_)
#define SCHEDSTAT(column_, name) ROW(SCHEDSTAT, u64, name, .column = column_)
#define STATUS(parse, name, key_) ROW(STATUS, parse, name, .key = key_)
#define SCHED(parse, name, key_, minus_) ROW(SCHED, parse, name, .key = key_, .minus = minus_)
#define SCHED_COUNT(name) SCHED(u64, name, #name, NULL)
#define SCHED_TIME(name, key) SCHED(dotted, name, key, NULL)
#define PELT(name) SCHED(u64, name, #name, NULL)
#define IO(name) ROW(IO, u64, name, .key = #name)

/* No other source reads these. */
#define OWN(parse_, kind, unit, name, key_, gates_, help, function)                                \
	{                                                                                          \
		.def = METRIC_ROW(kind, unit, THREAD, name, "sched-more", help,                    \
				  "sched " key_ " (" function ")", .gates = gates_,                \
				  .flags = CTPROF_METRIC_ON_DEMAND),                               \
		.parse = value_parse_##parse_, .file = FILE_SCHED, .key = key_                     \
	}

/* A total of a process, including threads that have ended. */
#define TOTAL(file_, unit, gates_, name, help, origin, ...)                                        \
	{                                                                                          \
		.def = METRIC_ROW(COUNTER, unit, PROCESS, "process_" name, "process", help,        \
				  origin, .gates = gates_, .flags = CTPROF_METRIC_ON_DEMAND),      \
		.parse = value_parse_u64, .file = FILE_PROCESS_##file_, __VA_ARGS__                \
	}
#define TOTAL_STAT(column_, unit, name, help, origin, ...)                                         \
	TOTAL(STAT, unit, NULL, name, help " of the process, including ended threads",             \
	      "stat of the process, field " origin, .column = column_, __VA_ARGS__)
#define TOTAL_IO(unit, name, help)                                                                 \
	TOTAL(IO, unit, "TASK_IO_ACCOUNTING", name,                                                \
	      help " of the process, including ended threads and awaited children",                \
	      "io of the process, " name " (do_io_accounting)", .key = name)

const struct procfs_metric procfs_metrics[N_METRICS] = {
	STAT(1, u64, ppid),
	STAT(7, u64, minflt),
	STAT(9, u64, majflt),
	STAT(11, u64, utime_clock_ticks),
	STAT(12, u64, stime_clock_ticks),
	STAT(13, u64, cutime_clock_ticks),
	STAT(14, u64, cstime_clock_ticks),
	STAT(15, i32, priority),
	STAT(16, i32, nice),
	STAT(19, u64, start_time_clock_ticks),
	STAT(36, i32, processor),
	STAT(37, u32, rt_priority),
	STAT(38, policy, policy),
	ROW(COMM, verbatim, comm, .key = NULL),
	ROW(PCOMM, verbatim, pcomm, .key = NULL),
	ROW(CGROUP, verbatim, cgroup, .key = NULL),
	ROW(CGROUP, verbatim, cgroup_v1, .key = NULL),
	SCHEDSTAT(0, run_time_ns),
	SCHEDSTAT(1, wait_time_ns),
	SCHEDSTAT(2, timeslices),
	STATUS(first, uid, "Uid"),
	STATUS(letter, state, "State"),
	STATUS(verbatim, cpu_affinity, "Cpus_allowed_list"),
	STATUS(u64, nr_threads, "Threads"),
	STATUS(u64, voluntary_csw, "voluntary_ctxt_switches"),
	STATUS(u64, nonvoluntary_csw, "nonvoluntary_ctxt_switches"),
	SCHED(flag, ext_enabled, "ext.enabled", NULL),
	SCHED_COUNT(nr_wakeups),
	SCHED_COUNT(nr_wakeups_local),
	SCHED_COUNT(nr_wakeups_remote),
	SCHED_COUNT(nr_wakeups_sync),
	SCHED_COUNT(nr_wakeups_migrate),
	SCHED_COUNT(nr_wakeups_affine),
	SCHED_COUNT(nr_wakeups_affine_attempts),
	SCHED(u64, nr_migrations, "nr_migrations", NULL),
	SCHED_COUNT(nr_forced_migrations),
	SCHED_COUNT(nr_failed_migrations_affine),
	SCHED_COUNT(nr_failed_migrations_running),
	SCHED_COUNT(nr_failed_migrations_hot),
	SCHED_TIME(wait_sum, "wait_sum"),
	SCHED_COUNT(wait_count),
	SCHED_TIME(wait_max, "wait_max"),
	SCHED(dotted, voluntary_sleep_ns, "sum_sleep_runtime", "block_sum"),
	SCHED_TIME(sleep_max, "sleep_max"),
	SCHED_TIME(block_sum, "sum_block_runtime"),
	SCHED_TIME(block_max, "block_max"),
	SCHED_TIME(iowait_sum, "iowait_sum"),
	SCHED_COUNT(iowait_count),
	SCHED_TIME(exec_max, "exec_max"),
	SCHED_TIME(slice_max, "slice_max"),
	SCHED(dotted, core_forceidle_sum, "core_forceidle_sum", NULL),
	SCHED(u64, fair_slice_ns, "slice", NULL),
	PELT(util_avg),
	PELT(runnable_avg),
	PELT(load_avg),
	PELT(util_est),
	OWN(u64, GAUGE, NONE, "uclamp_min", "uclamp.min", "UCLAMP_TASK",
	    "requested lower limit of its utilisation, out of 1024", "uclamp_req"),
	OWN(u64, GAUGE, NONE, "uclamp_max", "uclamp.max", "UCLAMP_TASK",
	    "requested upper limit of its utilisation, out of 1024", "uclamp_req"),
	OWN(u64, COUNTER, NONE, "numa_pages_migrated", "numa_pages_migrated", "NUMA_BALANCING",
	    "pages moved to the node the thread runs on", "task_numa_fault"),
	OWN(i32, ORDINAL, NONE, "numa_preferred_nid", "numa_preferred_nid", "NUMA_BALANCING",
	    "node the thread should run on, -1 for any", "sched_setnuma"),
	OWN(u64, LEVEL, NONE, "numa_faults", "total_numa_faults", "NUMA_BALANCING",
	    "faults that sample where its memory is, older ones counted less",
	    "task_numa_placement"),
	OWN(i64, ORDINAL, NS, "dl_runtime_ns", "dl.runtime", NULL,
	    "time left in this period of a deadline thread", "update_curr_dl"),
	OWN(u64, GAUGE, NS, "dl_deadline_ns", "dl.deadline", NULL,
	    "end of this period of a deadline thread, by the clock of its CPU", "update_dl_entity"),
	IO(rchar),
	IO(wchar),
	IO(syscr),
	IO(syscw),
	IO(read_bytes),
	IO(write_bytes),
	IO(cancelled_write_bytes),
	TOTAL_STAT(7, NONE, "minflt", "minor page faults", "10, min_flt (do_task_stat)"),
	TOTAL_STAT(9, NONE, "majflt", "major page faults", "12, maj_flt (do_task_stat)",
		   .def.polarity = CTPROF_MORE_IS_WORSE, .def.gate = 100),
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
	{.def = SHARED_user, .file = FILE_PASSWD},
	{.def = SHARED_SMAPS_MAP, .file = FILE_SMAPS},
	{.def = SHARED_SMAPS_STATE, .file = FILE_SMAPS},
	{.def = SHARED_SMAPS_SOURCE, .file = FILE_SMAPS},
};
