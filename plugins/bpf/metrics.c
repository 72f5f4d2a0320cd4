/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "shared-metrics.h"
#include "slots.h"

#define SHARED_open_wait_ns                                                                        \
	METRIC_ROW(LEVEL, NS, THREAD, "open_wait_ns", "sched",                                     \
		   "length of the wait for a CPU in progress, not yet in wait_time_ns; of a "      \
		   "sleeping thread, sleep that the kernel will count as such a wait",             \
		   "sched_info.last_queued of task_struct (sched_info_enqueue)",                   \
		   .gates = "FAIR_GROUP_SCHED SCHED_INFO", .flags = CTPROF_METRIC_QUIET)

#define VALUE_ROW(name) [VALUE_##name] = SHARED_##name,
#define DELAY_ROWS(what)                                                                           \
	[VALUE_##what##_delay_count] = SHARED_DELAY_COUNT(THREAD, "delay", SHARED_DELAY_##what),   \
	[VALUE_##what##_delay_total_ns] =                                                          \
		SHARED_DELAY_TOTAL(THREAD, "delay", SHARED_DELAY_##what),                          \
	[VALUE_##what##_delay_max_ns] = SHARED_DELAY_MAX(THREAD, "delay", SHARED_DELAY_##what),    \
	[VALUE_##what##_delay_min_ns] = SHARED_DELAY_MIN(THREAD, "delay", SHARED_DELAY_##what),    \
	[VALUE_##what##_delay_max_at] = SHARED_DELAY_MAX_AT(THREAD, "delay", SHARED_DELAY_##what),

const struct ctprof_metric bpf_metrics[N_RECORD_VALUES] = {RECORD_VALUES(VALUE_ROW, DELAY_ROWS)};

const struct ctprof_metric bpf_texts[N_TEXTS] = {
	[TEXT_COMM] = SHARED_comm,
	[TEXT_PCOMM] = SHARED_pcomm,
	[TEXT_USER] = SHARED_user,
	[TEXT_CGROUP] = SHARED_cgroup,
	[TEXT_CGROUP_V1] = SHARED_cgroup_v1,
	[TEXT_POLICY] = SHARED_policy,
	[TEXT_AFFINITY] = SHARED_cpu_affinity,
	[TEXT_SMAPS_MAP] = SHARED_SMAPS_MAP,
	[TEXT_SMAPS_STATE] = SHARED_SMAPS_STATE,
	[TEXT_SMAPS_SOURCE] = SHARED_SMAPS_SOURCE,
};

const struct ctprof_metric bpf_labels[N_LABELS] = {
	[LABEL_MEASURED] = SHARED_taskstats_measured,
	[LABEL_CPU_DELAY] = SHARED_cpu_delay_active,
	[LABEL_BLOCK_DELAYS] = SHARED_delay_block_active,
	[LABEL_PEAKS] = SHARED_xacct_active,
};

#define EXIT(kind, unit, name, help, origin)                                                       \
	METRIC_ROW(kind, unit, EXIT, name, "exit", help, origin)

const struct ctprof_metric bpf_exit_values[N_EXIT_VALUES] = {
	[EXIT_UTIME] = EXIT(COUNTER, US, "utime_us", "CPU time in user mode",
			    "utime of task_struct, scaled by cputime_adjust()"),
	[EXIT_STIME] = EXIT(COUNTER, US, "stime_us", "CPU time in the kernel",
			    "stime of task_struct, scaled by cputime_adjust()"),
	[EXIT_ELAPSED] = EXIT(COUNTER, US, "elapsed_us", "time from start to end of the thread",
			      "clock at sched_process_exit less start_time of task_struct"),
	[EXIT_UID] = EXIT(LABEL, NONE, "uid", "real user id", "real_cred of task_struct"),
	[EXIT_FINAL_RUN_TIME] =
		EXIT(COUNTER, NS, "final_run_time_ns",
		     "CPU time including the last time slice; absent unless known to be complete",
		     "sum_exec_runtime at the last sched_switch"),
	[EXIT_CODE] = EXIT(LABEL, NONE, "exit_code",
			   "how the process ended, as wait() reports it; leader only",
			   "exit_code of task_struct (wait_task_zombie)"),
};

const struct ctprof_metric bpf_exit_texts[N_EXIT_TEXTS] = {
	[EXIT_COMM] = EXIT(LABEL, TEXT, "comm", "name of the thread", "comm of task_struct"),
	[EXIT_PCOMM] = EXIT(LABEL, TEXT, "pcomm", "name of the process: its leader's comm",
			    "group_leader of task_struct"),
	[EXIT_CGROUP] = EXIT(LABEL, TEXT, "cgroup", "cgroup v2 path of the thread",
			     "cgroups of task_struct, and the directories of cgroup2"),
};

const struct ctprof_metric bpf_exit_tallies[N_EXIT_TALLIES] = {
	[EXIT_RECEIVED] = SHARED_exits_received,
	[EXIT_LOST] = SHARED_exits_lost,
	[EXIT_UNFREED] = METRIC_ROW(
		COUNTER, NONE, CAPTURE, "exits_unfreed", "exit",
		"threads that ended but are in the next capture: zombies, and threads still in their "
		"last slice",
		"sched_process_exit, minus written and lost records"),
	[EXIT_SOURCE] = SHARED_exits_source,
};

#define TALLY(kind, unit, name, help)                                                              \
	METRIC_ROW(kind, unit, CAPTURE, "bpf_summary." name, "bpf", help, "ctprof")

const struct ctprof_metric bpf_tallies[N_TALLIES] = {
	[TALLY_WHEN] = TALLY(LABEL, TEXT, "when", "why the BPF programs ran: always or auto"),
	[TALLY_THREADS] = TALLY(COUNTER, NONE, "thread_count", "threads read by BPF"),
	[TALLY_LEFT] = TALLY(COUNTER, NONE, "left_count",
			     "threads that BPF did not read, but other sources did"),
	[TALLY_SPAN] =
		TALLY(GAUGE, NS, "span_ns", "time from the first thread read by BPF to the last"),
};

void bpf_metric_put(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		    uint32_t slot, unsigned value, uint32_t why, uint64_t bits)
{
	if (why == CTPROF_PRESENT && bpf_metrics[value].kind == CTPROF_ORDINAL)
		host->put_i64(batch, row, slot, (int64_t)bits);
	else
		slots_put_u64(host, batch, row, slot, why, bits);
}
