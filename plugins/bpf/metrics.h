/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metrics of a record's numbers, and of what else it tells of a thread. */
#pragma once

#include "ctprof/plugin.h"
#include "record.h"

/* By enum record_value. */
extern const struct ctprof_metric bpf_metrics[N_RECORD_VALUES];

enum bpf_text {
	TEXT_COMM,
	TEXT_PCOMM,
	TEXT_CGROUP,
	TEXT_POLICY,
	TEXT_AFFINITY,
	/* Of kernel threads, that have no memory. */
	TEXT_SMAPS_MAP,
	TEXT_SMAPS_STATE,
	TEXT_SMAPS_SOURCE,
	N_TEXTS,
};

extern const struct ctprof_metric bpf_texts[N_TEXTS];

/* What the delays of a thread are worth. */
enum bpf_label {
	LABEL_MEASURED,
	LABEL_CPU_DELAY,
	LABEL_BLOCK_DELAYS,
	LABEL_PEAKS,
	N_LABELS,
};

extern const struct ctprof_metric bpf_labels[N_LABELS];

enum bpf_tally {
	TALLY_WHEN,
	TALLY_THREADS,
	TALLY_LEFT,
	TALLY_SPAN,
	N_TALLIES,
};

extern const struct ctprof_metric bpf_tallies[N_TALLIES];
