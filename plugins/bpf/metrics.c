/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "shared-metrics.h"

#define VALUE_ROW(name) [VALUE_##name] = SHARED_##name,
#define DELAY_ROWS(what)                                                                           \
	[VALUE_##what##_delay_count] = SHARED_DELAY_COUNT(THREAD, "delay", SHARED_DELAY_##what),   \
	[VALUE_##what##_delay_total_ns] =                                                          \
		SHARED_DELAY_TOTAL(THREAD, "delay", SHARED_DELAY_##what),                          \
	[VALUE_##what##_delay_max_ns] = SHARED_DELAY_MAX(THREAD, "delay", SHARED_DELAY_##what),    \
	[VALUE_##what##_delay_min_ns] = SHARED_DELAY_MIN(THREAD, "delay", SHARED_DELAY_##what),

const struct ctprof_metric bpf_metrics[N_RECORD_VALUES] = {RECORD_VALUES(VALUE_ROW, DELAY_ROWS)};

const struct ctprof_metric bpf_texts[N_TEXTS] = {
	[TEXT_COMM] = SHARED_comm,
	[TEXT_PCOMM] = SHARED_pcomm,
	[TEXT_CGROUP] = SHARED_cgroup,
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

#define TALLY(kind, unit, name, help)                                                              \
	METRIC_ROW(kind, unit, CAPTURE, "bpf_summary." name, "bpf", help, "ctprof")

const struct ctprof_metric bpf_tallies[N_TALLIES] = {
	[TALLY_WHEN] = TALLY(LABEL, TEXT, "when", "why the BPF programs ran: always or auto"),
	[TALLY_THREADS] = TALLY(COUNTER, NONE, "thread_count", "threads read by BPF"),
	[TALLY_LEFT] =
		TALLY(COUNTER, NONE, "left_count", "threads not among them, read by other sources"),
	[TALLY_SPAN] = TALLY(GAUGE, NS, "span_ns", "time from the first of them to the last"),
};
