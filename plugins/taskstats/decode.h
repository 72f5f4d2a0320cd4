/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel's struct taskstats holds, by version, and how to take it out. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* What must be switched on in the kernel for a value to mean anything. */
enum taskstats_active {
	TASKSTATS_MEASURED = 1, /* the query was answered: always */
	TASKSTATS_CPU = 2,      /* CONFIG_TASK_DELAY_ACCT: sched_info feeds the cpu delay */
	TASKSTATS_BLOCK = 4,    /* kernel.task_delayacct=1: the other seven delays */
	TASKSTATS_XACCT = 8,    /* CONFIG_TASK_XACCT */
	TASKSTATS_ALL = 15,
	TASKSTATS_IO = 16,    /* CONFIG_TASK_IO_ACCOUNTING; of exits alone */
	TASKSTATS_TIMES = 32, /* struct version 17: when a delay was longest */
};

enum {
	TASKSTATS_FIELD_CPU_COUNT = 0,
	TASKSTATS_FIELD_HIWATER_RSS = 32,
	TASKSTATS_FIELD_HIWATER_VM = 33,
	TASKSTATS_N_COMMON,
	/* Of threads that live: when each delay was longest. */
	TASKSTATS_FIELD_MAX_AT = TASKSTATS_N_COMMON,
	TASKSTATS_N_FIELDS = TASKSTATS_FIELD_MAX_AT + 8,
};

/* Fields of a thread that ended: the common ones, and those that a thread which lives
 * has from elsewhere. */
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

/* A metric and where its value lies. */
struct taskstats_field {
	struct ctprof_metric metric;
	uint32_t needs;      /* enum taskstats_active */
	uint16_t since;      /* first struct version that has it */
	uint16_t offset;     /* in every version but 15 */
	uint16_t offset_v15; /* version 15 put max and min between the older fields */
	uint16_t scale;      /* what one unit of the kernel's counts, in the metric's unit */
	uint16_t divisor;    /* the same, where it counts finer units; 0: it does not */
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

/* Which of the fields in fill, bits as in present, mean something.  xacct_add_tsk() leaves
 * the peaks of a thread without an address space, a kernel thread or a zombie, at 0: there
 * is nothing they are peaks of. */
static inline uint64_t taskstats_fill(uint64_t fill, const struct taskstats_values *values)
{
	if (values->value[TASKSTATS_FIELD_HIWATER_VM] == 0)
		fill &= ~(UINT64_C(1) << TASKSTATS_FIELD_HIWATER_RSS |
			  UINT64_C(1) << TASKSTATS_FIELD_HIWATER_VM);
	return fill & values->present;
}

/*
 * Takes a reply's struct apart.  Fields its version does not have, or that lie
 * past its end, are not present.  -EBADMSG when it is shorter than version 8,
 * the oldest one known here, or calls itself older; *ret is then untouched.
 */
int taskstats_decode(const uint8_t *stats, size_t len, struct taskstats_values *ret);

/* The same of the sum of a process. */
int taskstats_decode_totals(const uint8_t *stats, size_t len, struct taskstats_values *ret);

#define TASKSTATS_VERSION_OF_TIMES 17
#define EXIT_COMM_SIZE 16

/* A thread that ended. */
struct taskstats_exit {
	int32_t tid, tgid;         /* tgid: 0 before version 12 */
	char comm[EXIT_COMM_SIZE]; /* with a NUL, unless the kernel's has none */
	struct taskstats_values values;
};

/* As an exit store keeps it. */
#define TASKSTATS_EXIT_WORDS (sizeof(struct taskstats_exit) / sizeof(uint64_t))
union taskstats_exit_words {
	struct taskstats_exit record;
	uint64_t words[TASKSTATS_EXIT_WORDS];
};

/* The same of a record of a thread's end.  When it started is not in it, and left to
 * the caller. */
int taskstats_decode_exit(const uint8_t *stats, size_t len, struct taskstats_exit *ret);
