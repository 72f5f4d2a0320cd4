/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the BPF programs are to run on this host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf-condition.h"

/*
 * Loading the programs costs as much as procfs and taskstats need for this number of threads.
 * Measured by tests/bench/capture.
 */
#define CONDITION_THREADS 400

enum condition_when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

extern const struct ctprof_option_word condition_words[3];

/* The option "when" of this host. */
enum condition_when condition_option(const struct ctprof_host *host);

/* Whether loading the programs pays for this number of threads. */
bool condition_pays(enum condition_when when, uint64_t threads);
/* The host's threads, of all namespaces; 0: unknown. */
uint64_t condition_count_threads(const struct ctprof_host *host);
/* The threads of the capture, counted up to CONDITION_THREADS; outside a capture, the host's. */
uint64_t condition_count_captured(const struct ctprof_host *host);
