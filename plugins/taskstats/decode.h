/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the fields of the kernel's struct taskstats, by version. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* The accounting that must be enabled in the kernel for a value to be meaningful. */
enum taskstats_active {
	TASKSTATS_MEASURED = 1, /* always on: the query was answered */
	TASKSTATS_CPU = 2,      /* CONFIG_TASK_DELAY_ACCT: sched_info feeds the cpu delay */
	TASKSTATS_BLOCK = 4,    /* kernel.task_delayacct=1: the other seven delays */
	TASKSTATS_XACCT = 8,    /* CONFIG_TASK_XACCT */
	TASKSTATS_ALL = 15,
	TASKSTATS_IO = 16,    /* CONFIG_TASK_IO_ACCOUNTING; for exits only */
	TASKSTATS_TIMES = 32, /* struct version 17: when a delay was longest */
};

enum {
	TASKSTATS_FIELD_CPU_COUNT = 0,
	TASKSTATS_FIELD_HIWATER_RSS = 32,
	TASKSTATS_FIELD_HIWATER_VM = 33,
	TASKSTATS_N_COMMON,
	/* For live threads only: when each delay was longest. */
	TASKSTATS_FIELD_MAX_AT = TASKSTATS_N_COMMON,
	TASKSTATS_N_FIELDS = TASKSTATS_FIELD_MAX_AT + 8,
};

/* Fields of a thread that ended: the common ones, and those that other sources provide for live
 * threads. */
enum {
	EXIT_FIELD_START = TASKSTATS_N_COMMON,
	EXIT_FIELD_CODE,
	EXIT_FIELD_ELAPSED,
	EXIT_N_FIELDS = TASKSTATS_N_COMMON + 22,
};

/* Fields of a process. */
enum {
	TOTALS_FIELD_SWITCHES = 1, /* two of them */
	TOTALS_N_FIELDS = 19,
};

/* A metric and the place of its value. */
struct taskstats_field {
	struct ctprof_metric metric;
	uint32_t needs;      /* enum taskstats_active */
	uint16_t since;      /* first struct version that has it */
	uint16_t offset;     /* offset in every version except 15 */
	uint16_t offset_v15; /* version 15 put max and min between the older fields */
	uint16_t scale;      /* factor from the kernel's unit to the metric's */
	uint16_t divisor;    /* used instead of scale if the kernel's unit is finer; 0: it is not */
	uint8_t width;       /* bytes: 16 (a time), 4, 1 (signed), 0: 8 */
};

extern const struct taskstats_field taskstats_fields[TASKSTATS_N_FIELDS];
extern const struct taskstats_field exit_fields[EXIT_N_FIELDS];
extern const struct taskstats_field total_fields[TOTALS_N_FIELDS];

struct taskstats_values {
	uint64_t present; /* bit i: value[i] was in the struct */
	uint64_t value[EXIT_N_FIELDS];
	uint16_t version;
};

/* Returns the fields in fill that are meaningful, as bits like those of present.  xacct_add_tsk()
 * leaves the peaks at 0 for threads without an address space, that is kernel threads and
 * zombies. */
static inline uint64_t taskstats_fill(uint64_t fill, const struct taskstats_values *values)
{
	if (values->value[TASKSTATS_FIELD_HIWATER_VM] == 0)
		fill &= ~(UINT64_C(1) << TASKSTATS_FIELD_HIWATER_RSS |
			  UINT64_C(1) << TASKSTATS_FIELD_HIWATER_VM);
	return fill & values->present;
}

/*
 * Decodes the struct in a reply.  Fields that its version does not have, or that are past its end,
 * are not present.  -EBADMSG if it is shorter than version 8, the oldest one known here, or claims
 * to be older; *ret is then untouched.
 */
int taskstats_decode(const uint8_t *stats, size_t len, struct taskstats_values *ret);

/* Decodes the sum of a process. */
int taskstats_decode_totals(const uint8_t *stats, size_t len, struct taskstats_values *ret);

#define TASKSTATS_VERSION_OF_TIMES 17
#define EXIT_COMM_SIZE 16

/* A thread that ended. */
struct taskstats_exit {
	int32_t tid, tgid;         /* tgid: 0 before version 12 */
	char comm[EXIT_COMM_SIZE]; /* NUL-terminated, unless the kernel's text is not */
	struct taskstats_values values;
};

/* The decoded record, as words for an exit store. */
#define TASKSTATS_EXIT_WORDS (sizeof(struct taskstats_exit) / sizeof(uint64_t))
union taskstats_exit_words {
	struct taskstats_exit record;
	uint64_t words[TASKSTATS_EXIT_WORDS];
};

/* Returns the fields of a thread's exit record, which lacks the start time: the caller must add
 * it. */
int taskstats_decode_exit(const uint8_t *stats, size_t len, struct taskstats_exit *ret);
