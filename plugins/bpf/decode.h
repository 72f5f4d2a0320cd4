/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts a record's numbers to values of metrics: the same values that procfs and taskstats
 * read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* Properties of the running kernel, the same for all threads. */
struct decode_rules {
	uint64_t tick_ns; /* of a USER_HZ tick */
	uint64_t page_bytes;
	bool statistics; /* kernel.sched_schedstats is on */
	bool delays;     /* kernel.task_delayacct is on */
};

/* The value is left to other sources. */
#define DECODE_LEFT 255u

struct decoded {
	uint8_t why[N_RECORD_VALUES]; /* enum ctprof_absence, or DECODE_LEFT */
	uint64_t value[N_RECORD_VALUES];
};

/* Decodes a record.  ext_enabled is left to the caller, as sched_class is only an address. */
void decode_record(const struct decode_rules *rules, const struct record *record,
		   struct decoded *ret);

/* Returns the letter of task_state_index(); the arguments are the kernel's state and exit_state. */
char decode_state(uint32_t state, uint32_t exit_state);

/* Does what cputime_adjust() does: divides the measured time of a thread in proportion to its
 * samples.  ret_utime and ret_stime are in ns. */
void decode_cputime(const struct record *record, uint64_t *ret_utime, uint64_t *ret_stime);
