/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of reading: counted by each worker, merged, and put once at the end. */
#pragma once

#include "files.h"

#include "ctprof/source.h"

#define TALLY_ERRNOS 16u
#define N_SUMMARY 7u

struct tally {
	uint64_t threads;
	uint64_t negative;                        /* durations the kernel printed with a '-' */
	uint64_t failures[N_FILES][TALLY_ERRNOS]; /* by index in the table of errnos */
};

/* Counts a failure; err is a positive errno.  Files that are not tallied are ignored. */
void tally_failure(struct tally *tally, enum file_id file, int err);
void tally_merge(struct tally *into, const struct tally *from);

int tally_register(const struct ctprof_host *host, uint32_t ret_slots[N_SUMMARY]);
/* Fills the only row of a capture batch, and reports to the user. */
void tally_put(const struct tally *tally, const struct ctprof_host *host,
	       struct ctprof_batch *batch, const uint32_t slots[N_SUMMARY]);
