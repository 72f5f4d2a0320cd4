/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides whether to run the BPF programs on this host. */
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

/* Returns the value of the option "when". */
enum condition_when condition_option(const struct ctprof_host *host);

/* Whether loading the programs pays for this number of threads. */
bool condition_pays(enum condition_when when, uint64_t threads);
/* Returns the number of the host's threads, in all namespaces; 0: unknown. */
uint64_t condition_count_threads(const struct ctprof_host *host);
/* Returns the number of threads of the capture, counted up to CONDITION_THREADS; outside a capture,
 * that of the host. */
uint64_t condition_count_captured(const struct ctprof_host *host);
