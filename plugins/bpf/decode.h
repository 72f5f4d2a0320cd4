/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record's numbers as the metrics have them: equal to what procfs and taskstats read. */
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

/* A value that other sources may know. */
#define DECODE_LEFT 255u

struct decoded {
	uint8_t why[N_RECORD_VALUES]; /* enum ctprof_absence, or DECODE_LEFT */
	uint64_t value[N_RECORD_VALUES];
};

/* ext_enabled is left: sched_class is only an address. */
void decode_record(const struct decode_rules *rules, const struct record *record,
		   struct decoded *ret);

/* task_state_index() and its letter; state and exit_state of the kernel. */
char decode_state(uint32_t state, uint32_t exit_state);

/* cputime_adjust(): the measured time of a thread, divided as its samples are.  ret_utime
 * and ret_stime in ns. */
void decode_cputime(const struct record *record, uint64_t *ret_utime, uint64_t *ret_stime);
