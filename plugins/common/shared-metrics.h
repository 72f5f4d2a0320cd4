/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metrics that more than one plugin fills: the registry keeps the first declaration, so each has a
 * single definition here, SHARED_<name of the metric>.
 */
#pragma once

#include "descriptor.h"

#define SHARED_METRIC_(kind, unit, scope, rank_, name, group, gates_, help, origin, ...)           \
	METRIC_ROW(kind, unit, scope, name, group, help, origin, .rank = rank_, .gates = gates_,   \
		   __VA_ARGS__)

/* ---- identity --------------------------------------------------------- */

#define SHARED_start_time_clock_ticks                                                              \
	SHARED_METRIC_(LABEL, TICKS, THREAD, 0, "start_time_clock_ticks", "identity", NULL,        \
		       "start of the thread after boot",                                           \
		       "stat field 22, start_boottime (copy_process)")
#define SHARED_comm                                                                                \
	SHARED_METRIC_(LABEL, TEXT, THREAD, 0, "comm", "identity", NULL, "name of the thread",     \
		       "comm (__set_task_comm)")
#define SHARED_pcomm                                                                               \
	SHARED_METRIC_(LABEL, TEXT, THREAD, 0, "pcomm", "identity", NULL,                          \
		       "name of the process: its leader's comm", "comm of the process directory")
#define SHARED_ppid                                                                                \
	SHARED_METRIC_(LABEL, NONE, PROCESS, 0, "ppid", "identity", NULL,                          \
		       "parent process, 0 without one",                                            \
		       "stat field 4, status PPid (task_ppid_nr)")
#define SHARED_uid                                                                                 \
	SHARED_METRIC_(LABEL, NONE, PROCESS, 0, "uid", "identity", NULL, "real user id",           \
		       "status Uid, first number (task_state)")
#define SHARED_user                                                                                \
	SHARED_METRIC_(LABEL, TEXT, PROCESS, 0, "user", "identity", NULL,                          \
		       "name of the real user, if /etc/passwd has it; with --memory=processes "    \
		       "by any name service, or its number",                                       \
		       "/etc/passwd, getpwuid")
#define SHARED_cgroup                                                                              \
	SHARED_METRIC_(                                                                            \
		LABEL, TEXT, THREAD, 0, "cgroup", "identity", NULL,                                \
		"cgroup v2 path of the thread; without v2, the first v1 path that is not /",       \
		"cgroup, the line of hierarchy 0 (proc_cgroup_show)")

#define SHARED_cgroup_v1                                                                           \
	SHARED_METRIC_(MAP, TEXT, THREAD, 0, "cgroup_v1", "identity", NULL,                        \
		       "paths in the v1 controllers cpu, cpuacct, memory and pids where they "     \
		       "differ from cgroup",                                                       \
		       "cgroup, the lines of these controllers (proc_cgroup_show)")

/* ---- sched ------------------------------------------------------------ */

#define SHARED_STAT_(kind, unit, rank, name, help, origin, ...)                                    \
	SHARED_METRIC_(kind, unit, THREAD, rank, name, "sched", NULL, help, "stat field " origin,  \
		       __VA_ARGS__)
#define SHARED_SCHEDSTAT_(unit, rank, name, help, origin, ...)                                     \
	SHARED_METRIC_(COUNTER, unit, THREAD, rank, name, "sched", "SCHED_INFO", help,             \
		       "schedstat field " origin, __VA_ARGS__)
#define SHARED_SCHED_(kind, unit, rank, name, tag_, gates, help, key, function, ...)               \
	SHARED_METRIC_(kind, unit, THREAD, rank, name, "sched", gates, help,                       \
		       "sched " key " (" function ")", .tag = tag_, __VA_ARGS__)
#define SHARED_SCHED_COUNT_(rank, name, tag, help, function, ...)                                  \
	SHARED_SCHED_(COUNTER, NONE, rank, name, tag, "SCHEDSTATS", help, name, function,          \
		      __VA_ARGS__)
#define SHARED_SCHED_TIME_(kind, rank, name, tag, help, key, function, ...)                        \
	SHARED_SCHED_(kind, NS, rank, name, tag, "SCHEDSTATS", help, key, function, __VA_ARGS__)

#define SHARED_minflt                                                                              \
	SHARED_STAT_(COUNTER, NONE, 43, "minflt", "minor page faults",                             \
		     "10, min_flt (mm_account_fault)")
#define SHARED_majflt                                                                              \
	SHARED_STAT_(COUNTER, NONE, 44, "majflt", "major page faults",                             \
		     "12, maj_flt (mm_account_fault)", WORSE_BY(100))
#define SHARED_utime_clock_ticks                                                                   \
	SHARED_STAT_(COUNTER, TICKS, 45, "utime_clock_ticks", "CPU time in user mode",             \
		     "14, utime (account_user_time, scaled by cputime_adjust)")
#define SHARED_stime_clock_ticks                                                                   \
	SHARED_STAT_(COUNTER, TICKS, 46, "stime_clock_ticks", "CPU time in the kernel",            \
		     "15, stime (account_system_time, scaled by cputime_adjust)")
#define SHARED_CHILDREN_(name, what, origin)                                                       \
	METRIC_ROW(COUNTER, TICKS, PROCESS, name, "sched",                                         \
		   what " of children that were waited for, and of theirs",                        \
		   "stat field " origin ", wait_task_zombie", .flags = CTPROF_METRIC_QUIET)
#define SHARED_cutime_clock_ticks                                                                  \
	SHARED_CHILDREN_("cutime_clock_ticks", "CPU time in user mode", "16, cutime")
#define SHARED_cstime_clock_ticks                                                                  \
	SHARED_CHILDREN_("cstime_clock_ticks", "CPU time in the kernel", "17, cstime")
#define SHARED_priority                                                                            \
	SHARED_STAT_(ORDINAL, NONE, 4, "priority",                                                 \
		     "kernel priority: fair 0..39, real-time -2..-100, deadline -101",             \
		     "18 (task_prio)")
#define SHARED_nice SHARED_STAT_(ORDINAL, NONE, 3, "nice", "nice value", "19 (task_nice)")
#define SHARED_processor                                                                           \
	SHARED_STAT_(ORDINAL, NONE, 7, "processor", "CPU the thread ran on last", "39 (task_cpu)")
#define SHARED_rt_priority                                                                         \
	SHARED_STAT_(ORDINAL, NONE, 5, "rt_priority", "real-time priority, 0 for other policies",  \
		     "40, rt_priority")
#define SHARED_policy SHARED_STAT_(CATEGORY, TEXT, 2, "policy", "scheduling policy", "41, policy")
#define SHARED_run_time_ns                                                                         \
	SHARED_SCHEDSTAT_(NS, 11, "run_time_ns", "time on a CPU",                                  \
			  "1, sum_exec_runtime (update_curr)")
#define SHARED_wait_time_ns                                                                        \
	SHARED_SCHEDSTAT_(NS, 12, "wait_time_ns", "run-queue wait",                                \
			  "2, run_delay (sched_info_arrive)", WORSE)
#define SHARED_timeslices                                                                          \
	SHARED_SCHEDSTAT_(NONE, 13, "timeslices", "times scheduled in",                            \
			  "3, pcount (sched_info_arrive)")
#define SHARED_ext_enabled                                                                         \
	SHARED_SCHED_(CATEGORY, BOOL, 9, "ext_enabled", NULL, "SCHED_CLASS_EXT",                   \
		      "the thread runs under sched_ext", "ext.enabled", "task_on_scx")
#define SHARED_nr_wakeups SHARED_SCHED_COUNT_(16, "nr_wakeups", NULL, "wakeups", "ttwu_stat")
#define SHARED_nr_wakeups_local                                                                    \
	SHARED_SCHED_COUNT_(17, "nr_wakeups_local", NULL, "wakeups by the CPU it then ran on",     \
			    "ttwu_stat")
#define SHARED_nr_wakeups_remote                                                                   \
	SHARED_SCHED_COUNT_(18, "nr_wakeups_remote", NULL, "wakeups from another CPU", "ttwu_stat")
#define SHARED_nr_wakeups_sync                                                                     \
	SHARED_SCHED_COUNT_(19, "nr_wakeups_sync", NULL, "wakeups with the sync hint", "ttwu_stat")
#define SHARED_nr_wakeups_migrate                                                                  \
	SHARED_SCHED_COUNT_(20, "nr_wakeups_migrate", NULL, "wakeups that moved the thread",       \
			    "ttwu_stat")
#define SHARED_nr_wakeups_affine                                                                   \
	SHARED_SCHED_COUNT_(21, "nr_wakeups_affine", "cfs-only",                                   \
			    "affine wakeups that were granted", "wake_affine")
#define SHARED_nr_wakeups_affine_attempts                                                          \
	SHARED_SCHED_COUNT_(22, "nr_wakeups_affine_attempts", "cfs-only",                          \
			    "affine wakeups that were tried", "wake_affine")
#define SHARED_nr_migrations                                                                       \
	SHARED_SCHED_(COUNTER, NONE, 23, "nr_migrations", NULL, NULL, "moves to another CPU",      \
		      "nr_migrations", "set_task_cpu")
#define SHARED_nr_forced_migrations                                                                \
	SHARED_SCHED_COUNT_(24, "nr_forced_migrations", "cfs-only",                                \
			    "moves the balancer forced on a cache-hot thread", "can_migrate_task", \
			    WORSE)
#define SHARED_nr_failed_migrations_affine                                                         \
	SHARED_SCHED_COUNT_(25, "nr_failed_migrations_affine", "cfs-only",                         \
			    "moves refused by the affinity mask", "can_migrate_task")
#define SHARED_nr_failed_migrations_running                                                        \
	SHARED_SCHED_COUNT_(26, "nr_failed_migrations_running", "cfs-only",                        \
			    "moves refused because it was running", "can_migrate_task")
#define SHARED_nr_failed_migrations_hot                                                            \
	SHARED_SCHED_COUNT_(27, "nr_failed_migrations_hot", "cfs-only",                            \
			    "moves refused because it was cache-hot", "can_migrate_task")
#define SHARED_wait_sum                                                                            \
	SHARED_SCHED_TIME_(COUNTER, 28, "wait_sum", "non-ext",                                     \
			   "run-queue wait of the scheduler class", "wait_sum",                    \
			   "__update_stats_wait_end", WORSE)
#define SHARED_wait_count                                                                          \
	SHARED_SCHED_COUNT_(29, "wait_count", "non-ext", "run-queue waits",                        \
			    "__update_stats_wait_end")
#define SHARED_wait_max                                                                            \
	SHARED_SCHED_TIME_(PEAK, 30, "wait_max", "non-ext", "longest run-queue wait", "wait_max",  \
			   "__update_stats_wait_end", WORSE)
#define SHARED_voluntary_sleep_ns                                                                  \
	SHARED_SCHED_(COUNTER, NS, 31, "voluntary_sleep_ns", "non-ext", "SCHEDSTATS",              \
		      "time asleep and not blocked: sum_sleep_runtime less sum_block_runtime",     \
		      "sum_sleep_runtime", "__update_stats_enqueue_sleeper")
#define SHARED_sleep_max                                                                           \
	SHARED_SCHED_TIME_(PEAK, 32, "sleep_max", "non-ext", "longest interruptible sleep",        \
			   "sleep_max", "__update_stats_enqueue_sleeper")
#define SHARED_block_sum                                                                           \
	SHARED_SCHED_TIME_(COUNTER, 33, "block_sum", "non-ext", "time blocked, uninterruptible",   \
			   "sum_block_runtime", "__update_stats_enqueue_sleeper", WORSE)
#define SHARED_block_max                                                                           \
	SHARED_SCHED_TIME_(PEAK, 34, "block_max", "non-ext", "longest block", "block_max",         \
			   "__update_stats_enqueue_sleeper", WORSE)
#define SHARED_iowait_sum                                                                          \
	SHARED_SCHED_TIME_(COUNTER, 35, "iowait_sum", "non-ext", "time blocked on I/O",            \
			   "iowait_sum", "__update_stats_enqueue_sleeper", WORSE)
#define SHARED_iowait_count                                                                        \
	SHARED_SCHED_COUNT_(36, "iowait_count", "non-ext", "blocks on I/O",                        \
			    "__update_stats_enqueue_sleeper")
#define SHARED_exec_max                                                                            \
	SHARED_SCHED_TIME_(PEAK, 37, "exec_max", NULL,                                             \
			   "longest stretch on a CPU between two updates", "exec_max",             \
			   "update_curr")
#define SHARED_slice_max                                                                           \
	SHARED_SCHED_TIME_(PEAK, 38, "slice_max", "cfs-only", "longest slice", "slice_max",        \
			   "set_next_entity")
#define SHARED_core_forceidle_sum                                                                  \
	SHARED_SCHED_(COUNTER, NS, 39, "core_forceidle_sum", NULL, "SCHED_CORE SCHEDSTATS",        \
		      "time a sibling CPU was forced idle for it", "core_forceidle_sum",           \
		      "__account_forceidle_time", WORSE)
#define SHARED_fair_slice_ns                                                                       \
	SHARED_SCHED_(GAUGE, NS, 40, "fair_slice_ns", "fair-policy", NULL,                         \
		      "current slice of the fair class", "slice", "proc_sched_show_task")

/* ---- pelt ------------------------------------------------------------- */

/* Per-entity load tracking: averages that decay by half in 32 ms. */
#define SHARED_PELT_(name, help, key, function)                                                    \
	METRIC_ROW(GAUGE, NONE, THREAD, name, "pelt", help, "sched " key " (" function ")",        \
		   .flags = CTPROF_METRIC_ON_DEMAND)
#define SHARED_util_avg                                                                            \
	SHARED_PELT_("util_avg", "share of recent time it ran, out of 1024", "se.avg.util_avg",    \
		     "___update_load_avg")
#define SHARED_runnable_avg                                                                        \
	SHARED_PELT_("runnable_avg", "share of recent time it ran or waited to run, out of 1024",  \
		     "se.avg.runnable_avg", "___update_load_avg")
#define SHARED_load_avg                                                                            \
	SHARED_PELT_("load_avg",                                                                   \
		     "runnable_avg times its weight: out of 1024 at nice 0, more below it",        \
		     "se.avg.load_avg", "___update_load_avg")
#define SHARED_util_est                                                                            \
	SHARED_PELT_("util_est", "util_avg expected when the thread next runs",                    \
		     "se.avg.util_est, before Linux 6.8 the larger of its ewma and enqueued",      \
		     "util_est_update")

#define SHARED_cpu_affinity                                                                        \
	SHARED_METRIC_(CPUSET, CPUS, THREAD, 6, "cpu_affinity", "sched", NULL,                     \
		       "CPUs the thread may run on",                                               \
		       "sched_getaffinity, else status Cpus_allowed_list")
#define SHARED_state                                                                               \
	SHARED_METRIC_(CATEGORY, CHAR, THREAD, 8, "state", "sched", NULL, "state letter",          \
		       "status State (get_task_state)")
#define SHARED_nr_threads                                                                          \
	SHARED_METRIC_(GAUGE, NONE, PROCESS, 10, "nr_threads", "sched", NULL,                      \
		       "threads of the process", "status Threads (get_nr_threads)")
#define SHARED_voluntary_csw                                                                       \
	SHARED_METRIC_(COUNTER, NONE, THREAD, 14, "voluntary_csw", "sched", NULL,                  \
		       "voluntary context switches",                                               \
		       "status voluntary_ctxt_switches, nvcsw (__schedule)")
#define SHARED_nonvoluntary_csw                                                                    \
	SHARED_METRIC_(COUNTER, NONE, THREAD, 15, "nonvoluntary_csw", "sched", NULL,               \
		       "involuntary context switches",                                             \
		       "status nonvoluntary_ctxt_switches, nivcsw (__schedule)", WORSE)

/* ---- io --------------------------------------------------------------- */

#define SHARED_IO_(unit, rank, name, help, function)                                               \
	SHARED_METRIC_(COUNTER, unit, THREAD, rank, name, "io", "TASK_IO_ACCOUNTING", help,        \
		       "io " name " (" function ")")
#define SHARED_rchar SHARED_IO_(BYTES, 47, "rchar", "bytes read by system calls", "add_rchar")
#define SHARED_wchar SHARED_IO_(BYTES, 48, "wchar", "bytes written by system calls", "add_wchar")
#define SHARED_syscr SHARED_IO_(NONE, 49, "syscr", "read system calls", "inc_syscr")
#define SHARED_syscw SHARED_IO_(NONE, 50, "syscw", "write system calls", "inc_syscw")
#define SHARED_read_bytes                                                                          \
	SHARED_IO_(BYTES, 51, "read_bytes", "bytes fetched from storage", "task_io_account_read")
#define SHARED_write_bytes                                                                         \
	SHARED_IO_(BYTES, 52, "write_bytes", "bytes dirtied for storage", "task_io_account_write")
#define SHARED_cancelled_write_bytes                                                               \
	SHARED_IO_(BYTES, 53, "cancelled_write_bytes",                                             \
		   "dirtied bytes dropped before they were written",                               \
		   "task_io_account_cancelled_write")

/* ---- delay ------------------------------------------------------------ */

/* For live threads (THREAD, "delay"), and for ended ones. */
#define SHARED_DELAY_(scope, group, kind, unit, rank, name, help, field, counted_by, ...)          \
	SHARED_METRIC_(kind, unit, scope, rank, name, group, "TASKSTATS TASK_DELAY_ACCT", help,    \
		       "taskstats." field ", " counted_by, __VA_ARGS__)
#define SHARED_DELAY_COUNT_(scope, group, rank, what, events, counted_by)                          \
	SHARED_DELAY_(scope, group, COUNTER, NONE, rank, what "_delay_count", "number of " events, \
		      what "_count", counted_by)
#define SHARED_DELAY_TOTAL_(scope, group, rank, what, events, counted_by)                          \
	SHARED_DELAY_(scope, group, COUNTER, NS, (rank) + 1, what "_delay_total_ns",               \
		      "time spent in " events, what "_delay_total", counted_by, WORSE)
#define SHARED_DELAY_MAX_(scope, group, rank, what, events, counted_by)                            \
	SHARED_DELAY_(scope, group, PEAK, NS, (rank) + 2, what "_delay_max_ns",                    \
		      "longest of the " events, what "_delay_max", counted_by, WORSE)
#define SHARED_DELAY_MIN_(scope, group, rank, what, events, counted_by)                            \
	SHARED_DELAY_(scope, group, LOW, NS, (rank) + 3, what "_delay_min_ns",                     \
		      "shortest of the " events ", 0 when there was none", what "_delay_min",      \
		      counted_by)

#define SHARED_DELAY_MAX_AT_(scope, group, rank, what, events, counted_by)                         \
	SHARED_METRIC_(                                                                            \
		LABEL, NS, scope, 88 + ((rank)-54) / 4, what "_delay_max_at", group,               \
		"TASKSTATS TASK_DELAY_ACCT", "when " what "_delay_max_ns occurred, since 1970",    \
		"taskstats." what "_delay_max_ts, CLOCK_REALTIME", .flags = CTPROF_METRIC_STILL)

/* The metrics of a delay, from its SHARED_DELAY_<what>: rank, what, events, and the function that
 * counts them. */
#define SHARED_DELAY_COUNT(scope, group, ...) SHARED_DELAY_COUNT_(scope, group, __VA_ARGS__)
#define SHARED_DELAY_TOTAL(scope, group, ...) SHARED_DELAY_TOTAL_(scope, group, __VA_ARGS__)
#define SHARED_DELAY_MAX(scope, group, ...) SHARED_DELAY_MAX_(scope, group, __VA_ARGS__)
#define SHARED_DELAY_MIN(scope, group, ...) SHARED_DELAY_MIN_(scope, group, __VA_ARGS__)

#define SHARED_DELAY_MAX_AT(scope, group, ...) SHARED_DELAY_MAX_AT_(scope, group, __VA_ARGS__)

#define SHARED_DELAY_cpu 54, "cpu", "waits on a run queue", "sched_info_arrive()"
#define SHARED_DELAY_blkio 58, "blkio", "waits for synchronous block I/O", "__delayacct_blkio_end()"
#define SHARED_DELAY_swapin                                                                        \
	62, "swapin", "waits for a page to be swapped in", "__delayacct_swapin_end()"
#define SHARED_DELAY_freepages                                                                     \
	66, "freepages", "direct memory reclaims", "__delayacct_freepages_end()"
#define SHARED_DELAY_thrashing                                                                     \
	70, "thrashing", "waits for a page evicted shortly before", "__delayacct_thrashing_end()"
#define SHARED_DELAY_compact 74, "compact", "direct memory compactions", "__delayacct_compact_end()"
#define SHARED_DELAY_wpcopy                                                                        \
	78, "wpcopy", "copies of write-protected pages", "__delayacct_wpcopy_end()"
#define SHARED_DELAY_irq 82, "irq", "interruptions by hard and soft IRQs", "__delayacct_irq()"

#define SHARED_HIWATER_(scope, group, rank, name, help, origin, ...)                               \
	SHARED_METRIC_(PEAK, BYTES, scope, rank, name, group, "TASKSTATS TASK_XACCT", help,        \
		       "taskstats." origin, __VA_ARGS__)
#define SHARED_HIWATER_RSS(scope, group)                                                           \
	SHARED_HIWATER_(scope, group, 86, "hiwater_rss_bytes",                                     \
			"peak resident memory of the thread's address space",                      \
			"hiwater_rss, xacct_add_tsk() from get_mm_hiwater_rss()", WORSE)
#define SHARED_HIWATER_VM(scope, group)                                                            \
	SHARED_HIWATER_(scope, group, 87, "hiwater_vm_bytes",                                      \
			"peak size of the thread's address space",                                 \
			"hiwater_vm, xacct_add_tsk() from get_mm_hiwater_vm()")
#define SHARED_hiwater_rss_bytes SHARED_HIWATER_RSS(THREAD, "delay")
#define SHARED_hiwater_vm_bytes SHARED_HIWATER_VM(THREAD, "delay")

#define SHARED_DELAY_LABEL_(name, help, origin)                                                    \
	SHARED_METRIC_(LABEL, BOOL, THREAD, 0, name, "delay", "TASKSTATS", help, origin)
#define SHARED_taskstats_measured                                                                  \
	SHARED_DELAY_LABEL_("taskstats_measured", "1 when the kernel replied for this thread",     \
			    "taskstats netlink reply")
#define SHARED_cpu_delay_active                                                                    \
	SHARED_DELAY_LABEL_("cpu_delay_active",                                                    \
			    "1 when cpu_delay_* are counted (CONFIG_TASK_DELAY_ACCT)",             \
			    "proc/sys/kernel/task_delayacct exists")
#define SHARED_delay_block_active                                                                  \
	SHARED_DELAY_LABEL_("delay_block_active", "1 when the other delays are counted",           \
			    "proc/sys/kernel/task_delayacct is 1")
#define SHARED_xacct_active                                                                        \
	SHARED_DELAY_LABEL_("xacct_active", "1 when hiwater_* are counted (CONFIG_TASK_XACCT)",    \
			    "taskstats.hiwater_vm of the requesting thread, xacct_add_tsk()")

/* ---- exit ------------------------------------------------------------- */

#define SHARED_EXITS_(name, help)                                                                  \
	METRIC_ROW(COUNTER, NONE, CAPTURE, name, "exit", help, "records since the previous capture")
#define SHARED_exits_received                                                                      \
	SHARED_EXITS_("exits_received", "threads that ended and left a record")
#define SHARED_exits_lost                                                                          \
	SHARED_EXITS_("exits_lost", "records lost because a buffer was full, or malformed; by "    \
				    "taskstats before Linux 4.12 at least that many")
#define SHARED_exits_source                                                                        \
	METRIC_ROW(LABEL, TEXT, CAPTURE, "exits_source", "exit",                                   \
		   "source that recorded the threads that ended; -O SOURCE.buffer=SIZE makes "     \
		   "room for more records",                                                        \
		   "ctprof")

/* ---- smaps ------------------------------------------------------------ */

/* The three values of the smaps ladder; see smaps-put.h. */
#define SHARED_SMAPS_MAP                                                                           \
	SHARED_METRIC_(MAP, KIB, PROCESS, 0, "smaps_rollup_kib", "smaps", "PROC_PAGE_MONITOR",     \
		       "memory of the process by kind", "smaps_rollup (__show_smap)")
#define SHARED_SMAPS_STATE                                                                         \
	SHARED_METRIC_(CATEGORY, TEXT, PROCESS, 0, "smaps_state", "smaps", NULL,                   \
		       "how the memory figures were read: exact, inaccessible, not-applicable, "   \
		       "timeout or skipped",                                                       \
		       "ctprof", .flags = CTPROF_METRIC_QUIET)
#define SHARED_SMAPS_SOURCE                                                                        \
	SHARED_METRIC_(CATEGORY, TEXT, PROCESS, 0, "smaps_source", "smaps", NULL,                  \
		       "file of the memory figures: rollup, smaps or sibling", "ctprof",           \
		       .flags = CTPROF_METRIC_QUIET)
