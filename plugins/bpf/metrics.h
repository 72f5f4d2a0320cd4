/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metrics of a record's numbers, and of its other fields. */
#pragma once

#include "ctprof/plugin.h"
#include "record.h"

/* By enum record_value. */
extern const struct ctprof_metric bpf_metrics[N_RECORD_VALUES];
/* Puts a value of that metric or, unless why is CTPROF_PRESENT, the reason for its absence. */
void bpf_metric_put(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		    uint32_t slot, unsigned value, uint32_t why, uint64_t bits);

enum bpf_text {
	TEXT_COMM,
	TEXT_PCOMM,
	TEXT_USER,
	TEXT_CGROUP,
	TEXT_CGROUP_V1,
	TEXT_POLICY,
	TEXT_AFFINITY,
	/* Put for kernel threads only, which have no memory. */
	TEXT_SMAPS_MAP,
	TEXT_SMAPS_STATE,
	TEXT_SMAPS_SOURCE,
	N_TEXTS,
};

extern const struct ctprof_metric bpf_texts[N_TEXTS];

/* The delays and peaks that were counted for a thread. */
enum bpf_label {
	LABEL_MEASURED,
	LABEL_CPU_DELAY,
	LABEL_BLOCK_DELAYS,
	LABEL_PEAKS,
	N_LABELS,
};

extern const struct ctprof_metric bpf_labels[N_LABELS];

/* Values of threads that ended, in addition to bpf_metrics. */
enum bpf_exit_value {
	EXIT_UTIME,
	EXIT_STIME,
	EXIT_ELAPSED,
	EXIT_UID,
	EXIT_FINAL_RUN_TIME,
	EXIT_CODE,
	N_EXIT_VALUES,
};

extern const struct ctprof_metric bpf_exit_values[N_EXIT_VALUES];

enum bpf_exit_text { EXIT_COMM, EXIT_PCOMM, EXIT_CGROUP, N_EXIT_TEXTS };

extern const struct ctprof_metric bpf_exit_texts[N_EXIT_TEXTS];

enum bpf_exit_tally { EXIT_RECEIVED, EXIT_LOST, EXIT_UNFREED, EXIT_SOURCE, N_EXIT_TALLIES };

extern const struct ctprof_metric bpf_exit_tallies[N_EXIT_TALLIES];

enum bpf_tally {
	TALLY_WHEN,
	TALLY_THREADS,
	TALLY_LEFT,
	TALLY_SPAN,
	N_TALLIES,
};

extern const struct ctprof_metric bpf_tallies[N_TALLIES];
